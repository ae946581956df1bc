# fabric: fat-tree --hosts 18 --radix 6
# IPoIB after a leaf's reboot, a host port that was down, and a manager that starts without caches.
fabric /lab/fabric.net H0,H1,H2,H9
manager heddle0
check "ports become Active" within 10 is_active heddle3
for n in 1 2 3 4; do host $n; done
check "ping" within 20 pings 2 4
leaf=$(sim_answer walk H1 H9 | sed -n 's/^ *"\(S1[^"]*\).*/\1/p' | head -1)
sim "reboot \"$leaf\""
usleep 3500000
check "hosts of a leaf that was rebooted" within 10 pings 2 4
sim 'Unlink "H9"[1]'
usleep 1000000
check "a port that is down does not answer" not pings 2 4
sim 'ReLink "H9"[1]'
check "it answers when it is up again" within 10 pings 2 4

kill -9 $manager_pid
usleep 500000
rm -rf /tmp/cache.heddle0
manager heddle0
usleep 5000000
for n in 1 2 3 4; do in_host $n /usr/bin/ip neigh flush all; done
ping_from 2 -c 20 -i 0.1 10.0.0.4 > /tmp/ping.again
check "nothing is lost 5 s after a start without caches" lost_at_most 0 /tmp/ping.again
check "IPv6 after it" within 5 in_host 3 ping6 -c 1 fd00::4
check "ib_ipoib joined again" [ "$(saquery -C heddle1 -m 2> /dev/null | grep -c PortGid)" -ge 4 ]
