# Two managers, then OpenSM as one of them: election, takeover, handover, as the kernel's ports see
# them.
master_is() { [ "$(sm_lid heddle2)" = "$(lid "$1")" ]; }
fabric /lab/fabric.net H0,H1,H2
manager heddle0 -p 5 && first=$manager_pid
check "the first one is MASTER" within 15 says heddle0 "SUBNET UP"
manager heddle1 -p 3 && second=$manager_pid
check "the second one is STANDBY" within 15 says heddle1 "Entering STANDBY"
check "ports follow the first" within 5 master_is heddle0
kill -9 $first
check "the standby takes over within 3 s" within 3 master_is heddle1
check "clients find it" within 5 saquery -C heddle2 -s
manager heddle0 -p 5 && first=$manager_pid
check "the first one gets the subnet back by handover" within 15 master_is heddle0
check "the second one is STANDBY again" [ "$(grep -c 'Entering STANDBY' /tmp/heddle1.log)" -eq 2 ]
kill -9 $first $second
usleep 500000
rm -f /tmp/heddle0.log
opensm -g "$(port_guid heddle1)" -p 14 -f /tmp/opensm.log > /tmp/opensm.out 2>&1 &
other=$!
check "OpenSM is MASTER" within 15 master_is heddle1
manager heddle0 -p 5
check "Heddle is STANDBY beside it" within 20 says heddle0 "Entering STANDBY"
kill -9 $other
check "Heddle takes over from OpenSM within 3 s" within 3 master_is heddle0
check "IsSM is set on one port" [ "$(is_sm heddle0 && echo 1)$(is_sm heddle1 && echo 1)" = 1 ]
