#!/usr/bin/env bash
# Makes an image of heddle and heddlectl and what they load, without shell and package manager and without a container engine: an archive that
# `podman load` and `docker load` read (OCI layout with the manifest of docker save). Equal inputs give equal archives.
#
#   packaging/container/image.sh [--packages DIRECTORY | --build DIRECTORY] [--output FILE]
#   packaging/container/image.sh --test FILE [--build DIRECTORY]
#
# --packages: programs of heddle_*.deb there; --build: of a build directory (default build/release). The root has Debian 12's libraries
# (mmdebstrap, as root or with user namespaces), some ten megabytes.
# --test, as root: starts the image in a container of systemd-nspawn, read-only and without capabilities, on a host of a simulated fabric, and asks
# it by the probe of kubernetes/heddle.yaml. heddle-sim, heddle-sim-run and heddle-topo are taken from the build directory, or else from PATH.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 022

packages="" build=build/release output=build/heddle-image.tar image=""
while [ $# -gt 0 ]; do
  case $1 in
    --packages) packages=$(realpath "${2:?directory}"); shift ;;
    --build) build=$(realpath "${2:?directory}"); shift ;;
    --output) output=${2:?file}; shift ;;
    --test) image=$(realpath "${2:?image}"); shift ;;
    *) sed -n '2,12p' "$0" >&2; exit 2 ;;
  esac
  shift
done
fail() { echo "image: $*" >&2; exit 1; }
need() {
  local tool
  for tool in "$@"; do command -v "$tool" > /dev/null || fail "$tool is missing: packaging/install-deps.sh --test installs it, or the package systemd-container"; done
}
work=$(mktemp -d)
chmod 755 "$work"
started=()
clean_up() {
  for process in "${started[@]}"; do kill "$process" 2> /dev/null || true; done
  wait
  rm -rf "$work"
}
trap clean_up EXIT

# ---- the root of the image

stage_programs() {
  mkdir "$work/stage"
  if [ -n "$packages" ]; then
    local found=("$packages"/heddle_*.deb)
    if [ ${#found[@]} -ne 1 ] || [ ! -f "${found[0]}" ]; then fail "$packages: one heddle_*.deb is expected there"; fi
    dpkg-deb -x "${found[0]}" "$work/stage"
  else
    [ -f "$build/CMakeCache.txt" ] || fail "$build is no build directory; cmake --preset release makes build/release; or name --packages"
    # Manual pages are installed, too, and left out of the image.
    cmake --build "$build" --target heddle heddlectl manual > "$work/build.log" || { tail "$work/build.log"; exit 1; }
    DESTDIR=$work/stage cmake --install "$build" --component daemon --prefix /usr --strip > "$work/install.log" || { cat "$work/install.log"; exit 1; }
  fi
  programs=("$work/stage/usr/sbin/heddle" "$work/stage/usr/bin/heddlectl")
}

# Packages of the libraries that the programs load, by name: dpkg of this machine knows them.
library_packages() {
  ldd "${programs[@]}" | sed -nE 's|.*=> .*(/[^/]+/[^/]+) \(.*|*\1|p' | sort -u | xargs dpkg-query -S | cut -d : -f 1 | sort -u
}

# Where scanners look for the packages of an image without dpkg.
record_packages() { # the *.deb that were unpacked
  mkdir -p "$root/var/lib/dpkg/status.d"
  local file
  for file in "$@"; do
    { dpkg-deb -f "$file"; } > "$root/var/lib/dpkg/status.d/$(dpkg-deb -f "$file" Package)"
  done
}

make_root() {
  root=$work/root
  need mmdebstrap
  mkdir "$work/debs"
  # shellcheck disable=SC2016
  printf '#!/bin/sh\ncp "$1"/var/cache/apt/archives/*.deb "$HEDDLE_DEBS"\n' > "$work/keep-debs"
  chmod 755 "$work/keep-debs"
  HEDDLE_DEBS=$work/debs mmdebstrap --quiet --variant=extract --include="$(library_packages | paste -sd ,)" --include=base-files \
    --extract-hook="$work/keep-debs" --format=directory bookworm "$root"
  rm -rf "${root:?}"/{dev,etc/apt,var/lib/apt,var/cache,var/log,tmp,usr/bin,usr/sbin,bin,sbin} "$root"/usr/share/{man,locale,lintian,bash-completion,gdb,gcc,info,base-files,bug} \
    "$root"/usr/lib/*/gconv "$root"/usr/lib/*/audit
  find "$root/usr/share/doc" ! -type d ! -name copyright -delete
  find "$root/usr/share/doc" -type d -empty -delete
  mkdir -p "$root"/{dev,proc,sys,tmp,etc/opensm,run/heddle,var/cache/opensm,var/log,usr/sbin,usr/bin,usr/share/doc/heddle}
  chmod 1777 "$root/tmp"
  rm -rf "$work"/debs/mawk_* "$root"/usr/share/{doc/,}mawk "$root/etc/alternatives"  # base-files asks for it; no program of it is left
  record_packages "$work"/debs/*.deb
  if [ -n "$packages" ]; then record_packages "$packages"/heddle_*.deb; fi
  cp "${programs[0]}" "$root/usr/sbin/"
  cp "${programs[1]}" "$root/usr/bin/"
  cp LICENSE "$root/usr/share/doc/heddle/copyright"
  printf 'root:x:0:0:root:/:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' > "$root/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' > "$root/etc/group"
  # Its content depends on the libraries only; the loader finds them with or without it.
  /sbin/ldconfig -r "$root" 2> /dev/null || true
  rm -rf "$root/var/cache/ldconfig"
}

# ---- the archive

digest() { sha256sum "$1" | cut -d ' ' -f 1; }
store() { # FILE: becomes a blob; prints its digest
  local name
  name=$(digest "$1")
  mv "$1" "$blobs/$name"
  printf '%s' "$name"
}

make_archive() {
  local epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 0)}
  local version created architecture layer config manifest layer_size
  version=$("${programs[0]}" --version | sed -nE 's/^Heddle ([^ ]+).*/\1/p' | head -n 1)
  created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
  architecture=$(dpkg --print-architecture)
  blobs=$work/image/blobs/sha256
  mkdir -p "$blobs"
  fixed_tar() { tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime "$@"; }
  fixed_tar -C "$root" -cf "$work/layer.tar" .
  layer=$(store "$work/layer.tar")
  layer_size=$(stat -c %s "$blobs/$layer")
  cat > "$work/config.json" <<JSON
{"created": "$created", "architecture": "$architecture", "os": "linux",
 "config": {"Entrypoint": ["/usr/sbin/heddle"], "Cmd": ["--log_file", "stdout", "--dump_files_dir", "/var/cache/opensm"],
  "Env": ["PATH=/usr/sbin:/usr/bin", "HEDDLE_LOG_FORMAT=human"], "WorkingDir": "/", "StopSignal": "SIGTERM", "Volumes": {"/var/cache/opensm": {}},
  "Healthcheck": {"Test": ["CMD", "/usr/bin/heddlectl", "status", "--json"], "Interval": 30000000000, "Timeout": 10000000000, "StartPeriod": 30000000000},
  "Labels": {"org.opencontainers.image.title": "heddle", "org.opencontainers.image.version": "$version",
   "org.opencontainers.image.licenses": "BSD-2-Clause OR GPL-2.0-only"}},
 "rootfs": {"type": "layers", "diff_ids": ["sha256:$layer"]},
 "history": [{"created": "$created", "created_by": "packaging/container/image.sh"}]}
JSON
  local config_size
  config_size=$(stat -c %s "$work/config.json")
  config=$(store "$work/config.json")
  cat > "$work/manifest.json" <<JSON
{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
 "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": "sha256:$config", "size": $config_size},
 "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": "sha256:$layer", "size": $layer_size}]}
JSON
  local manifest_size
  manifest_size=$(stat -c %s "$work/manifest.json")
  manifest=$(store "$work/manifest.json")
  printf '{"imageLayoutVersion": "1.0.0"}\n' > "$work/image/oci-layout"
  cat > "$work/image/index.json" <<JSON
{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
 "manifests": [{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "sha256:$manifest", "size": $manifest_size,
  "annotations": {"io.containerd.image.name": "heddle:$version", "org.opencontainers.image.ref.name": "$version"}}]}
JSON
  cat > "$work/image/manifest.json" <<JSON
[{"Config": "blobs/sha256/$config", "RepoTags": ["heddle:$version"], "Layers": ["blobs/sha256/$layer"]}]
JSON
  mkdir -p "$(dirname "$output")"
  fixed_tar -C "$work/image" -cf "$output" blobs index.json manifest.json oci-layout
  echo "$output: heddle:$version, $(($(stat -c %s "$output") >> 20)) MiB, $(gzip -n < "$output" | wc -c | awk '{print int($1 / 1048576)}') MiB compressed," \
    "packages: $(cd "$root/var/lib/dpkg/status.d" && echo *)"
}

# ---- the test

within() { # SECONDS COMMAND...: it succeeds in that time
  local tries=$(($1 * 10))
  shift
  while [ "$tries" -gt 0 ]; do
    if "$@" > /dev/null 2>&1; then return 0; fi
    tries=$((tries - 1))
    sleep 0.1
  done
  return 1
}

unpack() {
  mkdir "$work/image" "$work/root"
  tar -C "$work/image" -xf "$image"
  local file
  # Content has the digest by which it is named.
  for file in "$work"/image/blobs/sha256/*; do
    [ "$(digest "$file")" = "${file##*/}" ] || fail "$file: another digest"
  done
  sed -nE 's/.*"Layers": \["([^"]*)"\].*/\1/p' "$work/image/manifest.json" | while read -r file; do tar -C "$work/root" -xf "$work/image/$file"; done
}

# As the manifest of Kubernetes runs it: read-only, no capabilities, no new privileges; only cache, run directory and /tmp can be written.
start_container() { # ARGUMENT... of heddle
  systemd-nspawn -q -D "$work/root" --timezone=off --read-only --register=no --keep-unit --drop-capability=all --no-new-privileges=yes --kill-signal=SIGTERM \
    --tmpfs=/tmp --tmpfs=/run/heddle --bind="$work/cache:/var/cache/opensm" --bind-ro="$work/conf:/etc/opensm" --bind-ro="$work/preload:/sim" \
    --setenv=LD_PRELOAD=/sim/libheddle-umad.so --setenv=IBSIM_SOCKNAME="$IBSIM_SOCKNAME" --setenv=SIM_HOST=H0 \
    /usr/sbin/heddle "$@" > "$work/log" 2>&1 < /dev/null &
  container=$!
  started+=("$container")
}
inside() { # COMMAND... in the container, as kubectl exec does
  local process
  process=$(pgrep -P "$container" -x heddle) && nsenter --target "$process" --mount --pid --root --wd -- "$@"
}
up() { grep -q 'SUBNET UP' "$work/log"; }
probe() { inside /usr/bin/heddlectl status --json; }
not_ok() { tail -n 30 "$work/log"; fail "test FAILED: $*"; }

test_image() {
  [ "$(id -u)" -eq 0 ] || fail "needs root: it starts a container"
  need systemd-nspawn nsenter pgrep
  [ ! -x "$build/bin/heddle-sim" ] || PATH=$build/bin:$PATH
  need heddle-sim heddle-sim-run heddle-topo
  unpack
  mkdir "$work/preload" "$work/cache" "$work/conf" "$work/root/sim"
  local bin library
  bin=$(dirname "$(command -v heddle-sim-run)")
  for library in "$bin/libheddle-umad.so" "$bin/../lib/heddle/libheddle-umad.so"; do
    [ ! -f "$library" ] || cp "$library" "$work/preload/"
  done
  export IBSIM_SOCKNAME="heddle-image-$$"
  heddle-topo fat-tree --hosts 16 > "$work/fabric.net"
  heddle-sim --start --no-console "$work/fabric.net" > "$work/sim.log" 2>&1 &
  started+=("$!")
  within 10 heddle-sim-run --host H1 heddlectl ports || fail "the simulator does not answer"

  start_container --log_file stdout --dump_files_dir /var/cache/opensm
  within 20 up || not_ok "the subnet does not come up"
  within 5 probe || not_ok "heddlectl status does not answer in the container"
  probe | grep -qi '"state": *"master"' || not_ok "it does not lead"
  [ "$(inside /usr/sbin/heddle --version | head -n 1)" != "" ] || not_ok "heddle --version"
  local lids
  lids=$(cat "$work/cache/guid2lid")
  [ "$(grep -c . <<< "$lids")" -ge 16 ] || not_ok "guid2lid is not in the cache directory"
  ! inside /bin/sh -c true 2> /dev/null || not_ok "there is a shell"

  kill -TERM "$(pgrep -P "$container" -x heddle)"
  local status=0
  wait "$container" || status=$?
  [ "$status" -eq 0 ] || not_ok "ended with $status"
  grep -q 'Exiting SM' "$work/log" || not_ok "it was not requested to end"
  local file
  for file in opensm.conf partitions.conf; do
    awk -v start="  $file: |" '$0 == start {on = 1; next} /^  [^ ]/ || /^---/ {on = 0} on {sub(/^    /, ""); print}' packaging/kubernetes/heddle.yaml > "$work/conf/$file"
    [ -s "$work/conf/$file" ] || not_ok "kubernetes/heddle.yaml has no $file"
  done
  # The checks below read OpenSM's lines.
  sed -i 's/^log_format human$/log_format text/' "$work/conf/opensm.conf"
  start_container --config /etc/opensm/opensm.conf
  within 20 up || not_ok "started again, as Kubernetes does: the subnet does not come up"
  within 5 probe || not_ok "heddlectl status does not answer"
  [ "$(cat "$work/cache/guid2lid")" = "$lids" ] || not_ok "LIDs changed"
  ! grep -q 'forwarding table block' "$work/log" || not_ok "tables were written again"
  ! grep ' 0x01 -> ' "$work/log" || not_ok "there are errors in the log"
  echo "image test: passed"
}

if [ -n "$image" ]; then
  test_image
else
  stage_programs
  make_root
  make_archive
fi
