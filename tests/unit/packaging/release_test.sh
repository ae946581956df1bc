#!/usr/bin/env bash
# packaging/release.sh in clones of this tree: what it refuses, what it writes, and that two runs give the same bytes.
#
#   release_test.sh SOURCE       exit code 77: SOURCE is no clone of the repository
set -euo pipefail
source=${1:?directory of the sources}
git -C "$source" rev-parse --git-dir > /dev/null 2>&1 && [ -e "$source/.git" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
version=987.6.5

# The files as they are here, also those that are not committed yet.
make_clone() { # NAME
  mkdir "$work/$1"
  git -C "$source" ls-files -z --cached --others --exclude-standard | (cd "$source" && xargs -0 ls -d 2> /dev/null) | tar -C "$source" -c -T - | tar -x -C "$work/$1"
  (
    cd "$work/$1"
    git init -q
    sed -i 's/^## Unreleased$/&\n\n- Something./' CHANGELOG.md
    git add -A
    GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000' git commit -q -m 'All'
  )
}
failures=0
check() { # WHAT COMMAND...
  local what=$1
  shift
  if ! "$@"; then
    echo "FAILED: $what: $*"
    failures=$((failures + 1))
  fi
}
refuses() { # TEXT ARGUMENT...: release.sh fails, says TEXT and changes nothing
  local text=$1 before
  shift
  before=$(git -C "$work/one" rev-parse HEAD)
  ! "$work/one/packaging/release.sh" "$@" > "$work/out" 2>&1 || return 1
  grep -q -- "$text" "$work/out" || { cat "$work/out"; return 1; }
  [ "$(git -C "$work/one" rev-parse HEAD)" = "$before" ] && [ -z "$(git -C "$work/one" tag)" ]
}

unset HEDDLE_SIGNING_KEY
make_clone one
make_clone two
one=$work/one
check "no version" refuses usage\\\|VERSION 1.x
missing() { # TEXT: release.sh --missing says it
  ! "$one/packaging/release.sh" $version --missing > "$work/out" 2>&1 && grep -q -- "$1" "$work/out"
}
check "what is missing: tests" missing '^- the tests of this tree'
check "what is missing: the tag" missing "^- the tag v$version"
check "what is missing: slices" missing '^- nightly slice .*: no run is recorded'
check "what is missing: the key" missing '^- the key that signs: HEDDLE_SIGNING_KEY'
check "not tested" refuses 'packaging/test.sh' $version
echo x > "$one/file"
check "a file that is not committed" refuses 'has changes' $version --untested
rm "$one/file"
check "a lower version" refuses 'lower than' 0.0.1 --untested

export SOURCE_DATE_EPOCH=1700000100
mkdir -p "$one/build"
git -C "$one" rev-parse 'HEAD^{tree}' > "$one/build/tested"
check "a release of a tested tree" "$one/packaging/release.sh" $version --output "$work/first" > "$work/out"
check "how to sign" grep -q 'gpg --armor --detach-sign' "$work/out"
check "the tree is clean" test -z "$(git -C "$one" status --porcelain)"
check "the tag" test "$(git -C "$one" cat-file -t v$version 2> /dev/null)" = tag
check "a second clone" "$work/two/packaging/release.sh" $version --untested --output "$work/second" > "$work/out"
check "the same bytes" cmp "$work/first/heddle-$version.tar.gz" "$work/second/heddle-$version.tar.gz"
unset SOURCE_DATE_EPOCH
sleep 1
check "again, later" "$one/packaging/release.sh" $version --output "$work/third" > "$work/out"
check "the same bytes" cmp "$work/first/heddle-$version.tar.gz" "$work/third/heddle-$version.tar.gz"
check "SHA256SUMS" sh -c "cd '$work/first' && sha256sum --quiet -c SHA256SUMS"

tar -C "$work" -xf "$work/first/heddle-$version.tar.gz" || failures=$((failures + 1))
cd "$work/heddle-$version"
check "CMake's version" grep -q "^project(heddle VERSION $version " CMakeLists.txt
check "Debian's version" test "$(sed -nE '1s/.*\((.*)\).*/\1/p' debian/changelog)" = $version
if command -v dpkg-parsechangelog > /dev/null; then
  check "Debian's changelog is well-formed" test -z "$(dpkg-parsechangelog --all 2>&1 > /dev/null)"
fi
check "the spec's version" grep -qE "^Version: +$version\$" packaging/rpm/heddle.spec
check "the spec's changelog" grep -q "^\* Tue Nov 14 2023 .* - $version-1\$" packaging/rpm/heddle.spec
check "CHANGELOG" grep -q "^## $version (2023-11-14)\$" CHANGELOG.md
check "the image's version" grep -q "image: .*/heddle:$version\$" packaging/kubernetes/heddle.yaml
check "the date of the manual" grep -q '^set(HEDDLE_MANUAL_DATE "November 14, 2023"' man/CMakeLists.txt
check "the commit" grep -q "^$(git -C "$one" rev-parse HEAD) 2023-11-14\$" packaging/commit
check "nothing says the former version" test -z "$(grep -nE '^(project\(heddle|Version:)' CMakeLists.txt packaging/rpm/heddle.spec | grep -v $version)"
[ "$failures" -eq 0 ]
