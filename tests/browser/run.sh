#!/usr/bin/env bash
# Runs one test program of the browser: skipped (77) where chromium, its driver or Node is not installed, unless all tools are required.
set -euo pipefail
for tool in chromium:chromium chromedriver:chromium-driver node:nodejs; do
  command -v "${tool%%:*}" > /dev/null && continue
  echo "${tool%%:*} is not installed (package ${tool##*:})" >&2
  [ "${HEDDLE_REQUIRE_TOOLS:-}" = 1 ] || [ -n "${CI:-}" ] && exit 1
  exit 77
done
# chromium and heddle-sim leave nothing in the home directory of who runs the tests.
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
HOME=$home XDG_CONFIG_HOME=$home XDG_CACHE_HOME=$home node --test --test-reporter=spec "$1" 2> >(grep -v -E 'dbus/|DevTools listening' >&2)
