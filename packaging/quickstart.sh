#!/usr/bin/env bash
# From a fresh clone to a simulated fabric in state Active: installs, builds what the demonstration needs, and runs it.
#
#   packaging/quickstart.sh [HOSTS [RADIX]]     default: 324 hosts, two levels of 36-port switches; 1728 24 is a tree of three levels
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

say "1/3 packages"
bash packaging/install-deps.sh --demo
start=$SECONDS

say "2/3 building heddle and heddle-topo (several minutes on 2 cores the first time)"
cmake --preset release > build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
rm -f build-configure.log
NINJA_STATUS='[%f/%t, %es] ' cmake --build --preset quickstart

say "3/3 bring-up of a simulated fabric"
bash sim/demo.sh build/release/bin "$@"
printf '\nBuilt and shown in %d s after the packages. Next commands:\n' $((SECONDS - start))
cat <<'TXT'
  bash packaging/quickstart.sh 648                the same with 648 hosts (18 for each leaf switch)
  bash packaging/quickstart.sh 1728 24            with 1,728 hosts and 24-port switches
  build/release/bin/heddle --help                 the flags (OpenSM's); on a host with an HCA: sudo build/release/bin/heddle -o
  cmake --build --preset release                  everything else: heddlectl, heddle-sim, heddle-sim-run
TXT
