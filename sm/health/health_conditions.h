#pragma once
// Conditions of unhealthy links, and of differences from the expected topology.

#include "fabric/condition.h"

namespace sm {

struct HealthConditions : ConditionSet {
  ConditionRow link_flapping{
      {*this, "SM-LINK-FLAPPING", warning, "A link is lost again and again.",
       "A bad cable or transceiver, a port that fails, or a host that is restarted all the time.",
       "The link is used whenever it is up, unless hm_sw_flapping_action or hm_ca_flapping_action "
       "is isolate.",
       "Reseat or replace the cable; look at both ends that the message names.", is_of_link}};
  ConditionRow link_noisy{
      {*this, "SM-LINK-NOISY", warning,
       "The error counters of a port have been above their thresholds for hours.",
       "A bad cable or transceiver, or a port that fails.",
       "The link is used, unless hm_sw_noisy_action or hm_ca_noisy_action is isolate.",
       "Reseat or replace the cable; look at both ends that the message names.", is_of_link}};
  ConditionRow link_isolated{
      {*this, "SM-LINK-ISOLATED", error, "A link is kept out of use.",
       "It flapped or had errors and the action of the configuration is isolate, or it is "
       "unhealthy by hm_ports_health_policy_file.",
       "No path uses a link between switches; a host behind it is treated as absent: it keeps its "
       "LIDs, is not activated, and subscribers get trap 65. It is used again after the quiet "
       "time that the message states.",
       "Repair the link, then `heddlectl release NODE:PORT`, or wait.", is_of_link}};
  ConditionRow isolated_by_operator{
      {*this, "SM-ISOLATED-BY-OPERATOR", info,
       "A link is kept out of use because an operator isolated it.",
       "`heddlectl isolate`, or /v1/isolate of the API.",
       "No path uses a link between switches; a host behind it is treated as absent: it keeps its "
       "LIDs, is not activated, and subscribers get trap 65. The order outlives the daemon.",
       "Run `heddlectl release NODE:PORT` when the work is done.", is_of_link}};
  ConditionRow port_unhealthy{
      {*this, "SM-PORT-UNHEALTHY", warning,
       "A node or port is unhealthy by hm_ports_health_policy_file, or needed although `heddlectl "
       "isolate` named it.",
       "The administrator's entry or order.",
       "What hm_sw_manual_action or hm_ca_manual_action, or the entry itself, says.",
       "Remove the entry, or change it to HEALTHY, and send SIGHUP, once it is repaired; an order "
       "of "
       "`heddlectl isolate` ends with `heddlectl release`.",
       is_of_link}};
  ConditionRow switch_held_back{
      {*this, "SM-SWITCH-HELD-BACK", info, "A switch is kept out of routing by held_back_sw_file.",
       "The administrator's entry.",
       "No path leads through it or to it, and its host ports are not activated.",
       "Remove its NodeGUID from the file and send SIGHUP, once it is repaired."}};
};
inline constexpr HealthConditions kHealthConditions;

struct TopologyConditions : ConditionSet {
  ConditionRow topology_node_missing{
      {*this, "SM-TOPOLOGY-NODE-MISSING", warning, "A node of topo_config_file is not there.",
       "It has no power, its cable is not plugged in, or it was removed.",
       "Nothing: what is there is managed.", "Bring the node back, or bring the file up to date."}};
  ConditionRow topology_node_extra{{*this, "SM-TOPOLOGY-NODE-UNEXPECTED", warning,
                                    "A node is there that topo_config_file does not have.",
                                    "It was added or replaced.", "It is managed like all others.",
                                    "Bring the file up to date, or disconnect the node."}};
  ConditionRow topology_node_moved{{*this, "SM-TOPOLOGY-NODE-MOVED", warning,
                                    "All links of a node lead elsewhere than in topo_config_file.",
                                    "It was plugged in at another place.",
                                    "It is managed where it is.",
                                    "Move the node back, or bring the file up to date."}};
  ConditionRow topology_link_missing{
      {*this, "SM-TOPOLOGY-LINK-MISSING", warning,
       "A link of topo_config_file is not there, though both of its nodes are.",
       "A cable that was pulled or has failed, or a port that is disabled.",
       "Nothing: what is there is managed.",
       "Check the cable between the two ports that the message names.", is_of_link}};
  ConditionRow topology_link_extra{{*this, "SM-TOPOLOGY-LINK-UNEXPECTED", warning,
                                    "A link is there that topo_config_file does not have.",
                                    "A cable was added.", "It is used like all others.",
                                    "Bring the file up to date, or remove the cable.", is_of_link}};
  ConditionRow topology_miscabled{{*this, "SM-TOPOLOGY-MISCABLED", warning,
                                   "Ports are linked, but not as in topo_config_file.",
                                   "Cables were exchanged.", "The links are used as they are.",
                                   "Plug the cables as the message says.", is_of_link}};
  ConditionRow topology_link_slow{
      {*this, "SM-TOPOLOGY-LINK-SLOW", warning,
       "A link is slower or narrower than in topo_config_file.",
       "A cable of another kind, a bad lane, or a port with other speeds enabled.",
       "The link is used as it is.", "Check the cable and the ports that the message names.",
       is_of_link}};
};
inline constexpr TopologyConditions kTopologyConditions;

}  // namespace sm
