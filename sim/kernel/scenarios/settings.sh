# fabric: fat-tree --hosts 18 --radix 6
# LMC 2, another subnet prefix, groups of 4 KB MTU, one group for all solicited-node addresses of IPv6.
fabric /lab/fabric.net H0,H1,H9
cat > /tmp/opensm.conf <<TEXT
lmc 2
subnet_prefix 0xfe80000000000123
consolidate_ipv6_snm_req TRUE
TEXT
echo 'Default=0x7fff, ipoib, mtu=5 : ALL=full ;' > /tmp/partitions.conf
manager heddle0 -F /tmp/opensm.conf -P /tmp/partitions.conf
check "ports become Active" within 10 is_active heddle2
check "LMC 2" [ "$(($(cat /sys/class/infiniband/heddle2/ports/1/lid_mask_count)))" -eq 2 ]
check "the subnet prefix" grep -q '^fe80:0000:0000:0123' /sys/class/infiniband/heddle2/ports/1/gids/0
for n in 1 2 3; do host $n; done
check "ping" within 20 pings 2 3
check "the interface has the group's MTU" [ "$(in_host 2 cat /sys/class/net/ib1/mtu)" -eq 4092 ]
check "ping of 4,000 bytes" ping_from 2 -c 3 -s 4000 10.0.0.3
check "IPv6 neighbour discovery" within 10 in_host 2 ping6 -c 1 fd00::3
