#!/usr/bin/env bash
# The RPM packages by Debian's rpmbuild, inside the root that built the Debian packages: packages.sh starts it.
#
# Proves: the spec is read, its files are what is installed, nothing is missing in its lists, scriptlets and triggers run, and guid2lid survives an opensm that is
# replaced. Proves nothing about: build dependencies and their names (--nodeps), the macros of Fedora, RHEL and SUSE (Debian has none of them), speed (-O0, to save minutes).
set -euo pipefail
apt-get install -q -y --no-install-recommends rpm rpmlint python3-rpm > /build/apt.log 2>&1 || { tail /build/apt.log; exit 1; }
# As on the distributions of RPM: its scripts that strip and compress need it, and do nothing with dash.
ln -sf bash /bin/sh
top=/build/rpm
rm -rf $top
mkdir -p $top/SOURCES $top/SPECS
cp /packages/heddle-[0-9]*.tar.gz $top/SOURCES/
tar -C $top --strip-components=3 --wildcards -xf $top/SOURCES/heddle-*.tar.gz '*/packaging/rpm/*'
cp $top/heddle.spec $top/SPECS/
fail() { echo "FAILED: $*"; exit 1; }
# As on Fedora; Debian's rpm has other directories.
paths=(--define "_topdir $top" --define "_prefix /usr" --define "_sysconfdir /etc" --define "_localstatedir /var" --define "_libexecdir /usr/libexec"
  --define "_mandir /usr/share/man" --define "debug_package %{nil}" --define "optflags ${1:--O0 -g0}" --define "_smp_mflags -j$(nproc)")
rpmbuild -bb --nodeps "${paths[@]}" $top/SPECS/heddle.spec > $top/log 2>&1 || { tail -n 40 $top/log; exit 1; }
mapfile -t built < <(find $top/RPMS -name '*.rpm' | sort)
printf '%s\n' "${built[@]##*/}"
rpmlint -c $top/rpmlint.toml $top/SPECS/heddle.spec "${built[@]}"

requires=$(rpm -qp --requires $top/RPMS/*/heddle-[0-9]*.rpm)
for library in libibmad.so.5 libibumad.so.3 libssl.so.3 libyaml-cpp.so libc.so.6; do
  grep -qF "$library" <<< "$requires" || fail "heddle does not require $library: $requires"
done

echo "-- an opensm whose removal deletes its cache and configuration, replaced in one transaction"
cat > $top/SPECS/opensm.spec <<'SPEC'
Name: opensm
Version: 3.3.24
Release: 1
Summary: Stands for OpenSM
License: BSD-2-Clause
BuildArch: noarch
%description
Deletes in postun what that of Fedora deletes.
%install
mkdir -p %{buildroot}/usr/sbin %{buildroot}/etc/rdma %{buildroot}/var/cache/opensm
echo '#!/bin/sh' > %{buildroot}/usr/sbin/opensm
echo 'guid 0x0002c90000000001' > %{buildroot}/etc/rdma/opensm.conf
%postun
if [ "$1" = 0 ]; then rm -rf /var/cache/opensm; fi
%files
/usr/sbin/opensm
%config(noreplace) /etc/rdma/opensm.conf
%dir /var/cache/opensm
SPEC
rpmbuild -bb "${paths[@]}" $top/SPECS/opensm.spec > $top/opensm.log 2>&1 || { tail $top/opensm.log; exit 1; }
cat > $top/swap.py <<'PYTHON'
# swap.py PACKAGE... REMOVED: installs the packages and removes REMOVED in one transaction, as `dnf swap` does.
import sys, rpm
ts = rpm.TransactionSet()
ts.setVSFlags(~(rpm.RPMVSF_NEEDPAYLOAD))
for path in sys.argv[1:-1]:
    with open(path, "rb") as package:
        ts.addInstall(ts.hdrFromFdno(package.fileno()), path, "u")
ts.addErase(sys.argv[-1])
ts.order()
open_files = {}
def step(what, amount, total, path, data):
    if what == rpm.RPMCALLBACK_INST_OPEN_FILE:
        open_files[path] = open(path, "rb")
        return open_files[path].fileno()
    if what == rpm.RPMCALLBACK_INST_CLOSE_FILE:
        open_files.pop(path).close()
problems = ts.run(step, "")
if problems:
    sys.exit(str(problems))
PYTHON
lids=$'0x0002c90000000001 0x0001 0x0001\n\n0x0002c90000000002 0x0007 0x0007\n'
opensm_is_here() {
  rpm -i --force-debian --nodeps $top/RPMS/noarch/opensm-3*.rpm
  printf '%s' "$lids" > /var/cache/opensm/guid2lid
  echo 'guid 0x0002c90000000002' > /etc/rdma/opensm.conf
}
kept() {
  [ "$(cat /var/cache/opensm/guid2lid 2>&1)" = "$(printf '%s' "$lids")" ] || fail "$1: guid2lid: $(cat /var/cache/opensm/guid2lid 2>&1)"
  grep -qs 0x0002c90000000002 /etc/rdma/opensm.conf || fail "$1: the changed opensm.conf is gone"
  [ ! -e /var/lib/heddle/of-opensm ] || fail "$1: the copy was left"
}
opensm_is_here
rpm -e --force-debian opensm
[ ! -e /var/cache/opensm/guid2lid ] || fail "the opensm of this test deletes nothing"
rm -f /etc/rdma/opensm.conf*

opensm_is_here
python3 $top/swap.py $top/RPMS/*/heddle-[0-9]*.rpm $top/RPMS/*/heddle-opensm-compat*.rpm opensm
[ "$(readlink /usr/sbin/opensm)" = heddle ] || fail "opensm is not Heddle"
[ "$(rpm -qa | grep -c opensm)" = 1 ] || fail "opensm was not removed: $(rpm -qa)"
kept "in one transaction"
rpm -e --force-debian heddle-opensm-compat

opensm_is_here
rpm -e --force-debian opensm
kept "removed after heddle was installed"
rpm -e --force-debian heddle
[ -s /var/cache/opensm/guid2lid ] || fail "guid2lid went with heddle"
echo "guid2lid and opensm.conf stayed"
