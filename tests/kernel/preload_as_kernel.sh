#!/bin/bash
# preload_as_kernel.sh BIN: umad_behaviour under the preload library prints what it prints on a Linux kernel
# (same-as-preload.txt; sim/kernel/scenarios/same-as-preload.sh compares the kernel with that file).
set -euo pipefail
bin=$(realpath "$1")
expected=$(cd "$(dirname "$0")" && pwd)/same-as-preload.txt
# What stays different, and why: sim/umad/README.md.
stays='^(Get of a method without an agent|a class version without an agent|pulled out): '
directory=$(mktemp -d)
pids=()
cleanup() {
  local pid
  for pid in "${pids[@]}"; do  # the manager before its simulator
    kill "$pid" 2> /dev/null || true
    wait "$pid" || true
  done
  rm -rf "$directory"
}
trap cleanup EXIT
cd "$directory"
export IBSIM_SOCKNAME=preload-as-kernel-$$ HEDDLE_SIM_DEVICE_PREFIX=heddle OSM_CACHE_DIR=$directory
within() {  # SECONDS COMMAND...
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || { echo "not within the time: $*" >&2; cat ./*.log >&2; exit 1; }
    sleep 0.1
  done
}
"$bin/heddle-topo" fat-tree --hosts 18 --radix 6 > fabric.net
"$bin/heddle-sim" -s -n -f sim.out fabric.net > sim.log 2>&1 &
pids=($! "${pids[@]}")
within 20 "$bin/heddle-sim-run" --host H1 true
"$bin/heddle-sim-run" --host H0 "$bin/heddle" -l 1 -f "$directory/heddle.log" > heddle.out 2>&1 &
pids=($! "${pids[@]}")
within 30 grep -qs "SUBNET UP" heddle.log
"$bin/heddle-sim-run" --host H1,H2 "$bin/umad_behaviour" heddle0 heddle1 > printed
diff <(grep -vE "$stays" "$expected") <(grep -vE "$stays" printed)
