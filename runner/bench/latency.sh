# shellcheck shell=sh
# Interruptions of a busy thread (oslat), and what the kernel's tracers see of wake-ups and of
# noise (rtla), on all cores.

run_latency() {
    # shellcheck disable=SC2086 # the cores are words
    latency_cores=$(printf '%s,' $CORES)
    latency_cores=${latency_cores%,}
    program oslat oslat "--cpu-list $latency_cores --duration $LATENCY_SECONDS"
    if [ ! -d /sys/kernel/tracing/osnoise ] && ! mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; then
        skip rtla "no tracefs: this needs root"
    elif ! grep -q timerlat /sys/kernel/tracing/available_tracers; then
        skip rtla "this kernel has no tracers timerlat and osnoise"
    else
        program rtla-timerlat rtla "timerlat hist -c $latency_cores -d ${LATENCY_SECONDS}s"
        program rtla-osnoise rtla "osnoise top -q -c $latency_cores -d ${LATENCY_SECONDS}s"
    fi
}
