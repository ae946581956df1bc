#!/usr/bin/env bash
# Runs the tests of the map in Debian's chromium if what they cover has changed since they last passed, else says so: the browser is 290 MB of packages.
# tests/browser/passed has the digest of what they cover, as of the last tree that passed.
#
#   packaging/browser-tests.sh BUILD [--always] [--record]     --always: also when nothing has changed (nightly.sh); --record: writes tests/browser/passed
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?a build directory is needed, such as build/release}
shift
always=false record=false
for option in "$@"; do
  case $option in
    --always) always=true ;;
    --record) always=true record=true ;;
    *) sed -n '2,6p' "$0" >&2; exit 2 ;;
  esac
done
digest=$(git ls-files -z -- sm/ops/map sm/ops/web sm/ops/api tests/browser ':!tests/browser/passed' 2> /dev/null | sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
if ! $always && [ "$digest" = "$(cat tests/browser/passed 2> /dev/null)" ]; then
  echo "not run: sm/ops/map, sm/ops/web, sm/ops/api and tests/browser are as in the last tree that passed"
  exit 0
fi
bash packaging/install-deps.sh --browser
ctest --test-dir "$build" -L '^browser$' --output-on-failure --no-tests=error
if $record; then
  echo "$digest" > tests/browser/passed
elif [ "$digest" != "$(cat tests/browser/passed 2> /dev/null)" ]; then
  echo "passed; 'packaging/browser-tests.sh $build --record' notes that in tests/browser/passed, which belongs into the commit"
fi
