# fabric: fat-tree --hosts 18 --radix 6
# A cable between switches is pulled during a ping at 10 a second. What is lost depends on the speed of
# the machine: not in every submission.
fabric /lab/fabric.net H0,H1,H9
manager heddle0
check "ports become Active" within 10 is_active heddle2
host 2 && host 3
check "ping" within 20 pings 2 3
ping_from 2 -c 60 -i 0.1 10.0.0.3 > /tmp/ping.cable &
ping=$!
usleep 2000000
cable=$(sim_answer walk H1 H9 | sed -n 's/^ *\("S1[^ ]*\) -> .*/\1/p' | head -1)
sim "Unlink $cable"
wait $ping
check "a cable pulled during a ping ($cable)" lost_at_most 5 /tmp/ping.cable
sim "ReLink $cable"
