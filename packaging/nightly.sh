#!/usr/bin/env bash
# Tests that take too long for every submission: clang-tidy over every file, unit tests built with g++, each file compiled by itself with
# clang, all seeds of the property tests under sanitizers, what runs on several threads, every start order of two managers, the map in a browser, fuzzers for
# five minutes each, packages. Hours on 2 cores. Ends with 0 only if all of it passed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source=packaging/steps.sh
. packaging/steps.sh
failed=()
run() { step "$1"; shift; "$@" || failed+=("$*"); }
run "packages" bash packaging/install-deps.sh --test
run "Debian 12 and RPM packages" bash packaging/packages.sh
run "Debian 13 packages" bash packaging/packages.sh --suite trixie build lint installed machine same
run "README's first command on a bare Debian 13" env CXXFLAGS=-Werror bash packaging/bare.sh --suite trixie
run "clang-format and clang-tidy, all files" bash packaging/lint.sh --all
run "g++, all tests" cmake --workflow --preset dev
run "two managers, every row" env HEDDLE_MATRIX=all HEDDLE_REQUIRE_TOOLS=1 build/dev/bin/heddle_sim_program_tests --gtest_filter=*Mastership*:PortsOfOneDaemon*
run "a Linux kernel in QEMU, all scenarios" env LAB_UNPLUGS=1000 bash sim/kernel/lab.sh --build build/dev
run "Linux 6.12 in QEMU" bash sim/kernel/lab.sh --build build/dev --kernel 6.12 bring-up ipoib same-as-preload
run "the map in a browser" bash packaging/browser-tests.sh build/dev --always
run "clang-19, each file by itself" cmake --workflow --preset clang
run "configure, fuzzers for 300 s each" cmake --preset asan -DHEDDLE_FUZZ_SECONDS=300 -DHEDDLE_TIMEOUT_FACTOR=20
run "build under sanitizers" cmake --build --preset asan
run "what runs on several threads under ThreadSanitizer" env HEDDLE_SEED_SHARE=1/40 cmake --workflow --preset tsan
run "all seeds under sanitizers" ctest --preset asan --timeout 7200
run "configure as packaging/test.sh needs it" cmake --preset asan -UHEDDLE_FUZZ_SECONDS -UHEDDLE_TIMEOUT_FACTOR
{ command -v npm && command -v systemd-nspawn; } > /dev/null || run "packages for the next two" apt-get install -q -y --no-install-recommends npm systemd-container
run "manifest for Kubernetes, by its schema" bash packaging/kubernetes/validate.sh build/dev
run "container image, made twice" bash packaging/container/check-image.sh build/dev
[ ! -f packaging/soak.sh ] || run "new seeds" bash packaging/soak.sh --hours 2
step_end
slowest
[ ${#failed[@]} -eq 0 ] && { echo "all passed"; exit 0; }
printf 'failed: %s\n' "${failed[@]}"
exit 1
