#!/bin/sh
# Runs the benchmarks available on a board and keeps their output. See README.md.
# shellcheck source-path=SCRIPTDIR

RUNNER_VERSION=1
HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
LC_ALL=C
export LC_ALL
umask 022
# Masks inherited from the caller would change the meaning of hw and sw.
unset OPENSSL_ia32cap OPENSSL_armcap

. "$HERE/lib/say.sh"
. "$HERE/lib/lists.sh"
. "$HERE/lib/options.sh"
. "$HERE/lib/sensors.sh"
. "$HERE/lib/json.sh"
. "$HERE/lib/environment.sh"
. "$HERE/lib/cleanup.sh"
. "$HERE/lib/schedule.sh"
. "$HERE/lib/shares.sh"
. "$HERE/lib/progress.sh"
. "$HERE/lib/meant.sh"
. "$HERE/lib/points.sh"
. "$HERE/lib/load.sh"
. "$HERE/lib/openssl.sh"
. "$HERE/lib/engines.sh"
. "$HERE/lib/plan.sh"
. "$HERE/lib/crypt.sh"
. "$HERE/bench/openssl.sh"
. "$HERE/bench/sweep.sh"
. "$HERE/bench/dmcrypt.sh"
. "$HERE/bench/cyclictest.sh"
. "$HERE/bench/programs.sh"
. "$HERE/bench/boot.sh"
. "$HERE/bench/storage.sh"
. "$HERE/bench/network.sh"
. "$HERE/bench/loss.sh"
. "$HERE/bench/ipsec.sh"
. "$HERE/bench/alsa.sh"
. "$HERE/bench/inference.sh"
. "$HERE/bench/latency.sh"

read_options "$@"
STATE=$OUT/.state
ENGINES_FILE=$STATE/engines
PLAN_ONLY=

take_folder
printf '%s' "$NOTES" >"$OUT/summary.txt"
find_nice
find_timer
find_pin
repair_logs || wrong "cannot repair the logs in $OUT"
choose_cores
OPENSSL_VERSION=
if wanted openssl || wanted sweep; then
    prepare_openssl
fi
write_environment >"$OUT/environment.json.new" && mv "$OUT/environment.json.new" "$OUT/environment.json"
if [ -n "$OPENSSL_VERSION" ]; then
    ! wanted openssl || run_openssl
    ! wanted sweep || run_sweep
fi
! wanted dmcrypt || run_dmcrypt
! wanted cyclictest || run_cyclictest
! wanted programs || run_programs
! wanted boot || run_boot
! wanted storage || run_storage
! wanted network || run_network
! wanted loss || run_loss
! wanted ipsec || run_ipsec
! wanted alsa || run_alsa
! wanted inference || run_inference
! wanted latency || run_latency
# The plan has been printed in full.
[ -z "$SHOW_PLAN" ] || exit 0
say ""
say "Results in $OUT:"
cat "$OUT/summary.txt" >&2
