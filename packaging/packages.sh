#!/usr/bin/env bash
# Builds the Debian packages in an empty root, checks them (lintian, mandoc), and uses them in a second one, under systemd: installed, started on a simulated fabric,
# reloaded, killed, hung, upgraded, downgraded, in place of Debian's opensm, removed, purged.
#
#   packaging/packages.sh [--packages DIRECTORY]    as root; downloads about 500 MB, takes a quarter of an hour
#
# --packages: uses those that are there, in place of building them. They stay in build/packages.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "needs root: it makes roots of Debian and starts systemd in one" >&2; exit 1; }
for tool in mmdebstrap systemd-nspawn; do
  command -v "$tool" > /dev/null || { echo "$tool is missing: apt-get install mmdebstrap systemd-container" >&2; exit 1; }
done

packages=$PWD/build/packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
say() { printf '\n== %s (%(%H:%M:%S)T)\n' "$*" -1; }

if [ "${1:-}" = --packages ]; then
  packages=$(realpath "${2:?directory}")
else
  rm -rf "$packages"
  mkdir -p "$packages"
  git archive --prefix=heddle/ HEAD > "$work/heddle.tar"
  say "packages, in a root with what debian/control names"
  cat > "$work/build.sh" <<'INSIDE'
#!/bin/sh
set -e
mkdir -p "$1/build"
tar -C "$1/build" -xf "$WORK/heddle.tar"
chroot "$1" sh -ec '
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
  cd /build/heddle
  apt-get build-dep -q -y --no-install-recommends ./ > /build/apt.log 2>&1 || { tail /build/apt.log; exit 1; }
  DEB_BUILD_OPTIONS="parallel='"$(nproc)"' terse" dpkg-buildpackage -b -us -uc > /build/build.log 2>&1 || { tail -n 40 /build/build.log; exit 1; }
  apt-get install -q -y --no-install-recommends lintian mandoc > /build/apt.log 2>&1
  lintian --pedantic --fail-on error,warning --allow-root ../*.changes
  for page in debian/*/usr/share/man/man*/*; do mandoc -T lint -W warning "$page"; done'
cp "$1"/build/*.deb "$PACKAGES"
INSIDE
  chmod 755 "$work/build.sh"
  WORK=$work PACKAGES=$packages mmdebstrap --quiet --variant=buildd --format=null --dpkgopt=force-unsafe-io --customize-hook="$work/build.sh" bookworm
fi
ls -l "$packages"

say "a machine with systemd"
root=$work/root
# What Debian's opensm needs is there, and its package beside: a test replaces it.
mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io \
  --include=systemd,systemd-sysv,dbus,udev,procps,psmisc,infiniband-diags,libopensm9,libosmcomp5,libosmvendor5,libboost-program-options1.81.0,libfmt9,libspdlog1.10,libyaml-cpp0.7,libssl3,libibumad3,libibmad5,libwrap0,logrotate \
  --customize-hook='mkdir "$1/test"; chroot "$1" sh -c "cd /test && apt-get download -q opensm"' bookworm "$root"
cp "$packages"/heddle{,-sim,-opensm-compat}_*.deb "$root/test/"
cp packaging/systemd/check-packages.sh "$root/test/"
cat > "$root/etc/systemd/system/check-packages.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash -c 'bash /test/check-packages.sh > /test/log 2>&1; echo $? > /test/exit'
ExecStopPost=/bin/systemctl --no-block poweroff --force
UNIT
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../check-packages.service "$root/etc/systemd/system/multi-user.target.wants/"

say "the packages there"
timeout 200 systemd-nspawn -q -D "$root" --register=no --keep-unit --private-network --boot > "$work/console" 2>&1 < /dev/null || true
cat "$root/test/log" || tail -n 30 "$work/console"
[ "$(cat "$root/test/exit" 2> /dev/null)" = 0 ] || { echo "packages: FAILED" >&2; exit 1; }
echo "packages: passed"
