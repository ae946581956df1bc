#!/bin/bash
# Runs Heddle on an unmodified Linux kernel in QEMU, above a simulated fabric:
#   lab.sh [--build DIR] [SCENARIO...]       runs scenarios (default: all), ends as ctest does
#   lab.sh [--build DIR] --shell FABRIC.net [NODE,NODE...]
#                                            a kernel with IPoIB, heddle, opensm, ibstat for a person
#   lab.sh --list                            names of the scenarios
#   lab.sh [--build DIR] --prepare           packages, kernel, module, root; nothing is run
# --kernel VERSION: on another kernel that apt knows, by the beginning of its version (6.12); else that of linux-image-amd64.
# On Debian 12 or 13, without KVM; as root, or with the packages of packaging/install-deps.sh --kernel.
# Those of the kernel are downloaded, not installed. DIR (default: build/release) has the programs; DIR/kernel-lab keeps
# what was made. Exit code 77: it cannot run here. HEDDLE_LAB_PREPARED=1: --prepare has run since the programs were built.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build/release
kernel=
action=run
fabric=
nodes=
scenarios=()
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$(realpath "$2"); shift ;;
    --kernel) kernel=$2; shift ;;
    --shell) action=shell; fabric=$2; shift ;;
    --list) action=list ;;
    --prepare) action=prepare ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    -*) echo "lab.sh: $1 is no option; --help lists them" >&2; exit 1 ;;
    *) if [ $action = shell ]; then nodes=$1; else scenarios+=("$1"); fi ;;
  esac
  shift
done
if [ $action = list ]; then
  for file in "$here"/scenarios/*.sh; do basename "$file" .sh; done
  exit 0
fi
[ ${#scenarios[@]} -gt 0 ] || for file in "$here"/scenarios/*.sh; do scenarios+=("$(basename "$file" .sh)"); done
for scenario in "${scenarios[@]}"; do
  [ -e "$here/scenarios/$scenario.sh" ] || { echo "lab.sh: no scenario is called $scenario; --list lists them" >&2; exit 1; }
done
for program in heddle heddlectl heddle-sim heddle-topo heddle-vnic; do
  [ -x "$build/bin/$program" ] || { echo "lab.sh: $build/bin/$program is missing: build it first, or name the directory by --build" >&2; exit 1; }
done
lab=$build/kernel-lab${kernel:+-$kernel}
mkdir -p "$lab"

# ---------------------------------------------------------------------------------------------
# Packages, kernel and module

# Exit code of ctest for a test that cannot run here.
cannot() { echo "lab.sh: $*" >&2; exit 77; }
install_tools() { bash "$root/packaging/install-deps.sh" --kernel > "$lab/apt.log" 2>&1 || { cat "$lab/apt.log" >&2; exit 1; }; }
# The packages that `$1` depends on whose names begin with `$2`, with the version that is current.
depends() { apt-cache depends --no-recommends --no-suggests "$1" | sed -n "s/^ *Depends: \($2[^ ]*\)$/\1/p" | head -1; }

# The package of the kernel: that of linux-image-amd64, or the newest one whose version begins as --kernel says.
image_package() {
  if [ -z "$kernel" ]; then depends linux-image-amd64 linux-image-; return; fi
  apt-cache search --names-only "^linux-image-${kernel//./\\.}[^a-z]*(deb[0-9]+)?-amd64\$" | cut -d ' ' -f 1 | sort -V | tail -1
}

download() {  # PACKAGE...: into $lab/packages, unpacked into $lab/unpacked
  mkdir -p "$lab/packages" "$lab/unpacked"
  chmod 755 "$lab/packages"
  (cd "$lab/packages" && apt-get -o APT::Sandbox::User=root download "$@" > "$lab/download.log" 2>&1) ||
    cannot "packages of the kernel cannot be downloaded: $(tail -1 "$lab/download.log")"
}
unpack() {  # PACKAGE PATH...
  local package=$1
  shift
  dpkg-deb --fsys-tarfile "$lab/packages/$package"_*.deb | tar -x -C "$lab/unpacked" --wildcards "$@"
}

# The compressed kernel inside the image, which QEMU boots twice as fast (PVH).
inner_kernel() {
  local at
  if at=$(LC_ALL=C grep -abom1 $'\xfd7zXZ' "$1"); then
    tail -c +$((${at%%:*} + 1)) "$1" | xz -dc --single-stream 2> /dev/null || true
  elif at=$(LC_ALL=C grep -aboPm1 '\x28\xb5\x2f\xfd' "$1"); then
    tail -c +$((${at%%:*} + 1)) "$1" | zstd -dcq 2> /dev/null || true
  fi
}

prepare_kernel() {
  local image version headers common kbuild compiler
  image=$(image_package)
  [ -n "$image" ] || cannot "apt knows no kernel ${kernel:-of linux-image-amd64}"
  version=${image#linux-image-}
  # The headers know where they are.
  if [ "$(cat "$lab/version" 2> /dev/null)" = "$version" ] && grep -q "$lab/" "$lab/unpacked/usr/src/linux-headers-$version/Makefile"; then return 0; fi
  rm -rf "$lab/packages" "$lab/unpacked"
  headers=linux-headers-$version
  common=$(depends "$headers" linux-headers-)
  kbuild=$(depends "$headers" linux-kbuild-)
  compiler=$(depends "$headers" linux-compiler-)
  local build_packages=("$headers" "$common" "$kbuild")
  [ -z "$compiler" ] || build_packages+=("$compiler")  # later kernels depend on the compiler itself
  echo "lab: downloads Linux $version (about 90 to 130 MB)"
  download "$image" "${build_packages[@]}"
  unpack "$image" ./boot './lib/modules/*/kernel/drivers/infiniband' './lib/modules/*/kernel/fs/configfs'
  for package in "${build_packages[@]}"; do unpack "$package" ./usr; done
  sed -i "s|/usr/src/|$lab/unpacked/usr/src/|" "$lab/unpacked/usr/src/$headers/Makefile"
  inner_kernel "$lab/unpacked/boot/vmlinuz-$version" > "$lab/vmlinux"
  [ -s "$lab/vmlinux" ] || cp "$lab/unpacked/boot/vmlinuz-$version" "$lab/vmlinux"
  echo "$version" > "$lab/version"
}

build_module() {
  local headers
  headers=$lab/unpacked/usr/src/linux-headers-$(cat "$lab/version")
  mkdir -p "$lab/sim/kernel/module"
  copy_changed "$here/module" "$lab/sim/kernel/module"
  # With sparse, where it is installed, and without the debugging types of BPF, which need pahole.
  make -s -C "$headers" M="$lab/sim/kernel/module" "C=$(command -v sparse > /dev/null && echo 1 || echo 0)" CONFIG_DEBUG_INFO_BTF_MODULES= modules > "$lab/module.log" 2>&1 ||
    { cat "$lab/module.log" >&2; exit 1; }
  if grep -i warning "$lab/module.log" | grep -v BTF; then exit 1; fi
}
# The driver of the kernel for Ethernet over Omni-Path, which Debian does not build: unmodified from its package of sources.
# A scenario asks for it, and for virtual LANs, by the line "# module: opa_vnic".
build_opa_vnic() {
  local version source=drivers/infiniband/ulp/opa_vnic numbers
  version=$(cat "$lab/version")
  [ "$(cat "$lab/opa_vnic.version" 2> /dev/null)" != "$version" ] || return 0
  numbers=$(echo "$version" | grep -oE '^[0-9]+\.[0-9]+')
  echo "lab: downloads the sources of Linux $numbers (140 MB)"
  download "linux-source-$numbers"
  rm -rf "$lab/opa_vnic"
  mkdir -p "$lab/opa_vnic"
  dpkg-deb --fsys-tarfile "$lab/packages/linux-source-$numbers"_*.deb | tar -xO "./usr/src/linux-source-$numbers.tar.xz" | xz -T0 -dc |
    tar -x -C "$lab/opa_vnic" --strip-components=5 "linux-source-$numbers/$source"
  make -s -C "$lab/unpacked/usr/src/linux-headers-$version" M="$lab/opa_vnic" CONFIG_INFINIBAND_OPA_VNIC=m CONFIG_DEBUG_INFO_BTF_MODULES= modules \
    > "$lab/opa_vnic.log" 2>&1 || { cat "$lab/opa_vnic.log" >&2; exit 1; }
  rm -f "$lab/packages/linux-source-$numbers"_*.deb
  unpack "linux-image-$version" './lib/modules/*/kernel/net/8021q' './lib/modules/*/kernel/net/802' './lib/modules/*/kernel/net/llc'
  echo "$version" > "$lab/opa_vnic.version"
}
copy_changed() {  # so that make sees what has changed
  local file
  for file in "$1"/*; do
    cmp -s "$file" "$2/$(basename "$file")" || cp "$file" "$2/"
  done
}

# ---------------------------------------------------------------------------------------------
# The guest's root

libraries_of() { ldd "$@" 2> /dev/null | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^\t\(\/[^ ]*\) .*/\1/p' | sort -u; }

make_root() {
  local guest=$lab/root version file
  version=$(cat "$lab/version")
  rm -rf "$guest"
  mkdir -p "$guest"/{bin,sbin,lib,lib64,usr/bin,usr/sbin,etc,lab/modules,opt/heddle,proc,sys,dev,tmp,run,var/log,var/run}
  cp /bin/busybox "$guest/bin/busybox"
  ln -s busybox "$guest/bin/sh"
  for file in heddle heddlectl heddle-sim heddle-topo heddle-vnic; do
    strip -o "$guest/opt/heddle/$file" "$build/bin/$file"
  done
  local programs=(/usr/bin/ip /usr/sbin/ibstat /usr/sbin/ibnetdiscover /usr/sbin/saquery /usr/sbin/iblinkinfo /usr/sbin/perfquery
    /usr/sbin/smpquery /usr/sbin/sminfo /usr/sbin/ibping /usr/sbin/ibstatus /usr/sbin/opensm /usr/sbin/srp_daemon /usr/bin/rdma /usr/sbin/ibdiagnet)
  local found=()
  for file in "${programs[@]}"; do
    [ -e "$file" ] || file=$(command -v "$(basename "$file")" || true)
    [ -n "$file" ] || continue
    cp -L "$file" "$guest/usr/sbin/"
    found+=("$file")
  done
  ln -sf ../sbin/ip "$guest/usr/bin/ip"
  for file in $(libraries_of "$build"/bin/{heddle,heddlectl,heddle-sim,heddle-topo,heddle-vnic} "${found[@]}"); do
    case $file in
      */ld-linux*) cp -L "$file" "$guest/lib64/" ;;
      *) cp -L "$file" "$guest/lib/" ;;
    esac
  done
  find "$lab/unpacked/lib/modules/$version/kernel" -name '*.ko*' \
    \( -name 'configfs*' -o -name 'ib_core*' -o -name 'ib_cm*' -o -name 'iw_cm*' -o -name 'ib_umad*' -o -name 'ib_ipoib*' -o \
    -name 'rdma_cm*' -o -name 'ib_uverbs*' -o -name 'rdma_ucm*' \) -exec cp {} "$guest/lab/modules/" \;
  find "$guest/lab/modules" -name '*.xz' -exec xz -d {} +
  strip --strip-debug -o "$guest/lab/modules/heddle_hca.ko" "$lab/sim/kernel/module/heddle_hca.ko"
  for file in resolve_routes connect_gids; do
    gcc-12 -static -O1 -Wall -Wextra -Werror -o "$guest/usr/sbin/$file" "$here/guest/$file.c"
  done
  gcc-12 -O1 -Wall -Wextra -Werror -o "$guest/usr/sbin/umad_behaviour" "$root/tests/kernel/umad_behaviour.c" -libumad
  printf 'root:x:0:0:root:/:/bin/sh\n' > "$guest/etc/passwd"
  printf 'root:x:0:\n' > "$guest/etc/group"
  (cd "$guest" && find . | cpio --quiet -o -H newc | gzip -1) > "$lab/root.cpio.gz"
}

# For scenarios with the line "# root: systemd": Debian with systemd as process 1, and Heddle as cmake --install puts it there.
make_systemd_root() {
  local guest=$lab/root.systemd libraries=usr/lib/x86_64-linux-gnu file
  command -v mmdebstrap > /dev/null || cannot "mmdebstrap is missing (packaging/install-deps.sh --kernel)"
  if [ ! -e "$lab/debian.tar" ]; then
    echo "lab: makes a root of Debian with systemd (once)"
    # shellcheck disable=SC1091
    mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/doc/*' \
      --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
      --include=systemd,systemd-sysv,udev,dbus,kmod,procps,rdma-core,iproute2 "$(. /etc/os-release && echo "$VERSION_CODENAME")" \
      "$lab/debian.new.tar" > "$lab/debian.log" 2>&1 || cannot "a root of Debian cannot be made: $(tail -1 "$lab/debian.log")"
    mv "$lab/debian.new.tar" "$lab/debian.tar"
  fi
  rm -rf "$guest"
  mkdir -p "$guest"
  tar -x -C "$guest" -f "$lab/debian.tar" --exclude=./dev --exclude=./var/lib/dpkg --exclude=./usr/share/zoneinfo
  mkdir -p "$guest"/{dev,sysroot}
  DESTDIR=$guest cmake --install "$build" --component daemon --strip > "$lab/install.log" || { tail -3 "$lab/install.log" >&2; exit 1; }
  rm -rf "$guest"/usr/local/share
  cp -r "$lab/root/lab" "$guest/"
  cp "$lab/root/opt/heddle/heddle-sim" "$guest/usr/local/bin/"
  cp "$lab/root/bin/busybox" "$guest/usr/local/bin/"
  for file in usleep insmod; do ln -s busybox "$guest/usr/local/bin/$file"; done
  for file in $(libraries_of "$build"/bin/{heddle,heddlectl,heddle-sim}); do
    [ -e "$guest/$libraries/$(basename "$file")" ] || cp -L "$file" "$guest/$libraries/"
  done
  cp "$here/guest/lab.service" "$guest/etc/systemd/system/"
  ln -s ../lab.service "$guest/etc/systemd/system/multi-user.target.wants/"
  cp "$here/guest/systemd-scenario" "$guest/lab/run"
  ln -sf /dev/null "$guest/etc/systemd/system/serial-getty@ttyS0.service"  # its prompt would begin a line of a check
  (cd "$guest" && find . | cpio --quiet -o -H newc) > "$lab/root.systemd.cpio"
}

# The part of the root that a scenario has of its own: a second archive.
make_scenario() {  # SCENARIO or "shell", into $lab/NAME.cpio.gz
  local own=$lab/own.$1
  rm -rf "$own"
  mkdir -p "$own/lab"
  local kind
  kind=$(root_of "$1")
  cp "$here/guest/init${kind:+-$kind}" "$own/init"
  chmod 755 "$own/init"
  cp "$here/guest/functions.sh" "$here/guest/shell.sh" "$own/lab/"
  if [ "$1" = shell ]; then
    cp "$fabric" "$own/lab/fabric.net"
    echo "${nodes:-$(grep -ao '^Ca.*"[^"]*"' "$fabric" | sed 's/.*"\([^"]*\)"$/\1/' | head -3 | paste -sd,)}" > "$own/lab/nodes"
  else
    cp "$here/scenarios/$1.sh" "$own/lab/scenario.sh"
    # The first line `# fabric: ARGUMENTS` of a scenario is for heddle-topo.
    local arguments
    echo "LAB_UNPLUGS=${LAB_UNPLUGS:-100}" > "$own/lab/settings"
    arguments=$(sed -n 's/^# fabric: //p' "$here/scenarios/$1.sh" | head -1)
    if grep -q '^# module: opa_vnic' "$here/scenarios/$1.sh"; then
      build_opa_vnic
      mkdir -p "$own/lab/modules"
      strip --strip-debug -o "$own/lab/modules/opa_vnic.ko" "$lab/opa_vnic/opa_vnic.ko"
      # Virtual LANs on its interfaces.
      find "$lab/unpacked/lib/modules/$(cat "$lab/version")/kernel/net" -name '*.ko*' -exec cp {} "$own/lab/modules/" \;
      find "$own/lab/modules" -name '*.xz' -exec xz -d {} +
    fi
    [ ! -e "$root/tests/kernel/$1.txt" ] || cp "$root/tests/kernel/$1.txt" "$own/lab/expected.txt"
    local file
    file=$(sed -n 's/^# fabric-file: //p' "$here/scenarios/$1.sh" | head -1)
    if [ -n "$file" ]; then
      gzip -dc "$root/$file" > "$own/lab/fabric.net"
    else
      # shellcheck disable=SC2086
      "$build/bin/heddle-topo" ${arguments:-fat-tree --hosts 18 --radix 6} > "$own/lab/fabric.net"
    fi
  fi
  (cd "$own" && find . | cpio --quiet -o -H newc | gzip -1) > "$lab/$1.cpio.gz"
  cat "$lab/root${kind:+.$kind}.cpio"* "$lab/$1.cpio.gz" > "$lab/$1.initrd"
}
# Empty, or another root than usual: systemd.
root_of() { sed -n 's/^# root: //p' "$here/scenarios/$1.sh" 2> /dev/null || true; }

guest() {  # NAME SECONDS: boots it, its console on stdout
  local memory=1536
  [ -z "$(root_of "$1")" ] || memory=2048
  timeout --foreground "$2" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m $memory -smp 2 -nographic -no-reboot -nodefaults -serial "${serial:-stdio}" \
    -kernel "$lab/vmlinux" -initrd "$lab/$1.initrd" \
    -append "console=ttyS0 quiet panic=-1 loglevel=4 mitigations=off random.trust_cpu=on"
}

# ---------------------------------------------------------------------------------------------

prepare() {
  install_tools
  prepare_kernel
  build_module
  make_root
}
# One at a time: scenarios may run side by side.
exec 8> "$lab/lock"
flock 8
if [ $action != run ] || [ -z "${HEDDLE_LAB_PREPARED:-}" ]; then prepare; fi
[ -s "$lab/root.cpio.gz" ] || cannot "--prepare has not made the guest's root"
flock -u 8
[ $action != prepare ] || exit 0
if [ $action = shell ]; then
  make_scenario shell
  serial=mon:stdio  # Ctrl-C is for the guest; Ctrl-A X ends it
  guest shell 86400
  exit
fi

# Each unplugging of the scenario `module` takes up to a second on a slow machine.
limit_s=$((600 + ${LAB_UNPLUGS:-100}))
started=$SECONDS
failed=()
index=0
for scenario in "${scenarios[@]}"; do
  index=$((index + 1))
  printf '    Start %d: %s\n' "$index" "$scenario"
  if [ "$(root_of "$scenario")" = systemd ]; then
    flock 8
    make_systemd_root
    flock -u 8
  fi
  make_scenario "$scenario"
  begun=$SECONDS
  guest "$scenario" "$limit_s" < /dev/null > "$lab/$scenario.log" 2>&1 || true
  tr -d '\r' < "$lab/$scenario.log" | sed -n 's/^lab: \(ok\|FAILED\|    \|note\)/  \1/p'
  # Not behind a pipe: grep -q ends before all is written, which pipefail takes for a failure.
  grep -q '^lab: ' "$lab/$scenario.log" || cannot "the guest does not boot: $(tail -3 "$lab/$scenario.log")"
  result=Passed
  grep -qE $'^lab: end [1-9][0-9]* 0\r*$' "$lab/$scenario.log" || { result='***Failed'; failed+=("$scenario"); tail -25 "$lab/$scenario.log"; }
  printf '%d/%d Test #%d: %-24s %s %6d sec\n' "$index" "${#scenarios[@]}" "$index" "$scenario" "$result" $((SECONDS - begun))
done
total=${#scenarios[@]}
echo
echo "$(((total - ${#failed[@]}) * 100 / total))% tests passed, ${#failed[@]} tests failed out of $total"
echo
echo "Total Test time (real) = $((SECONDS - started)) sec"
[ ${#failed[@]} -eq 0 ] || { echo "The following tests FAILED:" "${failed[@]}"; exit 8; }
