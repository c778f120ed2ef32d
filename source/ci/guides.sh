#!/bin/sh
# What a build service runs for a project with guides: check the bundles, build the site, and
# compare the bundles with those of the base.
#
#   sh guides.sh [BASE]
#
# BASE is a commit, a branch or a tag of git; without it, or where it has no bundles, nothing is
# compared. These variables say more:
#
#   PERFGUIDE_RESULTS     folder of bundles                     results
#   PERFGUIDE_BENCHMARKS  folder of descriptions                source/benchmarks
#   PERFGUIDE_REPORTS     folder for what this leaves            build/reports
#   PERFGUIDE_FAIL_ON     regression or never                   regression
#   PERFGUIDE_REPORT      address of the complete report, for a comment that has no room for all
#
# The site is in build/html. PERFGUIDE_REPORTS gets comment.md, comparison.html, codequality.json,
# junit.xml, comparison.sarif and annotations.txt. The exit status is that of the first command that fails:
# 1 for bundles that were refused and for regressions, 2 for what could not be done.
set -u
results=${PERFGUIDE_RESULTS:-results}
benchmarks=${PERFGUIDE_BENCHMARKS:-source/benchmarks}
reports=${PERFGUIDE_REPORTS:-build/reports}
base=${1:-}

# What an earlier run compared says nothing about this one.
work=$reports.base
rm -rf "$reports" "$work"

perfguide check --benchmarks "$benchmarks" "$results" || exit
perfguide build || exit

mkdir -p "$reports" "$work/tree" || exit
test -n "$base" || exit 0
git rev-parse --quiet --verify "$base^{commit}" >"$work/commit" || {
  echo "guides.sh: git knows no “$base” here; fetch it, with its history" >&2
  exit 2
}
read -r commit <"$work/commit"
git archive "$commit" -- "$results" 2>"$work/errors" | tar -x -C "$work/tree" 2>>"$work/errors"
test -d "$work/tree/$results" || {
  echo "The base has no $results: nothing to compare."
  exit 0
}
perfguide compare "$work/tree/$results" "$results" --benchmarks "$benchmarks" \
  --fail-on "${PERFGUIDE_FAIL_ON:-regression}" \
  --link "${PERFGUIDE_REPORT:-}" --format github --output "$reports/annotations.txt" \
  --also markdown="$reports/comment.md" --also html="$reports/comparison.html" \
  --also gitlab="$reports/codequality.json" --also junit="$reports/junit.xml" \
  --also sarif="$reports/comparison.sarif"
status=$?
# Where there is nothing to compare, the change has done no harm.
test "$status" -ne 3 || exit 0
# A workflow of GitHub shows these lines as annotations; others show them as text.
test ! -f "$reports/annotations.txt" || cat "$reports/annotations.txt"
exit "$status"
