#!/bin/sh
# lintian over the packages of the first build, mandoc over their manual pages; inside the root.
set -eu
apt-get install -q -y --no-install-recommends lintian mandoc > /build/apt.log 2>&1 || { tail /build/apt.log; exit 1; }
cd /build/first/heddle
# shellcheck source=/dev/null
. /etc/os-release
# Overrides for lintian of Debian 12 stay where a later one has dropped their tags.
[ "$VERSION_CODENAME" = bookworm ] || set -- --suppress-tags alien-tag
# As a user, since it unpacks what it reads. Overrides have their reasons beside them (debian/*.lintian-overrides).
lintian --pedantic --display-info --fail-on error,warning,info,pedantic --allow-root "$@" ../*.changes
for page in debian/*/usr/share/man/man*/*; do
  [ -L "$page" ] || mandoc -T lint -W warning "$page"
done
echo "lintian: clean; mandoc: clean, $(find debian/*/usr/share/man -type f | wc -l) pages"
