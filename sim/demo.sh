#!/usr/bin/env bash
# Heddle brings up a simulated fat tree, seen from outside: ibsim is the fabric, ibnetdiscover and iblinkinfo are the eyes.
#
#   sim/demo.sh BIN_FOLDER [HOSTS]      default: 324 hosts, two levels of 36-port switches
set -euo pipefail
bin=$(cd "${1:?where are heddle and heddle-topo? usage: sim/demo.sh BIN_FOLDER [HOSTS]}" && pwd)
hosts=${2:-324}
preload=$(ls /usr/lib/*/umad2sim/libumad2sim.so)

work=$(mktemp -d)
export IBSIM_SOCKNAME="heddle-demo-$$" OSM_CACHE_DIR=$work/cache OSM_TMP_DIR=$work HEDDLE_RUN_DIR=$work/run
cd "$work"
cleanup() { kill "${ibsim:-}" "${feed:-}" 2>/dev/null || true; rm -rf "$work"; }
trap cleanup EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
on_fabric() { LD_PRELOAD=$preload "$@" 2> >(grep -v 'sim_connect' >&2); }
# Ends of cables by state, as iblinkinfo shows them.
states() { on_fabric iblinkinfo -l | grep -v 'Down/' | grep -oE '(Initialize|Init|Armed|Active)/' | sort | uniq -c | sed 's|/||; s|^|   |'; }

say "1. A fat tree of $hosts hosts (heddle-topo), as ibsim simulates it"
"$bin/heddle-topo" fat-tree --hosts "$hosts" --stats > fabric.net
nodes=$(grep -cE '^(Switch|Ca)' fabric.net)
mkfifo console
sleep infinity > console & feed=$!
ibsim -s -N $((nodes + 10)) -S $((nodes + 10)) -P $((nodes * 40 + 100)) fabric.net < console > ibsim.log 2>&1 & ibsim=$!
for _ in $(seq 200); do grep -q 'Network simulator ready' ibsim.log && break; read -r -t 0.05 _ < <(:) || true; sleep 0.05; done

say "2. Before: what ibnetdiscover finds has no LIDs, and no link carries data (iblinkinfo)"
on_fabric ibnetdiscover | grep -m1 -A4 '^Switch'
states

say "3. heddle -o: sweep, LIDs, forwarding tables, Init -> Armed -> Active"
on_fabric "$bin/heddle" -o -f heddle.log
grep -E 'sweep used|SUBNET UP' heddle.log | sed 's/.*-> /   /'

say "4. After: the same, through the same eyes"
on_fabric ibnetdiscover | grep -m1 -A4 '^Switch'
states
say "A path from the first to the last host (ibtracert)"
last=$(on_fabric ibnetdiscover -l | grep '^Ca' | grep -oE 'lid [0-9]+' | awk '{print $2}' | sort -n | tail -1 || true)
last=${last:-$(on_fabric iblinkinfo | awk '/^ .*CA:/ {next} {print}' | grep -oE '^ +0x[0-9a-f]+ +[0-9]+' | awk '{print $2}' | sort -n | tail -1)}
on_fabric ibtracert 1 "$hosts" || true
