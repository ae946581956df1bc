#!/usr/bin/env bash
# Uses the packages as an administrator does: as root, under systemd, on a machine of its own, with the packages in its own directory. packages.sh starts it.
set -euo pipefail
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
port=0x0002c90000000001
log=/var/log/opensm.$port.log
cache=/var/cache/opensm
trace=$PWD/trace

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
quiet() { "$@" > install.log 2>&1 || { cat install.log; fail "$*"; }; }
# What the cache keeps. Heddle and OpenSM differ in blank lines at most.
lids() { grep . $cache/guid2lid | sort; }
# What any program sees: nodes, LIDs, links.
seen() { heddle-sim-run ibnetdiscover | grep -v '^#' | sort; }
groups() { grep -ao ' group [0-9a-f ]*' $cache/registrations | sort -u; }

# The trace of the simulator says what reached the fabric, whatever a manager says in its log. `mark` begins a period. The trace is written in blocks: an ibnetdiscover, which
# only reads, pushes out what was before it.
mark() { seen > /dev/null; period=$(($(wc -l < "$trace") + 1)); }
table_writes() { tail -n "+$period" "$trace" | grep -cE 'sends class 0x[08]1 Set (LinearForwardingTable|MulticastForwardingTable) ' || true; }
link_changes() { tail -n "+$period" "$trace" | grep -cE ' (is|is set to) (Down|Initialize|Armed|Active)$' || true; }
sets() { tail -n "+$period" "$trace" | grep -oE 'sends class 0x[08]1 Set [A-Za-z0-9_]+' | awk '{print $NF}' | sort | uniq -c | awk '{printf " %s %s", $1, $2}'; }
same_links() { # IN WHAT
  [ "$(lids)" = "$lids_before" ] || fail "$1: LIDs changed in guid2lid"
  [ "$(seen)" = "$seen_before" ] || { diff <(echo "$seen_before") <(seen) | head; fail "$1: LIDs or links changed on the fabric"; }
  [ "$(link_changes)" = 0 ] || fail "$1: $(link_changes) changes of link states"
  echo "   $1: LIDs as before, no link state changed; Sets:$(sets)"
}
nothing_changed() { # IN WHAT
  same_links "$1"
  [ "$(table_writes)" = 0 ] || fail "$1: $(table_writes) forwarding table blocks were written"
}

# A line of the journal of registrations: CRC-32, text.
journal_line() { printf '%s %s\n' "$(printf '%s' "$1" | gzip -c | tail -c 8 | od -An -tx4 -N4 | tr -d ' ')" "$1"; }

step "installed: nothing runs, nothing is enabled"
quiet dpkg -i ./heddle_*.deb ./heddle-sim_*.deb
[ "$(systemctl is-enabled heddle.service)" = disabled ] || fail "enabled"
! pgrep -x heddle || fail "started"
heddle --version
heddlectl --version | head -n 1

step "units: systemd-analyze verify, and security at most 2.5"
quiet systemd-analyze verify --man=no /lib/systemd/system/heddle.service "/lib/systemd/system/heddle@.service" /lib/systemd/system/heddle-hotplug.service
[ ! -s install.log ] || { cat install.log; fail "systemd-analyze verify"; }
systemd-analyze security --no-pager --threshold=25 "heddle@$port.service" > install.log || { cat install.log; fail "exposure"; }
tail -n 1 install.log

step "a simulated fabric; programs see its host H0"
heddle-topo fat-tree --hosts 54 > fabric.net
systemd-run -q --unit=fabric heddle-sim --start --no-console --trace "$trace" "$PWD/fabric.net"
for unit in heddle opensm; do
  mkdir -p "/etc/systemd/system/$unit@.service.d" "/etc/systemd/system/$unit.service.d"
  printf '[Unit]\nConditionPathExists=\n[Service]\nEnvironment=LD_PRELOAD=/usr/lib/heddle/libheddle-umad.so\n' \
    > "/etc/systemd/system/$unit.service.d/simulated.conf"
  # The simulator is reached by a socket of the machine's network.
  printf '[Unit]\nConditionPathExists=\n[Service]\nEnvironment=LD_PRELOAD=/usr/lib/heddle/libheddle-umad.so\nPrivateNetwork=no\n' \
    > "/etc/systemd/system/$unit@.service.d/simulated.conf"
done
printf 'WatchdogSec=3\nRestartSec=0.1\n' >> /etc/systemd/system/heddle@.service.d/simulated.conf
systemctl daemon-reload
sees_its_port() { [ "$(heddle-sim-run heddlectl ports --guids)" = "$port" ]; }
within 10 sees_its_port

step "PORTS=NONE starts nothing, a GUID or ALL its port"
echo PORTS=NONE > /etc/default/heddle
systemctl start heddle.service || true
! pgrep -x heddle || fail "started"
echo "PORTS=$port" > /etc/default/heddle
mark
systemctl start heddle.service
within 20 is_up heddle
seen > /dev/null
if [ "$(table_writes)" = 0 ] || [ "$(link_changes)" = 0 ]; then fail "the trace does not show the first bring-up"; fi
echo "   first bring-up: $(table_writes) table blocks, $(link_changes) link states; Sets:$(sets)"
systemctl stop heddle.service
within 10 gone heddle
echo PORTS=ALL > /etc/default/heddle
mark
systemctl start heddle.service
within 20 is_up heddle
heddlectl status | head -n 3
[ "$(lids | wc -l)" -ge 54 ] || fail "guid2lid"
lids_before=$(lids) seen_before=$(seen) groups_before=$(groups)
[ -n "$groups_before" ] || fail "no group is registered"
nothing_changed "started again"

step "reload: SIGHUP"
mark
systemctl reload heddle.service
within 10 grep -q 'SIGHUP' "$log"

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
nothing_changed "reloaded, killed, hung"

# The later version is the same build under a higher version number: what dpkg and the maintainer scripts do is an upgrade, the program is not newer.
# What a newer program would leave for the older one is therefore written here: its journal has a higher revision, a kind of line and a word that are not known.
step "upgraded and downgraded with a manager that runs"
rm -rf next
version=$(dpkg-deb -f ./heddle_*.deb Version)
dpkg-deb -R ./heddle_*.deb next
sed -i "s/^Version: .*/Version: $version+next/" next/DEBIAN/control
dpkg-deb -b next next.deb > /dev/null
for package in ./next.deb ./heddle_*.deb; do
  pid=$(main_pid heddle) up=$(grep -c 'SUBNET UP' "$log")
  mark
  quiet dpkg -i "$package"
  within 20 other_pid heddle "$pid"
  within 20 is_up heddle
  [ "$(grep -c 'SUBNET UP' "$log")" -gt "$up" ] || fail "no sweep"
  nothing_changed "$(dpkg-query -W -f '${Version}' heddle)"
  [ "$(groups)" = "$groups_before" ] || fail "groups changed"
  if [ "$package" = ./next.deb ]; then
    cp $cache/registrations newer
    sed -i '1s/.*/heddle-journal 1.9/' newer
    { journal_line "quorum 5 of 7"; journal_line "next 2 1 ff"; journal_line .; } >> newer
    cat newer > $cache/registrations
  fi
done
grep -o 'registrations is of a newer version of Heddle.*' "$log" | tail -n 1 || fail "the older version does not say that it read a newer file"
[ "$(head -n 1 $cache/registrations)" = "heddle-journal 1" ] || fail "the journal is not of this version"
! ls $cache/*.corrupt-* 2> /dev/null || fail "a file was taken for damaged"

step "stopped: the leader stops all"
systemctl stop heddle.service
within 10 gone heddle

step "Debian's opensm in its place, and Heddle in the place of that: apt removes it"
quiet dpkg -i ./opensm_*.deb
echo "PORTS=$port" > /etc/default/opensm
rm -f /etc/default/heddle
systemctl restart opensm.service
opensm_is_up() { grep -q 'SUBNET UP' "/var/log/opensm.$port.log" && [ "$(basename "$(readlink "/proc/$(pgrep -x opensm)/exe")")" = opensm ]; }
: > "$log"
within 20 opensm_is_up
[ "$(seen)" = "$seen_before" ] || fail "OpenSM changed LIDs"
mark
quiet apt-get install -y -q ./heddle-opensm-compat_*.deb
! dpkg-query -W -f '${db:Status-Status}' opensm 2> /dev/null | grep -qx installed || fail "opensm is still there"
within 20 is_up opensm
nothing_changed "Heddle for opensm"
pgrep -x opensm > /dev/null || fail "killall opensm would not find it"
/etc/init.d/opensmd status > /dev/null || fail "opensmd status"
systemctl status opensmd > /dev/null || fail "service name opensmd"
pid=$(main_pid opensm)
/etc/init.d/opensmd reload
within 10 grep -q SIGHUP "$log"
killall -HUP opensm
sleep 1
[ "$(main_pid opensm)" = "$pid" ] || fail "SIGHUP ended it"

step "as people start it by hand: opensm -B, killall opensm"
systemctl stop opensm.service
within 10 gone opensm
heddle-sim-run opensm -B -g "$port" -p 15 -e -L 10 -D 0x83 --log_prefix mlx5_0 -f /tmp/by-hand.log --pid_file /run/by-hand.pid > install.log 2>&1 || { cat install.log; fail "opensm -B"; }
within 20 grep -qs 'SUBNET UP' /tmp/by-hand.log
[ "$(cat /run/by-hand.pid)" = "$(pgrep -x opensm)" ] || fail "pid file"
killall -HUP opensm
within 10 grep -q SIGHUP /tmp/by-hand.log
killall opensm
within 10 gone opensm
nothing_changed "opensm -B"

step "and back: opensm's own package"
mark
: > "$log"
quiet apt-get install -y -q ./opensm_*.deb
! dpkg-query -W -f '${db:Status-Status}' heddle-opensm-compat 2> /dev/null | grep -qx installed || fail "heddle-opensm-compat is still there"
within 20 opensm_is_up
same_links "opensm for Heddle"
systemctl stop opensm.service
quiet dpkg --purge opensm

step "on ibsim, by flags as without packages"
systemctl stop fabric.service
mkfifo console
{ echo Attached; exec sleep infinity; } > console &
feed=$!
IBSIM_SOCKNAME=other ibsim -s fabric.net < console > ibsim.log 2>&1 &
ibsim=$!
ibsim_answers() { [ "$(grep -o 'sim> ' ibsim.log | wc -l)" -ge 2 ]; }
within 10 ibsim_answers
preload=$(ls /usr/lib/*/umad2sim/libumad2sim.so)
(cd /tmp && IBSIM_SOCKNAME=other OSM_CACHE_DIR=/tmp LD_PRELOAD=$preload heddle -o -f /tmp/ibsim.log > ibsim-run.log 2>&1) || { cat ibsim-run.log; fail "heddle -o on ibsim"; }
grep -q 'SUBNET UP' /tmp/ibsim.log || fail "no SUBNET UP on ibsim"
kill $ibsim $feed

# shellcheck source=packaging/packages/vnic.sh
. ./vnic.sh

step "removed and purged: LIDs stay, everything else is gone"
quiet dpkg --purge heddle-opensm-compat heddle heddle-sim
within 10 gone 'heddle|opensm'
[ "$(lids)" = "$lids_before" ] || fail "guid2lid is gone"
left=$(find /etc /usr /lib/systemd -name '*heddle*' ! -path '*.service.d*' 2> /dev/null | sort || true)
[ -z "$left" ] || fail "left behind: $left"
step "done"
