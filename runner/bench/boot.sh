# shellcheck shell=sh
# The boot time of the kernel and of user space, as reported by systemd.

# A boot is one sample, however often it is read: the header names the boot, so
# that the next run in this folder adds a sample only after another boot.
run_boot() {
    find_program boot-time systemd-analyze || return 0
    read -r run_boot_id </proc/sys/kernel/random/boot_id
    set -- systemd-analyze time
    [ -z "$SHOW_PLAN" ] || { say "boot-time: $*"; return 0; }
    if ! "$@" >/dev/null 2>&1; then
        skip boot-time "$("$@" 2>&1 | head -n 1)"
        return 0
    fi
    run_boot_head="benchmark=boot-time boot=$run_boot_id command=$*"
    is_done "$run_boot_head" || run_point boot-time.log "$run_boot_head" "$@" ||
        summary failed boot-time "status $?, see boot-time.log"
    summary "done" boot-time "boot $run_boot_id"
}
