#pragma once
// Conditions that sweeps find, and those about writes to devices.

#include "fabric/condition.h"

namespace sm {

/// Changes since an earlier sweep.
struct SweepConditions : ConditionSet {
  ConditionRow link_lost{
      {*this, "SM-LINK-LOST", warning,
       "A link that was up is down, while the nodes at both ends answer.",
       "The cable is pulled or faulty, a port was disabled, or the link trains without success.",
       "Packets take other routes. The severity is error where a tenth or more of the links "
       "between these tiers of switches is lost with it. The condition is active until the link "
       "is up again, one of its ports has another link, or seven days have passed.",
       "Check the cable and both ports.", by_consequence | has_figures | is_of_link}};
  ConditionRow node_lost{
      {*this, "SM-NODE-LOST", warning, "A node that was in the fabric cannot be reached any more.",
       "The node is switched off or restarting, or its last link is down.",
       "Its LIDs stay reserved. The severity is critical for a switch that cuts hosts off, error "
       "or warning for one that takes capacity away, and info for a host. What was lost behind a "
       "switch is counted by the condition of the switch, which it names as its cause. The "
       "condition is active until the node is back, or seven days have passed.",
       "Check the node and the port that the message names; `heddlectl forget NODE` ends the "
       "condition of one that was removed.",
       by_consequence | has_figures | is_of_link}};
  ConditionRow hosts_lost{
      {*this, "SM-HOSTS-LOST", warning,
       "Several hosts behind one switch cannot be reached any more, while the switch answers.",
       "The hosts are switched off or restarting together, as by the loss of power of their rack, "
       "or their switch has restarted and their links are not up yet.",
       "Their LIDs stay reserved. The conditions of the hosts name this one as their cause. It is "
       "active until no more than one of them is lost.",
       "Check the power of the hosts, and their cables to the switch that the message names.",
       has_figures}};
  ConditionRow node_moved{
      {*this, "SM-NODE-MOVED", info, "A node is at another place than it was before.",
       "Its cable was plugged in elsewhere, or cables of two nodes were exchanged.",
       "It keeps its LIDs, and its routes lead to the new place.",
       "Nothing, if that was wanted; otherwise plug the cables as the message says they were.",
       occurrence}};
  ConditionRow node_replaced{
      {*this, "SM-NODE-REPLACED", warning,
       "A node is lost, and a new one has the links that it had.",
       "A switch or an HCA was replaced, and the new one has a GUID of its own.",
       "The new node is managed like all others. Files and partitions that name the old one by "
       "its GUID do not apply to the new one. The severity is info for a host that nothing names. "
       "The condition ends when the old node is back or forgotten.",
       "Write the new GUID into what the message names and send SIGHUP, then `heddlectl forget "
       "NODE` for the old one.",
       has_figures}};
  ConditionRow link_degraded{
      {*this, "SM-LINK-DEGRADED", warning,
       "A link is narrower or slower than both of its ends support, or than all links beside it.",
       "A bad lane or cable, a cable of another kind, or a port where an administrator has "
       "enabled less than it supports.",
       "Routing uses the link, and traffic over it is slower.",
       "Reseat or replace the cable; compare LinkWidthEnabled and LinkSpeedEnabled of both ports "
       "(`heddlectl show portinfo NODE:PORT`).",
       is_of_link}};
  ConditionRow tables_lost{
      {*this, "SM-TABLES-LOST", warning,
       "A switch did not show the tables that were written to it, although its links stayed up.",
       "Its firmware restarted, or another subnet manager wrote to it.",
       "Its tables are read again and written.",
       "If it happens again, check the firmware, and whether a second subnet manager runs.",
       occurrence}};
  ConditionRow mass_change{
      {*this, "SM-MASS-CHANGE", warning,
       "More than a tenth of all LIDs or switches would be withdrawn in one sweep.",
       "A central switch or several links failed, or one node sent a false response.",
       "What shows this is read a second time before anything is withdrawn. The condition ends "
       "with this sweep.",
       "Check the nodes and links that the next messages report as lost."}};
  ConditionRow audit_difference{
      {*this, "SM-AUDIT-DIFFERENCE", warning,
       "A value that was read back differed from the one written.",
       "The device lost or changed it, or another subnet manager wrote to it; without M_Keys a "
       "program on any host can.",
       "The node is read again and corrected. P_Key tables are read back by the audit, at a P_Key "
       "violation (traps 257 and 259), and the manager's own by each light sweep.",
       "If it happens again, check the device's firmware, and whether a second subnet manager "
       "runs; set m_key or m_key_per_port.",
       occurrence}};
};
inline constexpr SweepConditions kSweepConditions;

struct LidConditions : ConditionSet {
  ConditionRow lft_too_small{
      {*this, "SM-LFT-TOO-SMALL", error,
       "A switch's linear forwarding table ends below the LIDs that the fabric needs.",
       "LinearFDBCap of the switch is smaller than those of the others.",
       "LIDs above its table are not given out.", "Lower lmc, or replace the switch."}};
  ConditionRow lids_exhausted{
      {*this, "SM-LID-EXHAUSTED", error, "No unicast LID is left for some port.",
       "More end ports than LIDs at this lmc, or a switch with a small table limits them.",
       "The ports get no LID and stay as they are.",
       "Lower lmc, or remove entries of nodes that are gone from guid2lid."}};
};
inline constexpr LidConditions kLidConditions;

struct WriteConditions : ConditionSet {
  ConditionRow write_failed{
      {*this, "SM-WRITE-FAILED", error, "A node did not acknowledge an attribute that was written.",
       "The node is busy or being restarted, rejects the value, or packets are lost.",
       "It is written again in the next sweep.",
       "If it stays, check the node's firmware and link."}};
  ConditionRow port_set_rejected{
      {*this, "SM-PORT-SET-REJECTED", error,
       "A port rejects an attribute that is set, or acknowledges it without effect.",
       "Firmware that does not implement a value, or a device that is faulty.",
       "The port becomes Active nevertheless if its LID and its partitions are right; the rest of "
       "the fabric is not affected. It is set again with growing pauses, and at once when its "
       "link trains again.",
       "Update the firmware, or change the setting that the message names."}};
  ConditionRow link_setting_pending{
      {*this, "SM-LINK-SETTING-PENDING", info,
       "A link runs another MTU or number of virtual lanes than the settings ask for.",
       "The setting was changed while the link was Active. It takes effect at the next link "
       "training.",
       "Paths and virtual lanes use what the link runs; larger packets of groups that were there "
       "before do not pass it.",
       "Nothing; restart_links_for_settings TRUE takes such links down to change them.",
       is_of_link}};
};
inline constexpr WriteConditions kWriteConditions;

struct AdaptiveConditions : ConditionSet {
  ConditionRow adaptive_routing_refused{
      {*this, "SM-ADAPTIVE-ROUTING-REFUSED", warning,
       "A device does not take the settings or tables of adaptive routing.",
       "Its firmware rejects a value or an attribute, or does not answer requests about it.",
       "A switch forwards by its forwarding table, whose paths are among those of the others; for "
       "packets to a host no switch chooses. It is tried again when it restarts, and after "
       "growing pauses of up to an hour.",
       "Update its firmware; send us what `heddlectl show adaptive NODE` shows of it."}};
  ConditionRow adaptive_routing_mismatch{
      {*this, "SM-ADAPTIVE-ROUTING-MISMATCH", warning,
       "A switch shows other tables of adaptive routing than were written to it.",
       "Its firmware places a table differently: no public document has the layout of all models.",
       "Adaptive routing is not switched on there; it is tried again after growing pauses of up "
       "to an hour. It forwards by its forwarding table, whose paths are among those of the "
       "others.",
       "Send us the bytes that the message names, with model and firmware of the switch."}};
  ConditionRow adaptive_routing_partial{
      {*this, "SM-ADAPTIVE-ROUTING-PARTIAL", info, "Some switches cannot route adaptively.",
       "They are of an older model, or have firmware without the capability.",
       "They forward by their forwarding tables; all others choose.",
       "Nothing has to be done; paths over these switches spread less."}};
};
inline constexpr AdaptiveConditions kAdaptiveConditions;

struct RouterConditions : ConditionSet {
  ConditionRow router_tables_unusable{
      {*this, "SM-ROUTER-TABLES-UNUSABLE", warning,
       "A router does not say, or says wrongly, to which subnets it leads.",
       "Its firmware does not answer or rejects the requests, or its tables name this subnet, a "
       "prefix that no subnet can have, or more subnets than are kept.",
       "What cannot be true is left out. A router without tables is used where prefix_routes_file "
       "names it.",
       "Update the router's firmware, or set read_router_tables FALSE and write a "
       "prefix_routes_file."}};
  ConditionRow router_lost{
      {*this, "SM-ROUTER-LOST", warning,
       "A router no longer leads to a subnet to which others still lead.",
       "The router or one of its links is down, its port in the other subnet has no subnet "
       "manager, or its partitions have changed.",
       "Paths to that subnet use the other routers. The condition is active until the router "
       "leads there again, or seven days have passed.",
       "Check the router and its links in both subnets."}};
  ConditionRow subnet_unreachable{
      {*this, "SM-SUBNET-UNREACHABLE", error, "No router leads to a subnet that could be reached.",
       "The last router there, its links, or the subnet managers of the other subnet are down.",
       "Requests for paths to that subnet find none. The condition is active until a router leads "
       "there again, or seven days have passed.",
       "Check the routers that the message names, and the other subnet."}};
  ConditionRow router_alias_missing{
      {*this, "SM-ROUTER-ALIAS-MISSING", warning, "Hosts lack the alias GUID with their LID.",
       "Their GUID tables have no free entry, or they rejected the write or did not answer it.",
       "Routers that take the DLID from the DGID do not reach these hosts. The write is repeated "
       "after growing pauses.",
       "Free an entry of the GUID table, or update the firmware. Without such routers, set "
       "rtr_aguid_enable 2."}};
};
inline constexpr RouterConditions kRouterConditions;

struct NamedGuidConditions : ConditionSet {
  ConditionRow guid_misplaced{
      {*this, "SM-GUID-MISPLACED", warning,
       "The configuration names a NodeGUID where a port GUID belongs, a port GUID where a "
       "NodeGUID belongs, a host where a switch belongs, or a switch where a host belongs.",
       "A GUID that was copied from the wrong line: ibstat prints the NodeGUID first. Or an entry "
       "in the wrong file: roots are switches, compute and I/O nodes are hosts.",
       "The entry has no effect: no port is a member of a partition by a NodeGUID, and the switch "
       "of a host is not a root.",
       "Write the GUID that the message names instead."}};
  ConditionRow guid_absent{
      {*this, "SM-GUID-ABSENT", info,
       "The configuration names a GUID that nothing in the fabric has.",
       "The device was removed or replaced, is switched off, or the GUID is written wrong.",
       "The entry has no effect until something has this GUID.",
       "Write the GUID of the device that is there now, or remove the entry, and send SIGHUP.",
       has_figures}};
};
inline constexpr NamedGuidConditions kNamedGuidConditions;

}  // namespace sm
