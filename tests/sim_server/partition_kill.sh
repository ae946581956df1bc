#!/usr/bin/env bash
# kill -9 of the daemon while clients change partitions: whatever was answered 200 is there when it runs again.
#
#   partition_kill.sh BIN_DIRECTORY [CHANGES [KILLS]]     Exit code 77: no namespaces can be made here.
set -euo pipefail
bin=$(cd "${1:?directory of heddle, heddle-sim and heddle-sim-run}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/sim_server/own_machine.sh
. "$here/own_machine.sh"
own_machine "$bin" "$0" "$@"
two_hosts > fabric.net
printf 'sweep_interval 0\nhttp_listen unix:/run/heddle/http.sock\n' > conf
heddle-sim --start --no-console fabric.net > simulator.out 2>&1 &
check "the simulator" within 10 heddle-sim-run --host node-1 heddlectl ports --guids
check "everything that was answered is there" /usr/bin/python3 "$here/partition_kill.py" /run/heddle/http.sock "${2:-10000}" "${3:-8}" \
  heddle-sim-run --host node-1 heddle -F conf -g 0x0002c90000000001 -f log
concluded log
