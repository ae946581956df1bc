# A manager on umad0 and issm0 of the kernel brings the fabric up; IsSM follows who holds issm.
fabric /lab/fabric.net H0,H1,H2
check "ports wait in Init" [ "$(state heddle0)" = INIT ]
manager heddle0
check "the manager's port becomes Active" within 10 is_active heddle0
check "other ports become Active" within 10 is_active heddle2
check "the manager says SUBNET UP" within 10 says heddle0 "SUBNET UP"
check "IsSM is set" is_sm heddle0
check "saquery by the kernel's umad" within 10 saquery -C heddle1 -s
check "ibnetdiscover sees all nodes" [ "$(ibnetdiscover -C heddle1 2> /dev/null | grep -c '^Ca')" -eq "$(grep -c '^Ca' /lab/fabric.net)" ]
check "IsSM is not set where nobody holds issm" not is_sm heddle1

# issm is exclusive: an open waits until the holder has closed it, or fails if it must not wait.
sh -c 'exec 3<> /dev/infiniband/issm0; echo held > /tmp/held; exec sleep 60' &
waits=$!
usleep 500000
check "a second open of issm waits" not [ -e /tmp/held ]
kill -9 $manager_pid
check "it gets issm after kill -9 of the manager" within 5 [ -e /tmp/held ]
check "IsSM is set by who has it now" is_sm heddle0
rm -f /tmp/heddle0.log
manager heddle0
check "a manager beside another holder of issm ends, and says why" within 10 says heddle0 "issm0 is held by another process"
wait $manager_pid
check "its exit code is not 0" [ $? -ne 0 ]
kill $waits
manager heddle0
check "it runs once issm is free" within 10 says heddle0 "SUBNET UP"
kill -9 $manager_pid
check "IsSM is cleared after kill -9" within 5 not is_sm heddle0
