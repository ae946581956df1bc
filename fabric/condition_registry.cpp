// The registry of conditions: all kinds with their texts.

#include <algorithm>
#include <array>

#include "fabric/condition.h"
#include "fabric/service_conditions.h"

namespace fabric {
namespace {

using enum ConditionId;
using enum Severity;
using enum Nature;

/// The first part: conditions that a sweep finds, and that traps report.
constexpr auto kFabricConditions = std::to_array<ConditionKind>({
    {node_silent, "SM-NODE-SILENT", error,
     "A node, or one of its ports, does not answer subnet management packets.",
     "The node is being restarted, its firmware hangs, or packets to it are lost on a bad link.",
     "It keeps its LID, is queried again with growing pauses, and is managed as soon as it "
     "answers.",
     "Check the node's power, firmware and the link in front of it."},
    {m_key_unknown, "SM-M-KEY-UNKNOWN", error,
     "A port is protected by an M_Key that this subnet manager does not know.",
     "Another subnet manager set it, and its guid2mkey was not copied; or m_key was changed while "
     "no subnet manager ran, and guid2mkey is lost.",
     "The port is read again with growing pauses or at every light sweep, and managed as soon as "
     "it accepts a key or the lease of its key has expired; the rest of the fabric is managed.",
     "Set m_key to that key, or add a line with PortGUID and M_Key to guid2mkey (with m_key_lookup "
     "TRUE), and send SIGHUP; or restart the device."},
    {response_malformed, "SM-RESPONSE-MALFORMED", error,
     "A node answered with values that the standard does not allow.",
     "Faulty firmware, or a program that answers in place of the device.",
     "Its response is rejected; nothing behind it is managed.", "Update or replace the device."},
    {guid_duplicate, "SM-GUID-DUPLICATE", critical, "Two nodes or two ports carry the same GUID.",
     "A copied firmware image or configuration, a virtual function with a GUID in use, or a host "
     "that shows the GUID of another.",
     "The copy, which the message names second, is left out and gets no LID; all other nodes are "
     "managed. The place that had the GUID before keeps it; if it is new at both, a switch does, "
     "or the nearer host.",
     "Change the GUID of one of them, or unplug the one that is not to have it."},
    {link_ends_disagree, "SM-LINK-ENDS-DISAGREE", error,
     "One end of a link says that it is up, the other that it is down.",
     "The link changed between two requests, or one port reports a wrong state.",
     "The link is not used; both ends are read again after 1, 2, 4, ... 30 s until they agree.",
     "If it stays, reseat or replace the cable."},
    {link_loopback, "SM-LINK-LOOPBACK", error, "A cable connects two ports of the same node.",
     "A cabling error, or a loopback plug.", "The link is not used.", "Remove the cable."},
    {node_too_far, "SM-NODE-TOO-FAR", error,
     "A node is more than 63 hops away from the subnet manager.",
     "The fabric is a long chain, or a device invents nodes behind its ports.",
     "What is behind that node cannot be reached by directed routes, and is not managed.",
     "Run the subnet manager nearer to the middle, or add links."},
    {fabric_too_large, "SM-FABRIC-TOO-LARGE", error,
     "There are more nodes or ports than a subnet can have.",
     "A device invents nodes behind its ports, or two large fabrics were joined.",
     "What is beyond the bound is not managed.", "Check the port that the message names."},
    {subtree_too_large, "SM-SUBTREE-TOO-LARGE", error,
     "Behind one port there are more nodes than a device can have there, or a chain that is too "
     "long.",
     "A device invents nodes behind its ports.",
     "Nothing behind it is managed; the rest of the fabric is.",
     "Disconnect the port that the message names."},
    {value_implausible, "SM-VALUE-IMPLAUSIBLE", warning,
     "A node answered with a value that the standard does not allow and that does no harm.",
     "Firmware that leaves a field empty, or keeps one that is out of range.",
     "The node is managed as if the value were right.", "Update the firmware."},
    {link_lost, "SM-LINK-LOST", warning,
     "A link that was up is down, while the nodes at both ends answer.",
     "The cable is pulled or faulty, a port was disabled, or the link trains without success.",
     "Packets take other routes. The severity is error where a tenth or more of the links between "
     "these tiers of switches is lost with it. The condition is active until the link is up again, "
     "one of its ports has another link, or seven days have passed.",
     "Check the cable and both ports.", true},
    {node_lost, "SM-NODE-LOST", warning,
     "A node that was in the fabric cannot be reached any more.",
     "The node is switched off or restarting, or its last link is down.",
     "Its LIDs stay reserved. The severity is critical for a switch that cuts hosts off, error or "
     "warning for one that takes capacity away, and info for a host. What was lost behind a switch "
     "is counted by the condition of the switch, which it names as its cause. The condition is "
     "active until the node is back, or seven days have passed.",
     "Check the node and the port that the message names; `heddlectl forget NODE` ends the "
     "condition of one that was removed.",
     true},
    {hosts_lost, "SM-HOSTS-LOST", warning,
     "Several hosts behind one switch cannot be reached any more, while the switch answers.",
     "The hosts are switched off or restarting together, as by the loss of power of their rack, or "
     "their switch has restarted and their links are not up yet.",
     "Their LIDs stay reserved. The conditions of the hosts name this one as their cause. It is "
     "active until no more than one of them is lost.",
     "Check the power of the hosts, and their cables to the switch that the message names."},
    {node_moved, "SM-NODE-MOVED", info, "A node is at another place than it was before.",
     "Its cable was plugged in elsewhere, or cables of two nodes were exchanged.",
     "It keeps its LIDs, and its routes lead to the new place.",
     "Nothing, if that was wanted; otherwise plug the cables as the message says they were.", false,
     occurrence},
    {node_replaced, "SM-NODE-REPLACED", warning,
     "A node is lost, and a new one has the links that it had.",
     "A switch or an HCA was replaced, and the new one has a GUID of its own.",
     "The new node is managed like all others. Files and partitions that name the old one by its "
     "GUID do not apply to the new one. The severity is info for a host that nothing names. The "
     "condition ends when the old node is back or forgotten.",
     "Write the new GUID into what the message names and send SIGHUP, then `heddlectl forget NODE` "
     "for the old one."},
    {link_degraded, "SM-LINK-DEGRADED", warning,
     "A link is narrower or slower than both of its ends support, or than all links beside it.",
     "A bad lane or cable, a cable of another kind, or a port where an administrator has enabled "
     "less than it supports.",
     "Routing uses the link, and traffic over it is slower.",
     "Reseat or replace the cable; compare LinkWidthEnabled and LinkSpeedEnabled of both ports "
     "(`heddlectl show portinfo NODE:PORT`)."},
    {tables_lost, "SM-TABLES-LOST", warning,
     "A switch did not show the tables that were written to it, although its links stayed up.",
     "Its firmware restarted, or another subnet manager wrote to it.",
     "Its tables are read again and written.",
     "If it happens again, check the firmware, and whether a second subnet manager runs.", false,
     occurrence},
    {mass_change, "SM-MASS-CHANGE", warning,
     "More than a tenth of all LIDs or switches would be withdrawn in one sweep.",
     "A central switch or several links failed, or one node sent a false response.",
     "What shows this is read a second time before anything is withdrawn. The condition ends with "
     "this "
     "sweep.",
     "Check the nodes and links that the next messages report as lost."},
    {audit_difference, "SM-AUDIT-DIFFERENCE", warning,
     "A value that was read back differed from the one written.",
     "The device lost or changed it, or another subnet manager wrote to it; without M_Keys a "
     "program on any host can.",
     "The node is read again and corrected. P_Key tables are read back by the audit, at a P_Key "
     "violation (traps 257 and 259), and the manager's own by each light sweep.",
     "If it happens again, check the device's firmware, and whether a second subnet manager runs; "
     "set m_key or m_key_per_port.",
     false, occurrence},
    {lft_too_small, "SM-LFT-TOO-SMALL", error,
     "A switch's linear forwarding table ends below the LIDs that the fabric needs.",
     "LinearFDBCap of the switch is smaller than those of the others.",
     "LIDs above its table are not given out.", "Lower lmc, or replace the switch."},
    {lids_exhausted, "SM-LID-EXHAUSTED", error, "No unicast LID is left for some port.",
     "More end ports than LIDs at this lmc, or a switch with a small table limits them.",
     "The ports get no LID and stay as they are.",
     "Lower lmc, or remove entries of nodes that are gone from guid2lid."},
    {p_key_table_full, "SM-PKEY-TABLE-FULL", error,
     "A port's P_Key table has fewer entries than its partitions need.",
     "The port is a member of more partitions than PartitionCap allows.",
     "Its table gets the keys that fit: those that a port in use holds, the key of index 0, that "
     "of the default partition, then the lowest P_Keys. Keys of the API for which a switch port in "
     "front of the port has no room are left out at both, and the switch port enforces the others. "
     "A switch port without room for the keys of the configuration does not enforce P_Keys.",
     "Remove the port from some partitions."},
    {vports_off, "SM-VPORTS-OFF", info,
     "Ports can have SR-IOV virtual ports, and these are not switched on.",
     "virt_enabled is 0, which is its default.",
     "Virtual ports are left as they are: those of hosts stay Down.",
     "Set virt_enabled to 2 and send SIGHUP, if virtual functions of hosts are to use the fabric."},
    {vport_guid_duplicate, "SM-VPORT-GUID-DUPLICATE", error,
     "A virtual port carries the GUID of another virtual port, a physical port or a node.",
     "Two hosts were given one GUID, or a virtual machine runs at two places.",
     "The one that was served first is served; the other one stays in Init until the first place "
     "is empty.",
     "Change the GUID of one of them."},
    {vport_rejected, "SM-VPORT-REJECTED", error,
     "A device rejects or does not answer requests about its virtual ports.",
     "Firmware that is slow, or does not implement the attribute.",
     "That virtual port is not served; its physical port and the other virtual ports are. It is "
     "tried again at light sweeps.",
     "Update the firmware."},
    {vport_probe_failed, "SM-VPORT-PROBE-FAILED", error,
     "Virtual ports of a device model cannot be switched on without harm.",
     "After the first port of the model was switched on, its virtual port 0 did not become Active "
     "within virt_probe_timeout, or a P_Key table that was not written changed.",
     "The port was switched off again, and other ports of this model and firmware stay as they are "
     "until a SIGHUP.",
     "Update the firmware, then send SIGHUP."},
    {routing_failed, "SM-ROUTING-FAILED", critical,
     "No routing engine of the chain can route this fabric.",
     "Every engine refused the fabric, and no_fallback excludes minhop.",
     "Switches keep their forwarding tables.",
     "Read the reasons in the messages, repair the fabric or add an engine to routing_engine."},
    {routing_refused, "SM-ROUTING-REFUSED", error,
     "A routing engine refused the fabric; the next one of the chain is used.",
     "The fabric is not the topology that the engine is made for, or lost links that it needs.",
     "The next engine of the chain routes the fabric.",
     "The message names the first node or link that does not fit: repair it, or name the engine "
     "that is used."},
    {routing_note, "SM-ROUTING-NOTE", info,
     "A routing engine did not apply an option, or did not route a part of the fabric, as "
     "configured.",
     "Options that the engine does not use, names of nodes that are not there, or lost links.",
     "The tables are still verified and written.", "Correct the option, or ignore it."},
    {routing_limit, "SM-ROUTING-LIMIT", warning,
     "A credit loop is possible with the tables in use: packets that wait for each other's buffers "
     "may stop for ever.",
     "An engine that does not exclude credit loops (minhop, dor, sssp, file, chain; ftree with "
     "max_reverse_hops) on a fabric where its paths close a cycle.",
     "The tables are written: all paths arrive.",
     "Set routing_engine to the engine that the message names, which excludes credit loops on this "
     "fabric, and send SIGHUP; `heddlectl route --engine all` compares the engines."},
    {routing_no_path, "SM-ROUTING-NO-PATH", info,
     "Some pairs have no path: the fabric is not connected, a table is too small, or each path "
     "between two switches, or between CAs inside of switches, could be part of a credit loop.",
     "Lost links, a fabric that is not connected, or aggregation nodes on switches of the upper "
     "levels of a tree, which do not need each other.",
     "The tables are written: hosts that are connected reach each other, and every CA inside of a "
     "switch.",
     "Repair links. Nothing, if only CAs inside of switches, or switches, lack paths."},
    {routing_adopted, "SM-ROUTING-ADOPTED", info,
     "Forwarding tables found at a start or takeover were kept; the engine would choose others.",
     "A takeover, or a restart after which the engine would distribute routes otherwise.",
     "The tables are verified all the same; routes change only where something is lost or added.",
     "`heddlectl rebalance` replaces them, `heddlectl plan --rebalance` shows what that writes."},
    {routing_unbalanced, "SM-ROUTING-UNBALANCED", warning,
     "Routes do not use links as evenly as they could: links or switches were added, tables found "
     "at a start leave links unused, or a loss has moved routes that a new computation would "
     "distribute more evenly.",
     "New links or switches, ones that came back after the manager was restarted, or while none "
     "ran; links or switches that were lost, or isolated, for longer than rebalance_quiet_time.",
     "After an addition, with rebalance TRUE, all routes are chosen again after "
     "rebalance_quiet_time without a change. After a loss nothing else is moved: when what was "
     "lost "
     "is back, its routes are as they were.",
     "Repair what was lost. `heddlectl rebalance` when traffic may move."},
    {vl_setting, "SM-VL-SETTING", warning,
     "A setting of virtual lanes (qos_*) cannot be fulfilled, or contradicts the routing engine.",
     "The engine needs virtual lanes that the qos_* options use otherwise, or ports have too few.",
     "The routing engine's mapping of service levels is written; other qos_* settings count.",
     "Change the option that the message names, or the routing engine."},
    {vl_table_rejected, "SM-VL-TABLE-REJECTED", error,
     "A port rejects its SLtoVLMappingTable or VLArbitrationTable.",
     "Firmware that does not implement the table, or holds fewer entries than it says.",
     "It is sent again after 10, 20, 40 s, ... up to an hour, and at once after a change of the "
     "settings or a restart of the device.",
     "Update the firmware."},
    {multicast_incapable, "SM-MCAST-INCAPABLE", warning,
     "A member of a multicast group is attached to a switch whose multicast table does not reach "
     "the group.",
     "MulticastFDBCap of the switch is 0 or too small.",
     "The member receives nothing of this group; the other members do.",
     "Replace the switch, or use fewer groups."},
    {multicast_disconnected, "SM-MCAST-DISCONNECTED", warning,
     "Members of a multicast group are not connected by switches that forward multicast.",
     "The fabric is not connected, or switches between them have no multicast table.",
     "The larger part of the group is served.", "Repair links."},
    {multicast_no_common_root, "SM-MCAST-NO-COMMON-ROOT", warning,
     "No switch is above all members of a multicast group: its packets go down and up again.",
     "Links between levels of the tree are lost.",
     "The group is served; credit loops with unicast are possible on its VLs.", "Repair links."},
    {multicast_credit_loop, "SM-MCAST-CREDIT-LOOP", warning,
     "Multicast and unicast share virtual lanes, and together they can form a credit loop.",
     "The routing engine excludes credit loops for unicast only.", "The group is served.",
     "Give multicast groups a service level with a virtual lane of its own."},
    {multicast_shared_tree, "SM-MCAST-SHARED-TREE", warning,
     "All multicast groups share one spanning tree.",
     "Trees of their own could form credit loops with unicast.",
     "All groups are served, by the links of one tree.",
     "Nothing is wrong; a service level and virtual lane of their own would allow one tree for "
     "each group."},
    {multicast_sl_dropped, "SM-MCAST-SL-DROPPED", warning,
     "A port maps the service level of a multicast group to VL 15, which drops its packets.",
     "qos_*_sl2vl says so, or the routing engine does not use this service level.",
     "The mapping is written as configured: the port sends or receives nothing of this group.",
     "Change the group's service level in partitions.conf, or the mapping."},
    {memberships_many, "SM-MEMBERSHIPS-MANY", warning,
     "One port is a member of more multicast groups than hosts usually need.",
     "A program joins groups without end, or never leaves a group, or one host stands for many.",
     "The groups are served. Each takes an MLID and entries of multicast tables of switches, which "
     "other hosts then lack.",
     "Look at the programs on the host that the message names; `heddlectl groups` lists the "
     "groups."},
    {write_failed, "SM-WRITE-FAILED", error,
     "A node did not acknowledge an attribute that was written.",
     "The node is busy or being restarted, rejects the value, or packets are lost.",
     "It is written again in the next sweep.", "If it stays, check the node's firmware and link."},
    {port_set_rejected, "SM-PORT-SET-REJECTED", error,
     "A port rejects an attribute that is set, or acknowledges it without effect.",
     "Firmware that does not implement a value, or a device that is faulty.",
     "The port becomes Active nevertheless if its LID and its partitions are right; the rest of "
     "the fabric is not affected. It is set again with growing pauses, and at once when its link "
     "trains again.",
     "Update the firmware, or change the setting that the message names."},
    {link_setting_pending, "SM-LINK-SETTING-PENDING", info,
     "A link runs another MTU or number of virtual lanes than the settings ask for.",
     "The setting was changed while the link was Active. It takes effect at the next link "
     "training.",
     "Paths and virtual lanes use what the link runs; larger packets of groups that were there "
     "before do not pass it.",
     "Nothing; restart_links_for_settings TRUE takes such links down to change them."},
    {store_failed, "SM-STORE-FAILED", error, "What must survive a restart cannot be stored.",
     "The directory of OSM_CACHE_DIR is full, missing or not writable.",
     "LIDs, M_Keys and registrations are kept in memory only; requests to register are answered, "
     "and changes of partitions and isolations by the API are refused. The severity is critical "
     "for these, and error for other files. Everything is stored, and the condition ends, within a "
     "minute after the disk has room again.",
     "Make room or correct the permissions. Hosts are asked to register again if the manager is "
     "started before that.",
     true},
    {sm_port_down, "SM-PORT-DOWN", critical,
     "The port of this subnet manager has no link, or does not answer.",
     "The cable is pulled, the switch is off, or the port is disabled; or the port has an M_Key "
     "that follows neither from the clock nor from the files of this manager.",
     "Until it has a link and answers, nothing is managed by this subnet manager.",
     "Repair the link, or correct what the message names."},
    {sm_port_blocked, "SM-PORT-BLOCKED", critical,
     "The device of this subnet manager takes no MADs.",
     "Its firmware or driver hangs, or a simulator that stands in its place has stopped.",
     "Nothing can be read or written; a MAD that has waited for a second is dropped. Everything "
     "goes on as soon as the device takes MADs.",
     "Look at the kernel's log for messages of the driver, and reset the device or restart the "
     "host. The subnet manager ends within two seconds even now."},
    {subnet_silent, "SM-SUBNET-SILENT", critical,
     "The link of this subnet manager is up, and nothing behind it is managed.",
     "The switch in front of this host hangs, its agent does not answer, or an M_Key is unknown.",
     "No port behind the manager's link is programmed, the published subnet stays, and the fabric "
     "is read "
     "again with growing pauses.",
     "Check the node that the message names."},
    {trap_storm, "SM-TRAP-STORM", error, "A port repeats the same trap without end.",
     "A link that goes up and down, or firmware that does not accept TrapRepress.",
     "The port is read once a second, and not at each trap, until it pauses for 5 s, which ends "
     "the "
     "condition; with babbling_port_policy TRUE it is disabled.",
     "Check the link that the trap names, or disable the port."},
    {trap_refused, "SM-TRAP-REFUSED", error,
     "A host sent traps that only the subnet manager issues (64 to 67), or in the name of another "
     "port.",
     "A faulty agent, or an attempt to mislead subscribers.",
     "The trap has no effect and is not forwarded.", "Check the host that the message names.",
     false, occurrence},
    {port_disabled, "SM-PORT-DISABLED", error,
     "A port is disabled because it repeated traps without end (babbling_port_policy).",
     "A bad cable or port that reports link errors all the time.",
     "The port stays disabled; the condition ends when the port is enabled again or disappears.",
     "Replace the cable or the device, then enable the port (ibportstate) or restart it."},
    {sm_info_refused, "SM-SMINFO-REFUSED", error,
     "A Set(SMInfo) was refused: it is not the master of this subnet that sent it, or its key or "
     "state is wrong.",
     "A program that is no subnet manager of this subnet, or another sm_key or m_key.",
     "Nothing changes because of the request.", "Check the host that the message names.", false,
     occurrence},
    {m_key_violation, "SM-M-KEY-VIOLATION", error,
     "A port received a subnet management packet with a wrong M_Key (trap 256).",
     "Another subnet manager with another m_key, or a diagnostic program or an intruder on the "
     "host that the message names.",
     "The packet had no effect.", "Check the host that the message names.", false, occurrence},
    {p_key_violation, "SM-PKEY-VIOLATION", error,
     "A port received a packet with a P_Key that its table does not have (traps 257 and 259).",
     "The sender is a member of a partition that the receiver left or never joined, it uses an old "
     "P_Key, or a program on it sends with a P_Key that it was not given.",
     "The packet was dropped by the port that the message names. The P_Key tables of both ends are "
     "read back at once, at most once a second, and corrected if they differ.",
     "Compare the partitions of both ends: `heddlectl partition`. If they are right, check the "
     "programs on the sender.",
     false, occurrence},
    {q_key_violation, "SM-QKEY-VIOLATION", error,
     "A port received a packet with a wrong Q_Key (trap 258).",
     "Two programs disagree about the Q_Key of a queue pair or multicast group, or a program sends "
     "to a queue pair that is not meant for it.",
     "The packet was dropped by the receiver.", "Check the programs on the sender.", false,
     occurrence},
    {link_integrity, "SM-LINK-INTEGRITY", warning,
     "A port reported errors of its link: local link integrity, excessive buffer overruns or the "
     "flow control watchdog (traps 129 to 131).",
     "A bad cable or transceiver, or a port that fails.",
     "The port is used. With babbling_port_policy TRUE it is disabled after 250 of these traps.",
     "Look at the counters of both ends of the link; reseat or replace the cable.", false,
     occurrence},
});

constexpr auto kKinds = [] {
  std::array<ConditionKind, kConditionIds> all{};
  static_assert(kFabricConditions.size() + kServiceConditions.size() == all.size());
  std::ranges::copy(kServiceConditions, std::ranges::copy(kFabricConditions, all.begin()).out);
  return all;
}();

constexpr bool in_order() {
  for (std::size_t index = 0; index < kKinds.size(); ++index)
    if (kKinds[index].id != static_cast<ConditionId>(index)) return false;
  return true;
}
static_assert(in_order(), "a kind stands at the place of its ConditionId");

}  // namespace

std::span<const ConditionKind, kConditionIds> condition_kinds() { return kKinds; }

}  // namespace fabric
