#!/usr/bin/env bash
# All scripts through shellcheck, clang-format over every file that the last commits touched, clang-tidy over the latest of them.
#
#   packaging/lint.sh [--all] [--commits N] [--tidy-files N]
#       --all            every file, with both (half an hour on 2 cores; packaging/nightly.sh has it in slices)
#       --commits N      how many commits back (20)
#       --tidy-files N   how many .cpp files clang-tidy reads, those of the newest commits first (3; it takes 10 to 40 s for each)
set -euo pipefail
cd "$(dirname "$0")/.."
all=false commits=20 tidy_files=3
while [ $# -gt 0 ]; do
  case $1 in
    --all) all=true ;;
    --commits) commits=$2; shift ;;
    --tidy-files) tidy_files=$2; shift ;;
    *) sed -n '2,8p' "$0" >&2; exit 2 ;;
  esac
  shift
done

# Files of the last commits, newest commit first, those that still exist.
recent() {
  git log -n "$commits" --format= --name-only --diff-filter=d -- "$@" | awk '!seen[$0]++' | while read -r file; do
    [ ! -f "$file" ] || echo "$file"
  done
}
if $all; then
  mapfile -t format < <(git ls-files '*.cpp' '*.h')
  mapfile -t tidy < <(git ls-files 'config/*.cpp' 'mad/*.cpp' 'fabric/*.cpp' 'sm/*.cpp' 'routing/*.cpp' 'partitions/*.cpp' 'virt/*.cpp' 'sim/*.cpp')
else
  mapfile -t format < <(recent '*.cpp' '*.h')
  mapfile -t tidy < <(recent 'config/*.cpp' 'mad/*.cpp' 'fabric/*.cpp' 'sm/*.cpp' 'routing/*.cpp' 'partitions/*.cpp' 'virt/*.cpp' 'sim/*.cpp' | head -n "$tidy_files")
fi

mapfile -t scripts < <(git ls-files '*.sh' packaging/systemd/launch packaging/systemd/opensmd)
echo "shellcheck: ${#scripts[@]} files"
shellcheck -x "${scripts[@]}"
echo "clang-format: ${#format[@]} files"
[ ${#format[@]} -eq 0 ] || printf '%s\0' "${format[@]}" | xargs -0 -P "$(nproc)" -n 50 clang-format-19 --dry-run -Werror
# Raw strings and comments without spaces, which clang-format does not break. Bytes outside ASCII count as one column.
# shellcheck disable=SC2016
git ls-files '*.cpp' '*.h' | LC_ALL=C xargs -d '\n' awk '
  { sub(/\r$/, ""); line = $0; gsub(/[\200-\277]/, "", line) }
  length(line) > 100 { print FILENAME ":" FNR ": " length(line) " columns, 100 at most"; bad = 1 }
  END { exit bad }'
echo "clang-tidy: ${#tidy[@]} files"
[ ${#tidy[@]} -eq 0 ] && exit 0
cmake --preset tidy > /dev/null
printf '%s\0' "${tidy[@]}" | xargs -0 -P "$(nproc)" -n 1 clang-tidy-19 -p build/tidy --quiet 2> >(grep -vE 'warnings? (generated|treated)|^$' >&2)
