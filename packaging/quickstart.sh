#!/usr/bin/env bash
# From a fresh clone to a fabric that comes up: installs, builds, and runs the demonstration.
set -euo pipefail
cd "$(dirname "$0")/.."
bash packaging/install-deps.sh --demo
cmake --workflow --preset release
bash sim/demo.sh build/release/bin "$@"
