#!/usr/bin/env bash
# Installs what Heddle needs from the packages of Debian 12 or 13. Run as root, or as a user who may use sudo.
#
#   packaging/install-deps.sh           to build and run Heddle
#   packaging/install-deps.sh --demo    and to run it on a simulated fabric (ibsim, infiniband-diags)
#   packaging/install-deps.sh --kernel  and to run it on a Linux kernel in QEMU (sim/kernel)
#   packaging/install-deps.sh --test    and to run the tests: the other compiler, fuzzers, reference tools (OpenSM, ibutils)
#   packaging/install-deps.sh --browser and those of the map in a browser
set -euo pipefail

boost=libboost-dev # of Debian 13; that of Debian 12 is 1.74
if grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then boost=libboost1.81-dev; fi

build=(g++ cmake ninja-build pkg-config
  libibumad-dev libibmad-dev "$boost" libyaml-cpp-dev libspdlog-dev libfmt-dev libexpected-dev nlohmann-json3-dev libcli11-dev libsystemd-dev libssl-dev
  zlib1g-dev libargon2-dev prometheus-cpp-dev)
demo=(ibsim-utils infiniband-diags)
kernel=(qemu-system-x86 busybox-static cpio gcc-12 iproute2 make mmdebstrap opensm srptools xz-utils zstd)
tests=(git clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev llvm-19 mold libgtest-dev libgmock-dev libbenchmark-dev libibnetdisc-dev
  opensm ibutils etcd-server openssl curl python3-jsonschema procps psmisc mandoc zsh fish shellcheck prometheus)
browser=(chromium chromium-driver nodejs)

command -v npm > /dev/null || browser+=(npm) # Node's own packages have it

packages=("${build[@]}")
case "${1:-}" in
  "") ;;
  --demo) packages+=("${demo[@]}") ;;
  --kernel) packages+=("${demo[@]}" "${kernel[@]}") ;;
  --test) packages+=("${demo[@]}" "${kernel[@]}" "${tests[@]}") ;;
  --browser) packages+=("${demo[@]}" "${kernel[@]}" "${tests[@]}" "${browser[@]}") ;;
  *) sed -n '2,8p' "$0" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "all packages are installed"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "needs root to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -q
# Debian's opensm, etcd-server and prometheus packages would start a subnet manager, a store and a monitor; tests start their own, or
# only use promtool.
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
if [[ "${1:-}" = --test || "${1:-}" = --browser ]] && command -v systemctl >/dev/null && [ -d /run/systemd/system ]; then
  "${as_root[@]}" systemctl disable --now opensm.service etcd.service prometheus.service >/dev/null 2>&1 || true
fi
