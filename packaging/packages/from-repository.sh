#!/usr/bin/env bash
# Installs Heddle from a repository, as the README that is published with it says, inside a root that has nothing else: publish-test.sh starts it. systemd does not run here:
# the daemon starts as the unit starts it, by its ExecStart.
#
#   from-repository.sh SUITE
set -euo pipefail
suite=$1
port=0x0002c90000000001
log=/var/log/opensm.$port.log
cache=/var/cache/opensm
trace=/test/trace
cd /test
fail() {
  echo "FAILED: $*"
  tail -n 20 daemon.log "$log" 2> /dev/null || true
  exit 1
}
quiet() { "$@" > step.log 2>&1 || { cat step.log; fail "$*"; }; }
within() { # SECONDS COMMAND...
  local tries=$(($1 * 10))
  shift
  for ((i = 0; i < tries; i++)); do
    if "$@" > /dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  fail "not within its time: $*"
}
list=/etc/apt/sources.list.d/heddle.list
keyring=/usr/share/keyrings/heddle-archive-key.asc
take_from() { echo "deb [signed-by=$keyring] file:$1 $suite main" > $list; }

echo "-- a repository that somebody else signed, and an index that was changed, are refused"
cp /srv/heddle/heddle-archive-key.asc $keyring
refused() { # WHAT
  if apt-get update > step.log 2>&1 && apt-get install -y --no-install-recommends heddle >> step.log 2>&1; then fail "$1 is taken"; fi
  echo "   $1: $(grep -m 1 -E '^(E|W|Err): ' step.log)"
  rm -rf /var/lib/apt/lists/*_srv_*
}
take_from /srv/forged
refused "another signature"
cp -r /srv/heddle/debian /srv/changed
sed -i 's/^Version: .*/&+changed/' /srv/changed/dists/"$suite"/main/binary-*/Packages
rm /srv/changed/dists/"$suite"/main/binary-*/Packages.gz
take_from /srv/changed
refused "a changed index"

echo "-- installed, and a fabric brought up on ibsim"
take_from /srv/heddle/debian
quiet apt-get update
began=$(date +%s%N)
quiet apt-get install -y --no-install-recommends heddle
installed=$(date +%s%N)
apt-cache policy heddle | sed -n '2,3p;5,6p'
new=$(dpkg-query -W -f '${Version}' heddle)
quiet apt-get install -y --no-install-recommends heddle-sim infiniband-diags ibsim-utils procps
# What the unit runs, with what systemd puts in.
unit=$(find /lib/systemd/system /usr/lib/systemd/system -name 'heddle@.service' | head -n 1)
command=$(sed -n 's/^ExecStart=//p' "$unit" | sed "s/%[iI]/$port/g; s/ \$[A-Z_]*//g")
heddle-topo fat-tree --hosts 54 > fabric.net
mkdir -p $cache /run/heddle
start() { # ASSIGNMENT...: of the environment
  # shellcheck disable=SC2086
  env "$@" OSM_CACHE_DIR=$cache setsid $command > daemon.log 2>&1 &
  daemon=$!
}
stop() {
  kill "$daemon"
  wait "$daemon" || true
}
count_ups() { grep -c 'SUBNET UP' "$log" 2> /dev/null || true; }
ups=0
is_up() { [ "$(count_ups)" -gt "$ups" ]; }
mkfifo console
{
  echo Attached
  exec sleep infinity
} > console &
feed=$!
IBSIM_SOCKNAME=lab ibsim -s fabric.net < console > ibsim.log 2>&1 &
ibsim=$!
ibsim_answers() { [ "$(grep -o 'sim> ' ibsim.log | wc -l)" -ge 2 ]; }
within 10 ibsim_answers
on_ibsim=(IBSIM_SOCKNAME=lab "LD_PRELOAD=$(ls /usr/lib/*/umad2sim/libumad2sim.so)")
starting=$(date +%s%N)
start "${on_ibsim[@]}"
within 30 is_up
up=$(date +%s%N)
[ "$(env "${on_ibsim[@]}" ibnetdiscover | grep -c '^Ca')" = 54 ] || fail "ibnetdiscover does not see 54 hosts"
echo "   apt-get install $(((installed - began) / 1000000)) ms, from the start to SUBNET UP $(((up - starting) / 1000000)) ms, by: $command"
stop
kill $ibsim $feed
rm -rf ${cache:?}/*

# What reached the fabric is in the trace of heddle-sim, whatever a manager says.
echo "-- on heddle-sim: what a start of another version writes"
heddle-sim --start --no-console --trace "$trace" "$PWD/fabric.net" > sim.log 2>&1 &
sim=$!
sees_its_port() { [ "$(heddle-sim-run heddlectl ports --guids)" = "$port" ]; }
within 10 sees_its_port
seen() { heddle-sim-run ibnetdiscover | grep -v '^#' | sort; }
# An ibnetdiscover, which only reads, pushes out what the trace has not written yet.
mark() { seen > /dev/null; period=$(($(wc -l < "$trace") + 1)); }
table_writes() { tail -n "+$period" "$trace" | grep -cE 'sends class 0x[08]1 Set (LinearForwardingTable|MulticastForwardingTable) ' || true; }
groups() { grep -ao ' group [0-9a-f ]*' $cache/registrations | sort -u; }
members() { heddlectl partition show 0x0012 | grep -o '0x[0-9a-f]\{16\}' | sort -u; }
run() {
  ups=$(count_ups)
  start LD_PRELOAD=/usr/lib/heddle/libheddle-umad.so
  within 30 is_up
}
again() { # WHAT
  stop
  mark
  run
  [ "$(seen)" = "$before" ] || fail "$1: links or LIDs changed"
  [ "$(table_writes)" = 0 ] || fail "$1: $(table_writes) forwarding table blocks were written"
  [ "$(groups)" = "$groups" ] || fail "$1: registrations changed"
  [ "$(members)" = "$members" ] || fail "$1: the partition of the API changed: $(members)"
  echo "   $1: LIDs, links, $(wc -l <<< "$groups") groups and the partition as before, 0 LinearForwardingTable Sets"
}
install_older() { quiet apt-get install -y --no-install-recommends --allow-downgrades ./older/heddle_*.deb ./older/heddle-sim_*.deb; }
if [ -d older ]; then install_older; fi
mark
run
heddlectl partition create 0x0012 --name blue --ipoib > /dev/null
heddlectl partition add 0x0012 0x0002c90000000001 0x0002c90000000002 > /dev/null
sleep 2
before=$(seen) groups=$(groups) members=$(members)
[ "$(table_writes)" -gt 0 ] || fail "the trace does not show the first bring-up"
[ -n "$groups" ] || fail "no group is registered"
[ -n "$members" ] || fail "the partition has no members"
again "$(dpkg-query -W -f '${Version}' heddle), started again"
if [ -d older ]; then
  quiet apt-get install -y --no-install-recommends "heddle=$new" "heddle-sim=$new"
  again "upgraded to $new"
  install_older
  again "downgraded to $(dpkg-query -W -f '${Version}' heddle)"
  quiet apt-get install -y --no-install-recommends "heddle=$new" "heddle-sim=$new"
  again "upgraded again"
fi
stop
kill $sim

echo "-- removed and purged"
quiet apt-get remove -y heddle heddle-sim
[ -e $cache/guid2lid ] || fail "removed: guid2lid is gone"
quiet apt-get purge -y heddle heddle-sim
[ -e $cache/guid2lid ] || fail "purged: guid2lid is gone"
left=$(find /etc /usr /lib/systemd -name '*heddle*' ! -path "$list" ! -path "$keyring" 2> /dev/null | sort || true)
[ -z "$left" ] || fail "left behind: $left"
echo "-- done"
