#!/usr/bin/env bash
# Builds for arm64 with Debian's cross compilers, inside a root of amd64 that has nothing else: packages.sh starts it. What runs during the build, and the tests, are programs
# of arm64, which the kernel starts by QEMU's user-mode emulation.
#
#   arm64.sh prepare      the sources in /build/arm64, and what a build needs
#   arm64.sh packages     the Debian packages, in /build/arm64
#   arm64.sh bring-up     these, installed: 324 simulated hosts are brought up, as ibnetdiscover sees them
#   arm64.sh tests        unit and property tests, with a fortieth of the seeds
set -euo pipefail
jobs=$(nproc)
quiet() { "$@" > /build/log 2>&1 || { tail -n 40 /build/log; exit 1; }; }

case $1 in
  prepare)
    mkdir -p /build/arm64
    tar -C /build/arm64 -xf /packages/heddle.tar
    cd /build/arm64/heddle
    quiet apt-get update -q
    quiet apt-get install -q -y --no-install-recommends crossbuild-essential-arm64
    quiet apt-get build-dep -q -y --no-install-recommends -a arm64 ./
    ;;
  packages)
    cd /build/arm64/heddle
    sh /packages/build.sh suffix
    DEB_BUILD_OPTIONS="parallel=$jobs terse noautodbgsym" dpkg-buildpackage -a arm64 -B -us -uc > ../build.log 2>&1 || { tail -n 60 ../build.log; exit 1; }
    ;;
  bring-up)
    cd /build/arm64
    quiet apt-get install -q -y --no-install-recommends ./heddle_*_arm64.deb ./heddle-sim_*_arm64.deb infiniband-diags:arm64
    for program in heddle heddlectl heddle-sim ibnetdiscover; do
      readelf -h "$(command -v $program)" | grep -q AArch64 || { echo "$program is not for arm64"; exit 1; }
    done
    heddle-topo fat-tree --hosts 324 > fabric.net
    heddle-sim --start --no-console "$PWD/fabric.net" > sim.log 2>&1 &
    for ((i = 0; i < 100; i++)); do
      ! heddle-sim-run heddlectl ports --guids > /dev/null 2>&1 || break
      sleep 0.1
    done
    mkdir cache
    OSM_CACHE_DIR=$PWD/cache heddle-sim-run heddle -o -f stdout > heddle.log 2>&1 || { tail -n 20 heddle.log; exit 1; }
    grep -q 'SUBNET UP' heddle.log || { tail -n 20 heddle.log; exit 1; }
    [ "$(heddle-sim-run ibnetdiscover | grep -c '^Ca')" = 324 ] || { echo "ibnetdiscover does not see 324 hosts"; exit 1; }
    grep -m 1 'SUBNET UP' heddle.log
    kill %1
    ;;
  tests)
    cd /build/arm64/heddle
    quiet apt-get install -q -y --no-install-recommends libgtest-dev:arm64 libgmock-dev:arm64
    cmake -G Ninja -B ../tests -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS='-O1 -g0' -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
      -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DPKG_CONFIG_EXECUTABLE=/usr/bin/aarch64-linux-gnu-pkg-config -DHEDDLE_FAST_LINKER= > /build/log 2>&1 ||
      { tail -n 40 /build/log; exit 1; }
    mapfile -t tests < <(ninja -C ../tests -t targets all | grep -oE '^heddle_([a-z_]+_tests|properties|routing_properties): phony' | cut -d: -f1 |
      grep -vE '_(system|ibsim|preload|sim_program|thread|soak|sim_umad|etcd|command|tree|manager|simulator)_tests$' | sort -u)
    [ ${#tests[@]} -ge 8 ] || { echo "too few tests: ${tests[*]}"; exit 1; }
    quiet ninja -C ../tests "${tests[@]}"
    failed=()
    for test in "${tests[@]}"; do
      began=$SECONDS
      if HEDDLE_SEED_SHARE=1/40 timeout 1800 "../tests/bin/$test" --gtest_brief=1 > "/build/$test.log" 2>&1; then
        echo "   $test: $(grep -oE '[0-9]+ tests? from .*ran' "/build/$test.log" | tail -n 1), $((SECONDS - began)) s"
      else
        failed+=("$test")
        echo "   $test: FAILED"
        grep -E 'FAILED|Failure' "/build/$test.log" | head -n 20
      fi
    done
    [ ${#failed[@]} -eq 0 ]
    ;;
esac
