# Two managers that share their state: hosts in a partition that the API made ping each other while
# either manager is killed, ended, suspended and restarted. Lost pings are counted, and printed.
fabric /lab/fabric.net H0,H1,H2,H3
echo "a secret for the managers of this laboratory" > /tmp/state.key
chmod 600 /tmp/state.key
for n in 0 1; do
  mkdir -p "/tmp/run.$n"
  cat > "/tmp/conf.$n" <<TEXT
sweep_interval 1
sminfo_polling_timeout 300
polling_retry_number 2
state_store peers
state_peers 127.0.0.1:935$((1 - n))
state_listen 127.0.0.1:935$n
state_store_key_file /tmp/state.key
TEXT
done
# start N: the manager at heddleN. Its process is kept in pid_N.
start() {
  export HEDDLE_RUN_DIR="/tmp/run.$1"
  manager "heddle$1" -F "/tmp/conf.$1" -p $((5 - $1))
  eval "pid_$1=$manager_pid"
}
at() { # N COMMAND...: heddlectl's manager is the one at heddleN
  number=$1
  shift
  HEDDLE_RUN_DIR="/tmp/run.$number" "$@"
}
master_is() { [ "$(sm_lid heddle2)" = "$(lid "heddle$1")" ]; }
count() { grep -c "$2" "/tmp/heddle$1.log"; }
said_again() { [ "$(count "$1" "$2")" -gt "$3" ]; }
has_key() { grep -q 0x8002 /sys/class/infiniband/"$1"/ports/1/pkeys/*; }
blue() { in_host 2 ping -W 1 -c 1 10.2.0.3; }
# begin_pings NAME: in the background, ten each second. check_pings TEXT NAME: ends them, counts and
# prints. With fewer than 50 nothing would be shown.
begin_pings() {
  /usr/bin/ip netns exec h2 ping -i 0.1 -W 1 10.2.0.3 > "/tmp/ping.$1" &
  ping=$!
}
few_are_lost() {
  kill -INT "$ping"
  wait "$ping"
  lost_at_most 3 "/tmp/ping.$1" && [ "$sent" -ge 50 ]
}
check_pings() {
  check "$1: at most 3 pings are lost" few_are_lost "$2"
  echo "lab: note $1: ${sent:-no} pings sent, $((${sent:-0} - ${back:-0})) lost"
}
# Each host has its keys, and pings go on.
unharmed() { has_key heddle2 && has_key heddle3 && blue; }

start 0
check "the first one is MASTER" within 15 says heddle0 "SUBNET UP"
start 1
check "the second one is STANDBY" within 15 says heddle1 "Entering STANDBY"
usleep 3000000
check "a partition is created by the API" at 0 heddlectl partition create 0x0002 --ipoib
for n in 2 3; do
  check "heddle$n is a member" at 0 heddlectl partition add 0x0002 "$(port_guid "heddle$n")"
  check "its port has the key" within 3 has_key "heddle$n"
  echo 0x8002 > "/sys/class/net/ib$n/create_child"
  /usr/bin/ip netns add "h$n"
  /usr/bin/ip link set "ib$n" up
  /usr/bin/ip link set "ib$n.8002" netns "h$n"
  in_host "$n" /usr/bin/ip addr add "10.2.0.$n/24" dev "ib$n.8002"
  in_host "$n" /usr/bin/ip link set "ib$n.8002" up
done
check "members reach each other" within 20 blue

begin_pings kill
kill -9 "$pid_0"
check "the standby takes over" within 10 master_is 1
usleep 5000000
check_pings "kill -9 of the master" kill
check "the keys are there" unharmed

before=$(count 0 "SUBNET UP")
begin_pings back
start 0
check "the first one is MASTER again" within 20 said_again 0 "SUBNET UP" "$before"
check "ports follow it" within 10 master_is 0
usleep 5000000
check_pings "its return" back
check "the keys are there after it" unharmed

begin_pings standby
kill -9 "$pid_1"
usleep 3000000
start 1
usleep 3000000
check_pings "kill -9 of the standby" standby
check "the keys are there after its restart" unharmed

begin_pings suspended
kill -STOP "$pid_0"
check "the standby takes over from a master that hangs" within 15 master_is 1
usleep 5000000
kill -CONT "$pid_0"
check "the first one gets the subnet back" within 20 master_is 0
usleep 5000000
check_pings "SIGSTOP and SIGCONT" suspended
check "the keys are there after that" unharmed

# A restart of each one in the order of an upgrade: the standby first, then the master. Both run the
# same program before and after it.
for n in 1 0; do
  begin_pings "restart$n"
  eval "kill \$pid_$n; wait \$pid_$n"
  usleep 3000000
  start "$n"
  check "heddle0 is MASTER after the restart of heddle$n" within 20 master_is 0
  usleep 5000000
  check_pings "restart of heddle$n" "restart$n"
  check "the keys are there after the restart of heddle$n" unharmed
done
