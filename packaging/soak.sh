#!/usr/bin/env bash
# Long runs: whole managers with clients and faults, the property tests and the simulated tests on new seeds, and fuzzers at the same time.
#
#   packaging/soak.sh                      one hour, seeds from the clock
#   packaging/soak.sh --hours H            H hours (a fraction is fine)
#   packaging/soak.sh --seeds A..B         heddle_soak on these seeds; the tests from A on, as many as each has by default
#       --jobs N       processes at a time (default: all processors); fuzzers take one of them
#       --table FILE   keeps the rows there (default: build/soak/table); several such files can be concatenated
#       --no-fuzz      without fuzzers; they are also left out where clang++-19 is missing
#   packaging/soak.sh --merge FILE...      adds the tables of several runs up and prints the sum
#
# Ends with a table, and with the command that replays each failure; 1 if there is a new one (tests/soak/known_failures has the known ones). Inputs that fuzzers find are in build/soak/found, their corpora grow in build/soak/corpora.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '2,13p' "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }

hours='' seeds='' jobs=$(nproc) table=build/soak/table fuzz=yes merge=()
while [ $# -gt 0 ]; do
  case $1 in
    --hours) hours=${2:?}; shift 2 ;;
    --seeds) seeds=${2:?}; shift 2 ;;
    --jobs) jobs=${2:?}; shift 2 ;;
    --table) table=${2:?}; shift 2 ;;
    --no-fuzz) fuzz=no; shift ;;
    --merge) shift; merge=("$@"); break ;;
    *) usage ;;
  esac
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || usage
[[ -z $hours || $hours =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage
[[ -z $seeds || $seeds =~ ^[0-9]+\.\.[0-9]+$ ]] || usage
[[ -z $hours || -z $seeds ]] || usage

configure() { [ -f "build/$1/build.ninja" ] || cmake --preset "$1" > /dev/null; }
configure dev
if [ ${#merge[@]} -gt 0 ]; then
  cmake --build --preset dev --target heddle_soak > /dev/null
  exec build/dev/bin/heddle_soak --merge "${merge[@]}"
fi

# ---- Programs to run: tests that take seeds, and fuzzers.
mapfile -t tests < <(ninja -C build/dev -t targets all | grep -oE '^heddle_([a-z_]+_properties|sim_(discovery|manager|resilience|multicast|vls|suspension)_tests):' | tr -d : | sort -u)
echo "building ${#tests[@]} test programs and heddle_soak"
cmake --build --preset dev --target heddle_soak "${tests[@]}" | grep -E 'error|FAILED' || true
for program in heddle_soak "${tests[@]}"; do [ -x "build/dev/bin/$program" ] || { echo "$program was not built" >&2; exit 1; }; done
fuzzers=()
if [ $fuzz = yes ] && command -v clang++-19 > /dev/null; then
  configure asan
  mapfile -t fuzzers < <(ninja -C build/asan -t targets all | grep -oE '^[a-z0-9_]*fuzz[a-z0-9_]*: phony' | cut -d: -f1 | grep -vE '^cmake_|_corpus$' | sort -u)
  echo "building ${#fuzzers[@]} fuzzers"
  cmake --build --preset asan --target "${fuzzers[@]}" | grep -E 'error|FAILED' || true
fi

export PARTS=build/soak/parts.$$
mkdir -p "$PARTS" build/soak/corpora build/soak/found "$(dirname "$table")"
cp build/dev/bin/heddle_soak "$PARTS"  # a copy, since a build may replace it
export SOAK=$PARTS/heddle_soak
fuzz_process=''
end_fuzzers() {
  [ -z "$fuzz_process" ] || { kill -- "-$fuzz_process" 2> /dev/null; wait "$fuzz_process" 2> /dev/null; } || true
  fuzz_process=''
}
collect() { find "$PARTS" -name '*.rows' -exec cat {} + > "$table"; }
finish() {
  end_fuzzers
  collect
  rm -r "$PARTS"
}
trap finish EXIT

# One test program on a range of seeds: NAME RANGE NUMBER
run_tests() {
  local program=build/dev/bin/$1 json=$PARTS/$1-$3.json rows=$PARTS/$1-$3.rows spent
  TIMEFORMAT='%U %S'
  spent=$({ time HEDDLE_SEEDS=$2 "$program" --gtest_output="json:$json" > "$PARTS/$1-$3.log" 2>&1 || true; } 2>&1)
  $SOAK --add-report "$json" --program "$program" --seeds "$2" --seconds "$(echo "$spent" | awk '{printf "%d", $1 + $2}')" --table "$rows" ||
    echo "failed: HEDDLE_SEEDS=$2 $program"
}
export -f run_tests

# All fuzzers in turn, a minute each, until it is ended.
fuzz_for_ever() {
  local number=0 name log found begin
  while :; do
    number=$((number + 1))
    for name in "$@"; do
      log=$PARTS/$name.log found=build/soak/found/$name begin=$SECONDS
      mkdir -p "build/soak/corpora/$name" "$found"
      touch "$PARTS/begin-$name"
      corpus=$(awk -v name="$name" '$1 == name {print $2}' "$PARTS/corpora")
      "build/asan/bin/$name" -max_total_time=60 -print_final_stats=1 -artifact_prefix="$found/" "build/soak/corpora/$name" ${corpus:+"$corpus"} > "$log" 2>&1 || true
      runs=$(awk '/stat::number_of_executed_units/ {print $2}' "$log")
      new=$(find "$found" -type f -newer "$PARTS/begin-$name" | head -n 1)
      {
        printf 'run\t%s\t-\t%s\t%s\t0\t%s\n' "$name" "${runs:-0}" "$([ -z "$new" ] && echo 0 || echo 1)" $((SECONDS - begin))
        [ -z "$new" ] || printf 'failure\t%s\t-\tnew\t%s\tbuild/asan/bin/%s %s\n' "$name" "$(grep -m 1 -E 'ERROR|SUMMARY' "$log" | tr '\t' ' ')" "$name" "$new"
      } > "$PARTS/$name-$number.rows"
    done
  done
}
if [ ${#fuzzers[@]} -gt 0 ]; then
  # Their corpora are named where ctest runs them.
  ctest --preset asan -N -V -L fuzz 2> /dev/null | awk '/Test command:/ {n = split($4, part, "/"); gsub("\"", "", part[n]); corpus = $NF; gsub("\"", "", corpus); print part[n], corpus}' > "$PARTS/corpora"
  set -m
  fuzz_for_ever "${fuzzers[@]}" &
  fuzz_process=$!
  set +m
  [ "$jobs" -eq 1 ] || jobs=$((jobs - 1))
fi

# ---- Seeds in rounds: heddle_soak, then each test program.
round() { # FIRST..LAST FIRST NUMBER [--minutes M]
  HEDDLE_SEEDS=$1 $SOAK --jobs "$jobs" --table "$PARTS/heddle_soak-$3.rows" "${@:4}" || true
  printf '%s\n' "${tests[@]}" | xargs -P "$jobs" -I{} bash -c "run_tests {} $2.. $3"
}
if [ -n "$seeds" ]; then
  round "$seeds" "${seeds%%..*}" 1
else
  end=$((SECONDS + $(awk -v hours="${hours:-1}" 'BEGIN {printf "%d", hours * 3600}')))
  first=$(($(date +%s) * 1000)) per_round=$((1000 * jobs)) number=0
  while [ $SECONDS -lt $end ]; do
    number=$((number + 1))
    round "$first..$((first + per_round - 1))" "$first" $number --minutes $(((end - SECONDS + 59) / 60))
    first=$((first + per_round))
    echo "round $number: $(((end - SECONDS) / 60)) minutes are left"
  done
fi
end_fuzzers
collect
echo
$SOAK --merge "$table"
