#!/bin/bash
# heddle-vnic as a program, on simulated agents: MADs of 2,048 bytes through umad, the store over kill -9, the configuration's errors, status
# and metrics. vnic.sh DIR: the programs.
set -euo pipefail
bin=$1
dir=$(mktemp -d)
export HEDDLE_RUN_DIR=$dir/run IBSIM_SOCKNAME=vnic-$$ OSM_CACHE_DIR=$dir/cache OSM_TMP_DIR=$dir
pids=()
finish() {
  kill -9 "${pids[@]}" 2> /dev/null || true
  wait 2> /dev/null || true
  rm -rf "$dir"
}
trap finish EXIT
fail() { echo "FAILED: $*"; tail -n 20 "$dir"/*.log "$dir"/*.out 2> /dev/null || true; exit 1; }
within() {  # SECONDS COMMAND...
  local i
  for ((i = 0; i < $1 * 10; i++)); do "${@:2}" > "$dir/within.out" 2>&1 && return; sleep 0.1; done
  fail "not within $1 s: ${*:2}"
}
mkdir -p "$dir/cache" "$dir/state"
"$bin/heddle-topo" fat-tree --hosts 6 --radix 4 > "$dir/fabric.net"
mkfifo "$dir/console"
"$bin/heddle-sim" --omni-path -s -f "$dir/sim.out" "$dir/fabric.net" < "$dir/console" > "$dir/sim.log" 2>&1 &
pids+=($!)
exec 9> "$dir/console"
for host in H1 H2; do echo "ethernet load $host" >&9; done
answers() { "$bin/heddle-sim-run" --host H0 "$bin/heddlectl" ports --guids; }
within 20 answers
"$bin/heddle-sim-run" --host H0 "$bin/heddle" -f "$dir/heddle.log" > "$dir/heddle.out" 2>&1 &
pids+=($!)
within 30 grep -q "SUBNET UP" "$dir/heddle.log"

cat > "$dir/vnic.yaml" <<YAML
interval: 1
switches:
  - {name: all, id: 1, members: [all]}
  - {name: one, id: 2, members: [{description: "H1"}]}
YAML
"$bin/heddle-vnic" --check -c "$dir/vnic.yaml" | grep -q usable || fail "--check"
sed 's/id: 2/id: 5000/' "$dir/vnic.yaml" > "$dir/wrong.yaml"
code=0
"$bin/heddle-vnic" -c "$dir/wrong.yaml" --state-dir "$dir/state" > "$dir/wrong.out" 2>&1 || code=$?
[ "$code" = 2 ] || fail "a wrong configuration has exit code $code"
grep -q "wrong.yaml:4:21: error: '5000' is not a value for id; write a number in 1..4095" "$dir/wrong.out" || fail "$(cat "$dir/wrong.out")"

start() {
  "$bin/heddle-sim-run" --host H0 "$bin/heddle-vnic" -c "$dir/vnic.yaml" -f "$dir/vnic.log" --state-dir "$dir/state" > "$dir/vnic.out" 2>&1 &
  vnic=$!
  pids+=("$vnic")
}
has() { "$bin/heddle-vnic" --metrics | grep -qxF "heddle_vnic_$1"; }
says() {  # TEXT COMMAND...: the console's answer
  local before
  before=$(wc -c < "$dir/sim.out")
  echo "${*:2}" >&9
  answered() { tail -c +$((before + 1)) "$dir/sim.out" | grep -q 'sim> '; }
  within 5 answered
  tail -c +$((before + 1)) "$dir/sim.out" | grep -q -e "$1"
}
start
within 20 has 'switch_forwarding{switch="all"} 2'
within 20 has 'switch_forwarding{switch="one"} 1'
within 10 says "VNIC 2: switch 2 .*Forwarding" ethernet show H1
# A trap of 272 bytes, and lists.
echo "ethernet macs H1 1 0x061122334455" >&9
within 10 says "06:11:22:33:44:55 -> DLID" ethernet show H2
shows() { "$bin/heddle-vnic" --status | grep -q "$1"; }
within 5 shows '"06:11:22:33:44:55"'
within 5 has 'traps_total 1'

code=0
"$bin/heddle-sim-run" --host H0 "$bin/heddle-vnic" -c "$dir/vnic.yaml" --state-dir "$dir/state" > "$dir/second.out" 2>&1 || code=$?
[ "$code" = 1 ] || fail "a second one on one state directory: $code"
grep -q "holds" "$dir/second.out" || fail "it does not say who holds it"

# A killed one has lost nothing, and the next one sets nothing.
kill -9 "$vnic"
start
within 20 has 'switch_forwarding{switch="all"} 2'
has 'sets_total 0' || fail "a second start sets something"
# What it had created is removed.
sed -i '/name: one/d' "$dir/vnic.yaml"
kill -9 "$vnic"
start
within 20 says "VNIC 2: switch 0 .*DropAll" ethernet show H1
grep -q "^port .* 0 1 1$" "$dir/state/vnics" || fail "the store"
grep -q "^port .* 0 2 2$" "$dir/state/vnics" && fail "the store has what was removed"
# A restart of a node, and an error at a reload.
echo "ethernet restart H2" >&9
within 20 says "VNIC 1: switch 1 .*Forwarding" ethernet show H2
echo "nonsense: 1" >> "$dir/vnic.yaml"
kill -HUP "$vnic"
within 10 has 'conditions{condition="SM-CONFIG-REJECTED"} 1'
kill -TERM "$vnic"
wait "$vnic" || fail "SIGTERM ends it with $?"
says "VNIC 1: switch 1 .*Forwarding" ethernet show H2 || fail "VNICs stay"
echo "all is as it should be"
