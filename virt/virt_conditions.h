#pragma once
// Conditions of virtual ports.

#include "fabric/condition.h"

namespace virt {

struct VirtConditions : fabric::ConditionSet {
  fabric::ConditionRow vports_off{
      {*this, "SM-VPORTS-OFF", info,
       "Ports can have SR-IOV virtual ports, and these are not switched on.",
       "virt_enabled is 0, which is its default.",
       "Virtual ports are left as they are: those of hosts stay Down.",
       "Set virt_enabled to 2 and send SIGHUP, if virtual functions of hosts are to use the "
       "fabric."}};
  fabric::ConditionRow vport_guid_duplicate{
      {*this, "SM-VPORT-GUID-DUPLICATE", error,
       "A virtual port carries the GUID of another virtual port, a physical port or a node.",
       "Two hosts were given one GUID, or a virtual machine runs at two places.",
       "The one that was served first is served; the other one stays in Init until the first "
       "place is empty.",
       "Change the GUID of one of them."}};
  fabric::ConditionRow vport_rejected{
      {*this, "SM-VPORT-REJECTED", error,
       "A device rejects or does not answer requests about its virtual ports.",
       "Firmware that is slow, or does not implement the attribute.",
       "That virtual port is not served; its physical port and the other virtual ports are. It is "
       "tried again at light sweeps.",
       "Update the firmware."}};
  fabric::ConditionRow vport_probe_failed{
      {*this, "SM-VPORT-PROBE-FAILED", error,
       "Virtual ports of a device model cannot be switched on without harm.",
       "After the first port of the model was switched on, its virtual port 0 did not become "
       "Active within virt_probe_timeout, or a P_Key table that was not written changed.",
       "The port was switched off again, and other ports of this model and firmware stay as they "
       "are until a SIGHUP.",
       "Update the firmware, then send SIGHUP."}};
};
inline constexpr VirtConditions kVirtConditions;

}  // namespace virt
