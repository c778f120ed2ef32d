# shellcheck shell=sh
# The log: one block for each program that was run.
#
#   # perfguide-run: benchmark=openssl nice=-20 … command=nice -n -20 …
#   # perfguide-at: started=… clock_mhz=… temperature_c=…
#   …what the program printed, both streams, untouched…
#   # perfguide-end: status=0 elapsed=6
#
# The first line has every choice and nothing that varies between runs, so it
# identifies the block: a resumed run skips blocks with status 0, and repeats all
# others.

# repair_logs: removes truncated blocks (without an end line) and failed ones from the
# logs, and lists the others in $STATE/done. Bytes outside blocks are removed too,
# since only the runner writes here.
repair_logs() {
    : >"$STATE/done"
    for repair_log in "$OUT"/*.log; do
        [ -f "$repair_log" ] || continue
        awk -v done_file="$STATE/done" '
            /^# perfguide-run: / { block = $0; head = $0; inside = 1; next }
            !inside { next }
            { block = block "\n" $0 }
            /^# perfguide-end: / {
                if ($3 == "status=0") { print block; print head >>done_file }
                inside = 0
            }' "$repair_log" >"$STATE/repaired" || return 1
        if cmp -s "$STATE/repaired" "$repair_log"; then
            rm -f "$STATE/repaired"
        else
            say "$repair_log: a point that was cut or failed is done again"
            cat "$STATE/repaired" >"$repair_log.new" &&
                mv "$repair_log.new" "$repair_log" && rm -f "$STATE/repaired"
        fi
    done
}

is_done() {
    grep -Fxq -- "# perfguide-run: $1" "$STATE/done" 2>/dev/null
}

# circumstances: prints conditions that vary on their own, as key=value words.
circumstances() {
    circumstances_text="started=$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    circumstances_clock=$(clock_mhz)
    circumstances_heat=$(temperature_c)
    printf '%s\n' "$circumstances_text${circumstances_clock:+ clock_mhz=$circumstances_clock}${circumstances_heat:+ temperature_c=$circumstances_heat}"
}

# run_point LOG HEAD COMMAND…: runs it and appends its block to LOG.
# Its status is the command's, or 126 if another program of that name has run; then
# nothing is kept. TERM ends it at once. A job whose CPU share is far from the predicted one is
# run once more; if that is no better, the line "# perfguide-during" says so.
run_point() {
    run_log=$OUT/$1
    run_head=$2
    shift 2
    run_once "$@"
    run_far=
    [ "$run_status" -ne 0 ] || run_far=$(far_share "$run_head" "$STATE/point")
    if [ -n "$run_far" ]; then
        say "the job got ${run_far% *} % of its core, predicted are ${run_far#* } %: once more"
        run_first=${run_far% *}
        run_once "$@"
        run_during="$run_during first_cpu_share=$run_first"
        run_far=$(far_share "$run_head" "$STATE/point")
        [ -z "$run_far" ] || run_during="$run_during cpu_share=${run_far% *} predicted_cpu_share=${run_far#* }"
    fi
    run_benchmark=${run_head%% *}
    if [ "$run_status" -eq 0 ] && ! said_sign "${run_benchmark#benchmark=}" "$STATE/point"; then
        say "${run_head##*command=}: this is not the program that was meant; it printed:"
        sed -n '3,5p' "$STATE/point" >&2
        return 126
    fi
    # A program that ends in the middle of a line must not swallow the end line.
    if [ -n "$(tail -c 1 "$STATE/point")" ]; then
        echo >>"$STATE/point"
    fi
    printf '# perfguide-during: %s\n' "$run_during" >>"$STATE/point"
    printf '# perfguide-end: status=%s elapsed=%s\n' "$run_status" "$(($(date +%s) - run_from))" >>"$STATE/point"
    cat "$STATE/point" >>"$run_log"
    if [ "$run_status" -eq 0 ]; then
        printf '# perfguide-run: %s\n' "$run_head" >>"$STATE/done"
    fi
    return "$run_status"
}

# run_once COMMAND…: runs it with its head and output in $STATE/point; sets run_status and run_during.
run_once() {
    run_from=$(date +%s)
    {
        printf '# perfguide-run: %s\n' "$run_head"
        printf '# perfguide-at: %s\n' "$(circumstances)"
    } >"$STATE/point"
    watch_begin
    "$@" >>"$STATE/point" 2>&1 </dev/null &
    run_job=$!
    # Its number is recorded for the next start, in case this one is killed.
    printf '%s %s\n' "$run_job" "$(start_time "$run_job")" >"$STATE/job"
    wait "$run_job"
    run_status=$?
    rm -f "$STATE/job"
    run_during=$(watch_end)
}
