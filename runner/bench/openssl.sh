# shellcheck shell=sh
# openssl speed alone, and beside copies to a dm-crypt partition: one thread that
# is not pinned.

run_openssl() {
    [ -n "$TIMER" ] || skip "CPU load of openssl" "neither GNU nor BusyBox time -v is installed"
    choose_workloads
    plan_points openssl "$POSSIBLE_WORKLOADS" 1 "$OWN_NICE"
    run_plan openssl
    crypt_close
}
