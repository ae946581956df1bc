#!/usr/bin/env bash
# What can be shown of the packages where no machine can be started: start-machine.sh runs it inside the root.
set -euo pipefail
cd "$(dirname "$0")"
fail() { echo "FAILED: $*"; exit 1; }
quiet() { "$@" > install.log 2>&1 || { cat install.log; fail "$*"; }; }

quiet dpkg -i ./heddle_*.deb ./heddle-sim_*.deb ./heddle-vnic_*.deb
heddle --version | head -n 1

echo "-- units"
quiet systemd-analyze verify --man=no /lib/systemd/system/heddle.service "/lib/systemd/system/heddle@.service" /lib/systemd/system/heddle-hotplug.service \
  /lib/systemd/system/heddle-vnic.service
[ ! -s install.log ] || { cat install.log; fail "systemd-analyze verify"; }
for unit in heddle@ heddle-vnic; do
  systemd-analyze security --no-pager --offline=true --threshold=25 "/lib/systemd/system/$unit.service" > install.log || { cat install.log; fail "exposure"; }
  tail -n 1 install.log
done

echo "-- the launcher, with a systemctl that only writes what it is asked for"
mkdir -p fake/bin fake/etc/default fake/run
printf '#!/bin/sh\necho "$@" >> /test/fake/asked\n' > fake/bin/systemctl
printf '#!/bin/sh\necho 0x0002c90000000001\necho 0x0002c90000000002\n' > fake/bin/heddlectl
chmod +x fake/bin/*
launch() { PATH=$PWD/fake/bin:$PATH HEDDLE_ETC=$PWD/fake/etc HEDDLE_RUN_DIR=$PWD/fake/run /usr/libexec/heddle/launch "$@"; }
asked() { : > fake/asked; launch start heddle; cat fake/asked; }
echo PORTS=ALL > fake/etc/default/heddle
asked | grep -q 'start heddle@0x0002c90000000001.service heddle@0x0002c90000000002.service' || fail "PORTS=ALL"
echo PORTS=0x2c90000000002 > fake/etc/default/heddle
asked | grep -q 'start heddle@0x0002c90000000002.service$' || fail "PORTS of one"
echo PORTS=NONE > fake/etc/default/heddle
! launch wanted || fail "PORTS=NONE"

echo "-- a manager by its flags, on a simulated fabric"
heddle-topo fat-tree --hosts 16 > fabric.net
heddle-sim --start --no-console "$PWD/fabric.net" &
simulator=$!
for ((i = 0; i < 100; i++)); do heddle-sim-run heddlectl ports --guids > /dev/null 2>&1 && break; sleep 0.1; done
mkdir -p /var/cache/opensm
heddle-sim-run heddle -o -f run.log > run.out 2>&1 || { cat run.out; fail "heddle -o"; }
kill $simulator
lids=$(cat /var/cache/opensm/guid2lid)
[ -n "$lids" ] || fail "guid2lid"

echo "-- purged: LIDs stay"
quiet dpkg --purge heddle heddle-sim heddle-vnic
[ "$(cat /var/cache/opensm/guid2lid)" = "$lids" ] || fail "guid2lid is gone"
