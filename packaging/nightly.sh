#!/usr/bin/env bash
# Tests that take too long for every submission: clang-tidy over every file, unit tests built with g++, each file compiled by itself with
# clang, all seeds of the property tests under sanitizers, what runs on several threads, every start order of two managers, fuzzers for five minutes each, packages. Hours on 2 cores. Ends with 0 only if all of it passed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
failed=()
step() { printf '\n== %s (%(%H:%M:%S)T)\n' "$1" -1; shift; "$@" || failed+=("$*"); }
step "packages" bash packaging/install-deps.sh --test
step "Debian and RPM packages" bash packaging/packages.sh
step "clang-format and clang-tidy, all files" bash packaging/lint.sh --all
step "g++, all tests" cmake --workflow --preset dev
step "two managers, every row" env HEDDLE_MATRIX=all HEDDLE_REQUIRE_TOOLS=1 build/dev/bin/heddle_mastership_tests
step "clang-19, each file by itself" cmake --workflow --preset clang
step "configure, fuzzers for 300 s each" cmake --preset asan -DHEDDLE_FUZZ_SECONDS=300 -DHEDDLE_TIMEOUT_FACTOR=20
step "build under sanitizers" cmake --build --preset asan
step "what runs on several threads under ThreadSanitizer" env HEDDLE_SEED_SHARE=1/40 cmake --workflow --preset tsan
step "all seeds under sanitizers" ctest --preset asan --timeout 7200
step "configure as packaging/test.sh needs it" cmake --preset asan -UHEDDLE_FUZZ_SECONDS -UHEDDLE_TIMEOUT_FACTOR
{ command -v npm && command -v systemd-nspawn; } > /dev/null || step "packages for the next two" apt-get install -q -y --no-install-recommends npm systemd-container
step "manifest for Kubernetes, by its schema" bash packaging/kubernetes/validate.sh build/dev
step "container image, made twice" bash packaging/container/check-image.sh build/dev
[ ! -f packaging/soak.sh ] || step "new seeds" bash packaging/soak.sh --hours 2
[ ${#failed[@]} -eq 0 ] && { echo "all passed"; exit 0; }
printf 'failed: %s\n' "${failed[@]}"
exit 1
