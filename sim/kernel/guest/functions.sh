# What scenarios use, in the guest. A scenario is a list of commands and checks; each check prints a
# line that lab.sh on the host reads.

lab_checks=0
lab_failed=0

load_modules() {
  for module in configfs ib_core ib_cm iw_cm ib_umad ib_ipoib rdma_cm ib_uverbs rdma_ucm heddle_hca; do
    insmod "/lab/modules/$module.ko" || echo "lab: FAILED the module $module cannot be loaded"
  done
  udev_names
}

# The names that udev's rules give: /dev/infiniband/umad0. devtmpfs has them already where the
# kernel's own devnode functions do.
udev_names() {
  [ -d /dev/infiniband ] || mkdir -p /dev/infiniband
}

# now: milliseconds of this guest's clock.
now() {
  read -r up idle < /proc/uptime
  echo $((${up%.*} * 1000 + 1${up#*.} * 10 - 1000))
}

# check TEXT COMMAND...: the command has to succeed.
check() {
  what=$1
  shift
  lab_checks=$((lab_checks + 1))
  if "$@" > /tmp/check.out 2>&1; then
    echo "lab: ok $what"
  else
    lab_failed=$((lab_failed + 1))
    echo "lab: FAILED $what"
    tail -n 15 /tmp/check.out | sed 's/^/lab:     /'
  fi
}

# within SECONDS COMMAND...: repeats the command until it succeeds.
within() {
  end=$(($(now) + $1 * 1000))
  shift
  until "$@" > /tmp/within.out 2>&1; do
    if [ "$(now)" -ge "$end" ]; then
      cat /tmp/within.out
      return 1
    fi
    usleep 50000
  done
  cat /tmp/within.out
}

not() { ! "$@"; }

# fabric FILE NODES [OPTION...]: heddle-sim with these nodes as HCAs of this guest. They are
# heddle0, heddle1... in this order, and so are ib0, ib1...
fabric() {
  file=$1 nodes=$2
  shift 2
  mkfifo /tmp/console
  heddle-sim -s -f /tmp/sim.out --kernel "$nodes" "$@" "$file" < /tmp/console > /tmp/sim.log 2>&1 &
  exec 9> /tmp/console
  count=$(($(echo "$nodes" | tr -cd , | wc -c) + 1))
  within 30 hcas_are "$count" > /tmp/fabric.out 2>&1 || {
    echo "lab: FAILED the HCAs do not appear"
    cat /tmp/sim.log /tmp/fabric.out
  }
}
hcas_are_gone() { [ -z "$(ls /sys/class/infiniband)" ]; }
hcas_are() { [ "$(ls /sys/class/infiniband | wc -l)" -eq "$1" ] && [ -e "/dev/infiniband/umad$(($1 - 1))" ]; }

# sim COMMAND...: a line for the simulator's console.
sim() { echo "$*" >&9; }
# sim_answer COMMAND...: the same, and prints the console's answer.
sim_answer() {
  before=$(wc -c < /tmp/sim.out)
  sim "$@"
  usleep 200000
  tail -c +$((before + 1)) /tmp/sim.out
}
# sim_says TEXT COMMAND...: true if the console's answer has the text.
sim_says() {
  text=$1
  shift
  sim_answer "$@" | tee /tmp/sim.said | grep -q -e "$text" || {
    cat /tmp/sim.said
    return 1
  }
}

# manager HCA [OPTION...]: heddle on port 1 of that HCA, its log in /tmp/HCA.log. Sets manager_pid.
manager() {
  on=$1
  shift
  mkdir -p "/tmp/cache.$on"
  OSM_CACHE_DIR="/tmp/cache.$on" heddle -g "$(port_guid "$on")" -f "/tmp/$on.log" "$@" > "/tmp/$on.out" 2>&1 &
  manager_pid=$!
}
port_guid() {
  gid=$(cat "/sys/class/infiniband/$1/ports/${2:-1}/gids/0")
  echo "0x$(echo "$gid" | cut -d: -f5- | tr -d :)"
}
state() { cut -d' ' -f2 "/sys/class/infiniband/$1/ports/${2:-1}/state"; }
is_active() { [ "$(state "$1" "${2:-1}")" = ACTIVE ]; }
lid() { cat "/sys/class/infiniband/$1/ports/${2:-1}/lid"; }
sm_lid() { cat "/sys/class/infiniband/$1/ports/${2:-1}/sm_lid"; }
is_sm() { [ $(($(cat "/sys/class/infiniband/$1/ports/1/cap_mask") & 2)) -ne 0 ]; }
says() { grep -q -e "$2" "/tmp/$1.log"; }

# The interface of an HCA in a network namespace of its own: host N, at 10.0.0.N and fd00::N.
host() {
  number=$1
  device=${2:-ib$(($1 - 1))}
  /usr/bin/ip netns add "h$number"
  /usr/bin/ip link set "$device" netns "h$number"
  in_host "$number" /usr/bin/ip link set lo up
  in_host "$number" /usr/bin/ip addr add "10.0.0.$number/24" dev "$device"
  in_host "$number" /usr/bin/ip addr add "fd00::$number/64" dev "$device" nodad
  in_host "$number" /usr/bin/ip link set "$device" up
}
in_host() {
  in=$1
  shift
  /usr/bin/ip netns exec "h$in" "$@"
}
ping_from() {
  from=$1
  shift
  in_host "$from" ping -W 1 "$@"
}
pings() { ping_from "$1" -c 1 "10.0.0.$2"; }
# lost N: of the ping whose output is in this file.
lost_at_most() {
  sent=$(sed -n 's/^\([0-9]*\) packets transmitted.*/\1/p' "$2")
  back=$(sed -n 's/.* \([0-9]*\) packets received.*/\1/p' "$2")
  echo "$sent sent, $back came back"
  [ -n "$sent" ] && [ "$sent" -gt 0 ] && [ $((sent - back)) -le "$1" ]
}

# The kernel's log has no oops, warning or hung task.
kernel_is_well() {
  not grep -E "BUG:|Oops|WARNING:|Call Trace|blocked for more than|general protection" /tmp/dmesg
}
lab_end() {
  dmesg > /tmp/dmesg
  check "the kernel reports nothing wrong" kernel_is_well
  echo "lab: end $lab_checks $lab_failed"
  sync
}
