# Programs of the rdma world that need MADs only.
fabric /lab/fabric.net H0,H1,H2
manager heddle0
check "ports become Active" within 10 is_active heddle2
check "ibstat" ibstat heddle1
check "iblinkinfo" iblinkinfo -C heddle1
check "smpquery portinfo" smpquery -C heddle1 portinfo "$(($(lid heddle2)))" 1
check "smpquery by directed route" smpquery -C heddle1 -D nodeinfo 0,1
check "sminfo" sminfo -C heddle1
check "perfquery of another host" perfquery -C heddle1 "$(($(lid heddle2)))" 1
check "perfquery of the own port" perfquery -C heddle1
check "port counters of sysfs" cat /sys/class/infiniband/heddle1/ports/1/counters/port_rcv_data
ibping -C heddle2 -S > /dev/null 2>&1 &
usleep 300000
check "ibping" ibping -C heddle1 -c 5 "$(($(lid heddle2)))"
srp_daemon -o -c -d /dev/infiniband/umad1 > /tmp/srp.out 2>&1
check "srp_daemon's queries are answered" not grep -i -E "error|fail|timed out" /tmp/srp.out
check "the description by sysfs" sh -c 'echo "new name" > /sys/class/infiniband/heddle1/node_desc'
check "reaches the manager" within 5 says heddle0 "new name"
