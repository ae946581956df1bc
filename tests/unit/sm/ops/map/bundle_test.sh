#!/usr/bin/env bash
# The map's bundle is that of its sources, needs no eval, and its lock file names no server.
set -euo pipefail
page=${1:?no directory of the page given}
hash=$("$page/build.sh" --hash)
head -n 1 "$page/bundle/app.js" | grep -qF "sources: $hash." || {
  echo "$page/bundle/app.js is of other sources: run $page/build.sh and commit the bundle" >&2
  exit 1
}
if grep -qE 'new Function\(|[^a-zA-Z_$.]eval\(' "$page/bundle/app.js"; then
  echo "$page/bundle/app.js has eval() or new Function(), which its Content-Security-Policy forbids" >&2
  exit 1
fi
if grep -nE '"resolved"|https?://' "$page/package-lock.json"; then
  echo "$page/package-lock.json names a server: npm install --package-lock-only --omit-lockfile-registry-resolved" >&2
  exit 1
fi
for library in $(head -n 1 "$page/bundle/app.js" | grep -oE '(three|d3-[a-z]+) [0-9.]+[0-9]' | cut -d ' ' -f 1); do
  grep -qE "^$library [0-9.]+ \\([A-Za-z0-9.-]+\\)" "$page/bundle/licences.txt" || { echo "$page/bundle/licences.txt lacks $library with its licence" >&2; exit 1; }
done
