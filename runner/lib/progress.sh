# shellcheck shell=sh
# Progress and remaining time.

# progress_begin COUNT SECONDS: announces COUNT points of about SECONDS each.
progress_begin() {
    progress_total=$1
    progress_each=$2
    progress_count=0
    progress_from=$(date +%s)
}

# progress_next WHAT: announces a point. From the third on, the remaining time is
# estimated from the points so far.
progress_next() {
    progress_left=$((progress_total - progress_count))
    if [ "$progress_count" -ge 3 ]; then
        progress_seconds=$((($(date +%s) - progress_from) * progress_left / progress_count))
    else
        progress_seconds=$((progress_each * progress_left))
    fi
    progress_count=$((progress_count + 1))
    say "[$progress_count/$progress_total, $(duration "$progress_seconds") left] $1"
}

# duration SECONDS: prints it for people.
duration() {
    if [ "$1" -ge 5400 ]; then
        printf '%s h %s min\n' "$(($1 / 3600))" "$(($1 % 3600 / 60))"
    elif [ "$1" -ge 90 ]; then
        printf '%s min\n' "$((($1 + 30) / 60))"
    else
        printf '%s s\n' "$1"
    fi
}
