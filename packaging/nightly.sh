#!/usr/bin/env bash
# Tests that take too long for every submission, in slices of at most a quarter of an hour each on two cores, with what they build.
#
#   packaging/nightly.sh [--record] [SLICE...]   these slices, one after the other; without a name all, which takes hours
#   packaging/nightly.sh --list                  each slice: when it last passed, in how many seconds, on which commit, and what it runs
#   packaging/nightly.sh --next                  the name of the slice whose turn it is: the number of commits decides, so that all come round
#       --record    notes each slice that passes in packaging/nightly.passed, which belongs into a commit
#
# packaging/test.sh runs the next slice of each submission. Exit code 0 only if all slices passed.
# shellcheck disable=SC2317  # slices are called by their names
set -uo pipefail
cd "$(dirname "$0")/.." || exit
passed=packaging/nightly.passed # slice, date, seconds, commit

# ---- The slices, in their order: "NAME: what it runs" names the function below.
slices=(
  "machine-13: Debian 13 packages: build, a machine with systemd"
  "tidy-2: clang-tidy: second quarter of all files"
  "kernel-faults: a Linux kernel in QEMU: faults, settings, subnets, queues, the module's own tests, VNICs, routers"
  "two-managers: every start order and end of two managers"
  "shared-state-1: two managers share their state in virtual time: 5,000 of 10,000 seeds"
  "packages-12-again: Debian 12 packages, built twice: equal byte for byte"
  "clang-files-3: clang-19, each file by itself: last third"
  "kernel-6.12: Linux 6.12 in QEMU: bring-up, IPoIB, the preload library behaves as this kernel"
  "tidy-3: clang-tidy: third quarter of all files"
  "container: the image made twice, and used; the manifest for Kubernetes by its schema; the map in a browser"
  "packages-rpm: the spec with Debian's rpmbuild"
  "kernel-systemd: a Linux kernel in QEMU: units under systemd, the preload library behaves as this kernel"
  "tidy-4: clang-tidy: last quarter of all files"
  "first-command-13: README's first command in an empty root of Debian 13, warnings are errors"
  "threads: clang-19 with ThreadSanitizer: what runs on several threads, routing with a fortieth of the seeds"
  "ibsim-at-size: 11,664 hosts on Debian's ibsim, with a busy program on each core, judged by iblinkinfo"
  "kernel-hosts: a Linux kernel in QEMU: bring-up, cable, IPoIB, a published fat tree"
  "packages-12: Debian 12 packages: build, lintian, prefixes, a machine with systemd"
  "clang-files-1: clang-19, each file by itself: first third"
  "units-gcc-1: unit and simulated tests with g++: first half"
  "all-seeds: property tests under sanitizers: the next third of the seeds that a submission leaves out"
  "two-daemons: two daemons share their state: 100 times kill -9, SIGTERM and SIGSTOP, judged by smpquery"
  "published-12: Debian 12 packages in a signed folder: apt takes them in an empty root and refuses another signature; ibsim, removal, purge"
  "packages-13: Debian 13 packages: build, lintian, prefixes"
  "tidy-1: clang-tidy: first quarter of all files"
  "kernel-devices: a Linux kernel in QEMU: adaptive routing, joins, two managers, partitions, takeovers, RMPP, tools, hardware-report"
  "arm64: packages cross-built for arm64, their programs on a simulated fabric under QEMU's user-mode emulation"
  "fuzz: libFuzzer, each target for 60 s"
  "shared-state-2: two managers share their state in virtual time: the other 5,000 seeds"
  "arm64-tests: unit and property tests cross-built for arm64 under QEMU's user-mode emulation"
  "clang-files-2: clang-19, each file by itself: second third"
  "new-seeds: property tests on new seeds that the commit draws; whole managers under faults, property tests and fuzzers on further ones"
  "units-gcc-2: unit and simulated tests with g++: second half"
)

# ---- What they share.
names() { printf '%s\n' "${slices[@]%%:*}"; }
# The programs and whole program tests: those of packaging/test.sh, if it has built them.
programs() { cmake --preset system > /dev/null && cmake --build --preset system; }
sanitizers() { cmake --preset asan > /dev/null && cmake --build --preset asan; }
# The standard input's lines whose number is PART modulo OF, counted from 1.
part() { awk -v part="$1" -v of="$2" 'NR % of == part % of'; }
lab() { programs && bash sim/kernel/lab.sh "$@"; }

tidy() { # PART: of four
  cmake --preset tidy > /dev/null
  git ls-files {config,mad,fabric,sm,routing,partitions,virt,sim}'/*.cpp' | part "$1" 4 | tr '\n' '\0' |
    xargs -0 -P "$(nproc)" -n 1 clang-tidy-19 -p build/tidy --quiet 2> >(grep -vE 'warnings? (generated|treated)|^$' >&2)
}
clang_files() { # PART: of three. Nothing is linked: what the other compiler links is enough.
  cmake --preset clang > /dev/null || return
  ninja -C build/clang -t targets all | grep -oE '^[^:]+\.cpp\.o' | sort | part "$1" 3 | xargs ninja -C build/clang
}
units_gcc() { # PART: of two
  cmake --preset dev > /dev/null || return
  local tests
  mapfile -t tests < <(ninja -C build/dev -t targets all | grep -oE '^heddle_[a-z_]+_tests: phony' | cut -d: -f1 |
    grep -vE '_(system|ibsim|preload|sim_program|thread|soak|sim_umad|etcd|command)_tests$' | sort -u | part "$1" 2)
  ninja -C build/dev "${tests[@]}" && ctest --preset dev -R "^($(IFS='|'; echo "${tests[*]}"))\\."
}

# ---- A function for each, by its name.
first-command-13() { CXXFLAGS=-Werror bash packaging/bare.sh --suite trixie; }
ibsim-at-size() {
  local busy=() code=0
  programs || return
  for _ in $(seq "$(nproc)"); do (while :; do :; done) & busy+=($!); done
  bash sim/demo.sh build/release/bin 11664 || code=1
  kill "${busy[@]}"
  return "$code"
}
kernel-hosts() { lab bring-up cable ipoib ipoib-returns real-tree; }
kernel-devices() { lab adaptive joins managers partitions takeover rmpp tools hardware; }
kernel-faults() { LAB_UNPLUGS=1000 lab faults settings subnets queues module vnic routers; }
kernel-systemd() { lab systemd same-as-preload; }
kernel-6.12() { lab --kernel 6.12 bring-up ipoib same-as-preload; }
packages-12() { bash packaging/packages.sh build lint installed machine; }
packages-12-again() { bash packaging/packages.sh build same; }
packages-rpm() { bash packaging/packages.sh build rpm; }
published-12() {
  { command -v apt-ftparchive && command -v gpg; } > /dev/null || apt-get install -q -y --no-install-recommends apt-utils gnupg || return
  bash packaging/packages.sh build && bash packaging/publish-test.sh --suite bookworm --packages bookworm=build/packages --rpms none
}
arm64() { emulator && bash packaging/packages.sh arm64; }
arm64-tests() { emulator && bash packaging/packages.sh arm64_tests; }
emulator() { [ -e /usr/lib/binfmt.d/qemu-aarch64.conf ] || apt-get install -q -y --no-install-recommends qemu-user-static; }
packages-13() { bash packaging/packages.sh --suite trixie build lint installed; }
machine-13() { bash packaging/packages.sh --suite trixie build machine; }
clang-files-1() { clang_files 1; }
clang-files-2() { clang_files 2; }
clang-files-3() { clang_files 3; }
units-gcc-1() { units_gcc 1; }
units-gcc-2() { units_gcc 2; }
tidy-1() { tidy 1; }
tidy-2() { tidy 2; }
tidy-3() { tidy 3; }
tidy-4() { tidy 4; }
all-seeds() {
  # A submission runs the share 0/10.
  local first=$(($(git rev-list --count HEAD) / ${#slices[@]} % 3 * 3 + 1)) share
  sanitizers || return
  for share in $first $((first + 1)) $((first + 2)); do
    echo "seeds $share/10"
    HEDDLE_SEED_SHARE=$share/10 ctest --preset asan -L '^property$' || return
  done
}
threads() { HEDDLE_SEED_SHARE=1/40 cmake --workflow --preset tsan; }
two-managers() { programs && HEDDLE_MATRIX=all HEDDLE_REQUIRE_TOOLS=1 build/release/bin/heddle_sim_program_tests '--gtest_filter=*Mastership*:PortsOfOneDaemon*'; }
shared_state() { # FIRST LAST: seeds, each of which the four parts of the test multiply. A failure prints the seed that replays it.
  local part running=() code=0
  programs || return
  for part in 0 1 2 3; do
    HEDDLE_SEEDS=$1..$2 build/release/bin/heddle_shared_state_properties --gtest_brief=1 "--gtest_filter=*Acknowledged*/$part" & running+=($!)
  done
  for part in "${running[@]}"; do wait "$part" || code=1; done
  return "$code"
}
shared-state-1() { shared_state 1 1250; }
shared-state-2() { shared_state 1251 2500; }
two-daemons() { programs && bash tests/sim_server/two_managers.sh build/release/bin 100 "$(git rev-list --count HEAD)"; }
fuzz() {
  cmake --preset asan -DHEDDLE_FUZZ_SECONDS=60 > /dev/null && cmake --build --preset asan && ctest --preset asan -L '^fuzz$' -j "$(nproc)"
  local code=$?
  cmake --preset asan -UHEDDLE_FUZZ_SECONDS > /dev/null # as packaging/test.sh needs it
  return "$code"
}
new-seeds() { programs && bash packaging/new-seeds.sh build/release && bash packaging/soak.sh --hours 0.1; }
container() {
  { command -v npm && command -v systemd-nspawn; } > /dev/null || apt-get install -q -y --no-install-recommends npm systemd-container || return
  programs && bash packaging/container/check-image.sh build/release && bash packaging/kubernetes/validate.sh build/release &&
    bash packaging/browser-tests.sh build/release --always
}

# ---- The command.
list() {
  local slice row
  for slice in "${slices[@]}"; do
    row=$(awk -F '\t' -v slice="${slice%%:*}" '$1 == slice { printf "%s %5d s  %s", $2, $3, $4 }' "$passed" 2> /dev/null)
    printf '%-18s %-32s %s\n' "${slice%%:*}" "${row:-never recorded}" "${slice#*: }"
  done
}
note() { # SLICE SECONDS
  { awk -F '\t' -v slice="$1" '$1 != slice' "$passed" 2> /dev/null
    printf '%s\t%s\t%d\t%s\n' "$1" "$(date -u +%F)" "$2" "$(git rev-parse --short=12 HEAD)"; } | sort > "$passed.new" && mv "$passed.new" "$passed"
}

record=false chosen=()
while [ $# -gt 0 ]; do
  case $1 in
    --list) list; exit 0 ;;
    --next) names | sed -n "$(($(git rev-list --count HEAD) % ${#slices[@]} + 1))p"; exit 0 ;;
    --record) record=true ;;
    -*) sed -n '2,10p' "$0" >&2; exit 2 ;;
    *) names | grep -qxF -- "$1" || { echo "nightly.sh: no slice is called $1; --list lists them" >&2; exit 2; }; chosen+=("$1") ;;
  esac
  shift
done
[ ${#chosen[@]} -gt 0 ] || mapfile -t chosen < <(names)

bash packaging/install-deps.sh --test || exit
failed=()
for slice in "${chosen[@]}"; do
  printf '\n== slice %s (%(%H:%M:%S)T)\n' "$slice" -1
  began=$SECONDS
  if "$slice"; then
    printf -- '-- slice %s: passed in %d s\n' "$slice" $((SECONDS - began))
    ! $record || note "$slice" $((SECONDS - began))
  else
    printf -- '-- slice %s: FAILED after %d s\n' "$slice" $((SECONDS - began))
    failed+=("$slice")
  fi
done
[ ${#failed[@]} -eq 0 ] && { echo "passed: ${chosen[*]}"; exit 0; }
echo "failed: ${failed[*]}"
exit 1
