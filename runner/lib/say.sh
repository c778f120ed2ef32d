# shellcheck shell=sh
# Messages on the console, and the summary file.

say() {
    printf '%s\n' "$*" >&2
}

# summary KIND WHAT WHY: KIND is done, skipped, warning or failed.
# Each line is printed once, and kept in summary.txt in the output folder.
summary() {
    summary_line="$1: $2${3:+: $3}"
    ! grep -Fxq -- "$summary_line" "$OUT/summary.txt" 2>/dev/null || return 0
    say "$summary_line"
    printf '%s\n' "$summary_line" >>"$OUT/summary.txt"
}

skip() {
    summary skipped "$1" "$2"
}

warn() {
    summary warning "$1" "$2"
}

# wrong TEXT: reports a wrong option and exits with status 2.
wrong() {
    say "run.sh: $*"
    say "run.sh --help lists the options."
    exit 2
}
