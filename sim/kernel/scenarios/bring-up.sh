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
kill -9 $manager_pid
check "IsSM is cleared after kill -9" within 5 not is_sm heddle0
