# fabric: fat-tree --hosts 64 --radix 16
# 60 hosts of one kernel join at once.
fabric /lab/fabric.net "$(seq 0 60 | sed 's/^/H/' | paste -sd , -)"
manager heddle0
check "ports become Active" within 30 is_active heddle60
for n in $(seq 1 60); do
  /usr/bin/ip addr add "10.1.0.$n/24" dev "ib$n"
done
for n in $(seq 1 60); do /usr/bin/ip link set "ib$n" up & done
has_joined() { for n in $(seq 1 60); do [ "$(cat "/sys/class/net/ib$n/carrier")" = 1 ] || { echo "ib$n"; return 1; }; done; }
check "60 hosts join within 10 s" within 10 has_joined
check "they are members of the broadcast group" [ "$(saquery -C heddle1 -m 2> /dev/null | grep -c PortGid)" -ge 60 ]
host 62 ib0
/usr/bin/ip netns exec h62 /usr/bin/ip addr add 10.1.0.200/24 dev ib0
check "one of them answers" within 10 in_host 62 ping -c 1 -W 1 10.1.0.60
