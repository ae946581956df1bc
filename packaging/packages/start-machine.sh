#!/usr/bin/env bash
# Starts a root of Debian with systemd as its process 1, and runs machine.sh there. Where that is not allowed: what can be shown without it.
#
#   start-machine.sh SUITE PACKAGES ROOT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=packaging/packages/common.sh
. "$here/common.sh"
suite=$1 packages=$2 root=$3
ls "$packages"/heddle_*.deb > /dev/null

# What Debian's opensm needs is there, and its package beside: a test replaces it. Of Heddle's own dependencies nothing is left out, either, so that dpkg alone
# installs it (the machine has no network).
HEDDLE_DEPENDS=$(for package in "$packages"/heddle{,-sim,-vnic}_*.deb; do dpkg-deb -f "$package" Depends; done | paste -sd ,)
export HEDDLE_DEPENDS
# shellcheck disable=SC2016
[ -e "$root/test" ] || mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io \
  --include=systemd,systemd-sysv,dbus,udev,procps,psmisc,infiniband-diags,ibsim-utils,logrotate \
  --customize-hook='mkdir "$1/test"; chroot "$1" sh -ec "cd /test; apt-get download -q opensm
    apt-get satisfy -q -y --no-install-recommends \"\$HEDDLE_DEPENDS, \$(dpkg-deb -f opensm_*.deb Depends)\""' "$suite" "$root" > "$root.log" 2>&1 ||
  { tail -n 20 "$root.log"; exit 1; }
cp "$packages"/heddle{,-sim,-opensm-compat,-vnic}_*.deb "$here"/machine.sh "$here"/{vnic,without-systemd}.sh "$root/test/"

without() {
  echo "systemd is not started here: $1"
  echo "So there is no proof of starting, watchdog, upgrade and replacement; in their place: units verified, the launcher on files of its own, packages installed and purged."
  inside "$root" bash /test/without-systemd.sh
}
[ "${HEDDLE_WITHOUT_SYSTEMD:-}" != 1 ] || { without "HEDDLE_WITHOUT_SYSTEMD is set"; exit; }
command -v systemd-nspawn > /dev/null || { without "systemd-nspawn is missing (apt-get install systemd-container)"; exit; }

cat > "$root/etc/systemd/system/check-packages.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash -c 'touch /test/started; bash /test/machine.sh > /test/log 2>&1; echo $? > /test/exit'
ExecStopPost=/bin/systemctl --no-block poweroff --force
UNIT
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../check-packages.service "$root/etc/systemd/system/multi-user.target.wants/"

timeout 400 systemd-nspawn -q -D "$root" --register=no --keep-unit --private-network --boot > "$root.console" 2>&1 < /dev/null || true
if [ ! -e "$root/test/started" ]; then
  without "systemd-nspawn --boot: $(tail -n 3 "$root.console" | tr -d '\r' | tr '\n' ' ')"
  exit
fi
cat "$root/test/log"
[ "$(cat "$root/test/exit" 2> /dev/null)" = 0 ] || { tail -n 20 "$root.console"; echo "packages: FAILED" >&2; exit 1; }
