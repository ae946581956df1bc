# A shell for a person, on the fabric that lab.sh was given.
fabric /lab/fabric.net "$(cat /lab/nodes)"
cat <<TEXT

An InfiniBand fabric below this kernel: $(ls /sys/class/infiniband | wc -l) HCAs, heddle0 and on, are
nodes $(cat /lab/nodes) of the simulated fabric. Try

  ibstat                                  what the kernel sees
  heddle -B -f /tmp/heddle.log            brings the fabric up (or opensm -B)
  heddlectl status
  ibnetdiscover, saquery, iblinkinfo
  . /lab/functions.sh; host 1; host 2; ping_from 1 10.0.0.2
                                          IPoIB between two hosts
  echo 'Unlink "H1"' > /tmp/console       pulls a cable; its answer: /tmp/sim.out

exit ends the guest; so does Ctrl-A X.

TEXT
setsid -c sh -i < /dev/console > /dev/console 2>&1
