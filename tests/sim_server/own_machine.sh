# shellcheck shell=bash
# For scripts that test whole daemons: sourced, not run. bash.
#
#   own_machine BIN SCRIPT ARGUMENTS...   the first line of SCRIPT: it goes on in namespaces of its own (processes, /run, /var/log, /var/cache), in an
#                                         empty directory `work`, with BIN in PATH. Exit code 77: no namespaces can be made here.
own_machine() {
  local bin=$1
  shift
  if [ -z "${HEDDLE_OWN_MACHINE:-}" ]; then
    local user=() namespaces status=0
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    [ "$(id -u)" -eq 0 ] || user=(--user --map-root-user)
    namespaces=(unshare "${user[@]}" --mount --pid --fork --kill-child --mount-proc)
    "${namespaces[@]}" sh -c 'mount -t tmpfs none /run' 2> "$work/err" || { echo "no namespaces here: $(cat "$work/err")" >&2; exit 77; }
    IBSIM_SOCKNAME="heddle-test-$$" HEDDLE_OWN_MACHINE=$work "${namespaces[@]}" bash "$@" || status=$?
    exit "$status"
  fi
  work=$HEDDLE_OWN_MACHINE
  unset HEDDLE_OWN_MACHINE
  for directory in /run /var/log /var/cache; do mount -t tmpfs none "$directory"; done
  mkdir /var/cache/opensm
  cd "$work" || exit
  export HOME=$work PATH="$bin:$PATH"
}

failures=0
check() { # WHAT COMMAND...
  local what=$1
  shift
  if "$@"; then return; fi
  failures=$((failures + 1))
  echo "FAILED: $what: $*"
}
not() { ! "$@"; }
within() { # SECONDS COMMAND...: it succeeds in that time, or in three times as long where the machine is busy
  local tries=$(($1 * 60))
  shift
  while [ "$tries" -gt 0 ]; do
    if "$@" > /dev/null 2>&1; then return 0; fi
    tries=$((tries - 1))
    sleep 0.05
  done
  return 1
}
is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }
concluded() { # FILE...: what helps to understand a failure
  [ "$failures" -eq 0 ] || { echo "$failures failed"; tail -n 20 "$@"; exit 1; }
  echo "all as expected"
}

# A TCP port that nothing listens on. (The process number is 1 in a namespace, and no random number.)
free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# A fabric of one switch, leaf-1, with the hosts node-1 and node-2, for heddle-sim.
two_hosts() {
  cat <<'NET'
switchguid=0x2c90000000100
Switch 4 "leaf-1"
[1] "node-1"[1]
[2] "node-2"[1]

caguid=0x2c90000000000
Ca 1 "node-1"
[1] "leaf-1"[1]

caguid=0x2c90000000010
Ca 1 "node-2"
[1] "leaf-1"[2]
NET
}
