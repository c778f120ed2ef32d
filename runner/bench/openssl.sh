# shellcheck shell=sh
# openssl speed with nothing beside it, and beside copies to a dm-crypt
# partition: one thread, where the scheduler puts it.

run_openssl() {
    [ -n "$TIMER" ] || skip "CPU load of openssl" "neither GNU nor BusyBox time -v is here"
    choose_workloads
    plan_points openssl "$POSSIBLE_WORKLOADS" 1 "$OWN_NICE"
    run_plan openssl
    crypt_close
}
