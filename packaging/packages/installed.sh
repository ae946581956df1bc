#!/usr/bin/env bash
# `cmake --install` with other prefixes: the files are those of installed.txt, their paths agree, and nothing is there for find_package or pkg-config.
# Inside the root, after the first build; nothing is compiled again.
set -euo pipefail
export LC_ALL=C
fail() { echo "FAILED: $*"; exit 1; }
cd /build/first/heddle/obj-*
for prefix in /usr/local /opt/heddle; do
  cmake -U 'CMAKE_INSTALL_*' -U 'HEDDLE_*_DIR' -DCMAKE_INSTALL_PREFIX=$prefix .. > /build/installed.log 2>&1 || { tail /build/installed.log; exit 1; }
  cmake --build . >> /build/installed.log
  ! grep -q 'Building CXX' /build/installed.log || fail "the prefix changes what is compiled"
  rm -rf /build/installed
  DESTDIR=/build/installed cmake --install . > /build/installed.log
  # Below the prefix, but for /etc/opt (GNUInstallDirs). Pages and completions of commands are as many as there are commands.
  (cd /build/installed && find . ! -type d) | sed "s|^\./etc$prefix/|etc/|; s|^\.$prefix/||; s|man1/heddlectl-[a-z-]*\.1|man1/heddlectl-*.1|" | sort -u > /build/installed.txt
  diff /packages/installed.txt /build/installed.txt || fail "$prefix: installed files are not those of packaging/packages/installed.txt"
  ! grep -rIl /build/first /build/installed || fail "a path of the build is in an installed file"
  while read -r path; do
    [ -e "/build/installed$path" ] || fail "a unit names $path, which is not installed"
  done < <(sed -nE 's|^Exec[A-Za-z]*=([^ ]*/heddle[^ ]*).*|\1|p' /build/installed$prefix/lib/systemd/system/*.service | sort -u)
  [ "$(readlink /build/installed$prefix/sbin/opensm)" = heddle ] || fail "sbin/opensm"
  /build/installed$prefix/sbin/heddle --version > /dev/null
  /build/installed$prefix/bin/heddle-sim-run --help > /dev/null
  # The launcher finds heddlectl of its own prefix.
  PATH=/usr/bin:/bin HEDDLE_ETC=/build/none /build/installed$prefix/libexec/heddle/launch ports 2>&1 | grep 'command not found' && fail "launch does not find heddlectl"
done
! grep -E '\.(cmake|pc|h|hpp|a|la)$' /build/installed.txt || fail "something for find_package"
echo "$(wc -l < /build/installed.txt) entries, with both prefixes"
