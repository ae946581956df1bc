# fabric-file: tests/data/real/ndr-542.net.gz
# Four hosts of a fabric as a site has it: 542 hosts, a CA inside of each of 40 switches.
fabric /lab/fabric.net H-0002c9f000009b78,H-0002c9f00000a2bc,H-0002c9f0000008d8,H-0002c9f00002e0f6
manager heddle0 -R auto
check "ports become Active" within 60 is_active heddle3
check "auto takes the engine for fat trees" within 20 says heddle0 "a fat tree of 2 levels"
for n in 1 2 3 4; do host $n; done
check "all hosts reach all" sh -c '. /lab/functions.sh; for a in 1 2 3 4; do for b in 1 2 3 4; do within 20 pings $a $b || exit 1; done; done'
ping_from 2 -c 200 -i 0.1 10.0.0.4 > /tmp/ping.spine &
ping=$!
usleep 2000000
spine=$(sim_answer walk '"H-0002c9f00000a2bc"' '"H-0002c9f00002e0f6"' | grep -o '"S-[^"]*"' | uniq | sed -n 2p)
sim "Unlink $spine"
usleep 6000000
sim "ReLink $spine"
wait $ping
check "a spine lost during a ping, and back ($spine)" lost_at_most 30 /tmp/ping.spine
check "all hosts reach all after it" sh -c '. /lab/functions.sh; for a in 1 2 3 4; do for b in 1 2 3 4; do within 20 pings $a $b || exit 1; done; done'
