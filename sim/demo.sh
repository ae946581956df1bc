#!/usr/bin/env bash
# Heddle brings up a simulated fat tree, on ibsim; ibnetdiscover and iblinkinfo show it before and after. Exits with 0 only
# if every linked port is Active afterwards.
#
#   sim/demo.sh BIN_DIRECTORY [HOSTS [RADIX]]    default: 324 hosts, two levels of 36-port switches
set -euo pipefail
bin=$(cd "${1:?no directory with heddle and heddle-topo given; usage: sim/demo.sh BIN_DIRECTORY [HOSTS [RADIX]]}" && pwd)
hosts=${2:-324} radix=${3:-36}
preload=$(ls /usr/lib/*/umad2sim/libumad2sim.so)

work=$(mktemp -d)
export IBSIM_SOCKNAME="heddle-demo-$$" OSM_CACHE_DIR=$work/cache OSM_TMP_DIR=$work HEDDLE_RUN_DIR=$work/run
cd "$work"
cleanup() { kill "${ibsim:-}" "${feed:-}" 2>/dev/null || true; rm -rf "$work"; }
trap cleanup EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
on_fabric() { LD_PRELOAD=$preload "$@" 2> >(grep -v 'sim_connect' >&2); }
# One leaf switch with its first hosts, and the linked ports by state.
look() {
  on_fabric ibnetdiscover > found.txt
  awk '/^Switch/ && /S1-0"/ {rows = 5} rows-- > 0 {print "   " $0}' found.txt
  on_fabric iblinkinfo -l > links.txt
  grep -v 'Down/' links.txt | grep -oE '(Initialize|Armed|Active)/' | sort | uniq -c | sed 's|/||; s|^|   linked ports: |'
}

say "1. A fat tree of $hosts hosts (heddle-topo), as ibsim simulates it"
"$bin/heddle-topo" fat-tree --hosts "$hosts" --radix "$radix" --stats > fabric.net
nodes=$(grep -cE '^(Switch|Ca)' fabric.net)
mkfifo console
{ echo Attached; exec sleep infinity; } > console & feed=$!
: > ibsim.log # the first look may come before the shell has opened it
ibsim -s -N $((nodes + 10)) -S $((nodes + 10)) -P $((nodes * 40 + 100)) fabric.net < console > ibsim.log 2>&1 & ibsim=$!
# Its first prompt may come before its sockets are there; they are when it answers the command.
until [ "$(grep -o 'sim> ' ibsim.log | wc -l)" -ge 2 ]; do
  kill -0 "$ibsim" 2>/dev/null || { cat ibsim.log; exit 1; }
  sleep 0.05
done

say "2. Before: ibnetdiscover finds nodes without LIDs, iblinkinfo finds no Active link"
look

say "3. heddle -o: sweep, LIDs, forwarding tables, Init -> Armed -> Active"
on_fabric "$bin/heddle" -o -f heddle.log || { tail -n 20 heddle.log; exit 1; }
grep -E 'written|sweep used|SUBNET UP' heddle.log | sed 's/.*-> /   /'

say "4. After: ibnetdiscover and iblinkinfo again"
look
if grep -v 'Down/' links.txt | grep -qE '(Initialize|Armed)/' || ! grep -q 'Active/' links.txt; then
  echo "not every linked port is Active" >&2
  exit 1
fi

say "5. The path from the first host to the last one (ibtracert)"
on_fabric ibtracert 1 "$hosts" | sed 's/^/   /'
