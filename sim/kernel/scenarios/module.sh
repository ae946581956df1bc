# The module itself: loaded and unloaded, HCAs plugged and pulled under traffic, without a leak.
memory() { echo 3 > /proc/sys/vm/drop_caches; sed -n 's/^SUnreclaim: *\([0-9]*\) kB/\1/p' /proc/meminfo; }
cycles() { for i in $(seq 1 "$1"); do rmmod heddle_hca && insmod /lab/modules/heddle_hca.ko || return 1; done; }
check "loaded and unloaded 200 times" cycles 200
fabric /lab/fabric.net H0,H1,H2
manager heddle0
check "ports become Active" within 10 is_active heddle2
host 1 && host 2
check "ping" within 20 pings 1 2
check "it is not unloaded in use" not rmmod heddle_hca
ping_from 1 -c 100000 -i 0.002 10.0.0.2 > /tmp/ping.unplug &
ping=$!
unplug_and_plug() {
  sim hca pull H2
  within 20 not [ -e /sys/class/infiniband/heddle2 ] > /dev/null || return 1
  sim hca plug H2
  within 20 [ -e /dev/infiniband/umad2 ] > /dev/null
}
repeat() { for i in $(seq 1 "$1"); do unplug_and_plug || { echo "number $i"; return 1; }; done; }
repeat 20 > /dev/null
before=$(memory)
check "pulled and plugged $LAB_UNPLUGS times under traffic" repeat "$LAB_UNPLUGS"
after=$(memory)
check "no memory is lost ($before kB, then $after kB)" [ "$after" -lt $((before + before / 20 + 512)) ]
kill $ping
check "the traffic goes on" pings 1 2
kill -9 $manager_pid
sim quit
usleep 500000
check "HCAs leave with the simulator" within 40 hcas_are_gone
check "then it can be unloaded" within 5 rmmod heddle_hca
