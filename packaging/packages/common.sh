# shellcheck shell=bash
# inside ROOT COMMAND...: runs it in that root as root, with the network of this machine, processes and mounts of its own, and an empty environment.
inside() {
  local root=$1
  shift
  [ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  # What a command leaves behind ends with it.
  # shellcheck disable=SC2016
  unshare --mount --pid --uts --ipc --fork --kill-child -- sh -ec '
    root=$1
    shift
    mount --make-rprivate /
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' _ "$root" "$@"
}
