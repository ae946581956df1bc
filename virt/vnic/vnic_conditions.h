#pragma once
// Conditions of virtual Ethernet switches.

#include "fabric/condition.h"

namespace vnic {

struct VnicConditions : fabric::ConditionSet {
  fabric::ConditionRow vnic_agent_silent{
      {*this, "SM-VNIC-AGENT-SILENT", warning,
       "The Ethernet management agent of a port of a virtual Ethernet switch does not answer.",
       "The host is down or restarting, its driver opa_vnic is not loaded, or the port has no LID.",
       "Its VNICs stay as they are, and frames still go to its LID. It is queried at every pass.",
       "Check the host, and load opa_vnic there; or take the port off the members of the switch."}};
  fabric::ConditionRow vnic_agent_refused{
      {*this, "SM-VNIC-REFUSED", error,
       "An Ethernet management agent refuses a request of heddle-vnic.",
       "The driver has no memory for a further VNIC, or it does not know the attribute.",
       "The VNIC that the message names lacks what was refused; it is tried again at every pass.",
       "Look at the log of the host's kernel."}};
  fabric::ConditionRow vnic_member_missing{
      {*this, "SM-VNIC-MEMBER-MISSING", warning,
       "The configuration of a virtual Ethernet switch names a port that is not in the fabric.",
       "The host is down, or the PortGUID is wrong (ibstat prints the NodeGUID first).",
       "The switch works without it.", "Correct the PortGUID, or start the host."}};
  fabric::ConditionRow vnic_mac_duplicate{
      {*this, "SM-VNIC-MAC-DUPLICATE", error,
       "Two ports of one virtual Ethernet switch report the same MAC address.",
       "A copied configuration, a loop of bridges, or a host that takes the address of another "
       "one.",
       "The port that reported it first keeps it. A base MAC address is never taken over.",
       "Give one of the interfaces another address."}};
  fabric::ConditionRow vnic_mac_flood{
      {*this, "SM-VNIC-MAC-FLOOD", warning,
       "A VNIC or a virtual Ethernet switch has more MAC addresses than its bound.",
       "A bridge with many hosts behind a VNIC, or a host that invents addresses.",
       "Addresses beyond the bound are left out: frames to them go to the default ports.",
       "Look at the host that the message names; macs_per_port_max bounds those of a VNIC."}};
  fabric::ConditionRow vnic_group_failed{
      {*this, "SM-VNIC-GROUP-FAILED", error,
       "Subnet administration does not give heddle-vnic the ports of the fabric, or a group.",
       "No subnet manager is MASTER, its subnet administration does not answer in time, or the "
       "partition of the switch does not have this port or a member.",
       "What is programmed stays. Without a group, frames to many receivers are dropped.",
       "Check the subnet manager, and that the partition has all members of the switch and the "
       "port of heddle-vnic."}};
};
inline constexpr VnicConditions kVnicConditions;

}  // namespace vnic
