#!/usr/bin/env bash
# Installs what the tests need, builds Heddle with both compilers and sanitizers, and runs every test. Each step prints its duration; the last line is ctest's summary. Longer tests are in packaging/nightly.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
began=$SECONDS
took() { [ -z "${name:-}" ] || printf -- '-- %s: %d s (%d s since the start)\n' "$name" $((SECONDS - since)) $((SECONDS - began)); }
step() { took; name=$1 since=$SECONDS; printf '\n== %s (%(%H:%M:%S)T)\n' "$1" -1; }
export HEDDLE_REQUIRE_TOOLS=1  # a comparison with a missing tool is a failure
export NINJA_STATUS='[%f/%t, %es] '

step "packages"
bash packaging/install-deps.sh --test

step "clang-format and clang-tidy, files of the last commits"
bash packaging/lint.sh

step "README's first command on a bare machine"
export CXXFLAGS=-Werror
bash packaging/bare.sh --keep

step "build: g++, the rest of what people run, and property and whole program tests"
cmake --preset system > /dev/null
cmake --build --preset system
unset CXXFLAGS  # the other presets have it

step "these tests: all seeds, whole programs on ibsim"
# Whole programs run in real time here: a failure on a busy machine is tried once more, and shown.
ctest --preset system | tee build/system.log
grep -E '\*\*\*(Failed|Timeout|Exception)|Subprocess aborted' build/system.log | sed 's/^/-- needed a second run: /' || true

# A run has 90 minutes, of which a third is over here. On machines that need three times as long as 2 quiet cores, the tests under
# AddressSanitizer, which nothing else runs, must not be lost to that limit.
tsan_until_s=1500 complete=yes
if ((SECONDS - began < tsan_until_s)); then
  step "build: clang-19, ThreadSanitizer, what runs on several threads"
  cmake --preset tsan > /dev/null
  cmake --build --preset tsan

  step "tests under it"
  HEDDLE_SEED_SHARE=1/40 ctest --preset tsan
else
  took
  complete=no
  name="left out, as more than $tsan_until_s s are over (packaging/nightly.sh has it): ThreadSanitizer" since=$SECONDS
fi

step "build: clang-19, AddressSanitizer and UndefinedBehaviorSanitizer, all but whole programs, libFuzzer targets"
cmake --preset asan > /dev/null
cmake --build --preset asan

step "tests under them: unit, property (a tenth of the seeds), simulated, fuzzers for 10 s each"
took
HEDDLE_SEED_SHARE=0/10 ctest --preset asan

# For packaging/release.sh: the tree that has passed.
if [ $complete = yes ] && [ -z "$(git status --porcelain 2> /dev/null || echo unknown)" ]; then git rev-parse 'HEAD^{tree}' > build/tested; fi
