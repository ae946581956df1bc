#!/bin/sh
# Builds the Debian packages, inside the root: packaging/packages.sh starts it.
#
#   build.sh first      as root, in /build/first, in English
#   build.sh second     what should make no difference is different: directory, user, group, umask, language, time zone, host name, number of jobs,
#                       the files' times, and the clock, which is some minutes later at least
#   build.sh suffix     marks the version in debian/changelog by the Debian of the root
set -eu

# Packages of a later Debian are later: an upgrade of the distribution takes them.
suffix() {
  # shellcheck disable=SC1091
  sed -i "1s/(\([^)]*\))/(\1~deb$(. /etc/os-release && echo "$VERSION_ID"))/" debian/changelog
}

build() { # DIRECTORY JOBS
  cd "$1/heddle"
  suffix
  if ! DEB_BUILD_OPTIONS="parallel=$2 terse" dpkg-buildpackage -b -us -uc > ../build.log 2>&1; then
    tail -n 60 ../build.log
    exit 1
  fi
}

case $1 in
  first)
    mkdir -p /build/first
    tar -C /build/first -xf /packages/heddle.tar
    cd /build/first/heddle
    # These are the declared ones, and there are no others: what is not declared is missing now.
    apt-get update -q > /build/apt.log 2>&1 || { tail /build/apt.log; exit 1; }
    apt-get build-dep -q -y --no-install-recommends ./ > /build/apt.log 2>&1 || { tail /build/apt.log; exit 1; }
    build /build/first "$(nproc)"
    ;;
  second)
    apt-get install -q -y --no-install-recommends locales > /build/apt.log 2>&1 || { tail /build/apt.log; exit 1; }
    localedef -i tr_TR -f UTF-8 tr_TR.UTF-8
    hostname elsewhere
    id builder > /dev/null 2>&1 || useradd -m -s /bin/sh builder
    rm -rf /home/builder/elsewhere
    su builder -c 'mkdir -p ~/elsewhere && umask 0027 && tar -m --no-same-permissions -C ~/elsewhere -xf /packages/heddle.tar'
    exec su builder -c 'umask 0027; LC_ALL=tr_TR.UTF-8 LANGUAGE=tr TZ=Asia/Kathmandu sh /packages/build.sh build ~/elsewhere '$(($(nproc) + 1))
    ;;
  build)
    build "$2" "$3"
    ;;
  suffix)
    suffix
    ;;
esac
