# shellcheck shell=sh
# Lists that people type: "1 2 3", "1,2,3", "-20..19", "-20..19/4".

# expand_numbers LIST: prints the integers in it as written, one per line.
# A range always includes its last number, whatever the step. Status 1: not a list.
expand_numbers() {
    printf '%s\n' "$1" | tr ',' ' ' | tr ' ' '\n' | awk '
        /^$/ { next }
        /^-?[0-9]+$/ { print $0 + 0; seen = 1; next }
        /^-?[0-9]+\.\.-?[0-9]+(\/[0-9]+)?$/ {
            step = 1
            if (i = index($0, "/")) { step = substr($0, i + 1) + 0; $0 = substr($0, 1, i - 1) }
            i = index($0, "..")
            low = substr($0, 1, i - 1) + 0; high = substr($0, i + 2) + 0
            if (step < 1 || high < low) { bad = 1; exit }
            for (n = low; n < high; n += step) print n
            print high
            seen = 1
            next
        }
        { bad = 1; exit }
        END { exit (bad || !seen) ? 1 : 0 }'
}

# words LIST: prints it on one line, with spaces instead of commas.
words() {
    printf '%s\n' "$1" | tr ',' ' '
}

# has_word WORD LIST…: succeeds if WORD is one of the others.
has_word() {
    has_word_wanted=$1
    shift
    for has_word_item in "$@"; do
        [ "$has_word_item" = "$has_word_wanted" ] && return 0
    done
    return 1
}

# coarse_to_fine: prints its input, every eighth line first and then those between,
# so that an interrupted sweep has covered the full range.
coarse_to_fine() {
    awk '
        { line[NR - 1] = $0 }
        END {
            if (NR) { print line[0]; done[0] = 1 }
            if (NR > 1) { print line[NR - 1]; done[NR - 1] = 1 }
            for (step = 8; step >= 1; step /= 2)
                for (i = 0; i < NR; i += step)
                    if (!(i in done)) { print line[i]; done[i] = 1 }
        }'
}

# count WORD…: prints their number; count_lines FILE: that of its lines.
count() {
    # shellcheck disable=SC2048,SC2086 # words within words count
    set -- $*
    printf '%s\n' "$#"
}

count_lines() {
    wc -l <"$1" | tr -d ' '
}
