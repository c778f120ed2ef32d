# shellcheck shell=sh
# The highest rate at which no datagram is lost, searched as in RFC 2544 (26.1): trials halve
# the interval between the highest rate without loss and the lowest with loss. A burst is sent
# every 10 ms, followed by a pause.

run_loss() {
    if [ -z "$PEER" ]; then
        skip loss "name the other side: --peer HOST, local or netns"
        return 0
    fi
    [ -z "$SHOW_PLAN" ] || { say "loss: up to $((LOSS_STEPS + 2)) trials of $NET_SECONDS s with $PEER for each frame size and direction"; return 0; }
    find_program iperf3 iperf3 || return 0
    network_begin loss || return 0
    if network_answers iperf3; then
        loss_driver=$(network_driver)
        for loss_size in $LOSS_FRAMES; do
            loss_search egress ''
            loss_search ingress -R
        done
    fi
    stop_started
    undo_all
}

# loss_search DIRECTION OPTION: searches. The first trial has no limit and gives the highest rate.
loss_search() {
    loss_words="driver=$loss_driver direction=$1 frame_size=$loss_size datagram=$((loss_size - 46))"
    loss_option=$2
    loss_what="loss-free rate, $1, frames of $loss_size"
    loss_trial 0 || { summary failed "$loss_what" "status $?, see loss-search.log"; return 0; }
    if [ "$LOSS_LOST" -eq 0 ]; then
        loss_best=$LOSS_RATE
    else
        loss_low=0 loss_high=$LOSS_RATE loss_best=0 loss_step=0
        while [ "$loss_step" -lt "$LOSS_STEPS" ]; do
            loss_middle=$(((loss_low + loss_high) / 2))
            loss_trial "$loss_middle" || { summary failed "$loss_what" "status $?, see loss-search.log"; return 0; }
            if [ "$LOSS_LOST" -eq 0 ]; then
                loss_low=$loss_middle loss_best=$loss_middle
            else
                loss_high=$loss_middle
            fi
            loss_step=$((loss_step + 1))
        done
    fi
    if [ "$loss_best" -eq 0 ]; then
        summary failed "$loss_what" "datagrams were lost even at $loss_high bit/s"
        return 0
    fi
    loss_confirm "$loss_best"
}

# loss_burst RATE: prints the number of datagrams in 10 ms, at least one.
loss_burst() {
    loss_burst_number=$(($1 / 8 / (loss_size - 46) / 100))
    [ "$loss_burst_number" -ge 1 ] || loss_burst_number=1
    # iperf3 takes no more than 1000.
    [ "$loss_burst_number" -le 1000 ] || loss_burst_number=1000
    printf '%s\n' "$loss_burst_number"
}

# loss_command RATE: sets LOSS_COMMAND; a rate of 0 is no limit.
loss_command() {
    LOSS_COMMAND="iperf3 -c $NETWORK_HOST -p $NETWORK_IPERF_PORT -u -l $((loss_size - 46)) -t $NET_SECONDS -J --pacing-timer 10000"
    if [ "$1" -eq 0 ]; then
        LOSS_COMMAND="$LOSS_COMMAND -b 0"
    else
        LOSS_COMMAND="$LOSS_COMMAND -b $1/$(loss_burst "$1")"
    fi
    LOSS_COMMAND="$LOSS_COMMAND${loss_option:+ $loss_option}"
}

# loss_trial RATE: sets LOSS_LOST (datagrams) and LOSS_RATE (bit/s that were sent). A trial
# that is in the log is not run again.
loss_trial() {
    loss_command "$1"
    loss_head="benchmark=loss-search peer=$PEER $loss_words offered=$1 command=$LOSS_COMMAND"
    # shellcheck disable=SC2086 # the command is words
    is_done "$loss_head" || run_point loss-search.log "$loss_head" $LOSS_COMMAND || return
    loss_count "$loss_head" "$OUT/loss-search.log"
    say "$loss_what: at $LOSS_RATE bit/s $LOSS_LOST lost"
}

# loss_count HEAD LOG: prints the datagrams lost and sent in that block. The sum at its end
# counts, of two sums the worse one. A run without a sum counts as lost.
loss_count() {
    # shellcheck disable=SC2046 # two words
    set -- $(awk -v head="# perfguide-run: $1" '
        $0 == head { inside = 1; end = 0; lost = sent = rate = -1; next }
        /^# perfguide-end: / { inside = 0 }
        !inside { next }
        /^[[:space:]]*"end":[[:space:]]*\{/ { end = 1 }
        !end { next }
        /"sum(_sent|_received)?":/ { sum = 1 }
        /"cpu_utilization_percent":/ { sum = 0 }
        !sum { next }
        { value = $2; sub(/,$/, "", value) }
        $1 == "\"bits_per_second\":" && rate < 0 { rate = value }
        $1 == "\"lost_packets\":" && value + 0 > lost { lost = value + 0 }
        $1 == "\"packets\":" {
            # Datagrams that the other side did not count were lost too.
            if (sent < 0 || value + 0 > sent) sent = value + 0
            if (least == "" || value + 0 < least) least = value + 0
        }
        END {
            if (lost < 0 || sent < 1 || rate <= 0) print 1, 1
            else printf "%d %.0f\n", lost + sent - least, rate
        }' "$2")
    LOSS_LOST=$1
    LOSS_RATE=$2
}

# loss_confirm RATE: repeats the run at this rate, which gives the figure; each run with loss
# lowers the rate by 5 %.
loss_confirm() {
    loss_repetition=$REPETITIONS_FROM
    loss_rate=$1
    loss_tries=10
    while [ "$loss_repetition" -le "$REPETITIONS" ]; do
        loss_command "$loss_rate"
        loss_trial_head="benchmark=loss-search peer=$PEER $loss_words offered=$loss_rate repetition=$loss_repetition command=$LOSS_COMMAND"
        loss_head="benchmark=ethernet-udp peer=$PEER $loss_words loss_allowed=no repetition=$loss_repetition command=$LOSS_COMMAND"
        if is_done "$loss_head"; then
            loss_repetition=$((loss_repetition + 1))
            continue
        fi
        # shellcheck disable=SC2086 # the command is words
        is_done "$loss_trial_head" || run_point loss-search.log "$loss_trial_head" $LOSS_COMMAND || {
            summary failed "$loss_what" "status $?, see loss-search.log"
            return 0
        }
        loss_count "$loss_trial_head" "$OUT/loss-search.log"
        if [ "$LOSS_LOST" -eq 0 ]; then
            loss_publish
            summary "done" "$loss_what" "$LOSS_RATE bit/s"
            loss_repetition=$((loss_repetition + 1))
        elif [ "$loss_tries" -eq 0 ]; then
            summary failed "$loss_what" "$LOSS_LOST datagrams lost at $loss_rate bit/s, below what the search found"
            return 0
        else
            loss_tries=$((loss_tries - 1))
            loss_rate=$((loss_rate * 95 / 100))
        fi
    done
}

# loss_publish: copies that run under the name of its benchmark, as it is the figure.
loss_publish() {
    awk -v head="# perfguide-run: $loss_trial_head" -v name="# perfguide-run: $loss_head" '
        $0 == head { inside = 1; print name; next }
        inside { print }
        /^# perfguide-end: / { inside = 0 }' "$OUT/loss-search.log" >"$STATE/point"
    cat "$STATE/point" >>"$OUT/loss-free.log"
    printf '# perfguide-run: %s\n' "$loss_head" >>"$STATE/done"
}
