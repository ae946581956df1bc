#!/usr/bin/env bash
# Installs what the tests need, builds Heddle with both compilers and all checks, and runs every test. The last line is ctest's summary.
set -euo pipefail
cd "$(dirname "$0")/.."
step() { printf '\n== %s (%(%H:%M:%S)T)\n' "$1" -1; }

step "packages"
bash packaging/install-deps.sh --test

step "clang-19, AddressSanitizer and UndefinedBehaviorSanitizer: everything but whole daemons on ibsim"
cmake --preset asan
cmake --build --preset asan
ctest --preset asan -LE 'ibsim'

step "clang-19, ThreadSanitizer: where threads meet"
cmake --preset tsan
cmake --build --preset tsan --target heddle_thread_tests
ctest --preset tsan


step "g++: everything"
cmake --preset dev
cmake --build --preset dev
ctest --preset dev
