# shellcheck shell=sh
# Tests that a program is the right one. Names such as stream, coremark or fio are
# common words: ImageMagick has a "stream" too.

# sign_of BENCHMARK: sets SIGN, a pattern that only the right program prints, and
# SIGN_ASK, the option with which it prints its name. If it has none, the pattern is
# also in the program's file.
sign_of() {
    SIGN='' SIGN_ASK=''
    case $1 in
        # Its programs exit with status 0 even if they only print a complaint.
        lmbench) SIGN='^[^#].*[0-9]' ;;
        stream) SIGN='Triad' ;;
        dhrystone) SIGN='[Dd]hrystone' ;;
        whetstone) SIGN='[Ww]hetstone|WHETSTONE|MWIPS' ;;
        linpack) SIGN='LINPACK|[Ll]inpack' ;;
        nbench) SIGN='BYTEmark' ;;
        coremark) SIGN='CoreMark Size' ;;
        tinymembench) SIGN='tinymembench v' ;;
        7-zip) SIGN='Igor Pavlov' SIGN_ASK='i' ;;
        cryptsetup) SIGN='^cryptsetup [0-9]' SIGN_ASK='--version' ;;
        boot-time) SIGN='^systemd [0-9]' SIGN_ASK='--version' ;;
        fio) SIGN='^fio-[0-9]' SIGN_ASK='--version' ;;
        iperf3) SIGN='^iperf 3' SIGN_ASK='--version' ;;
        glmark2) SIGN='glmark2 Score' ;;
        alsa) SIGN='^a(record|play): version' SIGN_ASK='--version' ;;
        tflite) SIGN='Inference timings' ;;
        onnxruntime) SIGN='Number of inferences per second' ;;
        rtla-*) SIGN='^rtla version' SIGN_ASK='--version' ;;
        netperf) SIGN='^[Nn]etperf version' SIGN_ASK='-V' ;;
    esac
}

# meant BENCHMARK PROGRAM: status 1 if it is another program of this name.
meant() {
    sign_of "$1"
    [ -n "$SIGN" ] || return 0
    if [ -n "$SIGN_ASK" ]; then
        "$2" "$SIGN_ASK" 2>&1 </dev/null | grep -Eq -- "$SIGN"
        return
    fi
    meant_file=$(command -v "$2")
    [ -f "$meant_file" ] || return 0
    case $(dd if="$meant_file" bs=2 count=1 2>/dev/null | tr -d '\000') in
        # Only a run of a script shows what it calls: said_sign checks the output.
        '#!') return 0 ;;
    esac
    grep -Eq -- "$SIGN" "$meant_file"
}

# said_sign BENCHMARK FILE: succeeds if the output is that of the right program.
said_sign() {
    sign_of "$1"
    [ -z "$SIGN" ] || [ -n "$SIGN_ASK" ] || grep -Eq -- "$SIGN" "$2"
}

# find_program BENCHMARK CANDIDATE…: sets FOUND to the first that is installed and is
# the right program. If there is none, it reports the reason, with status 1.
find_program() {
    find_program_benchmark=$1
    FOUND='' find_program_other=''
    shift
    for find_program_name in "$@"; do
        command -v "$find_program_name" >/dev/null 2>&1 || continue
        if meant "$find_program_benchmark" "$find_program_name"; then
            FOUND=$find_program_name
            return 0
        fi
        find_program_other=$(command -v "$find_program_name")
    done
    if [ -n "$find_program_other" ]; then
        skip "$find_program_benchmark" "$find_program_other is another program of this name"
    else
        skip "$find_program_benchmark" "the program is not installed"
    fi
    return 1
}
