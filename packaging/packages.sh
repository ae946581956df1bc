#!/usr/bin/env bash
# Builds the packages of the last commit in an empty root, and proves what README.md here says of them.
#
#   packaging/packages.sh [--suite NAME] [--root DIRECTORY] [--packages DIRECTORY] [STAGE...]     as root; downloads about 600 MB
#
# Stages, in this order when none is named:
#   build      the Debian packages, in a root of the suite with what debian/control names and nothing else
#   lint       lintian --pedantic, mandoc
#   installed  what cmake --install puts where, with the prefixes /usr/local and /opt/heddle
#   machine    a second root, started with systemd: installed, started, killed, hung, upgraded, downgraded, in place of opensm and back, purged
#   same       a second build at another time and place, by another user, in another language: equal packages
#   rpm        the spec, with Debian's rpmbuild; guid2lid when it replaces an opensm whose removal deletes it
#   arm64      only if named: packages cross-built for arm64, in the directory arm64 beside the others; a bring-up by them under QEMU's user-mode emulation
#   arm64_tests  only if named: unit and property tests, cross-built for arm64, under that emulation
# --suite: bookworm (Debian 12, without the option) or trixie (Debian 13).
# --root: the first root, kept, and used again if it is there (stages after build need what it built).
# --packages: Debian packages for the stage machine that were built elsewhere. Without: build/packages, which build fills
#   (build/packages-trixie for that suite).
# HEDDLE_RPM_OPTFLAGS: options of the compiler for the stage rpm, whose packages are in build/packages/rpm then. Without: -O0 -g0.
# HEDDLE_WITHOUT_SYSTEMD=1: as where no root can be started with systemd.
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD/packaging/packages
# shellcheck source=packaging/packages/common.sh
. "$here/common.sh"

usage() { sed -n '2,21p' "$0" >&2; exit 2; }
suite=bookworm packages='' root='' stages=()
while [ $# -gt 0 ]; do
  case $1 in
    --suite) suite=${2:?name}; shift ;;
    --root) mkdir -p "${2:?directory}"; root=$(realpath "$2"); shift ;;
    --packages) packages=$(realpath "${2:?directory}"); shift ;;
    build | lint | installed | machine | same | rpm | arm64 | arm64_tests) stages+=("$1") ;;
    *) usage ;;
  esac
  shift
done
case $suite in
  bookworm) packages=${packages:-$PWD/build/packages} ;;
  trixie) packages=${packages:-$PWD/build/packages-$suite} ;;
  *) usage ;;
esac
[ ${#stages[@]} -gt 0 ] || stages=(build lint installed machine same rpm)

[ "$(id -u)" -eq 0 ] || { echo "needs root: it makes roots of Debian and starts systemd in one" >&2; exit 1; }
command -v mmdebstrap > /dev/null || { echo "mmdebstrap is missing: apt-get install mmdebstrap systemd-container" >&2; exit 1; }
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "packages are made from the last commit: what was changed after it is not in them" >&2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
root=${root:-$work/root}

build() {
  [ ! -e "$root/build" ] || { echo "$root: a root that was used is not a bare one; remove it" >&2; return 1; }
  rm -rf "$packages"
  mkdir -p "$packages"
  # Of the distribution itself only what every build machine has (build-essential and what is essential).
  [ -e "$root/packages" ] || mmdebstrap --quiet --variant=buildd --dpkgopt=force-unsafe-io "$suite" "$root"
  mkdir -p "$root/packages"
  git archive --prefix=heddle/ HEAD > "$root/packages/heddle.tar"
  local version
  version=$(git show HEAD:CMakeLists.txt | sed -nE 's/^project\(heddle VERSION ([0-9.]+).*/\1/p')
  git archive --prefix="heddle-$version/" HEAD | gzip -n > "$root/packages/heddle-$version.tar.gz"
  cp "$here"/*.sh "$here"/*.txt "$root/packages/"
  inside "$root" sh /packages/build.sh first
  cp "$root"/build/first/*.deb "$packages"
  depends_on "$packages"/heddle_*.deb libibmad libibumad libssl libyaml-cpp libc
  depends_on "$packages"/heddle-vnic_*.deb libibumad libssl libyaml-cpp libc
  (cd "$packages" && ls -l ./*.deb)
}

# What a program needs when it runs: found by its libraries, not written down. Packages of libraries have the number of the interface in their names, and
# t64 where 64-bit times have changed it.
depends_on() { # FILE LIBRARY...
  local file=$1 depends library
  shift
  depends=$(dpkg-deb -f "$file" Depends)
  for library in "$@"; do
    grep -qE "(^|[ ,])${library}[0-9.]+(t64)?( |,|\$)" <<< "$depends" || { echo "$file does not depend on $library: $depends" >&2; return 1; }
  done
}

lint() { inside "$root" sh /packages/lint.sh; }

installed() { inside "$root" bash /packages/installed.sh; }

same() {
  inside "$root" sh /packages/build.sh second
  bash "$here/same.sh" "$root/build/first" "$root/home/builder/elsewhere"
}

rpm() {
  inside "$root" bash /packages/rpm.sh ${HEDDLE_RPM_OPTFLAGS:+"$HEDDLE_RPM_OPTFLAGS"}
  rm -rf "$packages/rpm"
  mkdir "$packages/rpm"
  cp "$root"/build/rpm/RPMS/*/heddle*.rpm "$packages/rpm/"
}

# The kernel starts programs of arm64 by qemu-user-static, in roots, too.
emulate_arm64() {
  local formats=/proc/sys/fs/binfmt_misc
  [ -e $formats/register ] || mount -t binfmt_misc none $formats
  [ -e $formats/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf > $formats/register
}

cross=$work/arm64
prepare_arm64() {
  [ ! -e "$cross" ] || return 0
  emulate_arm64 || { echo "programs of arm64 cannot be started here: apt-get install qemu-user-static; and this machine's kernel has to have binfmt_misc" >&2; return 1; }
  mmdebstrap --quiet --variant=buildd --architectures=amd64,arm64 --dpkgopt=force-unsafe-io "$suite" "$cross"
  mkdir -p "$cross/packages"
  git archive --prefix=heddle/ HEAD > "$cross/packages/heddle.tar"
  cp "$here"/*.sh "$cross/packages/"
  inside "$cross" bash /packages/arm64.sh prepare
}

arm64() {
  prepare_arm64
  rm -rf "$packages/arm64"
  mkdir -p "$packages/arm64"
  inside "$cross" bash /packages/arm64.sh packages
  cp "$cross"/build/arm64/*.deb "$packages/arm64"
  depends_on "$packages"/arm64/heddle_*.deb libibmad libibumad libssl libyaml-cpp libc
  (cd "$packages/arm64" && ls -l ./*.deb)
  inside "$cross" bash /packages/arm64.sh bring-up
}

arm64_tests() {
  prepare_arm64
  inside "$cross" bash /packages/arm64.sh tests
}

machine() { bash "$here/start-machine.sh" "$suite" "$packages" "$work/machine"; }

began=$SECONDS
for stage in "${stages[@]}"; do
  since=$SECONDS
  printf '\n== %s (%(%H:%M:%S)T)\n' "$stage" -1
  # Not behind && or ||, where a function goes on after an error.
  "$stage"
  printf -- '-- %s: %d s\n' "$stage" $((SECONDS - since))
done
echo "packages of $suite: passed (${stages[*]}) in $((SECONDS - began)) s"
