#!/usr/bin/env bash
# Runs as root under systemd on a machine of its own, with the packages in its own directory: packaging/packages.sh starts it.
set -euo pipefail
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
port=0x0002c90000000001
log=/var/log/opensm.$port.log

step() { printf -- '-- %s\n' "$*"; }
fail() {
  echo "FAILED: $*"
  systemctl --no-pager status heddle.service "heddle@$port" opensm.service "opensm@$port" fabric.service 2>&1 | tail -n 60 || true
  tail -n 30 "$log" 2> /dev/null || true
  exit 1
}
within() { # SECONDS COMMAND...: it succeeds in that time
  local tries=$(($1 * 10))
  shift
  for ((i = 0; i < tries; i++)); do
    if "$@" > /dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  fail "not within its time: $*"
}
is_up() { systemctl show -p StatusText "$1@$port" | grep -q 'Master.*SUBNET UP'; }
main_pid() { systemctl show -p MainPID --value "$1@$port"; }
other_pid() { [ "$(main_pid "$1")" != "$2" ] && [ "$(main_pid "$1")" != 0 ]; }
gone() { ! pgrep -x "$1"; }
lids() { sort /var/cache/opensm/guid2lid; }
lines() { grep -c "$1" "$log" || true; }

step "installed: nothing runs, nothing is enabled"
dpkg -i ./heddle_*.deb ./heddle-sim_*.deb > install.log 2>&1 || { cat install.log; fail "dpkg -i"; }
[ "$(systemctl is-enabled heddle.service)" = disabled ] || fail "enabled"
! pgrep -x heddle || fail "started"
heddle --version
systemd-analyze verify /lib/systemd/system/heddle*.service 2>&1 | grep -v 'Invalid\|man' || true

step "a simulated fabric; programs see its host H0"
heddle-topo fat-tree --hosts 16 > fabric.net
systemd-run -q --unit=fabric heddle-sim --start --no-console "$PWD/fabric.net"
for unit in heddle opensm; do
  mkdir -p "/etc/systemd/system/$unit@.service.d" "/etc/systemd/system/$unit.service.d"
  printf '[Unit]\nConditionPathExists=\n' > "/etc/systemd/system/$unit.service.d/simulated.conf"
  printf '[Service]\nEnvironment=LD_PRELOAD=/usr/lib/heddle/libheddle-umad.so\n' >> "/etc/systemd/system/$unit.service.d/simulated.conf"
  # The simulator is reached by a socket of the machine's network.
  printf '[Unit]\nConditionPathExists=\n[Service]\nEnvironment=LD_PRELOAD=/usr/lib/heddle/libheddle-umad.so\nPrivateNetwork=no\n' \
    > "/etc/systemd/system/$unit@.service.d/simulated.conf"
done
printf 'WatchdogSec=3\nRestartSec=0.1\n' >> /etc/systemd/system/heddle@.service.d/simulated.conf
systemctl daemon-reload
sees_its_port() { [ "$(heddle-sim-run heddlectl ports --guids)" = "$port" ]; }
within 5 sees_its_port

step "PORTS=NONE starts nothing, ALL the port"
echo PORTS=NONE > /etc/default/heddle
systemctl start heddle.service || true
! pgrep -x heddle || fail "started"
echo PORTS=ALL > /etc/default/heddle
systemctl start heddle.service
within 20 is_up heddle
heddlectl status | head -n 3
[ "$(lids | wc -l)" -ge 16 ] || fail "guid2lid"
before=$(lids)

step "reload: SIGHUP"
systemctl reload heddle.service
within 5 grep -q 'SIGHUP' "$log"

step "killed: it starts again"
pid=$(main_pid heddle)
kill -9 "$pid"
within 20 other_pid heddle "$pid"
within 20 is_up heddle

step "hung: the watchdog ends it"
pid=$(main_pid heddle)
kill -STOP "$pid"
within 20 other_pid heddle "$pid"
within 20 is_up heddle

step "upgrade and downgrade with a manager that runs: LIDs stay, no table is written"
for version in 0.1.0+next 0.1.0; do
  if [ "$version" != 0.1.0 ]; then
    rm -rf next
    dpkg-deb -R ./heddle_*.deb next
    sed -i "s/^Version: .*/Version: $version/" next/DEBIAN/control
    dpkg-deb -b next next.deb > /dev/null
    package=./next.deb
  else
    package=$(ls ./heddle_*.deb)
  fi
  pid=$(main_pid heddle)
  up=$(lines 'SUBNET UP') tables=$(lines 'forwarding table block')
  dpkg -i "$package" > install.log 2>&1 || { cat install.log; fail "dpkg -i $package"; }
  within 20 other_pid heddle "$pid"
  within 20 is_up heddle
  [ "$(lines 'SUBNET UP')" -gt "$up" ] || fail "no sweep"
  [ "$(lines 'forwarding table block')" = "$tables" ] || fail "tables were written"
  [ "$(lids)" = "$before" ] || fail "LIDs changed"
done

step "stopped: the leader stops all"
systemctl stop heddle.service
within 10 gone heddle

step "in place of Debian's opensm"
dpkg -i ./opensm_*.deb > install.log 2>&1 || { cat install.log; fail "dpkg -i opensm"; }
echo "PORTS=$port" > /etc/default/opensm
rm -f /etc/default/heddle
systemctl restart opensm.service
within 20 pgrep -x opensm
sleep 2  # it brings the subnet up
apt-get install -y -q ./heddle-opensm-compat_*.deb > install.log 2>&1 || { cat install.log; fail "compat"; }
! dpkg-query -W -f '${db:Status-Status}' opensm 2> /dev/null | grep -qx installed || fail "opensm is still there"
within 20 is_up opensm
pgrep -x opensm > /dev/null || fail "killall opensm would not find it"
[ "$(lids)" = "$before" ] || fail "LIDs changed"
/etc/init.d/opensmd status > /dev/null || fail "opensmd status"
systemctl status opensmd > /dev/null || fail "service name opensmd"
pid=$(main_pid opensm)
killall -HUP opensm 2> /dev/null || pkill -HUP -x opensm
sleep 1
[ "$(main_pid opensm)" = "$pid" ] || fail "SIGHUP ended it"

step "removed and purged: LIDs stay"
dpkg --purge heddle-opensm-compat heddle heddle-sim > install.log 2>&1 || { cat install.log; fail "purge"; }
within 10 gone 'heddle|opensm'
[ -s /var/cache/opensm/guid2lid ] || fail "guid2lid is gone"
step "done"
