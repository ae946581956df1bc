# Partitions: child interfaces, limited and full members, enforcement, changes by /v1 while a ping
# runs, a full P_Key table.
fabric /lab/fabric.net H0,H1,H2,H3,H4
guid() { port_guid "heddle$1"; }
cat > /tmp/partitions.conf <<TEXT
Default=0x7fff, ipoib : ALL=full, SELF=full ;
blue=0x0001, ipoib : $(guid 1)=full, $(guid 2)=limited, $(guid 3)=limited ;
TEXT
cat > /tmp/opensm.conf <<TEXT
http_listen 127.0.0.1:8080
TEXT
manager heddle0 -P /tmp/partitions.conf
check "ports become Active" within 10 is_active heddle4
for n in 1 2 3; do
  /usr/bin/ip netns add "h$n"
  echo 0x8001 > /sys/class/net/ib$n/create_child
  /usr/bin/ip link set "ib$n" up
  host_child() { :; }
done
for n in 1 2 3; do
  check "child interface ib$n.8001" [ -e "/sys/class/net/ib$n.8001" ]
  /usr/bin/ip link set "ib$n.8001" netns "h$n"
  in_host $n /usr/bin/ip addr add "10.2.0.$n/24" dev "ib$n.8001"
  in_host $n /usr/bin/ip link set "ib$n.8001" up
done
blue() { in_host "$1" ping -c 1 -W 1 "10.2.0.$2"; }
check "a full and a limited member" within 20 blue 2 1
check "the other way" within 10 blue 1 3
check "two limited members do not reach each other" not blue 2 3
# Without ARP, counted at the receiver.
echos() { in_host "$1" awk '/^Icmp: [0-9]/ { print $10 }' /proc/net/snmp; }
in_host 2 /usr/bin/ip neigh replace 10.2.0.3 lladdr "$(in_host 3 cat /sys/class/net/ib3.8001/address)" dev ib2.8001 nud permanent
before=$(echos 3)
blue 2 3 > /dev/null
check "no packet of one limited member gets to the other" [ "$(echos 3)" = "$before" ]
blue 1 3 > /dev/null
check "packets of a full member do" [ "$(echos 3)" -gt "$before" ]
check "a host outside of the partition has no such key" not grep -q 0x8001 /sys/class/infiniband/heddle4/ports/1/pkeys/*

in_host 2 ping -c 40 -i 0.1 -W 1 10.2.0.1 > /tmp/ping.api &
ping=$!
usleep 500000
check "a partition is created by the API" heddlectl partition create 0x0002
check "a membership is given by the API" heddlectl partition add 0x0002 "$(guid 4)"
check "the port has it within 3 s" within 3 grep -q 0x8002 /sys/class/infiniband/heddle4/ports/1/pkeys/1 /sys/class/infiniband/heddle4/ports/1/pkeys/2
check "and taken" heddlectl partition remove 0x0002 "$(guid 4)"
check "the port has lost it" within 3 not grep -q 0x8002 /sys/class/infiniband/heddle4/ports/1/pkeys/1
wait $ping
check "a ping of others loses nothing" lost_at_most 0 /tmp/ping.api

# More keys than a port's table has places: what fits is written, the rest is named.
for key in $(seq 16 180); do echo "p$key=$key : $(guid 4)=full ;"; done >> /tmp/partitions.conf
kill -HUP $manager_pid
check "a full table is named" within 10 says heddle0 "SM-PKEY-TABLE-FULL"
check "the default partition stays in it" grep -q 0xffff /sys/class/infiniband/heddle4/ports/1/pkeys/0
check "the last place is used" within 5 not grep -q 0x0000 /sys/class/infiniband/heddle4/ports/1/pkeys/127
check "others still reach each other" blue 2 1
