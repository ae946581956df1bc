# fabric: fat-tree --hosts 18 --radix 6
# module: opa_vnic
# Ethernet over the fabric by the kernel's own driver opa_vnic, which heddle-vnic configures: two
# switches, red (heddle1, heddle2) and blue (heddle2, heddle3), all with addresses of one network.
for module in opa_vnic llc stp garp mrp 8021q; do insmod "/lab/modules/$module.ko"; done
fabric /lab/fabric.net H9
manager heddle0
for node in H0 H1 H2; do sim hca plug $node ethernet; done
check "HCAs with Ethernet appear" within 30 hcas_are 4
check "ports become Active" within 20 is_active heddle3
vesw() { printf '  - name: %s\n    id: %d\n    members: [%s, %s]\n' "$1" "$2" "$(port_guid "$3")" "$(port_guid "$4")"; }
{
  printf 'port_guid: %s\ninterval: 3\nswitches:\n' "$(port_guid heddle1)"
  vesw red 1 heddle1 heddle2
  cat <<TEXT
    priorities:
      unicast: {sc: [3, 3, 3, 3, 3, 3, 3, 3], untagged_sc: 2}
TEXT
} > /tmp/vnic.red
{ cat /tmp/vnic.red; vesw blue 2 heddle2 heddle3; } > /tmp/vnic.yaml
ethernet_manager() {
  heddle-vnic -c /tmp/vnic.yaml -f /tmp/vnic.log --state-dir /tmp/vnic > /tmp/vnic.out 2>&1 &
  vnic_pid=$!
}
shows() { heddle-vnic --status | tee /tmp/vnic.status | grep -q -e "$1"; }
counts() { heddle-vnic --metrics | tee /tmp/vnic.metrics | grep -q -x -e "heddle_vnic_$1"; }
# The interface of an HCA on a switch, by the base MAC address that its LID gives.
base_mac() { printf '02:00:%02x:%02x:%02x:00' "$2" $(($(lid "$1") & 255)) $(($(lid "$1") >> 8)); }
interface() {
  for file in /sys/class/net/veth*/address; do
    [ "$(cat "$file")" != "$(base_mac "$1" "$2")" ] || basename "$(dirname "$file")"
  done
}
exists() { [ -n "$(interface "$1" "$2")" ]; }
ethernet_manager
check "the driver creates an interface" within 20 exists heddle1 1
check "on each port of each switch" within 20 eval 'exists heddle2 1 && exists heddle2 2 && exists heddle3 2'
check "none where a port is no member" not exists heddle1 2
check "the tables are complete" within 20 counts 'switch_forwarding{switch="blue"} 2'
host 1 "$(interface heddle1 1)"
host 2 "$(interface heddle2 1)"
host 3 "$(interface heddle2 2)"
host 4 "$(interface heddle3 2)"
check "ping within red, over the group's multicast LID and the MAC tables" within 20 pings 1 2
check "ping within blue" within 20 pings 3 4
check "none across" not ping_from 1 -c 3 10.0.0.4
check "none across on one host" not ping_from 2 -c 3 10.0.0.3
check "1,400 bytes" ping_from 1 -c 3 -s 1400 10.0.0.2
check "IPv6 neighbour discovery" within 10 in_host 2 ping6 -c 1 fd00::1

# Another MAC address of an interface: its octets are no LID, so that only a table leads to it.
red2=$(in_host 2 ls /sys/class/net | grep veth)
in_host 2 /usr/bin/ip link set "$red2" address 06:11:22:33:44:55
in_host 1 /usr/bin/ip neigh flush all
check "trap 1 brings a new MAC address into the tables" within 10 pings 1 2
check "heddle-vnic shows it" within 5 shows 06:11:22:33:44:55

# The SC of frames is that of the switch; this fabric counts it as SL. The driver does not see the
# priority of a virtual LAN in the header of a frame: opa_vnic_get_sc() calls __vlan_get_tag(), which
# reads at skb->data, where opa_vnic_encap_skb() has put the header of Omni-Path by then. So frames
# with a tag get the SC of those without.
sent_on_sl() { perfquery -G "$(port_guid heddle1)" 1 --xmtsl | sed -n "s/^XmtDataSL$1:\.*//p"; }
before=$(sent_on_sl 2)
ping_from 1 -c 3 10.0.0.2 > /tmp/ping.sc
check "frames have the SC that the switch gives them" [ "$(sent_on_sl 2)" -gt "$before" ]
virtual_lan() {  # HOST INTERFACE
  in_host "$1" /usr/bin/ip link add link "$2" name lan5 type vlan id 5 egress-qos-map 0:5
  in_host "$1" /usr/bin/ip addr add "10.5.0.$1/24" dev lan5
  in_host "$1" /usr/bin/ip link set lan5 up
}
virtual_lan 1 "$(in_host 1 ls /sys/class/net | grep veth)"
virtual_lan 2 "$red2"
check "a virtual LAN with a priority" within 10 ping_from 1 -c 3 10.5.0.2

# A restart of the manager: frames are forwarded without it, and it changes nothing.
ping_from 1 -c 60 -i 0.1 10.0.0.2 > /tmp/ping.restart &
ping=$!
usleep 1000000
kill -9 $vnic_pid
ethernet_manager
check "a killed manager finds what it has made" within 20 counts 'switch_forwarding{switch="red"} 2'
check "and sets nothing" counts 'sets_total 0'
wait $ping
check "a ping meanwhile loses nothing" lost_at_most 0 /tmp/ping.restart

# A node that restarts.
sim hca pull H2
check "the HCA is gone" within 20 hcas_are 3
sim hca plug H2 ethernet
check "its interface is created again" within 40 exists heddle3 2
/usr/bin/ip netns del h4
host 4 "$(interface heddle3 2)"
check "and reaches the others" within 20 pings 3 4

# A switch that the configuration has no more.
cp /tmp/vnic.red /tmp/vnic.yaml
kill -HUP $vnic_pid
check "a removed switch is deleted at its ports" within 20 grep -q "VNIC 2 of .*: removed" /tmp/vnic.log
check "its frames end" within 10 not pings 3 4
check "those of the other go on" pings 1 2
check "no condition is raised" not shows SM-VNIC
