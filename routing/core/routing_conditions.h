#pragma once
// Conditions of routing, virtual lanes and multicast trees.

#include "fabric/condition.h"

namespace routing {

struct RoutingConditions : fabric::ConditionSet {
  fabric::ConditionRow routing_failed{
      {*this, "SM-ROUTING-FAILED", critical,
       "No routing engine of the chain can route this fabric.",
       "Every engine refused the fabric, and no_fallback excludes minhop.",
       "Switches keep their forwarding tables.",
       "Read the reasons in the messages, repair the fabric or add an engine to routing_engine."}};
  fabric::ConditionRow routing_refused{
      {*this, "SM-ROUTING-REFUSED", error,
       "A routing engine refused the fabric; the next one of the chain is used.",
       "The fabric is not the topology that the engine is made for, or lost links that it needs.",
       "The next engine of the chain routes the fabric.",
       "The message names the first node or link that does not fit: repair it, or name the engine "
       "that is used."}};
  fabric::ConditionRow routing_note{
      {*this, "SM-ROUTING-NOTE", info,
       "A routing engine did not apply an option, or did not route a part of the fabric, as "
       "configured.",
       "Options that the engine does not use, names of nodes that are not there, or lost links.",
       "The tables are still verified and written.", "Correct the option, or ignore it."}};
  fabric::ConditionRow routing_limit{
      {*this, "SM-ROUTING-LIMIT", warning,
       "A credit loop is possible with the tables in use: packets that wait for each other's "
       "buffers may stop for ever.",
       "An engine that does not exclude credit loops (minhop, dor, sssp, file, chain; ftree with "
       "max_reverse_hops) on a fabric where its paths close a cycle.",
       "The tables are written: all paths arrive.",
       "Set routing_engine to the engine that the message names, which excludes credit loops on "
       "this fabric, and send SIGHUP; `heddlectl route --engine all` compares the engines."}};
  fabric::ConditionRow routing_no_path{
      {*this, "SM-ROUTING-NO-PATH", info,
       "Some pairs have no path: the fabric is not connected, a table is too small, or each path "
       "between two switches, or between CAs inside of switches, could be part of a credit loop.",
       "Lost links, a fabric that is not connected, or aggregation nodes on switches of the upper "
       "levels of a tree, which do not need each other.",
       "The tables are written: hosts that are connected reach each other, and every CA inside of "
       "a switch.",
       "Repair links. Nothing, if only CAs inside of switches, or switches, lack paths."}};
  fabric::ConditionRow routing_adopted{
      {*this, "SM-ROUTING-ADOPTED", info,
       "Forwarding tables found at a start or takeover were kept; the engine would choose others.",
       "A takeover, or a restart after which the engine would distribute routes otherwise.",
       "The tables are verified all the same; routes change only where something is lost or added.",
       "`heddlectl rebalance` replaces them, `heddlectl plan --rebalance` shows what that writes.",
       has_figures}};
  fabric::ConditionRow routing_unbalanced{
      {*this, "SM-ROUTING-UNBALANCED", warning,
       "Routes do not use links as evenly as they could: links or switches were added, tables "
       "found at a start leave links unused, or a loss has moved routes that a new computation "
       "would distribute more evenly.",
       "New links or switches, ones that came back after the manager was restarted, or while none "
       "ran; links or switches that were lost, or isolated, for longer than rebalance_quiet_time.",
       "After an addition, with rebalance TRUE, all routes are chosen again after "
       "rebalance_quiet_time without a change. After a loss nothing else is moved: when what was "
       "lost is back, its routes are as they were.",
       "Repair what was lost. `heddlectl rebalance` when traffic may move.", has_figures}};
  fabric::ConditionRow vl_setting{
      {*this, "SM-VL-SETTING", warning,
       "A setting of virtual lanes (qos_*) cannot be fulfilled, or contradicts the routing engine.",
       "The engine needs virtual lanes that the qos_* options use otherwise, or ports have too "
       "few.",
       "The routing engine's mapping of service levels is written; other qos_* settings count.",
       "Change the option that the message names, or the routing engine."}};
  fabric::ConditionRow vl_table_rejected{
      {*this, "SM-VL-TABLE-REJECTED", error,
       "A port rejects its SLtoVLMappingTable or VLArbitrationTable.",
       "Firmware that does not implement the table, or holds fewer entries than it says.",
       "It is sent again after 10, 20, 40 s, ... up to an hour, and at once after a change of the "
       "settings or a restart of the device.",
       "Update the firmware."}};
  fabric::ConditionRow multicast_incapable{
      {*this, "SM-MCAST-INCAPABLE", warning,
       "A member of a multicast group is attached to a switch whose multicast table does not "
       "reach the group.",
       "MulticastFDBCap of the switch is 0 or too small.",
       "The member receives nothing of this group; the other members do.",
       "Replace the switch, or use fewer groups."}};
  fabric::ConditionRow multicast_disconnected{
      {*this, "SM-MCAST-DISCONNECTED", warning,
       "Members of a multicast group are not connected by switches that forward multicast.",
       "The fabric is not connected, or switches between them have no multicast table.",
       "The larger part of the group is served.", "Repair links."}};
  fabric::ConditionRow multicast_no_common_root{
      {*this, "SM-MCAST-NO-COMMON-ROOT", warning,
       "No switch is above all members of a multicast group: its packets go down and up again.",
       "Links between levels of the tree are lost.",
       "The group is served; credit loops with unicast are possible on its VLs.", "Repair links."}};
  fabric::ConditionRow multicast_credit_loop{
      {*this, "SM-MCAST-CREDIT-LOOP", warning,
       "Multicast and unicast share virtual lanes, and together they can form a credit loop.",
       "The routing engine excludes credit loops for unicast only.", "The group is served.",
       "Give multicast groups a service level with a virtual lane of its own."}};
  fabric::ConditionRow multicast_shared_tree{
      {*this, "SM-MCAST-SHARED-TREE", warning, "All multicast groups share one spanning tree.",
       "Trees of their own could form credit loops with unicast.",
       "All groups are served, by the links of one tree.",
       "Nothing is wrong; a service level and virtual lane of their own would allow one tree for "
       "each group."}};
  fabric::ConditionRow multicast_sl_dropped{
      {*this, "SM-MCAST-SL-DROPPED", warning,
       "A port maps the service level of a multicast group to VL 15, which drops its packets.",
       "qos_*_sl2vl says so, or the routing engine does not use this service level.",
       "The mapping is written as configured: the port sends or receives nothing of this group.",
       "Change the group's service level in partitions.conf, or the mapping."}};
  fabric::ConditionRow memberships_many{
      {*this, "SM-MEMBERSHIPS-MANY", warning,
       "One port is a member of more multicast groups than hosts usually need.",
       "A program joins groups without end, or never leaves a group, or one host stands for many.",
       "The groups are served. Each takes an MLID and entries of multicast tables of switches, "
       "which other hosts then lack.",
       "Look at the programs on the host that the message names; `heddlectl groups` lists the "
       "groups.",
       has_figures}};
};
inline constexpr RoutingConditions kRoutingConditions;

}  // namespace routing
