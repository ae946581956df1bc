# fabric: fat-tree --hosts 18 --radix 6
# IPoIB over switches that choose a port for each packet (adaptive routing), and that go on without
# the manager when one of their ports is down.
fabric /lab/fabric.net H0,H1,H9 --adaptive-routing pfrn
# IPoIB's datagrams are UD, which have to be asked for: order is lost.
printf 'routing_engine ar_updn\nar_transport_mask 0xB\n' > /tmp/adaptive.conf
manager heddle0 -F /tmp/adaptive.conf
check "ports become Active" within 10 is_active heddle2
for n in 1 2 3; do host $n; done
check "ping" within 20 pings 2 3
check "all choices of switches are delivered" within 10 sim_says "all choices are delivered" choices H1 H9
check "IPv6 neighbour discovery" within 10 in_host 2 ping6 -c 1 fd00::3
check "switches choose" sim_says "E 1" adaptive S1-0

# Without the manager: the leaf's other ports take the packets up, and its neighbours learn that the
# spine has no path down any more.
kill -STOP $manager_pid
sim "Unlink $(sim_answer walk H1 H9 | sed -n 's/^ *\("S1-[0-9]*"\[[0-9]*\]\) -> "S2.*/\1/p')"
ping_from 2 -c 20 -i 0.1 10.0.0.3 > /tmp/ping.without
check "packets go on before the manager has done anything" lost_at_most 0 /tmp/ping.without
kill -CONT $manager_pid
check "the manager has seen the loss" within 10 says heddle0 "SM-LINK-LOST"
check "all choices are delivered again" within 10 sim_says "all choices are delivered" choices H1 H9
check "ping after it" pings 2 3
