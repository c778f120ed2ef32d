# shellcheck shell=sh
# hdparm on the dm-crypt device, three trials, with and without the
# accelerator's driver.

run_dmcrypt() {
    run_dmcrypt_reason=$(crypt_lacks)
    if [ -z "$run_dmcrypt_reason" ] && ! command -v hdparm >/dev/null 2>&1; then
        run_dmcrypt_reason="hdparm is not installed"
    fi
    if [ -n "$run_dmcrypt_reason" ]; then
        skip dm-crypt "$run_dmcrypt_reason"
        return 0
    fi
    [ -z "$SHOW_PLAN" ] || { say "dm-crypt: up to 6 trials, 40 s"; return 0; }
    hdparm_trials || return 0
    if ! kernel_accelerates; then
        skip "dm-crypt without accelerator" "the kernel uses none"
        return 0
    fi
    run_dmcrypt_module=$(kernel_driver | awk '{ print $2 }')
    undo_later modprobe "$run_dmcrypt_module"
    if [ "$run_dmcrypt_module" = kernel ] || ! rmmod "$run_dmcrypt_module" 2>/dev/null; then
        skip "dm-crypt without accelerator" "its driver ($run_dmcrypt_module) cannot be removed"
    else
        hdparm_trials
    fi
    undo_all
}

# hdparm_trials: measures with the driver that the kernel uses now.
hdparm_trials() {
    if ! crypt_open; then
        skip dm-crypt "the device could not be made, see dm-crypt.setup.txt"
        return 1
    fi
    # The driver is listed once it is in use.
    hdparm_driver=$(kernel_driver)
    hdparm_driver=${hdparm_driver%% *}
    hdparm_engine=$(driver_engine "$hdparm_driver")
    for hdparm_trial in 1 2 3; do
        # shellcheck disable=SC2086 # "busybox time" is two words
        set -- ${TIMER:+$TIMER -v} hdparm -tT "$CRYPT_DEVICE"
        hdparm_head="benchmark=dm-crypt engine=$hdparm_engine driver=${hdparm_driver:--} cipher=aes-cbc-null key_bits=128 ramdisk=$CRYPT_RAM filesystem=ext2 repetition=$hdparm_trial command=$*"
        is_done "$hdparm_head" || run_point "dm-crypt.$hdparm_engine.log" "$hdparm_head" "$@" ||
            summary failed "dm-crypt $hdparm_engine trial $hdparm_trial" "status $?"
    done
    summary "done" "dm-crypt $hdparm_engine" "driver ${hdparm_driver:--}"
    crypt_close
}
