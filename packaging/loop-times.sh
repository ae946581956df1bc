#!/usr/bin/env bash
# Measures the edit-build-test loop of the dev build: one .cpp of sm/sweep touched until its unit tests have passed, and
# mad/ids.h touched until everything is built again. Changes no file's contents. Prints seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
timed() { local since=$SECONDS; "$@" > /dev/null; echo $((SECONDS - since)); }
cmake --preset dev > /dev/null
echo "bringing the dev build up to date: $(timed cmake --build --preset dev) s"
touch sm/sweep/changes.cpp
build=$(timed cmake --build --preset dev --target heddle_sm_decide_tests)
run=$(timed build/dev/bin/heddle_sm_decide_tests)
echo "one .cpp of sm/sweep: $((build + run)) s (build $build, its unit tests $run)"
touch mad/ids.h
echo "mad/ids.h, everything: $(timed cmake --build --preset dev) s"
