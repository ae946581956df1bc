#!/usr/bin/env bash
# clang-tidy (see .clang-tidy) over Heddle's own sources, with the compile commands of a build folder of clang.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/asan}
git ls-files 'config/*.cpp' 'mad/*.cpp' 'sm/*.cpp' 'routing/*.cpp' 'partitions/*.cpp' 'virt/*.cpp' 'sim/*.cpp' |
  xargs -P "$(nproc)" -n 4 clang-tidy-19 -p "$build" --quiet 2> >(grep -vE 'warnings? (generated|treated)' >&2)
