#!/usr/bin/env bash
# Sourced by test.sh in the top directory. `step NAME` ends the step before it and begins one; what each took is printed and written to
# build/ci-times.tsv (name, seconds, seconds of CPU of its programs), which packaging/loop-times.sh compares with the one before it.
mkdir -p build
times_file=build/ci-times.tsv
[ ! -s "$times_file" ] || mv "$times_file" build/ci-times.last.tsv
: > "$times_file"
steps_since=$SECONDS step_name='' step_since=0 step_cpu=0

# Sets cpu: the seconds of CPU of all programs that have ended so far.
read_cpu() {
  times > "$times_file.cpu"  # not in a subshell, which has no programs of its own
  cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; ++i) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] } printf "%d", sum }' "$times_file.cpu")
  rm -f "$times_file.cpu"
}

step_end() {
  [ -n "$step_name" ] || return 0
  read_cpu
  printf -- '-- %s: %d s, %d s of CPU (%d s since the start)\n' "$step_name" $((SECONDS - step_since)) $((cpu - step_cpu)) $((SECONDS - steps_since))
  printf '%s\t%d\t%d\n' "$step_name" $((SECONDS - step_since)) $((cpu - step_cpu)) >> "$times_file"
  step_name=''
}

step() {
  step_end
  read_cpu
  step_name=$1 step_since=$SECONDS step_cpu=$cpu
  printf '\n== %s (%(%H:%M:%S)T)\n' "$1" -1
}

# The slowest tests of all presets and the units that took longest to compile: where the next minute is to be saved.
slowest() {
  printf '\n-- the 20 slowest tests (s):\n'
  sed -nE 's/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: ([^ ]+) \.* *(Passed|\*\*\*[A-Za-z]+) +([0-9.]+) sec.*/\3\t\1/p' build/*.ctest.log 2> /dev/null | sort -rn | sed -n 1,20p
  printf -- '-- the 20 units that took longest to compile (s, while another one was compiled):\n'
  awk -F '\t' 'FNR > 1 && $4 ~ /\.o$/ { split(FILENAME, part, "/"); printf "%.1f\t%s %s\n", ($2 - $1) / 1000, part[2], $4 }' build/*/.ninja_log | sort -rn | sed -n 1,20p
}
