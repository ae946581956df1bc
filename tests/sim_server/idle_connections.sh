#!/usr/bin/env bash
# 1,020 idle connections to http_listen of a daemon with 1,024 descriptors: its control socket, its files and new HTTP requests work on.
#
#   idle_connections.sh BIN_DIRECTORY     Exit code 77: no namespaces can be made here.
set -euo pipefail
bin=$(cd "${1:?directory of heddle, heddlectl, heddle-sim and heddle-sim-run}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/sim_server/own_machine.sh
. "$here/own_machine.sh"
own_machine "$bin" "$0" "$@"
ip link set lo up 2> /dev/null || true
two_hosts > fabric.net
port=$(free_port)
printf 'sweep_interval 0\nhttp_listen unix:/run/heddle/http.sock,127.0.0.1:%s\n' "$port" > conf
heddle-sim --start --no-console fabric.net > simulator.out 2>&1 &
check "the simulator" within 10 heddle-sim-run --host node-1 heddlectl ports --guids

# It connects without sending anything, and goes on with those that were closed.
cat > idle.py <<'PYTHON'
import socket, sys, time
idle = []
for number in range(1020):
    try:
        idle.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5))
    except OSError as error:
        print(f"connection {number}: {error}", flush=True)
print(f"{len(idle)} connections", flush=True)
time.sleep(120)
PYTHON

answers() { # PORT: any status but those of overload
  case $(curl --silent --max-time 20 --output answer --write-out '%{http_code}' "http://127.0.0.1:$1/v1/subnet") in 200 | 401 | 403) ;; *) return 1 ;; esac
}
none_waits() { # PORT: the queue of connections that are not accepted yet is empty
  awk -v port="$(printf ':%04X$' "$1")" '$2 ~ port && $4 == "0A" { split($5, queue, ":"); left += ("0x" queue[2] != "0x00000000") } END { exit left }' /proc/net/tcp
}
writes_its_list() {
  rm -f /var/log/opensm-subnet.lst
  heddlectl resweep > resweep.out && within 10 test -s /var/log/opensm-subnet.lst
}
for limit in 1024: 1024:1024; do # a soft limit that can be raised; a hard one
  echo "-- RLIMIT_NOFILE $limit"
  prlimit --nofile="$limit" heddle-sim-run --host node-1 heddle -F conf -g 0x0002c90000000001 -f "log-$limit" > out 2> err &
  check "the daemon" within 20 grep -q 'SUBNET UP' "log-$limit"
  check "HTTP answers" within 5 answers "$port"
  prlimit --nofile="$(ulimit -Hn)" /usr/bin/python3 idle.py "$port" > "idle-$limit" &
  idle=$!
  check "the connections" within 30 grep -q '1020 connections' "idle-$limit"
  check "they are accepted" within 10 none_waits "$port"
  check "the control socket" sh -c "heddlectl status > status.out"
  check "HTTP over its Unix socket" curl --silent --fail --max-time 20 --unix-socket /run/heddle/http.sock http://heddle/v1/subnet --output answer
  check "a new HTTP request over TCP" answers "$port"
  check "the list of the subnet" writes_its_list
  check "a SIGHUP" pkill -HUP -x heddle
  check "and the control socket" within 10 heddlectl status
  kill "$idle"
  pkill -TERM -x heddle
  check "it ends" within 10 sh -c '! pgrep -x heddle'
done
concluded log-* idle-*
