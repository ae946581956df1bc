# Two ports of one HCA in two subnets, one process for both; the network namespaces of RDMA devices
# exclusive.
cat > /tmp/two.net <<TEXT
Switch 8 "SA"
[1] "D"[1]
[2] "A"[1]

Switch 8 "SB"
[1] "D"[2]
[2] "B"[1]

Ca 2 "D"
[1] "SA"[1]
[2] "SB"[1]

Ca 1 "A"
[1] "SA"[2]

Ca 1 "B"
[1] "SB"[2]
TEXT
fabric /tmp/two.net D,A,B
heddle -g "$(port_guid heddle0 1),$(port_guid heddle0 2)" -f /tmp/heddle0.log > /tmp/heddle0.out 2>&1 &
manager_pid=$!
check "the first port becomes Active" within 15 is_active heddle0 1
check "the second port becomes Active" within 15 is_active heddle0 2
check "the host of the first subnet" within 5 is_active heddle1
check "the host of the second subnet" within 5 is_active heddle2
check "each subnet has its own queries" saquery -C heddle1 -s
check "and the other" saquery -C heddle2 -s
/usr/bin/ip addr add 10.3.0.1/24 dev ib0
/usr/bin/ip link set ib0 up
host 3 ib2
in_host 3 /usr/bin/ip addr add 10.3.0.3/24 dev ib2
check "IPoIB in the first" within 20 ping -c 1 -W 1 10.3.0.3
kill -9 $manager_pid

# `rdma system` exclusive: a device is in one namespace, and umad of another one cannot be opened.
/usr/bin/ip netns add other
for device in ib0 ib1; do /usr/bin/ip link set "$device" down; done
in_host 3 /usr/bin/ip link set ib2 down
in_host 3 /usr/bin/ip link set ib2 netns 1
/usr/bin/ip netns del h3
/usr/bin/ip netns del other
check "exclusive namespaces" within 5 rdma system set netns exclusive
/usr/bin/ip netns add other
rm -f /tmp/heddle0.log
/usr/bin/ip netns exec other /opt/heddle/heddle -g "$(port_guid heddle0 1)" -f /tmp/heddle0.log > /tmp/heddle0.out 2>&1
check "a manager in another namespace ends" [ $? -ne 0 ]
check "and says that namespaces are the reason" grep -q -i "namespace" /tmp/heddle0.log /tmp/heddle0.out
manager heddle0
check "it runs in the device's own" within 10 is_active heddle0
