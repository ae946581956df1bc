#!/usr/bin/env bash
# Makes the image twice, compares both, and tests it.
#
#   packaging/container/check-image.sh BUILD     as root; BUILD: a build directory (preset release)
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?build directory}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for run in one two; do bash packaging/container/image.sh --build "$build" --output "$work/$run.tar"; done
cmp "$work/one.tar" "$work/two.tar"
bash packaging/container/image.sh --test "$work/one.tar" --build "$build"
