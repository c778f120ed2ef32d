# shellcheck shell=sh
# iperf3 and netperf against a peer: a host with their servers, this host, or a
# network namespace made for this.

NETWORK_IPERF_PORT=5201
NETWORK_NETPERF_PORT=12865
NETWORK_SPACE=perfguide-$$

run_network() {
    if [ -z "$PEER" ]; then
        skip network "name the other side: --peer HOST, local or netns"
        return 0
    fi
    [ -z "$SHOW_PLAN" ] || { say "network: iperf3 and netperf with $PEER, $NET_SECONDS s each"; return 0; }
    network_begin network || return 0
    if find_program iperf3 iperf3 && network_answers iperf3; then
        network_iperf3
    fi
    if find_program netperf netperf && network_answers netperf; then
        network_netperf
    fi
    stop_started
    undo_all
}

# network_begin FOR: sets NETWORK_HOST, and NETWORK_IN, the prefix of commands on the other side.
network_begin() {
    NETWORK_HOST=$PEER
    NETWORK_IN=
    NETWORK_LIMIT=
    ! timeout 10 true 2>/dev/null || NETWORK_LIMIT='timeout 10'
    case $PEER in
        local) NETWORK_HOST=127.0.0.1 ;;
        netns)
            if ! network_space 2>"$STATE/netns"; then
                skip "$1" "no network namespace can be made: $(head -n 1 "$STATE/netns")"
                undo_all
                return 1
            fi
            NETWORK_HOST=198.18.19.2
            NETWORK_IN="ip netns exec $NETWORK_SPACE"
            ;;
    esac
}

# network_driver: prints the driver of the interface to the other side, by its short name in
# guides if it has one.
network_driver() {
    network_device=$(ip -o route get "$NETWORK_HOST" 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p')
    network_driver_name=$(readlink "$SYS/class/net/$network_device/device/driver")
    network_driver_name=${network_driver_name##*/}
    case $network_driver_name in
        am65-cpsw-nuss | cpsw | cpsw-switch) echo cpsw ;;
        icssg-prueth*) echo icssg ;;
        '') [ "$PEER" = netns ] && echo veth || echo unknown ;;
        *) printf '%s\n' "$network_driver_name" | tr -d ' ' ;;
    esac
}

# network_space: makes a namespace behind a pair of virtual Ethernet devices, with
# addresses that are reserved for benchmarks (RFC 2544).
network_space() {
    undo_later netns "$NETWORK_SPACE"
    ip netns add "$NETWORK_SPACE" &&
        ip link add perfguide0 type veth peer name perfguide1 netns "$NETWORK_SPACE" &&
        ip addr add 198.18.19.1/30 dev perfguide0 &&
        ip link set perfguide0 up &&
        ip -n "$NETWORK_SPACE" addr add 198.18.19.2/30 dev perfguide1 &&
        ip -n "$NETWORK_SPACE" link set perfguide1 up
}

# network_answers PROGRAM: starts its server if that is the runner's task, and tries
# it for a second.
network_answers() {
    case $PEER in
        local | netns)
            if network_try "$1" 2>/dev/null; then
                skip "$1" "a server that the runner did not start already answers at $NETWORK_HOST"
                return 1
            fi
            # shellcheck disable=SC2086 # words of a command
            case $1 in
                iperf3) $NETWORK_IN iperf3 -s -B "$NETWORK_HOST" -p "$NETWORK_IPERF_PORT" ;;
                netperf) $NETWORK_IN netserver -D -4 -L "$NETWORK_HOST" -p "$NETWORK_NETPERF_PORT" ;;
            esac >"$STATE/server.$1" 2>&1 </dev/null &
            started "$!"
            ;;
    esac
    network_tries=1
    case $PEER in local | netns) network_tries=5 ;; esac
    while ! network_try "$1"; do
        network_tries=$((network_tries - 1))
        [ "$network_tries" -gt 0 ] || break
        sleep 1
    done
    [ "$network_tries" -eq 0 ] || return 0
    skip "$1" "no server answers at $NETWORK_HOST"
    return 1
}

# network_try PROGRAM: succeeds if its server answers, within 10 s if that can be limited.
network_try() {
    case $1 in
        iperf3) $NETWORK_LIMIT iperf3 -c "$NETWORK_HOST" -p "$NETWORK_IPERF_PORT" -n 1K ;;
        netperf) $NETWORK_LIMIT netperf -H "$NETWORK_HOST" -p "$NETWORK_NETPERF_PORT" -l -1 -t TCP_RR ;;
    esac >/dev/null 2>&1 </dev/null
}

# network_point BENCHMARK LOG COMMAND…: runs each repetition.
network_point() {
    network_benchmark=$1
    network_log=$2
    shift 2
    network_repetition=$REPETITIONS_FROM
    while [ "$network_repetition" -le "$REPETITIONS" ]; do
        network_head="benchmark=$network_benchmark$network_mode peer=$PEER repetition=$network_repetition command=$*"
        if is_done "$network_head" || run_point "$network_log" "$network_head" "$@"; then
            summary "done" "$network_benchmark" "with $PEER"
        else
            summary failed "$*" "status $?, see $network_log"
        fi
        network_repetition=$((network_repetition + 1))
    done
}

network_iperf3() {
    network_mode=''
    set -- iperf3 -c "$NETWORK_HOST" -p "$NETWORK_IPERF_PORT" -t "$NET_SECONDS" -J
    network_point iperf3 iperf3.log "$@"
    network_point iperf3 iperf3.log "$@" -R
    if iperf3 --help 2>&1 | grep -q -e '--bidir'; then
        network_mode=' mode=bidirectional'
        network_point iperf3 iperf3.log "$@" --bidir
        network_mode=''
    fi
}

# The lengths are the frame sizes in RFC 2544.
network_netperf() {
    network_mode=" driver=$(network_driver)"
    set -- netperf -H "$NETWORK_HOST" -p "$NETWORK_NETPERF_PORT" -j -c -C -l "$NET_SECONDS"
    network_keys=DIRECTION,PROTOCOL,THROUGHPUT,THROUGHPUT_UNITS,MEAN_LATENCY,LOCAL_CPU_UTIL,REMOTE_CPU_UTIL,LOCAL_BYTES_SENT,REMOTE_BYTES_RECVD,LOCAL_SEND_SIZE
    for network_test in TCP_STREAM TCP_MAERTS; do
        network_point netperf netperf.log "$@" -t "$network_test" -- -k "$network_keys"
    done
    network_mode="$network_mode loss_allowed=yes"
    for network_size in 18 82 210 466 978 1472; do
        network_point netperf netperf.log "$@" -t UDP_STREAM -- -m "$network_size" -k "$network_keys"
    done
    network_mode=${network_mode% loss_allowed=yes}
    for network_test in TCP_RR UDP_RR; do
        network_point netperf netperf.log "$@" -t "$network_test"
    done
}
