# fabric: fat-tree --hosts 324 --radix 36
# The kernel's RMPP on both sides, with loss; 1,000 path requests of a connection manager at once.
fabric /lab/fabric.net H0,H1,H200
manager heddle0
check "ports become Active" within 60 is_active heddle2
check "324 hosts by ibnetdiscover" [ "$(ibnetdiscover -C heddle1 2> /dev/null | grep -c '^Ca')" -eq 324 ]
check "all node records" [ "$(saquery -C heddle1 -t 20000 -N 2> /dev/null | grep -c 'NodeRecord dump')" -ge 342 ]
check "path records of all pairs" [ "$(saquery -C heddle1 -t 120000 -p 2> /dev/null | grep -c 'PathRecord dump')" -ge 104976 ]
host 1 && host 2 && host 3
check "ping" within 20 pings 2 3
check "1,000 path requests at once" in_host 2 resolve_routes 1000 10.0.0.3
check "1,000 from the manager's own host" in_host 1 resolve_routes 1000 10.0.0.3
sim quality all loss=1%
check "all node records with 1 % loss" [ "$(saquery -C heddle1 -t 30000 -N 2> /dev/null | grep -c 'NodeRecord dump')" -ge 342 ]
check "200 path requests with 1 % loss" in_host 2 resolve_routes 200 10.0.0.3 4000
sim quality all good
timeout 1 saquery -C heddle1 -t 60000 -p > /dev/null 2>&1
check "a client that aborts a transfer leaves the others alone" within 5 saquery -C heddle2 -s

# As an SR-IOV function does, the kernel asks at the well-known GID of the SA. No unicast packet gets
# a GRH here, as paths of physical ports have HopLimit 0, so that this host is not pinged.
sim hca pull H200
check "H200 is pulled" within 40 not [ -e /sys/class/infiniband/heddle2 ]
sim hca plug H200 grh
interface() { basename /sys/class/net/ib*; }  # the others are in namespaces of their own
check "it is back, and sends with a GRH" within 10 [ -e /sys/class/net/ib0 ]
host 4 "$(interface)"
check "path requests with a GRH" within 20 in_host 4 resolve_routes 50 10.0.0.2
