#!/usr/bin/env bash
# Two managers that copy their state from each other (state_store peers): kill -9, SIGTERM and SIGSTOP of either one, again and again, while clients change
# partitions. No change that was answered with "replicated" above 0 is lost, and smpquery never reads such a key as gone.
#
#   two_managers.sh BIN_DIRECTORY [DISTURBANCES [SEED]]     Exit code 77: no namespaces can be made here.
set -euo pipefail
bin=$(cd "${1:?directory of heddle, heddle-sim and heddle-sim-run}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/sim_server/own_machine.sh
. "$here/own_machine.sh"
own_machine "$bin" "$0" "$@"

# One switch; the managers are at node-1 and node-2, smpquery runs at node-3, the others are members.
{
  printf 'switchguid=0x2c90000000100\nSwitch 8 "leaf-1"\n'
  for n in $(seq 7); do echo "[$n] \"node-$n\"[1]"; done
  for n in $(seq 7); do printf '\ncaguid=0x2c9000000%04x\nCa 1 "node-%d"\n[1] "leaf-1"[%d]\n' $((n * 16)) "$n" "$n"; done
} > fabric.net
for n in 4 5 6 7; do printf '0x0002c9000000%04x 0,1,%d\n' $((n * 16 + 1)) "$n"; done > hosts
head -c 32 /dev/urandom | base64 > state.key
chmod 600 state.key
ports=(0 "$(free_port)" "$(free_port)")
for n in 1 2; do
  mkdir -p "run-$n" "cache-$n"
  cat > "conf-$n" <<CONF
sweep_interval 1
sminfo_polling_timeout 300
polling_retry_number 2
sm_priority $((3 - n))
state_store peers
state_peers 127.0.0.1:${ports[3 - n]}
state_listen 127.0.0.1:${ports[n]}
state_store_key_file $work/state.key
http_listen unix:$work/run-$n/http.sock
CONF
done
cat > manager <<RUN
#!/bin/sh
export OSM_CACHE_DIR="$work/cache-\$1" OSM_TMP_DIR="$work/cache-\$1" HEDDLE_RUN_DIR="$work/run-\$1"
exec heddle-sim-run --host "node-\$1" heddle -F "conf-\$1" -f "log-\$1" >> "out-\$1" 2>> "err-\$1"
RUN
cat > tables <<'RUN'
#!/bin/sh
exec heddle-sim-run --host node-3 smpquery -D pkeys "$1"
RUN
chmod +x manager tables
heddle-sim --start --no-console fabric.net > simulator.out 2>&1 &
check "the simulator" within 10 heddle-sim-run --host node-1 heddlectl ports --guids
check "no answered change is lost" /usr/bin/python3 "$here/two_managers.py" hosts "${2:-4}" "${3:-1}"
concluded log-1 log-2 err-1 err-2
