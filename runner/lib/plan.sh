# shellcheck shell=sh
# openssl speed, point by point. A point is eight words:
#   BENCHMARK WORKLOAD THREADS LEVEL ALGORITHM ENGINE SIZES REPETITION
# BENCHMARK is sweep (niced, pinned, against a busy loop) or openssl (neither;
# LEVEL is the runner's own).

# plan_repetition BENCHMARK REPETITION WORKLOADS THREADS LEVELS: prints its points.
plan_repetition() {
    for plan_workload in $3; do
        for plan_threads in $4; do
            for plan_level in $5; do
                for plan_algorithm in $ALGORITHMS; do
                    for plan_engine in $ENGINES; do
                        engine_usable "$plan_engine" "$plan_algorithm" || continue
                        for plan_sizes in $(size_groups); do
                            printf '%s\n' "$1 $plan_workload $plan_threads $plan_level $plan_algorithm $plan_engine $plan_sizes $2"
                        done
                    done
                done
            done
        done
    done
}

# plan_points BENCHMARK WORKLOADS THREADS LEVELS: prints all points for run_plan.
# Repetitions are the outermost loop, so that a run that is cut has measured
# everything once.
plan_points() {
    plan_points_repetition=$REPETITIONS_FROM
    while [ "$plan_points_repetition" -le "$REPETITIONS" ]; do
        plan_repetition "$1" "$plan_points_repetition" "$2" "$3" "$4"
        plan_points_repetition=$((plan_points_repetition + 1))
    done >"$STATE/plan.all"
}

# point BENCHMARK WORKLOAD THREADS LEVEL ALGORITHM ENGINE SIZES REPETITION
# Runs it unless it is done. With PLAN_ONLY: status 3 if it is not.
point() {
    point_head="benchmark=openssl nice=$4 engine=$6 algorithm=$5 threads=$3 workload=$2 block_sizes=$7 repetition=$8"
    if [ "$1" = sweep ]; then
        share_cores "$3"
        point_nice=$4
        point_mask=$SHARED_MASK
        point_head="$point_head background=busy-loop loops=$SHARED_COUNT cpus=$SHARED_LIST"
    else
        point_nice=
        point_mask=
        point_head="$point_head background=none"
    fi
    [ "$2" = alone ] || point_head="$point_head $(crypt_words "$3")"
    run_speed "$1.$2.threads-$3.$5.$6.log" "$point_head" "$point_nice" "$point_mask" "$3" "$6" "$5" "$7"
}

# run_plan NAME: runs the planned points that are not done. It must not run in a
# pipeline, as a subshell would get no signals.
run_plan() {
    PLAN_ONLY=yes
    while read -r plan_line; do
        # shellcheck disable=SC2086 # the fields are words
        point $plan_line || printf '%s\n' "$plan_line"
    done <"$STATE/plan.all" >"$STATE/plan"
    PLAN_ONLY=
    plan_count=$(count_lines "$STATE/plan")
    plan_each=$(point_seconds "$(size_groups | head -n 1)")
    say "$1: $plan_count of $(count_lines "$STATE/plan.all") points to do, $(duration "$((plan_count * plan_each))")"
    rm -f "$STATE/plan.all"
    [ -z "$SHOW_PLAN" ] || return 0
    progress_begin "$plan_count" "$plan_each"
    plan_load=
    while read -r plan_benchmark plan_workload plan_threads plan_rest <&3; do
        if [ "$plan_load" != "$plan_workload $plan_threads" ]; then
            stop_started
            start_load "$plan_benchmark" "$plan_workload" "$plan_threads"
            plan_load="$plan_workload $plan_threads"
        fi
        progress_next "$plan_benchmark $plan_workload, $plan_threads thread(s), $plan_rest"
        # shellcheck disable=SC2086 # the fields are words
        point "$plan_benchmark" "$plan_workload" "$plan_threads" $plan_rest ||
            summary failed "$plan_benchmark $plan_workload $plan_threads $plan_rest" "status $?, see its log"
    done 3<"$STATE/plan"
    stop_started
    plan_far=$(cat "$OUT/$1".*.log 2>/dev/null | grep -c '^# perfguide-during: .* predicted_cpu_share=')
    [ "$plan_far" -eq 0 ] ||
        warn "$1" "points whose job got another CPU share than its nice level gives, also when it was repeated: $plan_far"
    summary "done" "$1" "$(cat "$OUT/$1".*.log 2>/dev/null | grep -c '^# perfguide-end: status=0') points"
}
