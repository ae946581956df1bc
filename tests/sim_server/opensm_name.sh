#!/usr/bin/env bash
# The daemon as OpenSM was started before there were units: by the name opensm, with its flags, found by ps, pgrep and killall, one process for two
# ports and one for each. Two ports of one machine, each on a subnet of its own (heddle-sim).
#
#   opensm_name.sh BIN_DIRECTORY     in namespaces of its own: other processes named opensm, /run and /var/log of this machine stay as they are
#
# Exit code 77: no namespaces can be made here.
set -euo pipefail
bin=$(cd "${1:?directory of heddle, heddle-sim and heddle-sim-run}" && pwd)
# shellcheck source=tests/sim_server/own_machine.sh
. "$(dirname "$(realpath "$0")")/own_machine.sh"
own_machine "$bin" "$0" "$@"
a=0x0002c90000000001 b=0x0002c90000000011
ln -s "$bin/heddle" opensm
cat > fabric.net <<'NET'
switchguid=0x2c90000000100
Switch 4 "A"
[1] "H0"[1]
[2] "H1"[1]

switchguid=0x2c90000000200
Switch 4 "B"
[1] "H2"[1]
[2] "H3"[1]

caguid=0x2c90000000000
Ca 1 "H0"
[1] "A"[1]

caguid=0x2c90000000020
Ca 1 "H1"
[1] "A"[2]

caguid=0x2c90000000010
Ca 1 "H2"
[1] "B"[1]

caguid=0x2c90000000030
Ca 1 "H3"
[1] "B"[2]
NET

opensm() { heddle-sim-run --host H0,H2 ./opensm "$@"; }
gone() { not pgrep -x opensm; }
end() { killall opensm && check "killall ended it" within 10 gone; }
lines() { grep -c -- "$1" "$2" 2> /dev/null || true; }
has_lines() { [ "$(lines "$2" "$3")" -ge "$1" ]; }
knows() { grep -q "$2" "$1"; }

heddle-sim --start --no-console fabric.net > simulator.out 2>&1 &
check "two ports" within 10 sh -c 'heddle-sim-run --host H0,H2 heddlectl ports --guids | grep -c . | grep -qx 2'

echo "-- the command line that people have"
printf 'sweep_interval 0\nlog_flags 0x01\n' > conf
echo "of an earlier run" > log
opensm -B -F conf -g "$a,$b" -p 15 -f log --log_prefix mlx5_0 -L 10 -e --pid_file p > out
check "both ports lead" within 10 sh -c "grep -q MASTER log.$a && grep -q MASTER log.$b"
check "the pid file is written" within 5 test -s p
pid=$(cat p)
is "$(cat "/proc/$pid/comm")" opensm || check "its name" false
is "$(ps -C opensm -o pid= | tr -d ' ')" "$pid" || check "ps -C" false
is "$(pgrep -x opensm)" "$pid" || check "pgrep -x" false
check "-e erases the log" not knows log "of an earlier run"
check "each line has the prefix" not grep -vq -- '-> mlx5_0: ' log.$a
check "-p 15" sh -c "heddle-sim-run --host H1 sminfo | grep -q 'priority 15'"
check "log_flags 0x01: no information" not knows log.$a ' 0x02 -> '
printf 'sweep_interval 0\nlog_flags 0x07\nsm_priority 3\n' > conf
killall -HUP opensm
check "killall -HUP is a reload" within 5 knows log.$a ' 0x02 -> '
check "a flag counts more than the file" sh -c "heddle-sim-run --host H1 sminfo | grep -q 'priority 15'"
check "a sweep follows it" within 5 knows log.$b SIGHUP
printf 'sweep_interval 0\n' > conf
killall -HUP opensm
check "a line that is gone is a change" within 5 knows log 'log_flags changed'
printf 'sweep_interval 0\nlog_flags 0x07\n' > conf
killall -HUP opensm
check "until it is there again" within 5 has_lines 2 'log_flags changed' log
check "it is the same process" test "$(pgrep -x opensm)" = "$pid"
killall -USR1 opensm
end
check "the pid file is removed" not test -e p
check "the log says so" knows log.$a 'Exiting SM'
check "log of the process, of each port" is "$(echo log*)" "log log.$a log.$b"
for port in $a $b; do
  check "its LIDs" test -s "/var/cache/opensm/$port/guid2lid"
  check "its dump" within 10 test -s "/var/log/$port/opensm-subnet.lst"
done
check "no LIDs of both" not test -e /var/cache/opensm/guid2lid
check "LIDs of H1's subnet" knows /var/cache/opensm/$a/guid2lid 0x0002c90000000021
check "and of no other" not knows /var/cache/opensm/$a/guid2lid 0x0002c90000000031
rm -rf /var/cache/opensm/* /var/log/*

echo "-- one process for each port, the files that both have by default"
opensm -B -F conf -g $a > out
check "the first one" within 10 knows /var/log/opensm.log 'SUBNET UP'
check "the usual pid file" test "$(cat /var/run/opensm.pid)" = "$(pgrep -x opensm)"
first=$(pgrep -x opensm)
lids=$(cat /var/cache/opensm/guid2lid)
opensm -B -e -F conf -g $b --log_prefix second > out
check "the second one" within 15 knows /var/log/opensm.log 'second: SUBNET UP'
check "two processes" test "$(pgrep -cx opensm)" = 2
check "-e erases no log of another" has_lines 2 'Entering MASTER' /var/log/opensm.log
check "the pid file stays" test "$(cat /var/run/opensm.pid)" = "$first"
check "LIDs of the first one stay" test "$(cat /var/cache/opensm/guid2lid)" = "$lids"
check "LIDs of the second one" knows /var/cache/opensm/$b/guid2lid 0x0002c90000000031
check "its list of links" within 10 knows /var/log/$b/opensm-subnet.lst H3
check "that of the first one" within 10 knows /var/log/opensm-subnet.lst H1
check "has nothing of the second one" not knows /var/log/opensm-subnet.lst H3
check "a socket for each" is "$(cd /run/heddle && echo *.sock)" "$a.sock $b.sock"
check "heddlectl finds both" sh -c "heddlectl status --guid $a > status.$a && heddlectl status --guid $b > status.$b && ! cmp -s status.$a status.$b"
of_second=$(cat /var/cache/opensm/$b/guid2lid || true)
end
check "the pid file is removed" not test -e /var/run/opensm.pid

echo "-- started again, the second one first"
opensm -B -F conf -g $b --log_prefix again > out
check "it leads" within 10 knows /var/log/opensm.log 'again: SUBNET UP'
check "it keeps its files" test "$(cat /var/cache/opensm/$b/guid2lid)" = "$of_second"
check "and those of the other" test "$(cat /var/cache/opensm/guid2lid)" = "$lids"
check "no directory of the first one" not test -e /var/cache/opensm/$a

echo "-- a pid file that another process holds"
killall -q -STOP opensm
opensm -B -F conf -g $a -f other.log -D ERROR --pid_file /var/run/opensm.pid > out
check "it is not started" within 15 knows other.log 'cannot write the pid file /var/run/opensm.pid: process [0-9]* (opensm) holds it'
check "-D ERROR: no information" not knows other.log ' 0x02 -> '
killall -q -CONT opensm
is_alone() { [ "$(pgrep -x opensm)" = "$(cat /var/run/opensm.pid)" ]; }
check "the other one goes on" within 5 is_alone
end

concluded log* /var/log/*.log out simulator.out
