# shellcheck shell=sh
# The command line.

BENCHMARKS='openssl sweep dmcrypt cyclictest programs boot
    storage network loss ipsec alsa inference latency'
STORAGE_KNOWN='fio emmc mmcsd nand ospi pcie-nvme sata ufs usb-host'
PROGRAMS_KNOWN='7-zip tinymembench cryptsetup coremark stream dhrystone whetstone linpack nbench
    multibench coremark-pro lmbench glmark2'

usage() {
    cat <<'END'
Usage: run.sh -o FOLDER [OPTION…]

Runs benchmarks on this board. Logs, environment.json and summary.txt go to
FOLDER. The same command with the same FOLDER goes on where the last one ended.

What was measured on (asked from the system where not given):
  --board NAME        board, such as am62xx_sk-fs      [device tree, CPU]
  --soc NAME          system on chip, such as AM62X    [device tree, machine]
  --sdk VERSION       release of the SDK               [os-release]
  --os NAME           linux, rt-linux …                [from the kernel]
  --description TEXT  of the board, for people
  --note TEXT         said on the pages of these figures; may be given again
  --cpu-mhz NUMBER    clock                            [cpufreq, cpuinfo]
  --memory TEXT       such as "DDR4 1600 MT/s"         [its size]
  --runner NAME       this lab or farm                 [host name]

What to run:
  --only LIST         of: openssl sweep dmcrypt cyclictest programs boot storage
                      network loss ipsec alsa inference latency  [all]
  --skip LIST         leave these out
  --programs LIST     of: 7-zip tinymembench cryptsetup coremark stream dhrystone
                      whetstone linpack nbench multibench coremark-pro lmbench
                      glmark2                          [all]
  --algorithms LIST   for openssl speed -evp
                      [aes-128-cbc aes-192-cbc aes-256-cbc sha256]
  --engines LIST      of: hw arm-ce sw …               [all the board has]
  --accelerators LIST what to try: engine:NAME, provider:NAME, or providers for
                      those beside openssl's own
                      [devcrypto cryptodev afalg providers]
  --block-sizes LIST  in bytes                         [openssl's own list]
  --each-size         one command for each size: CPU load is then timed for each
  --seconds N         for each block size              [3]
  --loops N           of cyclictest, 400 us each       [10000000]
  --repetitions N     of each point                    [1]
  --from-repetition N begin with this one              [1]

The sweep:
  --nice LIST         levels, such as -20..19 or -20..19/4 or "-20 0 19" [-20..19]
  --threads LIST      [1 and the number of cores]
  --workloads LIST    of: alone dm-crypt               [both]
  --copiers N         beside dm-crypt jobs             [one for each thread]
  --core N            where one thread and its loop run  [the last one]

Storage, by fio; NAME is the benchmark, such as emmc, mmcsd, usb-host or fio:
  --fio-read LIST     of NAME=PATH: devices or files, which are only read
  --fio-write LIST    of NAME=PATH: folders, in which a file is made and removed, or
                      devices THAT ARE OVERWRITTEN; both are read, too
  --fio-sizes LIST    of blocks                        [4k 256k 1m 4m]
  --fio-mib N         so much of a device or file      [256]
  --fio-seconds N     for each block size              [10]
  --fio-buffered      through the page cache, for file systems without O_DIRECT

Network, by iperf3 and netperf:
  --peer HOST         the other side, where their servers run; local is this host,
                      netns a network namespace: there the runner starts and stops
                      them
  --net-seconds N     for each test                    [10]

The highest rate without loss (RFC 2544), by iperf3's UDP with --peer:
  --loss-frames LIST  lengths of frames                [64 128 256 512 1024 1280 1518]
  --loss-steps N      how often the interval is halved [7]

IPsec, by iperf3 over ESP in transport mode:
  --peer-shell COMMAND  runs a command on the --peer as root, such as
                      "ssh root@10.0.0.1"; netns needs none
  --ipsec-algorithms LIST  as strongSwan names them; none is without IPsec
                      [none aes128-sha256 aes192-sha256 aes256-sha256 aes128gcm16
                      3des-sha1]
  --ipsec-sizes LIST  of packets, in bytes             [64 128 256 512 1024 1456]

Sound, by ALSA's arecord and aplay; what is played is silent:
  --alsa-capture DEVICE, --alsa-playback DEVICE
                      such as hw:1,0                   [the first that there is]
  --alsa-rates LIST   in Hz  [8000 11025 16000 22050 24000 32000 44100 48000 88200 96000]
  --alsa-seconds N    at each rate                     [10]

Inference, by TensorFlow Lite's benchmark_model and onnxruntime_perf_test:
  --models LIST       files or folders with .tflite and .onnx
  --delegates LIST    of TensorFlow Lite: none, a name such as xnnpack, gpu or nnapi, or
                      the path of a library             [none xnnpack]
  --providers LIST    of ONNX Runtime, such as cpu, xnnpack or qnn  [cpu]
  --inference-seconds N  for each model                [10]

Real-time latency, by oslat and rtla:
  --latency-seconds N for each program                 [60]

Lists are separated by spaces or commas; A..B counts, A..B/STEP strides.

Other:
  --sample-seconds N  between two looks at clock and temperature while a program
                      runs                             [5]
  --plan              say what would be run and how long it takes, run nothing
  -h, --help          this text
  --version           the runner's version
Exit status: 0 done (what was skipped is in summary.txt), 2 wrong usage,
129, 130, 143 ended by HUP, INT, TERM.
END
}

# number NAME VALUE LOWEST: exits with status 2 unless VALUE is an integer of at least LOWEST.
number() {
    case $2 in
        '' | *[!0-9]*) wrong "$1 takes a whole number, not '$2'" ;;
    esac
    [ "$2" -ge "$3" ] || wrong "$1 must be at least $3"
}

read_options() {
    OUT='' BOARD='' SOC='' SDK='' SDK_OS='' DESCRIPTION='' CPU_MHZ='' MEMORY='' RUNNER=''
    ONLY=$BENCHMARKS
    PROGRAMS=$PROGRAMS_KNOWN
    ALGORITHMS='aes-128-cbc aes-192-cbc aes-256-cbc sha256'
    ENGINES=''
    ACCELERATORS='devcrypto cryptodev afalg providers'
    BLOCK_SIZES='' EACH_SIZE='' SECONDS_EACH=3
    REPETITIONS=1 REPETITIONS_FROM=1 LOOPS=10000000 SAMPLE_SECONDS=5
    NICE_LEVELS='-20..19' THREADS='' WORKLOADS='alone dm-crypt' COPIERS='' CORE=''
    FIO_READ='' FIO_WRITE='' FIO_SIZES='4k 256k 1m 4m' FIO_MIB=256 FIO_SECONDS=10 FIO_DIRECT=1
    PEER='' NET_SECONDS=10 PEER_SHELL=''
    IPSEC_ALGORITHMS='none aes128-sha256 aes192-sha256 aes256-sha256 aes128gcm16 3des-sha1'
    LOSS_FRAMES='64 128 256 512 1024 1280 1518' LOSS_STEPS=7
    IPSEC_SIZES='64 128 256 512 1024 1456'
    ALSA_CAPTURE='' ALSA_PLAYBACK='' ALSA_SECONDS=10
    ALSA_RATES='8000 11025 16000 22050 24000 32000 44100 48000 88200 96000'
    MODELS='' DELEGATES='none xnnpack' PROVIDERS=cpu INFERENCE_SECONDS=10 LATENCY_SECONDS=60
    SHOW_PLAN='' NOTES=''
    read_options_skip=''
    while [ "$#" -gt 0 ]; do
        case $1 in
            -h | --help) usage; exit 0 ;;
            --version) printf '%s\n' "$RUNNER_VERSION"; exit 0 ;;
            --each-size) EACH_SIZE=yes; shift; continue ;;
            --fio-buffered) FIO_DIRECT=0; shift; continue ;;
            --plan) SHOW_PLAN=yes; shift; continue ;;
            --*=*)
                read_options_name=${1%%=*}
                read_options_value=${1#*=}
                shift
                ;;
            -o | --*)
                [ "$#" -ge 2 ] || wrong "$1 takes a value, or is unknown"
                read_options_name=$1
                read_options_value=$2
                shift 2
                ;;
            *) wrong "what is '$1'?" ;;
        esac
        case $read_options_name in
            -o | --output) OUT=$read_options_value ;;
            --board) BOARD=$read_options_value ;;
            --soc) SOC=$read_options_value ;;
            --sdk) SDK=$read_options_value ;;
            --os) SDK_OS=$read_options_value ;;
            --description) DESCRIPTION=$read_options_value ;;
            --note)
                NOTES="${NOTES}note: $(printf '%s' "$read_options_value" | tr '\n' ' ')
"
                ;;
            --cpu-mhz) number --cpu-mhz "$read_options_value" 1; CPU_MHZ=$read_options_value ;;
            --memory) MEMORY=$read_options_value ;;
            --runner) RUNNER=$read_options_value ;;
            --only) ONLY=$(words "$read_options_value") ;;
            --programs) PROGRAMS=$(words "$read_options_value") ;;
            --skip) read_options_skip=$(words "$read_options_value") ;;
            --algorithms) ALGORITHMS=$(words "$read_options_value") ;;
            --engines) ENGINES=$(words "$read_options_value") ;;
            --accelerators) ACCELERATORS=$(words "$read_options_value") ;;
            --block-sizes) BLOCK_SIZES=$read_options_value ;;
            --seconds) number --seconds "$read_options_value" 1; SECONDS_EACH=$read_options_value ;;
            --repetitions) number --repetitions "$read_options_value" 1; REPETITIONS=$read_options_value ;;
            --from-repetition) number --from-repetition "$read_options_value" 1; REPETITIONS_FROM=$read_options_value ;;
            --loops) number --loops "$read_options_value" 1; LOOPS=$read_options_value ;;
            --nice) NICE_LEVELS=$read_options_value ;;
            --threads) THREADS=$read_options_value ;;
            --workloads) WORKLOADS=$(words "$read_options_value") ;;
            --copiers) number --copiers "$read_options_value" 1; COPIERS=$read_options_value ;;
            --sample-seconds) number --sample-seconds "$read_options_value" 1; SAMPLE_SECONDS=$read_options_value ;;
            --fio-read) FIO_READ=$(words "$read_options_value") ;;
            --fio-write) FIO_WRITE=$(words "$read_options_value") ;;
            --fio-sizes) FIO_SIZES=$(words "$read_options_value") ;;
            --fio-mib) number --fio-mib "$read_options_value" 1; FIO_MIB=$read_options_value ;;
            --fio-seconds) number --fio-seconds "$read_options_value" 1; FIO_SECONDS=$read_options_value ;;
            --peer) PEER=$read_options_value ;;
            --net-seconds) number --net-seconds "$read_options_value" 1; NET_SECONDS=$read_options_value ;;
            --loss-frames) LOSS_FRAMES=$read_options_value ;;
            --loss-steps) number --loss-steps "$read_options_value" 1; LOSS_STEPS=$read_options_value ;;
            --peer-shell) PEER_SHELL=$read_options_value ;;
            --ipsec-algorithms) IPSEC_ALGORITHMS=$(words "$read_options_value") ;;
            --ipsec-sizes) IPSEC_SIZES=$read_options_value ;;
            --alsa-capture) ALSA_CAPTURE=$read_options_value ;;
            --alsa-playback) ALSA_PLAYBACK=$read_options_value ;;
            --alsa-rates) ALSA_RATES=$read_options_value ;;
            --alsa-seconds) number --alsa-seconds "$read_options_value" 1; ALSA_SECONDS=$read_options_value ;;
            --models) MODELS=$(words "$read_options_value") ;;
            --delegates) DELEGATES=$(words "$read_options_value") ;;
            --providers) PROVIDERS=$(words "$read_options_value") ;;
            --inference-seconds) number --inference-seconds "$read_options_value" 1; INFERENCE_SECONDS=$read_options_value ;;
            --latency-seconds) number --latency-seconds "$read_options_value" 1; LATENCY_SECONDS=$read_options_value ;;
            --core) number --core "$read_options_value" 0; CORE=$read_options_value ;;
            *) wrong "there is no option $read_options_name" ;;
        esac
    done
    [ -n "$OUT" ] || wrong "where to? Give -o FOLDER"
    check_lists
    mkdir -p "$OUT" || wrong "cannot make $OUT"
    OUT=$(CDPATH='' cd -- "$OUT" && pwd) || wrong "cannot enter $OUT"
}

check_lists() {
    for check_lists_item in $ONLY $read_options_skip; do
        # shellcheck disable=SC2086 # the benchmarks are words
        has_word "$check_lists_item" $BENCHMARKS || wrong "there is no benchmark $check_lists_item"
    done
    for check_lists_item in $PROGRAMS; do
        # shellcheck disable=SC2086 # the programs are words
        has_word "$check_lists_item" $PROGRAMS_KNOWN || wrong "there is no program $check_lists_item"
    done
    check_lists_kept=
    for check_lists_item in $ONLY; do
        # shellcheck disable=SC2086 # the benchmarks are words
        has_word "$check_lists_item" $read_options_skip || check_lists_kept="$check_lists_kept $check_lists_item"
    done
    ONLY=$check_lists_kept
    for check_lists_item in $WORKLOADS; do
        has_word "$check_lists_item" alone dm-crypt || wrong "there is no workload $check_lists_item"
    done
    NICE_LEVELS=$(expand_numbers "$NICE_LEVELS") || wrong "--nice takes levels such as -20..19"
    for check_lists_item in $NICE_LEVELS; do
        if [ "$check_lists_item" -lt -20 ] || [ "$check_lists_item" -gt 20 ]; then
            wrong "nice levels are -20 to 19, not $check_lists_item"
        fi
    done
    if [ -n "$THREADS" ]; then
        THREADS=$(expand_numbers "$THREADS") || wrong "--threads takes numbers"
        for check_lists_item in $THREADS; do
            number --threads "$check_lists_item" 1
        done
    fi
    if [ -n "$BLOCK_SIZES" ]; then
        BLOCK_SIZES=$(expand_numbers "$BLOCK_SIZES" | tr '\n' ' ' | sed 's/ $//') || wrong "--block-sizes takes numbers"
        for check_lists_item in $BLOCK_SIZES; do
            number --block-sizes "$check_lists_item" 1
        done
    fi
    for check_lists_item in $FIO_READ $FIO_WRITE; do
        case $check_lists_item in
            *=/*) ;;
            *) wrong "'$check_lists_item' is not NAME=PATH with a path from /" ;;
        esac
        # shellcheck disable=SC2086 # the names are words
        has_word "${check_lists_item%%=*}" $STORAGE_KNOWN ||
            wrong "'${check_lists_item%%=*}' is none of $STORAGE_KNOWN"
        # fio treats a colon as the end of a name.
        case $check_lists_item in *:*) wrong "'$check_lists_item' has a colon" ;; esac
    done
    for check_lists_item in $FIO_SIZES; do
        case $check_lists_item in
            [1-9] | [1-9]*[0-9km]) case ${check_lists_item%[km]} in *[!0-9]*) wrong "'$check_lists_item' is no size" ;; esac ;;
            *) wrong "'$check_lists_item' is no size of a block, such as 4k" ;;
        esac
    done
    case $PEER in
        *[!A-Za-z0-9.:-]* | -*) wrong "'$PEER' is no name of a host" ;;
    esac
    LOSS_FRAMES=$(expand_numbers "$LOSS_FRAMES") || wrong "--loss-frames takes numbers"
    for check_lists_item in $LOSS_FRAMES; do
        if [ "$check_lists_item" -lt 64 ] || [ "$check_lists_item" -gt 1518 ]; then
            wrong "frames are 64 to 1518 bytes long, not $check_lists_item"
        fi
    done
    IPSEC_SIZES=$(expand_numbers "$IPSEC_SIZES") || wrong "--ipsec-sizes takes numbers"
    for check_lists_item in $IPSEC_SIZES; do
        # iperf3's own header takes 16 bytes.
        if [ "$check_lists_item" -lt 44 ] || [ "$check_lists_item" -gt 65507 ]; then
            wrong "packets are 44 to 65507 bytes long, not $check_lists_item"
        fi
    done
    ALSA_RATES=$(expand_numbers "$ALSA_RATES" | tr '\n' ' ') || wrong "--alsa-rates takes numbers"
    for check_lists_item in $ALSA_CAPTURE $ALSA_PLAYBACK; do
        case $check_lists_item in
            *[!A-Za-z0-9_.,:=-]* | -*) wrong "'$check_lists_item' is no device of ALSA" ;;
        esac
    done
    # These become file names and words of a log's header.
    for check_lists_item in $ALGORITHMS $IPSEC_ALGORITHMS $ENGINES $ACCELERATORS $PROVIDERS; do
        case $check_lists_item in
            *[!A-Za-z0-9._:-]* | -* | .*) wrong "'$check_lists_item' is no name of an algorithm or engine" ;;
        esac
    done
}

# wanted BENCHMARK: succeeds if it is selected and not excluded.
wanted() {
    # shellcheck disable=SC2086 # the benchmarks are words
    has_word "$1" $ONLY
}
