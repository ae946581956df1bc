#!/usr/bin/env bash
# Runs the property tests on seeds that no run has had before: a tenth as many as the fixed ones, from a number that the commit's hash gives. A seed that
# fails is run on the parent commit, too: the commit is to blame only if it passes there. Exit code 1: this commit is; 0: all pass, or fail on the parent
# as well (they are listed: a defect that was there before).
#
#   packaging/new-seeds.sh BUILD [FIRST]     BUILD: a build directory with the property tests; FIRST: the first seed, instead of the commit's
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?a build directory is needed, such as build/release}
commit=$(git rev-parse HEAD 2> /dev/null || echo 0000000)
first=${2:-$((16#${commit:0:7} + 1000000))}
log=$build/new-seeds.log
echo "new seeds: HEDDLE_SEEDS=$first.. HEDDLE_SEED_SHARE=0/10"
export HEDDLE_SEEDS=$first.. HEDDLE_SEED_SHARE=0/10
if ctest --test-dir "$build" -L '^property$' --output-on-failure -j 12 > "$log" 2>&1; then
  tail -n 3 "$log"
  exit 0
fi
cat "$log"
unset HEDDLE_SEEDS HEDDLE_SEED_SHARE
mapfile -t failures < <(grep -oE 'replay with HEDDLE_SEED=[0-9]+ --gtest_filter=[^ ]+' "$log" | sed 's/^replay with //' | sort -u)
if [ ${#failures[@]} -eq 0 ]; then
  echo "property tests fail with new seeds, and no seed is named: this commit is to blame" >&2
  exit 1
fi
parent=$(git rev-parse --verify -q HEAD^ || true)
[ -n "$parent" ] || { echo "failing seeds, and there is no parent to run them on" >&2; exit 1; }
work=$(mktemp -d)
trap 'git worktree remove --force "$work/parent" 2> /dev/null; rm -rf "$work"' EXIT
git worktree add -q --detach "$work/parent" "$parent"
echo "== ${#failures[@]} failing seeds on the parent commit ${parent:0:12}"
cmake -S "$work/parent" --preset system -B "$work/build" > /dev/null
new=0
for failure in "${failures[@]}"; do
  seed=${failure%% *} filter=${failure#* --gtest_filter=}
  for program in "$build"/bin/heddle_*properties; do
    program=${program##*/}
    "$build/bin/$program" --gtest_list_tests --gtest_filter="$filter" | grep -q "^  " && break
  done
  cmake --build "$work/build" --target "$program" > "$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; echo "the parent cannot be built" >&2; exit 1; }
  if env "$seed" "$work/build/bin/$program" --gtest_brief=1 --gtest_filter="$filter" > "$work/run.log" 2>&1; then
    echo "NEW: $seed $build/bin/$program --gtest_filter=$filter passes on the parent: this commit breaks it"
    new=1
  else
    echo "OLD: $seed $build/bin/$program --gtest_filter=$filter fails on the parent, too"
  fi
done
exit $new
