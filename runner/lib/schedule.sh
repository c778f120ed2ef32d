# shellcheck shell=sh
# Scheduling of jobs: cores, nice levels, timing.

# allowed_cores: prints the cores that this process may run on, on one line.
allowed_cores() {
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status 2>/dev/null |
        tr ',' '\n' | awk -F- '
            NF == 1 { print $1 }
            NF == 2 { for (i = $1; i <= $2; i++) print i }' | tr '\n' ' '
}

# core_mask CORE…: prints a hexadecimal mask, which every version of taskset reads.
core_mask() {
    core_mask_sum=0
    for core_mask_core in "$@"; do
        core_mask_sum=$((core_mask_sum | (1 << core_mask_core)))
    done
    printf '%x\n' "$core_mask_sum"
}

# find_pin: sets PIN to the program that pins, or to nothing.
find_pin() {
    PIN=
    # shellcheck disable=SC2046 # one word for each core
    if taskset "$(core_mask $(allowed_cores))" true 2>/dev/null; then
        PIN=taskset
    fi
}

# find_timer: sets TIMER to `time -v` of GNU or BusyBox, or to nothing. The shell's
# own keyword and small `time` programs have no "Percent of CPU".
find_timer() {
    TIMER=
    find_timer_ifs=$IFS
    IFS=:
    for find_timer_dir in $PATH; do
        if [ -z "$TIMER" ] && [ -x "$find_timer_dir/time" ] && times_cpu "$find_timer_dir/time"; then
            TIMER=$find_timer_dir/time
        fi
    done
    IFS=$find_timer_ifs
    if [ -z "$TIMER" ] && command -v busybox >/dev/null 2>&1 && times_cpu busybox time; then
        TIMER='busybox time'
    fi
}

times_cpu() {
    "$@" -v true 2>&1 | grep -q 'Percent of CPU this job got'
}

# find_nice: sets OWN_NICE to this process's level, and NICER to the program that
# changes it: nice, renice (small BusyBoxes have only that), or nothing.
find_nice() {
    { read -r find_nice_line <"/proc/$$/stat"; } 2>/dev/null || find_nice_line=
    # The name in parentheses may contain anything: count the fields after it.
    # shellcheck disable=SC2086 # the fields are to be split
    set -- ${find_nice_line##*) }
    OWN_NICE=${17:-0}
    for NICER in nice renice ''; do
        [ -n "$NICER" ] && command -v "$NICER" >/dev/null 2>&1 && break
    done
}

# renicing LEVEL: prints a shell script that sets its own level and executes its
# arguments. Without -n the level is absolute in every renice.
renicing() {
    # shellcheck disable=SC2016 # the inner shell expands it
    printf 'renice %s -p "$$" >/dev/null && exec "$@"\n' "$1"
}

# at_nice LEVEL COMMAND…: runs it at a level. nice -n adds to this process's own level.
at_nice() {
    at_nice_level=$1
    shift
    case $NICER in
        nice) nice -n "$((at_nice_level - OWN_NICE))" "$@" ;;
        renice) sh -c "$(renicing "$at_nice_level")" at-nice "$@" ;;
        *) [ "$at_nice_level" -eq "$OWN_NICE" ] && "$@" ;;
    esac
}

# nice_reaches LEVEL: succeeds if a program started for LEVEL runs at LEVEL.
nice_reaches() {
    # shellcheck disable=SC2016 # awk expands it
    [ "$(at_nice "$1" awk '{ sub(/^.*\) /, ""); print $17 }' /proc/self/stat 2>/dev/null)" = "$1" ]
}

# choose_cores: sets CORES, CORE and THREADS unless options did.
choose_cores() {
    CORES=$(allowed_cores)
    CORES=${CORES:-0}
    if [ -z "$CORE" ]; then
        # The first core takes most interrupts; the last is the quietest.
        CORE=$(printf '%s\n' "$CORES" | awk '{ print $NF }')
    fi
    # shellcheck disable=SC2086 # one word for each core
    has_word "$CORE" $CORES || wrong "core $CORE is not among those allowed: $CORES"
    if [ -z "$THREADS" ]; then
        THREADS=$(printf '1\n%s\n' "$(count "$CORES")" | sort -nu)
    fi
}

# share_cores THREADS: sets SHARED_CORES, the cores that job and busy loops share,
# with spaces; SHARED_LIST, the same with commas; SHARED_COUNT; and SHARED_MASK,
# empty if nothing can be pinned. It is called for each point, so results are kept.
share_cores() {
    [ "${share_cores_for:-}" != "$1" ] || return 0
    share_cores_for=$1
    if [ "$1" -eq 1 ]; then
        SHARED_CORES=$CORE
    else
        SHARED_CORES=$(printf '%s\n' "$CORES" | awk -v most="$1" '
            { for (i = 1; i <= NF && i <= most; i++) printf "%s%s", (i == 1 ? "" : " "), $i; print "" }')
    fi
    SHARED_LIST=$(printf '%s\n' "$SHARED_CORES" | tr ' ' ',')
    SHARED_COUNT=$(count "$SHARED_CORES")
    SHARED_MASK=
    # shellcheck disable=SC2086 # one word for each core
    [ -z "$PIN" ] || SHARED_MASK=$(core_mask $SHARED_CORES)
}
