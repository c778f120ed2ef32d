#!/bin/sh
# Reports what the runner did as LAVA test cases: cases.sh FOLDER.
# A skipped benchmark is a skipped case; warnings fail no case.

[ -r "$1/summary.txt" ] || {
    lava-test-case perfguide-runner --result fail
    exit 1
}
lava-test-case perfguide-runner --result pass
while read -r kind what; do
    # LAVA keeps every result of a repeated case; names must not contain spaces.
    name=$(printf '%s\n' "${what%%: *}" | tr -c 'A-Za-z0-9._\n-' '-')
    case $kind in
        done:) lava-test-case "$name" --result pass ;;
        skipped:) lava-test-case "$name" --result skip ;;
        failed:) lava-test-case "$name" --result fail ;;
    esac
done <"$1/summary.txt"
