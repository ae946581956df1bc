# fabric: fat-tree --hosts 324 --radix 36
# More SMPs under way than the queues of QP 0 have places: 128 to send, 512 to receive.
fabric /lab/fabric.net H0,H200
echo "max_wire_smps 500" > /tmp/opensm.conf
manager heddle0 -F /tmp/opensm.conf
check "324 hosts come up with 500 SMPs under way" within 60 says heddle0 "SUBNET UP"
check "the last port is Active" within 5 is_active heddle1
check "all hosts are there" [ "$(ibnetdiscover -C heddle1 2> /dev/null | grep -c '^Ca')" -eq 324 ]
