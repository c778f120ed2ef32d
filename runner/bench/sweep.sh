# shellcheck shell=sh
# The nice sweep: the same openssl command at each nice level, against a busy
# loop on the same core.

run_sweep() {
    if [ -z "$PIN" ] && [ "$(count "$CORES")" -gt 1 ]; then
        skip sweep "taskset is missing or not permitted, so job and busy loop cannot share a core"
        return 0
    fi
    run_sweep_levels=$(reachable_levels | coarse_to_fine)
    for run_sweep_level in $NICE_LEVELS; do
        # shellcheck disable=SC2086 # the levels are words
        has_word "$run_sweep_level" $run_sweep_levels ||
            skip "nice level $run_sweep_level" "not reached with ${NICER:-neither nice nor renice} (20 is 19; below $OWN_NICE needs root)"
    done
    if [ -z "$run_sweep_levels" ]; then
        skip sweep "no nice level can be reached"
        return 0
    fi
    [ -n "$TIMER" ] || skip "CPU load of the sweep" "neither GNU nor BusyBox time -v is installed"
    [ -n "$SHOW_PLAN" ] || probe_nice
    choose_workloads
    plan_points sweep "$POSSIBLE_WORKLOADS" "$THREADS" "$run_sweep_levels"
    run_plan sweep
    crypt_close
    check_shares
}

reachable_levels() {
    for reachable_level in $NICE_LEVELS; do
        ! nice_reaches "$reachable_level" || printf '%s\n' "$reachable_level"
    done
}

# probe_nice: measures one second at the lowest and the highest level, before hours
# are spent. The result is in checks.txt, and measured once for each folder.
probe_nice() {
    if [ -z "$TIMER" ] || [ -z "$SPEED_SECONDS" ] || grep -q '^nice: ' "$OUT/checks.txt" 2>/dev/null; then
        return 0
    fi
    probe_low=$(printf '%s\n' "$run_sweep_levels" | sort -n | head -n 1)
    probe_high=$(printf '%s\n' "$run_sweep_levels" | sort -n | tail -n 1)
    probe_alone=$(probe_share 0)
    start_loops "$CORE"
    probe_first=$(probe_share "$probe_low")
    probe_last=$(probe_share "$probe_high")
    stop_started
    probe_text="CPU share $(percent "$probe_first") at nice $probe_low, $(percent "$probe_last") at nice $probe_high, $(percent "$probe_alone") without a loop"
    if [ "$((probe_high - probe_low))" -ge 5 ] && [ "$((probe_last * 10))" -gt "$((probe_first * 8))" ]; then
        warn "nice" "$probe_text: nice has no effect here, so the sweep will say little"
    fi
    if [ "$((probe_first * 10))" -lt "$(($(expected_share "$probe_low") * 8))" ] || [ "$probe_alone" -lt 900 ]; then
        warn "nice" "$probe_text: something else takes core $CORE; by its weights the kernel gives $(percent "$(expected_share "$probe_low")") at nice $probe_low"
    fi
    say "nice: $probe_text"
    printf '%s\n' "nice: $probe_text; autogroup $(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null || echo 'not in this kernel'), job and loop in one session" >>"$OUT/checks.txt"
}

# probe_share LEVEL: prints thousandths.
probe_share() {
    # shellcheck disable=SC2086 # "busybox time" is two words
    at_nice "$1" ${PIN:+"$PIN" "$(core_mask "$CORE")"} $TIMER -v \
        openssl speed -elapsed -seconds 1 -bytes 16 -evp aes-128-cbc 2>&1 </dev/null |
        awk "$SHARE_AWK"' END { printf "%.0f\n", share }'
}

# check_shares: warns unless the CPU share falls as nice rises. Otherwise job and
# loop did not compete, and the figures are worthless.
check_shares() {
    for share_log in "$OUT"/sweep.*.log; do
        [ -f "$share_log" ] || continue
        share_verdict=$(awk "$SHARE_AWK"'
            /^# perfguide-run: / {
                for (i = 3; i <= NF; i++) if ($i ~ /^nice=/) { level = substr($i, 6) + 0; break }
            }
            /Elapsed \(wall clock\) time / && elapsed > 0 { total[level] += share / 10; count[level]++ }
            END {
                for (n = -20; n <= 19; n++) if (n in total) {
                    mean = total[n] / count[n]
                    if (!seen) { first = n; high = mean; lowest = mean }
                    if (mean > lowest + 0.15 * high) risen = risen " " n
                    if (mean < lowest) lowest = mean
                    last = n; low = mean; seen++
                }
                if (seen < 2) exit
                text = sprintf("CPU share %.1f %% at nice %d, %.1f %% at nice %d", high, first, low, last)
                if (last - first >= 5 && low > 0.8 * high) print "wrong " text ": it does not fall as nice rises"
                else if (risen != "") print "wrong " text ", but it rises at" risen
                else print "right " text
            }' "$share_log")
        case $share_verdict in
            wrong*) warn "${share_log##*/}" "${share_verdict#wrong }" ;;
            right*) say "${share_log##*/}: ${share_verdict#right }" ;;
        esac
    done
}
