#!/usr/bin/env bash
# Runs the README's first command on a machine without packages: makes an empty root of Debian, copies this clone's last commit
# into it and runs the command there as root; then, as a user with sudo, its installation of a package that is missing. Passes if both exit with
# 0 and every linked port of the demonstration is Active.
#
#   packaging/bare.sh [--keep] [--suite NAME]    as root, or as a user who may make user namespaces; downloads about 400 MB, takes minutes
#
# The clone has the same path in the root as here. --keep: what was built there becomes build/release here, where `cmake --preset system` continues
# with the tests, so that nothing is compiled twice. --suite: bookworm (Debian 12, without the option) or trixie (Debian 13).
set -euo pipefail
cd "$(dirname "$0")/.."

keep='' suite=bookworm
while [ $# -gt 0 ]; do
  case $1 in
    --keep) keep=$PWD/build/release ;;
    --suite) suite=${2:?name}; shift ;;
    *) sed -n '2,10p' "$0" >&2; exit 2 ;;
  esac
  shift
done

command -v mmdebstrap >/dev/null || { echo "mmdebstrap is missing: packaging/install-deps.sh --test installs it" >&2; exit 1; }
if [ "$(id -u)" -ne 0 ] && ! unshare --user --map-root-user true 2>/dev/null; then
  echo "needs root or user namespaces; run it as root" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
git archive HEAD > "$work/heddle.tar"
log=$work/quickstart.log
cat > "$work/inside.sh" <<'INSIDE'
#!/bin/sh
# $1: the empty root. Runs where mmdebstrap has mounted /dev, /proc and /sys in it.
set -e
path=/usr/sbin:/usr/bin:/sbin:/bin
mkdir -p "$1/home/user" "$1$HEDDLE_CLONE"
chmod 755 "$1/root"  # the clone may be there
tar -C "$1$HEDDLE_CLONE" -xf "$HEDDLE_BARE/heddle.tar"
chroot "$1" env -i HOME=/root PATH=$path TERM=dumb LC_ALL=C.UTF-8 CXXFLAGS="${CXXFLAGS:-}" bash "$HEDDLE_CLONE/packaging/quickstart.sh"
[ -z "$HEDDLE_KEEP" ] || cp -a "$1$HEDDLE_CLONE/build/release" "$HEDDLE_KEEP" || echo "what was built cannot be kept: it will be built again"
echo "== a missing package, as a user with sudo"
chroot "$1" env -i PATH=$path DEBIAN_FRONTEND=noninteractive CLONE="$HEDDLE_CLONE" sh -c '
  apt-get install -q -y --no-install-recommends sudo && apt-get remove -q -y infiniband-diags &&
  useradd -d /home/user -s /bin/bash user && chown -R user: /home/user "$CLONE" &&
  echo "user ALL=(ALL) NOPASSWD: ALL" > /etc/sudoers.d/user'
chroot --userspec=user:user "$1" env -i HOME=/home/user PATH=$path TERM=dumb LC_ALL=C.UTF-8 bash "$HEDDLE_CLONE/packaging/install-deps.sh" --demo
chroot "$1" env -i PATH=$path ibnetdiscover --version  # of the package that was missing
INSIDE
chmod 755 "$work/inside.sh"

start=$SECONDS
echo "an empty root of $suite, then: bash packaging/quickstart.sh"
[ -z "$keep" ] || { rm -rf "$keep"; mkdir -p "${keep%/*}"; }
set +e  # the relevant exit code is the first one of the pipe
HEDDLE_BARE=$work HEDDLE_CLONE=$PWD HEDDLE_KEEP=$keep mmdebstrap --quiet --variant=minbase --format=null --dpkgopt=force-unsafe-io --customize-hook="$work/inside.sh" "$suite" 2>&1 | tee "$log" |
  grep --line-buffered -vE '^(Get:|Selecting|Preparing|Unpacking|Setting up|\(Reading)'
status=${PIPESTATUS[0]}
set -e
[ "$status" -eq 0 ] || { tail -n 40 "$log"; echo "bare machine: FAILED (exit code $status)" >&2; exit 1; }
grep -qE 'linked ports: *[0-9]+ Initialize' "$log" || { echo "bare machine: FAILED, no port was seen before the bring-up" >&2; exit 1; }
after=$(grep -oE 'linked ports: *[0-9]+ Active' "$log") || { echo "bare machine: FAILED, linked ports are not Active" >&2; exit 1; }
shown=$(grep -oE 'Built and shown in [0-9]+ s' "$log" | grep -oE '[0-9]+')
echo "bare machine, $suite: passed in $((SECONDS - start)) s, packages included; after the packages $shown s; $after"
