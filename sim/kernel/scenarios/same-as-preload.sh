# umad of the kernel, property by property: tests/kernel/same-as-preload.txt has what it prints. The
# test preload_as_kernel compares the preload library on the host with the same file.
fabric /lab/fabric.net H0,H1,H2
manager heddle0 -l 1
check "ports become Active" within 20 is_active heddle2
umad_behaviour heddle1 heddle2 > /tmp/printed
check "umad_behaviour ends well" [ $? -eq 0 ]
umad_behaviour pulled heddle2 > /tmp/pulled &
pulled_pid=$!
check "it has opened the device" within 10 grep -q waits /tmp/pulled
sim hca pull H2
wait $pulled_pid
check "a device that is pulled out does not hold up the program" [ $? -eq 0 ]
grep -v waits /tmp/pulled >> /tmp/printed
sed 's/^/lab: note /' /tmp/printed
check "the kernel's umad is as expected.txt says" diff /lab/expected.txt /tmp/printed
