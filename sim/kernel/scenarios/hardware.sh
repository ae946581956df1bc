# fabric: fat-tree --hosts 18 --radix 6
# heddlectl hardware-report through the kernel's ib_umad: beside a manager it only reads, and refuses
# to write; without one it tries all steps and takes them back.
fabric /lab/fabric.net H0,H1,H9 --adaptive-routing pfrn
cd /tmp || exit
as_expected() { # FILE: all answers are as expected, except for times, since the machine is emulated; steps that write are among them
  not sh -c "grep OTHERWISE '$1' | grep -v HW-RESPONSE-TIME" && grep -q 'HW-WRITE-ADAPTIVE: as expected' "$1" && grep -q 'HW-WRITE-SPEED: as expected' "$1" &&
    grep -q 'differ from before the steps: 0' "$1"
}
report() { # FILE [OPTION...]
  out=$1
  shift
  heddlectl hardware-report --guid "$(port_guid heddle1)" --yes "$@" "/tmp/$out.tar.gz" > "/tmp/$out.txt" 2> "/tmp/$out.err" || { cat "/tmp/$out.err"; return 1; }
}
check "all steps before any manager" report first --writes
check "answers as expected, all taken back" as_expected first.txt
manager heddle0
check "ports become Active" within 10 is_active heddle2
for n in 1 2 3; do host $n; done
check "ping" within 20 pings 2 3
check "reads beside the manager" report beside
check "refuses to write beside it" not report refused --writes
check "names the manager" grep -q "runs a subnet manager (Master)" refused.err
kill $manager_pid
wait $manager_pid
check "all steps after it, with Active links" report second --writes
check "answers as expected, all taken back" as_expected second.txt
check "links are Active again" is_active heddle2
check "ping without a manager" within 20 pings 2 3
: > /tmp/heddle0.log
manager heddle0
check "the manager is up" within 10 says heddle0 "SUBNET UP"
check "it writes no table" not says heddle0 "forwarding table block"
tar -xzf beside.tar.gz; cat heddle-hardware-*/fabric.rec > fabric.rec
check "the archive has a recording" grep -q "^end nodes=27 " fabric.rec
