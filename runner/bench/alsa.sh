# shellcheck shell=sh
# Sound through ALSA: CPU load and data rate of recording and playing silence, at each
# sampling rate: 16 bits, two channels, periods of 64 frames.

run_alsa() {
    if [ -z "$TIMER" ]; then
        skip alsa "neither GNU nor BusyBox time -v is installed"
        return 0
    fi
    alsa_way capture arecord "$ALSA_CAPTURE"
    alsa_way playback aplay "$ALSA_PLAYBACK"
}

# alsa_way DIRECTION PROGRAM DEVICE: measures one device; the first one if DEVICE is empty.
alsa_way() {
    find_program alsa "$2" || return 0
    alsa_device=${3:-$(alsa_first "$2")}
    if [ -z "$alsa_device" ]; then
        skip "alsa $1" "there is no sound card: $("$2" -l 2>&1 | head -n 1)"
        return 0
    fi
    [ -z "$SHOW_PLAN" ] || { say "alsa $1: $alsa_device, $ALSA_SECONDS s at each of $(count "$ALSA_RATES") rates"; return 0; }
    alsa_file=/dev/shm/perfguide-alsa.raw
    [ -d /dev/shm ] || alsa_file=$STATE/alsa.raw
    undo_later remove "$alsa_file"
    for alsa_rate in $ALSA_RATES; do
        alsa_points "$1" "$2"
    done
    undo_all
}

# alsa_first PROGRAM: prints the first device that it can use, as hw:CARD,DEVICE. Without the
# plug: prefix no rates are converted.
alsa_first() {
    "$1" -l 2>/dev/null | sed -n 's/^card \([0-9]*\):.* device \([0-9]*\):.*/hw:\1,\2/p' | head -n 1
}

# alsa_points DIRECTION PROGRAM: runs each repetition.
alsa_points() {
    alsa_silence "$1" 1
    # shellcheck disable=SC2046 # the options are words
    alsa_said=$("$2" $(alsa_options 1) "$alsa_file" 2>&1 </dev/null)
    alsa_status=$?
    case $alsa_said in
        *'not accurate'* | *"doesn't match"* | *'not available'*) alsa_status=1 ;;
    esac
    if [ "$alsa_status" -ne 0 ]; then
        skip "alsa $1 at $alsa_rate Hz" "$alsa_device: $(printf '%s\n' "$alsa_said" | grep -v ' raw data ' | grep . | head -n 1)"
        return 0
    fi
    alsa_silence "$1" "$ALSA_SECONDS"
    alsa_repetition=$REPETITIONS_FROM
    while [ "$alsa_repetition" -le "$REPETITIONS" ]; do
        # shellcheck disable=SC2046,SC2086 # the options are words, and so is "busybox time"
        set -- "$1" "$2" $TIMER -v "$2" $(alsa_options "$ALSA_SECONDS") "$alsa_file"
        alsa_point "$@"
        set -- "$1" "$2"
        alsa_repetition=$((alsa_repetition + 1))
    done
}

alsa_options() {
    printf '%s\n' "-D $alsa_device -t raw -f S16_LE -c 2 -r $alsa_rate --period-size=64 -d $1"
}

# alsa_silence DIRECTION SECONDS: prints silence to play, four bytes a frame.
alsa_silence() {
    [ "$1" = playback ] || return 0
    dd if=/dev/zero of="$alsa_file" bs="$((alsa_rate * 4))" count="$2" 2>/dev/null
}

# alsa_point DIRECTION PROGRAM COMMAND…
alsa_point() {
    alsa_what="alsa $1 at $alsa_rate Hz"
    alsa_head="benchmark=alsa direction=$1 sampling_rate=$alsa_rate repetition=$alsa_repetition"
    shift 2
    alsa_head="$alsa_head command=$*"
    if is_done "$alsa_head" || run_point alsa.log "$alsa_head" alsa_counted "$@"; then
        summary "done" "$alsa_what"
    else
        summary failed "$alsa_what" "status $?, see alsa.log"
    fi
}

# alsa_counted COMMAND…: runs it and prints the number of bytes that went through.
alsa_counted() {
    "$@" && wc -c "$alsa_file"
}
