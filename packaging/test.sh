#!/usr/bin/env bash
# Installs what the tests need, builds Heddle with both compilers and sanitizers, and runs every test but the long ones, of which it runs one slice, the next in turn
# (packaging/nightly.sh). Prints what each step took (build/ci-times.tsv); the last line is ctest's summary.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packaging/steps.sh
. packaging/steps.sh
export HEDDLE_REQUIRE_TOOLS=1  # a comparison with a missing tool is a failure
export NINJA_STATUS='[%f/%t, %es] '

step "packages"
bash packaging/install-deps.sh --test
bash packaging/yardstick.sh

step "clang-format and clang-tidy, files of the last commits"
bash packaging/lint.sh

step "README's first command on a bare machine"
export CXXFLAGS=-Werror
bash packaging/bare.sh --keep

step "build: g++, the rest of what people run, and property and whole program tests"
cmake --preset system > /dev/null
cmake --build --preset system
unset CXXFLAGS  # the other presets have it

step "these tests: the fixed seeds, whole programs on ibsim"
# Whole programs run in real time here: a failure on a busy machine is tried once more, and shown.
ctest --preset system | tee build/system.ctest.log
grep -E '\*\*\*(Failed|Timeout|Exception)|Subprocess aborted' build/system.ctest.log | sed 's/^/-- needed a second run: /' || true

step "the map in a browser"
bash packaging/browser-tests.sh build/release

step "build: clang-19, AddressSanitizer and UndefinedBehaviorSanitizer, all but whole programs, libFuzzer targets"
cmake --preset asan > /dev/null
cmake --build --preset asan

step "tests under them: unit, property (a tenth of the seeds), simulated, the fuzzers' corpora"
HEDDLE_SEED_SHARE=0/10 ctest --preset asan | tee build/asan.ctest.log

# What was built above is what the slice needs, too. A submission has 90 minutes: where the machine is so slow that little is left, the slice waits for another
# submission, and that is said.
step "the long tests: when each slice last passed, and the next one"
bash packaging/nightly.sh --list
slice=$(bash packaging/nightly.sh --next)
if [ $SECONDS -lt 3000 ]; then
  bash packaging/nightly.sh "$slice"
else
  echo "not run: $slice, since the tests above took $SECONDS s on this machine, 3000 at most"
fi
step_end
slowest
printf '\n-- steps: seconds, seconds of CPU (%s)\n' "$times_file"
awk -F '\t' '{ printf "%6d %6d  %s\n", $2, $3, $1; s += $2; c += $3 } END { printf "%6d %6d  all of them\n", s, c }' "$times_file"

# For packaging/release.sh: the tree that has passed.
if [ -z "$(git status --porcelain 2> /dev/null || echo unknown)" ]; then git rev-parse 'HEAD^{tree}' > build/tested; fi
sed -n '/tests passed,/,$p' build/asan.ctest.log
