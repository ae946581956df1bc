# fabric: fat-tree --hosts 18 --radix 6
# IPoIB of the kernel over the tables that Heddle writes.
fabric /lab/fabric.net H0,H1,H2,H9
manager heddle0
check "ports become Active" within 10 is_active heddle3
for n in 1 2 3 4; do host $n; done
check "ping" within 20 pings 2 4
check "ping of 1,900 bytes" ping_from 2 -c 3 -s 1900 10.0.0.4
check "IPv6 neighbour discovery" within 10 in_host 2 ping6 -c 1 fd00::4
check "all hosts reach all" sh -c '. /lab/functions.sh; for a in 1 2 3 4; do for b in 1 2 3 4; do within 5 pings $a $b || exit 1; done; done'
