# shellcheck shell=sh
# Nothing outlives the runner: processes, mounts, devices and settings are
# recorded in $STATE before they are made, and undone at the end, on TERM, INT
# and HUP, and, after a SIGKILL or a power cut, by the next start.

# start_time PID: prints its start in clock ticks, which distinguishes a process from
# a later one with the same number. Status 1: there is none, or it is a zombie.
start_time() {
    { read -r start_time_line <"/proc/$1/stat"; } 2>/dev/null || return 1
    # The name in parentheses may contain anything: count the fields after it.
    # shellcheck disable=SC2086 # the fields are to be split
    set -- ${start_time_line##*) }
    [ "$1" != Z ] || return 1
    printf '%s\n' "${20}"
}

# kill_below PID: kills its descendants, if the kernel lists children. It starts no
# program, since that would take seconds beside a job at nice -20.
kill_below() {
    kill_below_queue=$1
    kill_below_all=
    while [ -n "$kill_below_queue" ]; do
        kill_below_pid=${kill_below_queue%% *}
        kill_below_queue=${kill_below_queue#"$kill_below_pid"}
        kill_below_queue=${kill_below_queue# }
        kill_below_children=
        { read -r kill_below_children <"/proc/$kill_below_pid/task/$kill_below_pid/children"; } 2>/dev/null
        kill_below_children=${kill_below_children% }
        if [ -n "$kill_below_children" ]; then
            kill_below_queue=$kill_below_children${kill_below_queue:+ $kill_below_queue}
            kill_below_all="$kill_below_all $kill_below_children"
        fi
    done
    # shellcheck disable=SC2086 # one word for each process
    [ -z "$kill_below_all" ] || kill -KILL $kill_below_all 2>/dev/null
}

# descendants_of PID: prints all processes below it, on one line.
descendants_of() {
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v root="$1" '
        {
            pid = $1
            sub(/^.*\) /, "")
            children[$2] = children[$2] " " pid
        }
        function below(pid, part, n, i) {
            n = split(children[pid], part, " ")
            for (i = 1; i <= n; i++) { printf "%s ", part[i]; below(part[i]) }
        }
        END { below(root); print "" }'
}

# kill_tree PID: kills the process and its descendants.
kill_tree() {
    kill -STOP "$1" 2>/dev/null || return 0
    # shellcheck disable=SC2046 # one word for each process
    kill -KILL $(descendants_of "$1") "$1" 2>/dev/null
    wait "$1" 2>/dev/null
    return 0
}

# started PID: records a process to be killed at the end.
started() {
    printf '%s %s\n' "$1" "$(start_time "$1")" >>"$STATE/started"
}

stop_started() {
    stop_recorded "$STATE/started"
}

# stop_recorded FILE: kills the listed processes that are still the same.
stop_recorded() {
    [ -f "$1" ] || return 0
    while read -r stop_pid stop_time; do
        if [ "$(start_time "$stop_pid")" = "${stop_time:-none}" ]; then
            kill_tree "$stop_pid"
        fi
    done <"$1"
    rm -f "$1"
}

# undo_later VERB ARGUMENT: records a change before it is made. Changes are undone in
# reverse order.
undo_later() {
    printf '%s\n' "$*" >>"$STATE/undo"
}

undo_all() {
    [ -f "$STATE/undo" ] || return 0
    awk '{ line[NR] = $0 } END { for (i = NR; i; i--) print line[i] }' "$STATE/undo" >"$STATE/undo.order"
    while read -r undo_verb undo_what; do
        case $undo_verb in
            umount) patiently umount "$undo_what" || umount -l "$undo_what" ;;
            luks-close) patiently cryptsetup luksClose "$undo_what" ;;
            rmmod) rmmod "$undo_what" ;;
            modprobe) modprobe "$undo_what" ;;
            loop) losetup -d "$undo_what" ;;
            netns) ip netns del "$undo_what" ;;
            lmbench-server) "$undo_what" -S localhost >/dev/null </dev/null ;;
            ipsec) ipsec_open "${undo_what% *}" "${undo_what#* }" ;;
            remove) rm -rf "$undo_what" ;;
        esac 2>/dev/null
    done <"$STATE/undo.order"
    rm -f "$STATE/undo" "$STATE/undo.order"
}

# patiently COMMAND…: retries, as a process that was just killed may still use the device.
patiently() {
    for patience in 1 1 1 1 0; do
        "$@" && return 0
        sleep "$patience"
    done
    return 1
}

cleanup() {
    trap '' TERM INT HUP
    kill_below "$$"
    # Twice, to catch processes that were just starting. The list includes those that make it.
    # shellcheck disable=SC2046 # one word for each process
    kill -KILL $(descendants_of "$$") 2>/dev/null
    # shellcheck disable=SC2046 # one word for each process
    kill -KILL $(descendants_of "$$") 2>/dev/null
    wait
    stop_started
    undo_all
    rm -f "$STATE/point" "$STATE/plan" "$STATE/plan.all" "$STATE/job" "$STATE/lock"
}

ended_by() {
    trap - EXIT
    say "ended by $1: cleaning up; the same command goes on from here"
    cleanup
    exit "$2"
}

# take_folder: allows one runner per folder, and cleans up after a killed one.
take_folder() {
    mkdir -p "$STATE" || wrong "cannot write to $OUT"
    if [ -f "$STATE/lock" ]; then
        read -r lock_pid lock_time <"$STATE/lock"
        if [ "$(start_time "$lock_pid")" = "${lock_time:-none}" ]; then
            wrong "process $lock_pid is already writing to $OUT"
        fi
        say "the last run in $OUT was killed: cleaning up after it"
        stop_recorded "$STATE/job"
        stop_started
        undo_all
    fi
    trap cleanup EXIT
    trap 'ended_by TERM 143' TERM
    trap 'ended_by INT 130' INT
    trap 'ended_by HUP 129' HUP
    printf '%s %s\n' "$$" "$(start_time "$$")" >"$STATE/lock"
}
