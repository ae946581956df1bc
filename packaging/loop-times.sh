#!/usr/bin/env bash
# Measures the edit-build-test loop of the dev build: one .cpp of sm/sweep touched until its unit tests have passed, and
# mad/ids.h touched until everything is built again. Changes no file's contents. Prints seconds.
#
#   packaging/loop-times.sh                      the loop of the dev build
#   packaging/loop-times.sh --steps [OLD [NEW]]  steps of packaging/test.sh: its last run but one, or OLD, beside its last one, or NEW, with ratios
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --steps ]; then
  awk -F '\t' '
    BEGIN { print "     s  new s   CPU s    new  ratio  step" }
    NR == FNR { seconds[$1] = $2; cpu[$1] = $3; next }
    { s = "-"; c = "-"; ratio = "-" }
    $1 in seconds { s = seconds[$1]; c = cpu[$1]; if (c > 0) ratio = sprintf("%.2f", $3 / c) }
    { printf "%6s %6d  %6s %6d  %5s  %s\n", s, $2, c, $3, ratio, $1 }' "${2:-build/ci-times.last.tsv}" "${3:-build/ci-times.tsv}"
  exit 0
fi
timed() { local since=$SECONDS; "$@" > /dev/null; echo $((SECONDS - since)); }
cmake --preset dev > /dev/null
echo "bringing the dev build up to date: $(timed cmake --build --preset dev) s"
touch sm/sweep/decide/changes.cpp
build=$(timed cmake --build --preset dev --target heddle_sm_tests)
run=$(timed build/dev/bin/heddle_sm_tests)
echo "one .cpp of sm/sweep: $((build + run)) s (build $build, its unit tests $run)"
touch mad/ids.h
echo "mad/ids.h, everything: $(timed cmake --build --preset dev) s"
