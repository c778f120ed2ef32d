# shellcheck shell=sh
# Messages on the console, and the summary file.

say() {
    printf '%s\n' "$*" >&2
}

# summary KIND WHAT WHY: KIND is done, skipped, warning or failed.
# Each line is kept once, in summary.txt of the output folder.
summary() {
    summary_line="$1: $2${3:+: $3}"
    say "$summary_line"
    grep -Fxq -- "$summary_line" "$OUT/summary.txt" 2>/dev/null ||
        printf '%s\n' "$summary_line" >>"$OUT/summary.txt"
}

skip() {
    summary skipped "$1" "$2"
}

warn() {
    summary warning "$1" "$2"
}

# wrong TEXT: what was asked for makes no sense. Ends with status 2.
wrong() {
    say "run.sh: $*"
    say "run.sh --help tells the options."
    exit 2
}
