#!/usr/bin/env bash
# Makes bundle/ of src/ and of the libraries that package-lock.json names: for who changes the page. Needs npm; building Heddle does not.
#
#   sm/ops/map/page/build.sh          bundle/app.js, bundle/licences.txt
#   sm/ops/map/page/build.sh --hash   prints the hash of the sources, which the bundle's first line has
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")"

sources=(build.sh package.json package-lock.json src/*.js)
hash=$(for file in "${sources[@]}"; do printf '%s\n' "$file"; cat "$file"; done | sha256sum | cut -d ' ' -f 1)
if [ "${1:-}" = --hash ]; then
  echo "$hash"
  exit 0
fi

npm ci --ignore-scripts --no-audit --no-fund --silent
libraries=(three d3-force d3-dispatch d3-quadtree d3-timer)
names=$(for library in "${libraries[@]}"; do node -p "const p = require('./node_modules/$library/package.json'); p.name + ' ' + p.version"; done | paste -sd ,)
npx esbuild src/main.js --bundle --minify --format=esm --target=es2022 --legal-comments=none --log-level=warning \
  --banner:js="// Heddle's map. sources: $hash. Contains ${names//,/, }; their licences: licences.txt." --outfile=bundle/app.js
for library in "${libraries[@]}"; do
  node -p "const p = require('./node_modules/$library/package.json'); p.name + ' ' + p.version + ' (' + p.license + '), ' + (p.homepage || '')"
  cat "node_modules/$library/LICENSE"
  printf '\n--------------------------------------------------------------------------------\n\n'
done > bundle/licences.txt
