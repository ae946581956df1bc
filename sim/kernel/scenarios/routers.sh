# Two subnets joined by two routers, a manager for each: what Linux does with paths from one to the other.
cat > /tmp/joined.net <<TEXT
Switch 4 "SA"
[1] "A0"[1]
[2] "A1"[1]
[3] "R0"[1]
[4] "R1"[1]

Switch 4 "SB"
[1] "B0"[1]
[2] "B1"[1]
[3] "R0"[2]
[4] "R1"[2]

Ca 1 "A0"
[1] "SA"[1]

Ca 1 "A1"
[1] "SA"[2]

Ca 1 "B0"
[1] "SB"[1]

Ca 1 "B1"
[1] "SB"[2]

Rt 2 "R0"
[1] "SA"[3]
[2] "SB"[3]

Rt 2 "R1"
[1] "SA"[4]
[2] "SB"[4]
TEXT
fabric /tmp/joined.net A0,A1,B0,B1
for subnet in 1 2; do printf 'subnet_prefix 0xfec000000000000%d\nread_router_tables TRUE\n' $subnet > /tmp/subnet$subnet.conf; done
manager heddle0 -F /tmp/subnet1.conf
first=$manager_pid
manager heddle2 -F /tmp/subnet2.conf
for n in 0 1 2 3; do check "heddle$n becomes Active" within 30 is_active heddle$n; done
gid() { cat "/sys/class/infiniband/$1/ports/1/gids/0"; }
has_prefix() { gid "$1" | grep -q "^fec0:0000:0000:000$2"; }
check "the GIDs of one subnet have its prefix" within 5 has_prefix heddle1 1
check "those of the other, too" within 5 has_prefix heddle3 2
a=$(gid heddle1) b=$(gid heddle3)
# The LIDs of both routers in a subnet, as the simulator has them: "3 4".
router_lids() { sim_answer routers | sed -n "s/^ *port $1: .*LID //p" | paste -sd ' ' -; }
path_has() { saquery -C "$1" --sgid-to-dgid "$2-$3" | tee /tmp/path | grep -q -i "hop_flow_raw.*0xFF$"; }
check "the SA there answers with a path across" within 10 path_has heddle1 "$a" "$b"
check "and here" within 10 path_has heddle3 "$b" "$a"

# The connection manager, with GIDs as addresses (AF_IB). cma_resolve_ib_addr() takes any DGID for a
# connection that is bound to its own port; for one that is not, cma_resolve_ib_dev() (cma.c) wants a
# port whose GID has the prefix of the DGID: there is none for another subnet. The path has a
# HopLimit above 0, so that ib_init_ah_attr_from_path() (sa_query.c) makes addresses with a GRH; REQ
# names no LIDs where the HopLimit is above 1 (cm_format_req(), cm.c), and the other side takes that
# of the router from the packet (cm_process_routed_req()).
connects() { connect_gids "$@" > /tmp/connect 2>&1; code=$?; cat /tmp/connect; return $code; }
connect_has() { grep -q -i -x -e "$1" /tmp/connect; }
one_of() { echo "\($(echo "$1" | sed 's/ /\\|/g')\)"; }
check "REQ, REP and RTU cross the router" within 20 connects "$a" "$b"
check "the path of the connection manager has a HopLimit" connect_has "path: DLID $(one_of "$(router_lids 1)"), hop limit 255, DGID fec0.*"
check "its side would send by a GRH to the router" connect_has "active side: DLID $(one_of "$(router_lids 1)"), hop limit 255, DGID fec0.*"
check "the other side, too, by the router there" connect_has "passive side: DLID $(one_of "$(router_lids 2)"), hop limit 255, DGID fec0.*"
used=$(sed -n 's/^path: DLID \([0-9]*\),.*/\1/p' /tmp/connect)
check "the other way round" within 20 connects "$b" "$a"
check "SIDR of a UD service, too" connects -d "$a" "$b"
check "datagrams would have a GRH" connect_has "datagrams: DLID $(one_of "$(router_lids 1)"), hop limit 255, DGID fec0.*"
nowhere=fec0:0:0:3::1
check "to a subnet where no router leads: no route" eval 'not connects -n "$a" $nowhere && connect_has "event 3, status -22"'
check "without a port of its own that has the prefix: no device" eval 'not connects -u "$a" $nowhere && connect_has ".*No such device"'

# IPoIB: ARP and neighbour discovery are multicast, which ends at the subnet, so that neighbours are
# entered by hand. The path to one is asked for by its GID (path_rec_start(), ipoib_main.c), and
# datagrams go with a GRH.
host 2 && host 4
address() { in_host "$1" /usr/bin/ip -o link show "$2" | sed -n 's/.*link\/infiniband \([^ ]*\) .*/\1/p'; }
knows() { in_host "$1" /usr/bin/ip neigh replace "10.0.0.$2" lladdr "$(address "$2" "ib$(($2 - 1))")" dev "ib$(($1 - 1))" nud permanent; }
check "no ARP across" not ping_from 2 -c 2 10.0.0.4
knows 2 4
knows 4 2
check "datagrams of IPoIB cross the router, there and back" within 20 pings 2 4
check "1,900 bytes" ping_from 2 -c 3 -s 1900 10.0.0.4
check "with such neighbours the connection manager resolves routes by IP address" in_host 2 resolve_routes 4 10.0.0.4
forwarded() { sim_answer routers | sed -n 's/.*forwarded \([0-9]*\) .*/\1/p' | paste -sd + - | sed 's/.*/$((&))/'; }
eval "before=$(forwarded)"
check "ten more" ping_from 2 -c 10 -i 0.2 10.0.0.4
eval "after=$(forwarded)"
check "and routers have forwarded them" [ "$after" -ge $((before + 20)) ]

# One process takes over from the two, and finds what they have left.
kill -9 $first $manager_pid
sim smps reset
printf 'subnet_prefix 0xfec0000000000001,0xfec0000000000002\nread_router_tables TRUE\n' > /tmp/both.conf
mkdir /tmp/cache.both
OSM_CACHE_DIR=/tmp/cache.both heddle -F /tmp/both.conf -g "$(port_guid heddle0),$(port_guid heddle2)" -f /tmp/both.log > /tmp/both.out 2>&1 &
check "one process for both subnets has the path" within 20 path_has heddle1 "$a" "$b"
check "and that back" within 20 path_has heddle3 "$b" "$a"
check "no forwarding table is written for it" not sim_says "LinearForwardingTable" smps
check "connections cross as before" connects "$b" "$a"
check "and IPoIB, which asks for its paths again after ClientReregister" within 10 pings 2 4

# A router loses its other side. A new connection asks for its path, and gets the other router's LID.
# One that is established keeps what it has; so does IPoIB until its interface comes up again, its
# port, LID or GID changes, or an SM sets ClientReregister (ipoib_event(), ipoib_verbs.c).
lost=$(router_lids 1 | tr ' ' '\n' | grep -n -x "$used" | cut -d : -f 1)
sim "Unlink \"R$((lost - 1))\"[2]"
has_moved() { path_has heddle1 "$a" "$b" && not grep -q "^[[:space:]]*dlid\.*$used$" /tmp/path; }
check "the path moves to the other router" within 10 has_moved
check "and a new connection takes it" eval 'connects "$a" "$b" && not connect_has "path: DLID $used,.*"'
check "IPoIB keeps the path that it has" not ping_from 2 -c 2 10.0.0.4
for n in 2 4; do
  in_host $n /usr/bin/ip link set "ib$((n - 1))" down
  in_host $n /usr/bin/ip link set "ib$((n - 1))" up
done
knows 2 4
knows 4 2
check "until its interface comes up again" within 20 pings 2 4
