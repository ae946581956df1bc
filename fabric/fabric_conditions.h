#pragma once
// Conditions that a Fabric carries: what its discovery has found.

#include "fabric/condition.h"

namespace fabric {

struct FabricConditions : ConditionSet {
  ConditionRow node_silent{
      {*this, "SM-NODE-SILENT", error,
       "A node, or one of its ports, does not answer subnet management packets.",
       "The node is being restarted, its firmware hangs, or packets to it are lost on a bad link.",
       "It keeps its LID, is queried again with growing pauses, and is managed as soon as it "
       "answers.",
       "Check the node's power, firmware and the link in front of it.", is_of_link}};
  ConditionRow m_key_unknown{
      {*this, "SM-M-KEY-UNKNOWN", error,
       "A port is protected by an M_Key that this subnet manager does not know.",
       "Another subnet manager set it, and its guid2mkey was not copied; or m_key was changed "
       "while no subnet manager ran, and guid2mkey is lost.",
       "The port is read again with growing pauses or at every light sweep, and managed as soon "
       "as it accepts a key or the lease of its key has expired; the rest of the fabric is "
       "managed.",
       "Set m_key to that key, or add a line with PortGUID and M_Key to guid2mkey (with "
       "m_key_lookup TRUE), and send SIGHUP; or restart the device."}};
  ConditionRow response_malformed{
      {*this, "SM-RESPONSE-MALFORMED", error,
       "A node answered with values that the standard does not allow.",
       "Faulty firmware, or a program that answers in place of the device.",
       "Its response is rejected; nothing behind it is managed.", "Update or replace the device."}};
  ConditionRow guid_duplicate{
      {*this, "SM-GUID-DUPLICATE", critical, "Two nodes or two ports carry the same GUID.",
       "A copied firmware image or configuration, a virtual function with a GUID in use, or a "
       "host that shows the GUID of another.",
       "The copy, which the message names second, is left out and gets no LID; all other nodes "
       "are managed. The place that had the GUID before keeps it; if it is new at both, a switch "
       "does, or the nearer host.",
       "Change the GUID of one of them, or unplug the one that is not to have it."}};
  ConditionRow link_ends_disagree{
      {*this, "SM-LINK-ENDS-DISAGREE", error,
       "One end of a link says that it is up, the other that it is down.",
       "The link changed between two requests, or one port reports a wrong state.",
       "The link is not used; both ends are read again after 1, 2, 4, ... 30 s until they agree.",
       "If it stays, reseat or replace the cable.", is_of_link}};
  ConditionRow link_loopback{
      {*this, "SM-LINK-LOOPBACK", error, "A cable connects two ports of the same node.",
       "A cabling error, or a loopback plug.", "The link is not used.", "Remove the cable."}};
  ConditionRow node_too_far{
      {*this, "SM-NODE-TOO-FAR", error, "A node is more than 63 hops away from the subnet manager.",
       "The fabric is a long chain, or a device invents nodes behind its ports.",
       "What is behind that node cannot be reached by directed routes, and is not managed.",
       "Run the subnet manager nearer to the middle, or add links."}};
  ConditionRow fabric_too_large{
      {*this, "SM-FABRIC-TOO-LARGE", error, "There are more nodes or ports than a subnet can have.",
       "A device invents nodes behind its ports, or two large fabrics were joined.",
       "What is beyond the bound is not managed.", "Check the port that the message names."}};
  ConditionRow subtree_too_large{
      {*this, "SM-SUBTREE-TOO-LARGE", error,
       "Behind one port there are more nodes than a device can have there, or a chain that is too "
       "long.",
       "A device invents nodes behind its ports.",
       "Nothing behind it is managed; the rest of the fabric is.",
       "Disconnect the port that the message names."}};
  ConditionRow value_implausible{
      {*this, "SM-VALUE-IMPLAUSIBLE", warning,
       "A node answered with a value that the standard does not allow and that does no harm.",
       "Firmware that leaves a field empty, or keeps one that is out of range.",
       "The node is managed as if the value were right.", "Update the firmware."}};
};
inline constexpr FabricConditions kFabricConditions;

}  // namespace fabric
