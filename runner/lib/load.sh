# shellcheck shell=sh
# Load beside the measured job. Both loops check now and then that the runner
# is still running, and end if it is not, so that a SIGKILL leaves no core busy.

# shellcheck disable=SC2016 # the inner shell expands it
BUSY_LOOP='while kill -0 "$1"; do n=0; while [ "$n" -lt 100000 ]; do n=$((n + 1)); done; done'
# shellcheck disable=SC2016 # the inner shell expands it
COPY_LOOP='while kill -0 "$1"; do dd if="$2" of="$3" bs=65536 conv=fsync || sleep 1; done'

# start_load BENCHMARK WORKLOAD THREADS
start_load() {
    if [ "$1" = sweep ]; then
        share_cores "$3"
        # shellcheck disable=SC2086 # one word for each core
        start_loops $SHARED_CORES
    fi
    [ "$2" = alone ] || start_copiers "$1" "$3"
}

# start_loops CORE…: starts a busy loop on each, at nice 0, in this session.
start_loops() {
    for start_loops_core in "$@"; do
        background "$start_loops_core" sh -c "$BUSY_LOOP" perfguide-busy-loop "$$"
    done
}

# start_copiers BENCHMARK THREADS: starts copies; in the sweep they share the job's cores.
start_copiers() {
    start_copiers_cores=$CORES
    [ "$1" != sweep ] || start_copiers_cores=$SHARED_CORES
    start_copiers_number=$(copiers_for "$2")
    crypt_source "$start_copiers_number"
    while [ "$start_copiers_number" -gt 0 ]; do
        background "$start_copiers_cores" sh -c "$COPY_LOOP" perfguide-copier "$$" \
            "$CRYPT_SOURCE" "$CRYPT_DIR/copy.$start_copiers_number"
        start_copiers_number=$((start_copiers_number - 1))
    done
}

# background CORES COMMAND…: starts it at nice 0 on these cores; stop_started kills it.
background() {
    background_cores=$1
    shift
    if [ -n "$PIN" ]; then
        # shellcheck disable=SC2086 # one word for each core
        set -- "$PIN" "$(core_mask $background_cores)" "$@"
    fi
    at_nice 0 "$@" >/dev/null 2>&1 </dev/null &
    started "$!"
}

# copiers_for THREADS
copiers_for() {
    printf '%s\n' "${COPIERS:-$1}"
}
