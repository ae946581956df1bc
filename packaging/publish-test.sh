#!/usr/bin/env bash
# Proves what publish.sh makes: with a key of its own, in an empty root for each Debian, apt takes the packages by the signature, and refuses them under a wrong one;
# a fabric comes up on ibsim; an older build is upgraded, downgraded, removed and purged.
#
#   packaging/publish-test.sh [--suite NAME]... [--architecture NAME] [--older SUITE=DIRECTORY]... [PUBLISH-OPTION...]     as root
#
# --suite: bookworm and trixie without it. --architecture: in roots of that one, which this machine can start (packages.sh arm64). --older: packages of an earlier commit, to
# upgrade from. The rest is for publish.sh (--packages, --rpms, --image).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD/packaging/packages
# shellcheck source=packaging/packages/common.sh
. "$here/common.sh"
suites=() options=() architecture=$(dpkg --print-architecture)
declare -A older=()
while [ $# -gt 0 ]; do
  case $1 in
    --suite) suites+=("${2:?name}"); shift ;;
    --architecture) architecture=${2:?name}; shift ;;
    --older) older[${2%%=*}]=$(realpath "${2#*=}"); shift ;;
    *) options+=("$1") ;;
  esac
  shift
done
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie)
work=$(mktemp -d)
trap 'GNUPGHOME=$work/keys gpgconf --kill all; rm -rf "$work"' EXIT
chmod 755 "$work"

export GNUPGHOME=$work/keys
mkdir -m 700 "$GNUPGHOME"
make_key() { # NAME: prints the fingerprint
  gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key "$1" rsa3072 sign 1d 2> /dev/null
  gpg --batch --with-colons --list-keys "$1" 2> /dev/null | sed -n 's/^fpr:*\([0-9A-F]*\):*$/\1/p' | head -n 1
}
key=$(make_key 'Heddle test <test@example.org>')
other=$(make_key 'Somebody else <other@example.org>')

echo "== published with a key made for this"
! HEDDLE_SIGNING_KEY='' bash packaging/publish.sh "$work/nothing" > "$work/log" 2>&1 || { echo "it publishes without a key"; exit 1; }
grep -q 'HEDDLE_SIGNING_KEY' "$work/log"
HEDDLE_SIGNING_KEY=$key bash packaging/publish.sh "$work/published" "${options[@]}"
(cd "$work/published" && gpg --batch --quiet --verify SHA256SUMS.asc SHA256SUMS 2> /dev/null && sha256sum --quiet --check SHA256SUMS)
[ ! -e "$work/published/rpm" ] || gpg --batch --quiet --verify "$work/published/rpm/repodata/repomd.xml.asc" "$work/published/rpm/repodata/repomd.xml" 2> /dev/null

if [ -e "$work/published/rpm" ]; then
  rpmkeys --dbpath "$work/rpmdb" --import "$work/published/heddle-archive-key.asc"
  rpmkeys --dbpath "$work/rpmdb" --checksig "$work/published"/rpm/*.rpm | sed "s|$work/published/||"
fi

for suite in "${suites[@]}"; do
  echo "== an empty root of $suite, $architecture"
  root=$work/root-$suite
  mmdebstrap --quiet --variant=apt --architectures="$architecture" --dpkgopt=force-unsafe-io --include=ca-certificates "$suite" "$root"
  mkdir -p "$root/srv" "$root/test"
  cp -r "$work/published" "$root/srv/heddle"
  cp -r "$root/srv/heddle/debian" "$root/srv/forged"
  (
    cd "$root/srv/forged/dists/$suite"
    gpg --batch --yes --quiet --local-user "$other" --armor --output InRelease --clear-sign Release
    gpg --batch --yes --quiet --local-user "$other" --armor --output Release.gpg --detach-sign Release
  )
  [ -z "${older[$suite]:-}" ] || cp -r "${older[$suite]}" "$root/test/older"
  cp "$here/from-repository.sh" "$root/test/"
  inside "$root" bash /test/from-repository.sh "$suite"
  rm -rf "$root"
done
echo "published: passed (${suites[*]}, $architecture)"
