# fabric: fat-tree --hosts 18 --radix 6
# Loss, slow devices, a manager's HCA that is pulled out, ports without QP 0.
fabric /lab/fabric.net H0,H1,H9
sim quality all loss=5%
sim slow H5 300ms
sim slow H9 300ms
manager heddle0
check "with 5 % loss and slow devices all ports become Active" within 30 is_active heddle2
check "slow hosts, too" within 30 sim_says "delivered" walk H0 H5
sim quality all good
sim heal H5
sim heal H9
host 2 && host 3
check "ping" within 20 pings 2 3
sim hca pull H0
check "the manager notices that its HCA is gone" within 10 says heddle0 "gone\|no longer\|lost"
check "others go on" pings 2 3
sim hca plug H0
check "it comes back" within 10 is_active heddle0
check "the manager manages again" within 20 sim_says "master of" sm
sim 'Unlink "H1"[1]'
usleep 1500000
sim 'ReLink "H1"[1]'
check "after it, a port that was down becomes Active" within 10 is_active heddle1
check "and is used" within 10 pings 2 3
kill -9 $manager_pid
sim hca pull H9
# ib_sa repeats the leaving of groups four times, 3 s each, while no manager answers.
check "H9 is gone" within 40 not [ -e /sys/class/infiniband/heddle2 ]
sim hca plug H9 no-qp0
check "H9 is back without QP 0" within 10 [ -e /sys/class/infiniband/heddle2 ]
manager heddle2
check "a port without QP 0 is named as one" within 5 grep -q "QP 0\|QP0\|SMI" /tmp/heddle2.log /tmp/heddle2.out
