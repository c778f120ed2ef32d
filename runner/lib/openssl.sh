# shellcheck shell=sh
# The features of this openssl, and the command line for one point.

# find_openssl: sets OPENSSL_VERSION, SPEED_SECONDS (the option or empty),
# SPEED_BYTES (yes or empty) and SPEED_SIZES (its own list of block sizes).
find_openssl() {
    OPENSSL_VERSION=$(openssl version 2>/dev/null) || return 1
    SPEED_SECONDS=
    SPEED_BYTES=
    SPEED_SIZES='16 64 256 1024 8192'
    find_openssl_number=$(printf '%s\n' "$OPENSSL_VERSION" | awk '{ print $2 }')
    case $find_openssl_number in
        0.* | 1.0.*) ;;
        *) SPEED_SIZES="$SPEED_SIZES 16384" ;;
    esac
    # -seconds and -bytes came together, in 1.1.1.
    if openssl speed -help 2>&1 | grep -q -e '-seconds'; then
        SPEED_SECONDS=yes
        SPEED_BYTES=yes
    fi
}

# point_seconds SIZES: prints an estimate of the time of one point.
point_seconds() {
    point_seconds_each=${SECONDS_EACH:-3}
    [ -n "$SPEED_SECONDS" ] || point_seconds_each=3
    printf '%s\n' "$(($(printf '%s\n' "$1" | tr ',' '\n' | wc -l) * point_seconds_each))"
}

# size_groups: prints the sizes that each command measures, one command a line:
# openssl's own list, or one size each, as -bytes takes only one.
size_groups() {
    if [ -z "$EACH_SIZE" ] && [ "$BLOCK_SIZES" = "$SPEED_SIZES" ]; then
        printf '%s\n' "$SPEED_SIZES" | tr ' ' ','
    else
        printf '%s\n' "$BLOCK_SIZES" | tr ' ' '\n'
    fi
}

# run_speed LOG HEAD NICE MASK THREADS ENGINE ALGORITHM SIZES
# With an empty NICE the job is not niced, and with an empty MASK it is not pinned.
run_speed() {
    speed_log=$1
    speed_head=$2
    speed_nice=$3
    speed_mask=$4
    speed_threads=$5
    speed_engine=$6
    speed_algorithm=$7
    speed_sizes=$8
    set -- openssl speed -elapsed
    if [ -n "$SPEED_SECONDS" ] && [ -n "$SECONDS_EACH" ]; then
        set -- "$@" -seconds "$SECONDS_EACH"
    fi
    case $speed_sizes in
        *,*) ;;
        *) set -- "$@" -bytes "$speed_sizes" ;;
    esac
    if [ "$speed_threads" -gt 1 ]; then
        set -- "$@" -multi "$speed_threads"
    fi
    load_engine "$speed_engine"
    # shellcheck disable=SC2086 # one word for each argument
    set -- "$@" $ENGINE_ARGUMENTS -evp "$speed_algorithm"
    # shellcheck disable=SC2086 # "busybox time" is two words
    [ -z "$TIMER" ] || set -- $TIMER -v "$@"
    if [ -n "$speed_mask" ]; then
        set -- "$PIN" "$speed_mask" "$@"
    fi
    case ${speed_nice:+$NICER} in
        nice) set -- nice -n "$((speed_nice - OWN_NICE))" "$@" ;;
        renice) set -- sh -c "$(renicing "$speed_nice")" at-nice "$@" ;;
    esac
    [ -z "$ENGINE_VARIABLE" ] || set -- env "$ENGINE_VARIABLE" "$@"
    speed_head="$speed_head command=$*"
    is_done "$speed_head" && return 0
    [ -z "$PLAN_ONLY" ] || return 3
    run_point "$speed_log" "$speed_head" "$@"
}

# prepare_openssl: finds openssl, and the engines that run the requested algorithms.
prepare_openssl() {
    OPENSSL_VERSION=
    if ! find_openssl; then
        skip openssl "the program is not installed"
        return 0
    fi
    say "$OPENSSL_VERSION"
    [ -n "$BLOCK_SIZES" ] || BLOCK_SIZES=$SPEED_SIZES
    if [ -z "$SPEED_BYTES" ] && [ "$BLOCK_SIZES" != "$SPEED_SIZES" ]; then
        warn "block sizes" "this openssl takes only its own: $SPEED_SIZES"
        BLOCK_SIZES=$SPEED_SIZES
    fi
    if [ -z "$SPEED_SECONDS" ] && [ "$SECONDS_EACH" != 3 ]; then
        warn "seconds" "this openssl measures 3 s for each block size"
    fi
    find_engines
    prepare_openssl_found=$(engine_names)
    for prepare_openssl_name in ${ENGINES:-$prepare_openssl_found}; do
        # shellcheck disable=SC2086 # the engines are words
        has_word "$prepare_openssl_name" $prepare_openssl_found ||
            skip "engine $prepare_openssl_name" "this board has none"
    done
    : >"$STATE/usable"
    for prepare_openssl_algorithm in $ALGORITHMS; do
        if ! openssl speed ${SPEED_SECONDS:+-seconds 1 -bytes 16} -evp "$prepare_openssl_algorithm" >/dev/null 2>&1; then
            skip "algorithm $prepare_openssl_algorithm" "openssl does not know it"
            continue
        fi
        for prepare_openssl_name in $prepare_openssl_found; do
            # shellcheck disable=SC2086 # the engines are words
            [ -z "$ENGINES" ] || has_word "$prepare_openssl_name" $ENGINES || continue
            if engine_runs "$prepare_openssl_name" "$prepare_openssl_algorithm"; then
                printf '%s %s\n' "$prepare_openssl_name" "$prepare_openssl_algorithm" >>"$STATE/usable"
            else
                skip "$prepare_openssl_algorithm on $prepare_openssl_name" "the accelerator leaves it to software"
            fi
        done
        [ -n "$SHOW_PLAN" ] || check_mask "$prepare_openssl_algorithm"
    done
    ENGINES=$(awk '!seen[$1]++ { print $1 }' "$STATE/usable")
}

# engine_usable ENGINE ALGORITHM
engine_usable() {
    grep -Fxq -- "$1 $2" "$STATE/usable"
}
