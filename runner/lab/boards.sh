#!/bin/sh
# Runs the runner on many boards over SSH, and fetches their output.
# See source/lab.rst.

usage() {
    cat <<'END'
Usage: boards.sh -b BOARDS -o FOLDER [OPTION…] [-- OPTION OF run.sh…]

BOARDS has a line for each board: its name, the address for ssh, and options of
run.sh that hold for it alone, such as --board, --soc and --sdk. Words are
separated by spaces; lines that begin with # are passed over.

  -b FILE     the boards
  -o FOLDER   logs go to FOLDER/NAME, the report to FOLDER/report.txt
  -j N        so many boards at once                              [all]
  -n NAME     this board only; may be given more than once
  -r COMMAND  the remote shell, called with an address and a command
              [ssh -o BatchMode=yes -o ConnectTimeout=10]
  -d FOLDER   on the boards; kept, so that a run resumes          [/tmp/perfguide]
  -t N        tries for each board                                [3]
  -w N        seconds between two tries                           [60]
  -h          this text

A board that another boards.sh runs now is left to it. What a board measured
before it failed is fetched, too, and the same command goes on from there.
Exit status: 0 all boards are done, 1 some are not, 2 wrong usage.
END
}

wrong() {
    printf 'boards.sh: %s\n' "$*" >&2
    exit 2
}

HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
LC_ALL=C
export LC_ALL
BOARDS='' OUT='' JOBS='' NAMES='' REMOTE='ssh -o BatchMode=yes -o ConnectTimeout=10'
DIR=/tmp/perfguide TRIES=3 WAIT=60
while getopts b:o:j:n:r:d:t:w:h option; do
    case $option in
        b) BOARDS=$OPTARG ;;
        o) OUT=$OPTARG ;;
        j) JOBS=$OPTARG ;;
        n) NAMES="$NAMES $OPTARG " ;;
        r) REMOTE=$OPTARG ;;
        d) DIR=$OPTARG ;;
        t) TRIES=$OPTARG ;;
        w) WAIT=$OPTARG ;;
        h) usage; exit 0 ;;
        *) wrong "boards.sh -h lists the options" ;;
    esac
done
shift "$((OPTIND - 1))"
[ -r "$BOARDS" ] || wrong "which boards? Give -b FILE"
[ -n "$OUT" ] || wrong "where to? Give -o FOLDER"
for number in "${JOBS:-1}" "$TRIES" "$WAIT"; do
    case $number in '' | *[!0-9]*) wrong "-j, -t and -w take whole numbers, not '$number'" ;; esac
done
case $DIR in
    *[!A-Za-z0-9/._-]* | [!/]*) wrong "-d takes a path from / of letters, digits and ._-, not '$DIR'" ;;
esac
mkdir -p "$OUT/.state" || wrong "cannot write to $OUT"
OUT=$(CDPATH='' cd -- "$OUT" && pwd) || exit 2

# quoted WORD…: quotes words for the shell on the board.
quoted() {
    for quoted_word in "$@"; do
        printf " '%s'" "$(printf '%s\n' "$quoted_word" | sed "s/'/'\\\\''/g")"
    done
}
OPTIONS=$(quoted "$@")

# remote ADDRESS COMMAND
remote() {
    # shellcheck disable=SC2086 # the remote shell is several words
    $REMOTE "$1" "$2"
}

# lock NAME: allows one run per board. Locks left by processes that have ended are ignored.
lock() {
    lock_dir=$OUT/.state/$1.lock
    if ! mkdir "$lock_dir" 2>/dev/null; then
        lock_pid=$(cat "$lock_dir/pid" 2>/dev/null)
        # A process writes its number only after creating the lock.
        [ -n "$lock_pid" ] || { sleep 1; lock_pid=$(cat "$lock_dir/pid" 2>/dev/null); }
        [ -z "$lock_pid" ] || ! kill -0 "$lock_pid" 2>/dev/null || return 1
        # If two processes find the same stale lock, only one can rename it.
        mv "$lock_dir" "$lock_dir.$$" 2>/dev/null || return 1
        rm -rf "$lock_dir.$$"
        mkdir "$lock_dir" 2>/dev/null || return 1
    fi
    echo "$$" >"$lock_dir/pid"
}

# report NAME STATE WHAT: writes the board's line of the report.
report() {
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$(($(date +%s) - board_from)) s" "$3" >"$OUT/.state/$1.line"
    printf '%s: %s: %s\n' "$1" "$2" "$3" >&2
}

# board NAME ADDRESS [OPTION…]
board() {
    board_name=$1
    board_address=$2
    shift 2
    board_from=$(date +%s)
    case $board_name in
        *[!A-Za-z0-9._-]* | .* | -*) report "line" failed "'$board_name' is no name of a board"; return ;;
    esac
    if ! lock "$board_name"; then
        report "$board_name" busy "another boards.sh runs it"
        return
    fi
    mkdir -p "$OUT/$board_name"
    board_try=1
    while ! board_once "$@" 2>>"$OUT/$board_name/console.txt"; do
        if [ "$board_try" -ge "$TRIES" ]; then
            report "$board_name" "$board_state" "after $board_try tries: $(tail -n 1 "$OUT/$board_name/console.txt")"
            rm -rf "$OUT/.state/$board_name.lock"
            return
        fi
        board_try=$((board_try + 1))
        sleep "$WAIT"
    done
    report "$board_name" "done" "$(grep -c '^done: ' "$OUT/$board_name/summary.txt") done, $(grep -c '^skipped: ' "$OUT/$board_name/summary.txt") skipped, $(grep -c '^failed: ' "$OUT/$board_name/summary.txt") failed, $(grep -c '^warning: ' "$OUT/$board_name/summary.txt") warnings"
    rm -rf "$OUT/.state/$board_name.lock"
}

# board_once [OPTION…]: copies the runner, runs it, and fetches its output. Sets
# board_state if that fails.
board_once() {
    board_state=unreachable
    tar -cf - -C "$HERE/../.." runner |
        remote "$board_address" "mkdir -p '$DIR' && tar -xf - -C '$DIR'" >&2 || return 1
    board_state=failed
    board_status=0
    remote "$board_address" "sh '$DIR/runner/run.sh' -o '$DIR/results'$(quoted "$@")$OPTIONS" >&2 </dev/null ||
        board_status=$?
    # The runner's state is useless elsewhere, so it stays on the board.
    rm -rf "$OUT/.state/$board_name.new"
    mkdir "$OUT/.state/$board_name.new" || return 1
    remote "$board_address" "cd '$DIR/results' && tar -cf - ./*.* " </dev/null >"$OUT/.state/$board_name.tar" || return 1
    tar -xf "$OUT/.state/$board_name.tar" -C "$OUT/.state/$board_name.new" || return 1
    # Each file is renamed into place, so that readers never see an incomplete one.
    for board_file in "$OUT/.state/$board_name.new"/*; do
        mv "$board_file" "$OUT/$board_name/" || return 1
    done
    rm -rf "$OUT/.state/$board_name.new" "$OUT/.state/$board_name.tar"
    return "$board_status"
}

listed() {
    sed -n 's/[[:space:]]*#.*//; s/^[[:space:]]*//; /./p' "$BOARDS" | while read -r listed_name listed_rest; do
        case ${NAMES:-" $listed_name "} in
            *" $listed_name "*) printf '%s %s\n' "$listed_name" "$listed_rest" ;;
        esac
    done
}

# worker NUMBER: runs its share of the boards, one after another.
worker() {
    awk -v from="$1" -v each="$JOBS" '(NR - 1) % each == from' "$OUT/.state/$$.boards" >"$OUT/.state/$$.worker-$1"
    while read -r worker_line <&3; do
        set -f
        # shellcheck disable=SC2086 # a line is words
        set -- $worker_line
        set +f
        if [ "$#" -lt 2 ]; then
            board_from=$(date +%s)
            report "$1" failed "its line has no address"
        else
            board "$@"
        fi
    done 3<"$OUT/.state/$$.worker-$1"
}

listed >"$OUT/.state/$$.boards"
COUNT=$(wc -l <"$OUT/.state/$$.boards")
[ "$COUNT" -gt 0 ] || wrong "$BOARDS names no board${NAMES:+ that -n does}"
[ -n "$JOBS" ] && [ "$JOBS" -gt 0 ] || JOBS=$COUNT
[ "$JOBS" -le "$COUNT" ] || JOBS=$COUNT
ended() {
    trap '' TERM INT HUP
    # shellcheck disable=SC2046 # one word for each process
    kill $(jobs -p) 2>/dev/null
    for ended_lock in "$OUT/.state"/*.lock; do
        [ "$(cat "$ended_lock/pid" 2>/dev/null)" != "$$" ] || rm -rf "$ended_lock"
    done
    exit 143
}
trap ended TERM INT HUP
while read -r name _; do rm -f "$OUT/.state/$name.line"; done <"$OUT/.state/$$.boards"
number=0
while [ "$number" -lt "$JOBS" ]; do
    worker "$number" &
    number=$((number + 1))
done
wait
while read -r name _; do
    cat "$OUT/.state/$name.line" 2>/dev/null || printf '%s\tfailed\t-\tno report\n' "$name"
done <"$OUT/.state/$$.boards" >"$OUT/.state/$$.report"
mv "$OUT/.state/$$.report" "$OUT/report.txt"
rm -f "$OUT/.state/$$".*
cat "$OUT/report.txt"
[ "$(grep -c '	done	' "$OUT/report.txt")" -eq "$COUNT" ]
