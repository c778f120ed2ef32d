# shellcheck shell=sh
# Wake-up latency of real-time threads, one for each core.

run_cyclictest() {
    if ! command -v cyclictest >/dev/null 2>&1; then
        skip cyclictest "the program is not installed"
        return 0
    fi
    say "cyclictest: about $(duration "$((LOOPS * 400 / 1000000))")"
    [ -z "$SHOW_PLAN" ] || return 0
    set -- cyclictest "-l$LOOPS" -m -Sp90 -i400 -h400 -q
    if ! cyclictest -l1 -m -Sp90 -i400 -q >/dev/null 2>&1; then
        skip cyclictest "real-time priority is not permitted here"
        return 0
    fi
    cyclictest_repetition=$REPETITIONS_FROM
    while [ "$cyclictest_repetition" -le "$REPETITIONS" ]; do
        cyclictest_head="benchmark=cyclictest repetition=$cyclictest_repetition command=$*"
        is_done "$cyclictest_head" || run_point cyclictest.log "$cyclictest_head" "$@" ||
            summary failed cyclictest "status $?"
        cyclictest_repetition=$((cyclictest_repetition + 1))
    done
    summary "done" cyclictest "$LOOPS loops"
}
