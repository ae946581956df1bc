#!/usr/bin/env bash
# Makes a release of the commit that is checked out: version, changelogs, commit, tag v VERSION, source tarball and SHA256SUMS. Pushes and signs nothing: what
# is left to do is printed.
#
#   packaging/release.sh VERSION [--untested] [--output DIRECTORY]     VERSION: X.Y.Z; output: default build/release-VERSION
#   packaging/release.sh VERSION --missing                             changes nothing: prints what a release of that version still lacks; exit code 1 if it lacks something
#
# Needs a clean tree that packaging/test.sh has passed (it notes that in build/tested); --untested: without. Where the tag is checked out already, only the tarball is
# made again: the same bytes (times are those of the commit). SOURCE_DATE_EPOCH: the date of the release in place of now.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,9p' "$0" >&2; exit 2; }
fail() { echo "release: $*" >&2; exit 1; }
version="" untested="" output="" missing=""
while [ $# -gt 0 ]; do
  case $1 in
    --untested) untested=1 ;;
    --missing) missing=1 ;;
    --output) output=${2:?directory}; shift ;;
    -*) usage ;;
    *) [ -z "$version" ] || usage; version=$1 ;;
  esac
  shift
done
[[ $version =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] || usage
output=${output:-build/release-$version}
tag=v$version

has_entries() { awk '/^## /{unreleased = ($0 == "## Unreleased")} unreleased && /^- /{found = 1} END{exit !found}' CHANGELOG.md; }
has_passed() { [ "$(cat build/tested 2> /dev/null)" = "$(git rev-parse 'HEAD^{tree}')" ]; }

# A slice of the nightly tests counts for a hundred commits.
old_slices() {
  local slice commit age
  while read -r slice; do
    commit=$(awk -F '\t' -v slice="$slice" '$1 == slice {print $4}' packaging/nightly.passed)
    if [ -z "$commit" ]; then
      echo "nightly slice $slice: no run is recorded"
    elif ! age=$(git rev-list --count "$commit..HEAD" 2> /dev/null) || [ "$age" -gt 100 ]; then
      echo "nightly slice $slice: passed on $commit, ${age:-an unknown number of} commits ago"
    fi
  done < <(bash packaging/nightly.sh --list | awk '{print $1}')
}

list_missing() {
  [ -z "$(git status --porcelain)" ] || echo "a clean tree: git status"
  has_passed || echo "the tests of this tree: bash packaging/test.sh"
  old_slices
  git rev-parse -q --verify "refs/tags/$tag" > /dev/null || {
    has_entries || echo "entries below Unreleased in CHANGELOG.md"
    echo "the tag $tag, which a maintainer sets: bash packaging/release.sh $version"
  }
  if [ -z "${HEDDLE_SIGNING_KEY:-}" ]; then
    echo "the key that signs: HEDDLE_SIGNING_KEY, a fingerprint of gpg's keyring"
  elif ! gpg --batch --list-secret-keys "$HEDDLE_SIGNING_KEY" > /dev/null 2>&1; then
    echo "the key that signs: gpg has no secret key $HEDDLE_SIGNING_KEY"
  fi
  grep -q '| real |' tests/hardware/recordings/README.md || echo "a recording of a real fabric in tests/hardware/recordings/"
}

if [ -n "$missing" ]; then
  lacks=$(list_missing | sed 's/^/- /')
  [ -n "$lacks" ] || { echo "nothing is missing for $version"; exit 0; }
  printf 'Missing for a release of %s:\n%s\n' "$version" "$lacks"
  exit 1
fi

[ -z "$(git status --porcelain)" ] || fail "the tree has changes; commit them, or 'git stash --include-untracked'"

replace() { # FILE SED-SCRIPT: it has to change something
  local before
  before=$(sha1sum < "$1")
  sed -E -i "$2" "$1"
  [ "$before" != "$(sha1sum < "$1")" ] || fail "$1: the place of the version is not found"
}

set_version() {
  local old=$1 now day
  now=${SOURCE_DATE_EPOCH:-$(date +%s)}
  day=$(LC_ALL=C date -u -d "@$now" '+%a %b %d %Y')
  local maintainer
  maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
  replace CMakeLists.txt "s/^(project\(heddle VERSION )$old /\1$version /"
  replace CHANGELOG.md "s/^## Unreleased\$/## Unreleased\n\n## $version ($(date -u -d "@$now" +%F))/"
  replace packaging/rpm/heddle.spec "s/^(Version: +)$old\$/\1$version/"
  replace packaging/rpm/heddle.spec "s/^%changelog\$/%changelog\n* $day $maintainer - $version-1\n- Release: see CHANGELOG.md.\n/"
  grep -q '^set(HEDDLE_MANUAL_DATE "' man/CMakeLists.txt || fail "man/CMakeLists.txt: no HEDDLE_MANUAL_DATE"
  sed -E -i "s/^(set\(HEDDLE_MANUAL_DATE \")[^\"]*/\1$(LC_ALL=C date -u -d "@$now" '+%B %-d, %Y')/" man/CMakeLists.txt
  replace packaging/kubernetes/heddle.yaml "s|(image: .*/heddle:)$old\$|\1$version|"
  printf 'heddle (%s) unstable; urgency=medium\n\n  * Release: see CHANGELOG.md.\n\n -- %s  %s\n\n' \
    "$version" "$maintainer" "$(LC_ALL=C date -u -R -d "@$now")" | cat - debian/changelog > debian/changelog.new
  mv debian/changelog.new debian/changelog
}

if [ "$(git rev-parse -q --verify "refs/tags/$tag^{commit}" || true)" = "$(git rev-parse HEAD)" ]; then
  echo "$tag is checked out: the tarball again"
else
  ! git rev-parse -q --verify "refs/tags/$tag" > /dev/null || fail "$tag is another commit; git checkout $tag makes its tarball again"
  current=$(sed -nE 's/^project\(heddle VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
  # The version of the tree may be released as long as it has no tag.
  [ "$(printf '%s\n%s\n' "$current" "$version" | sort -V | tail -n 1)" = "$version" ] || fail "$version is lower than $current"
  if [ -z "$untested" ] && ! has_passed; then
    fail "this tree has not passed the tests here: bash packaging/test.sh (and bash packaging/nightly.sh before a release)"
  fi
  has_entries || fail "CHANGELOG.md says nothing below Unreleased"
  if [ "$current" != "$version" ]; then
    set_version "$current"
  else
    replace CHANGELOG.md "s/^## Unreleased\$/## Unreleased\n\n## $version ($(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%F))/"
  fi
  if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
    export GIT_AUTHOR_DATE="$SOURCE_DATE_EPOCH +0000" GIT_COMMITTER_DATE="$SOURCE_DATE_EPOCH +0000"
  fi
  git commit -q -a -m "Version $version"
  git tag -a "$tag" -m "Heddle $version"
fi

mkdir -p "$output"
name=heddle-$version
# Of a commit, git gives all files the time of the commit; gzip -n leaves name and time out.
git -c tar.umask=0022 archive --format=tar --prefix="$name/" "$tag^{commit}" | gzip -n -9 > "$output/$name.tar.gz"
(cd "$output" && sha256sum "$name.tar.gz" > SHA256SUMS)
echo "$output/$name.tar.gz:"
cat "$output/SHA256SUMS"
cat <<TXT
Left to do, by a person:
  git show $tag                                                       what is released
  git tag -s -f -m 'Heddle $version' $tag '$tag^{commit}'               sign the tag
  gpg --armor --detach-sign '$output/SHA256SUMS'                      sign the tarball's checksum
  gpg --verify '$output/SHA256SUMS.asc' && (cd '$output' && sha256sum -c SHA256SUMS)
  git push origin HEAD $tag
  HEDDLE_SIGNING_KEY=... packaging/publish.sh FOLDER                  repositories, image, tarball and signatures of it, in one folder
TXT
