#pragma once
// The kinds of conditions of managers, services and optional functions: the second part of the
// registry, for condition.cpp.

#include <array>

#include "fabric/condition.h"

namespace fabric {

inline constexpr auto kServiceConditions = [] {
  using enum ConditionId;
  using enum Severity;
  using enum Nature;
  return std::to_array<ConditionKind>({
      {sm_key_mismatch, "SM-KEY-MISMATCH", critical, "Another subnet manager has another SM_Key.",
       "sm_key differs between the subnet managers of this subnet.",
       "It is treated as absent, as in OpenSM.",
       "Set the same sm_key everywhere, or remove the other subnet manager."},
      {sm_not_allowed, "SM-NOT-ALLOWED", error,
       "A subnet manager runs at a port that allowed_sm_guids does not name.",
       "A subnet manager was started on the wrong host, or the list lacks its port GUID.",
       "It is treated as absent; if it does the same, both are MASTER.",
       "Stop it, or add its port GUID to allowed_sm_guids."},
      {other_master, "SM-OTHER-MASTER", error,
       "Another subnet manager of lower rank is MASTER at the same time.",
       "Two subnets were joined, or the other subnet manager cannot see this one.",
       "This one stays MASTER.",
       "Stop the other subnet manager if it does not enter STANDBY by itself."},
      {master_unexpected, "SM-MASTER-UNEXPECTED", warning,
       "Another subnet manager took the subnet over from this one, which has never been its "
       "standby.",
       "A subnet manager was started without a plan, such as one in a switch or on a new host, "
       "with a higher priority or a lower GUID.",
       "This one is STANDBY. The condition is active until this one is MASTER again, or "
       "allowed_sm_guids names the other one.",
       "If the other one is wanted, name it in allowed_sm_guids; if not, stop it, or name those "
       "that "
       "are."},
      {sa_key_mismatch, "SA-KEY-MISMATCH", error,
       "A host asked subnet administration with an SM_Key that is not sa_key.",
       "Another sa_key on that host, or an attempt to guess it.", "The request is not answered.",
       "Set the same sa_key where trusted requests come from.", false, occurrence},
      {sa_busy, "SA-BUSY", warning,
       "Subnet administration dropped requests: it had no room or no time for them.",
       "Many hosts start at once, or one host sends requests without pause.",
       "Hosts repeat requests that have no answer; a status would be final for them.",
       "If one host causes it, look at that host.", false, occurrence},
      {sa_requests_refused, "SA-REQUEST-REFUSED", error,
       "Subnet administration refused requests of a host.",
       "Requests that the standard or the partitions of the host do not allow.",
       "The requests change nothing, and are answered with a status that says so, or not at all.",
       "The message names the host, the request and the reason: correct it there, or the "
       "partitions "
       "of the host.",
       false, occurrence},
      {sa_reports_dropped, "SA-REPORT-DROPPED", warning,
       "Reports to subscribers were dropped: they did not acknowledge them.",
       "A subscriber is gone, or too slow.",
       "Other subscribers get theirs; the subscription ends with the host.",
       "Nothing, if that host is gone; else look at the subscriber.", false, occurrence},
      {handover_failed, "SM-HANDOVER-FAILED", warning,
       "A subnet manager of higher rank did not take the subnet over.",
       "It did not answer HANDOVER, refused it, or accepted it and did not become MASTER.",
       "This one stays MASTER, and offers the subnet again after a pause that grows.",
       "Check that subnet manager, or lower its priority.", false, occurrence},
      {mastership_lost, "SM-MASTERSHIP-LOST", warning,
       "Another subnet manager has taken the subnet over from this one.",
       "It was started or came back with a higher priority, or with the same one and a lower GUID.",
       "This one is STANDBY, and takes over when the other one ends.",
       "Nothing, if that was planned; otherwise stop the other one, or raise sm_priority here.",
       false, occurrence},
      {master_stalled, "SM-MASTER-STALLED", warning,
       "The master answers polls, but its ActCount does not grow.",
       "The master subnet manager hangs, or another program answers in its place.",
       "As long as it answers, no other manager takes over.",
       "Check the master; restart it if it hangs."},
      {store_unreachable, "SM-STORE-UNREACHABLE", warning,
       "The replicated state store does not take or return what subnet managers share.",
       "etcd is down, slow, full (NOSPACE), without a quorum, or refuses the user or the "
       "certificate.",
       "Until then local files decide: the fabric is managed, and the store gets the changes when "
       "it "
       "is back.",
       "Repair etcd or the etcd_* options."},
      {store_behind, "SM-STORE-BEHIND", warning,
       "The replicated state store may lack changes of the master.",
       "The master cannot write to it, or another manager has claimed it.",
       "A takeover sets ClientReregister as long as this is active. A condition about a takeover "
       "ends with the sweep that follows it.",
       "Check that exactly one manager is MASTER and reaches the store."},
      {store_record_rejected, "SM-STORE-RECORD-REJECTED", error,
       "A record of the replicated state store does not authenticate, or cannot be read.",
       "Managers have different keys (sm_key or state_store_key_file), the store was written by "
       "another program, or a newer version of Heddle wrote it.",
       "The record is not used; the master writes its own again.",
       "Give all managers the same key."},
      {configuration_differs, "SM-CONFIGURATION-DIFFERS", warning,
       "A standby has another configuration than the master.",
       "An option or a file that it names was changed on one of them only.",
       "Each goes on with its own; after a takeover those of the new master count.",
       "Give both the same options."},
      {config_rejected, "SM-CONFIG-REJECTED", error,
       "The configuration was rejected at the latest reload.",
       "The configuration, or a file that it names, has an error: the message has file, line and "
       "column of the first one.",
       "Nothing of it is in force: the daemon keeps its configuration. At its next start it would "
       "refuse to run.",
       "Correct the file (`heddlectl check-config FILE` names all errors), then run `heddlectl "
       "reload`."},
      {restart_needed, "SM-RESTART-NEEDED", warning,
       "The configuration has new values that a running daemon does not take.",
       "An option was changed that counts at the start only.",
       "The values of the start stay in force. All other changes of the reload have taken effect.",
       "Restart the daemon, or give the options their earlier values and run `heddlectl reload`."},
      {http_failed, "SM-HTTP-FAILED", error,
       "The HTTP service cannot do what http_* options ask for.",
       "An address of http_listen that this machine does not have, or that another program uses; a "
       "certificate, key or users file that is missing, broken or readable by others.",
       "The fabric is managed. What listened before goes on as it was; where nothing listens it is "
       "tried again every ten seconds.",
       "Repair what the message names, then send SIGHUP."},
      {port_errors, "SM-PORT-ERRORS", warning,
       "Error counters of a port grow by more than perfmgr_*_per_hour allow.",
       "A bad cable, connector or port (symbol errors, link recoveries, receive errors); "
       "congestion, "
       "or a receiver that takes no packets (discards).",
       "Nothing changes; the link is used as before. Cleared when the growth of an hour is below "
       "half of the limit.",
       "Look at the counters of both ends of the link; reseat or replace the cable."},
      {port_congested, "SM-PORT-CONGESTED", info,
       "A port waited to send for more than perfmgr_xmit_wait_threshold ticks since the previous "
       "poll (perfmgr_xmit_wait_log TRUE).",
       "The receiver is slow, or more traffic than the link carries is routed over it.",
       "Nothing changes.", "Look at the loads of the links, and at the receiver."},
      {counter_saturated, "SM-COUNTER-SATURATED", warning,
       "A counter of a port is at its largest value and counts no further.",
       "A narrow counter (4 to 32 bits) that was not cleared for a long time.",
       "Growth of this counter is not known until it is cleared.",
       "Clear it (perfquery -R), or set perfmgr_clear_saturated TRUE."},
      {counters_unavailable, "SM-COUNTERS-UNAVAILABLE", info, "Counters of a node cannot be read.",
       "Its performance management agent rejects the query, does not answer, redirects without "
       "end, "
       "or answers wrongly; or this machine refuses an agent of that class.",
       "They are missing in metrics; the rest of the fabric is read. It is queried again at the "
       "next "
       "poll, and what it rejected after an hour.",
       "Update the firmware of the device, if its counters matter."},
      {congestion_control_refused, "SM-CONGESTION-CONTROL-REFUSED", warning,
       "A device does not take the congestion control settings of the options.",
       "Its firmware rejects a value, or has no attribute for it; cc_cct has more entries than the "
       "CA's table; it has another CC_Key than cc_key; or its congestion control agent has stopped "
       "answering.",
       "What it rejects stays as it is, the rest is set; it is tried again after 10 seconds, then "
       "after growing pauses up to an hour. A warning for a switch, which marks no packets then; "
       "information for a CA port, whose own flows are not throttled.",
       "Look at `heddlectl congestion` and set the options to values that all devices take; for "
       "another CC_Key set cc_key to it, or remove the key (ibccconfig, or a restart of the "
       "device).",
       true},
      {congestion_control_missing, "SM-CONGESTION-CONTROL-MISSING", info,
       "Some devices have no congestion control, though congestion_control is TRUE.",
       "Their firmware has no agent for management class 0x21, or does not admit it; or this "
       "machine "
       "refuses an agent of that class.",
       "Those that reject the class are not queried again until they return or restart, silent "
       "ones "
       "after growing pauses. A warning if no switch marks "
       "packets, or no CA reacts to marks: congestion control has no effect then.",
       "Update or configure the firmware, or set congestion_control FALSE.", true},
      {adaptive_routing_refused, "SM-ADAPTIVE-ROUTING-REFUSED", warning,
       "A device does not take the settings or tables of adaptive routing.",
       "Its firmware rejects a value or an attribute, or does not answer requests about it.",
       "A switch forwards by its forwarding table, whose paths are among those of the others; for "
       "packets to a host no switch chooses. It is tried again when it restarts, and after growing "
       "pauses of up to an hour.",
       "Update its firmware; send us what `heddlectl show adaptive NODE` shows of it."},
      {adaptive_routing_mismatch, "SM-ADAPTIVE-ROUTING-MISMATCH", warning,
       "A switch shows other tables of adaptive routing than were written to it.",
       "Its firmware places a table differently: no public document has the layout of all models.",
       "Adaptive routing is not switched on there; it is tried again after growing pauses of up to "
       "an hour. It forwards by its forwarding table, whose paths are among those of the others.",
       "Send us the bytes that the message names, with model and firmware of the switch."},
      {adaptive_routing_partial, "SM-ADAPTIVE-ROUTING-PARTIAL", info,
       "Some switches cannot route adaptively.",
       "They are of an older model, or have firmware without the capability.",
       "They forward by their forwarding tables; all others choose.",
       "Nothing has to be done; paths over these switches spread less."},
      {router_tables_unusable, "SM-ROUTER-TABLES-UNUSABLE", warning,
       "A router does not say, or says wrongly, to which subnets it leads.",
       "Its firmware does not answer or rejects the requests, or its tables name this subnet, a "
       "prefix that no subnet can have, or more subnets than are kept.",
       "What cannot be true is left out. A router without tables is used where prefix_routes_file "
       "names it.",
       "Update the router's firmware, or set read_router_tables FALSE and write a "
       "prefix_routes_file."},
      {router_lost, "SM-ROUTER-LOST", warning,
       "A router no longer leads to a subnet to which others still lead.",
       "The router or one of its links is down, its port in the other subnet has no subnet "
       "manager, "
       "or its partitions have changed.",
       "Paths to that subnet use the other routers. The condition is active until the router leads "
       "there again, or seven days have passed.",
       "Check the router and its links in both subnets."},
      {subnet_unreachable, "SM-SUBNET-UNREACHABLE", error,
       "No router leads to a subnet that could be reached.",
       "The last router there, its links, or the subnet managers of the other subnet are down.",
       "Requests for paths to that subnet find none. The condition is active until a router leads "
       "there again, or seven days have passed.",
       "Check the routers that the message names, and the other subnet."},
      {router_alias_missing, "SM-ROUTER-ALIAS-MISSING", warning,
       "Hosts lack the alias GUID with their LID.",
       "Their GUID tables have no free entry, or they rejected the write or did not answer it.",
       "Routers that take the DLID from the DGID do not reach these hosts. The write is repeated "
       "after growing pauses.",
       "Free an entry of the GUID table, or update the firmware. Without such routers, set "
       "rtr_aguid_enable 2."},
      {link_flapping, "SM-LINK-FLAPPING", warning, "A link is lost again and again.",
       "A bad cable or transceiver, a port that fails, or a host that is restarted all the time.",
       "The link is used whenever it is up, unless hm_sw_flapping_action or hm_ca_flapping_action "
       "is isolate.",
       "Reseat or replace the cable; look at both ends that the message names."},
      {link_noisy, "SM-LINK-NOISY", warning,
       "The error counters of a port have been above their thresholds for hours.",
       "A bad cable or transceiver, or a port that fails.",
       "The link is used, unless hm_sw_noisy_action or hm_ca_noisy_action is isolate.",
       "Reseat or replace the cable; look at both ends that the message names."},
      {link_isolated, "SM-LINK-ISOLATED", error, "A link is kept out of use.",
       "It flapped or had errors and the action of the configuration is isolate, or it is "
       "unhealthy by hm_ports_health_policy_file.",
       "No path uses a link between switches; a host behind it is treated as absent: it keeps its "
       "LIDs, is not activated, and subscribers get trap 65. It is used again after the quiet time "
       "that the message states.",
       "Repair the link, then `heddlectl release NODE:PORT`, or wait."},
      {isolated_by_operator, "SM-ISOLATED-BY-OPERATOR", info,
       "A link is kept out of use because an operator isolated it.",
       "`heddlectl isolate`, or /v1/isolate of the API.",
       "No path uses a link between switches; a host behind it is treated as absent: it keeps its "
       "LIDs, is not activated, and subscribers get trap 65. The order outlives the daemon.",
       "Run `heddlectl release NODE:PORT` when the work is done."},
      {port_unhealthy, "SM-PORT-UNHEALTHY", warning,
       "A node or port is unhealthy by hm_ports_health_policy_file, or needed although `heddlectl "
       "isolate` named it.",
       "The administrator's entry.",
       "What hm_sw_manual_action or hm_ca_manual_action, or the entry itself, says.",
       "Remove the entry, or change it to HEALTHY, and send SIGHUP, once it is repaired."},
      {switch_held_back, "SM-SWITCH-HELD-BACK", info,
       "A switch is kept out of routing by held_back_sw_file.", "The administrator's entry.",
       "No path leads through it or to it, and its host ports are not activated.",
       "Remove its NodeGUID from the file and send SIGHUP, once it is repaired."},
      {topology_node_missing, "SM-TOPOLOGY-NODE-MISSING", warning,
       "A node of topo_config_file is not there.",
       "It has no power, its cable is not plugged in, or it was removed.",
       "Nothing: what is there is managed.", "Bring the node back, or bring the file up to date."},
      {topology_node_extra, "SM-TOPOLOGY-NODE-UNEXPECTED", warning,
       "A node is there that topo_config_file does not have.", "It was added or replaced.",
       "It is managed like all others.", "Bring the file up to date, or disconnect the node."},
      {topology_node_moved, "SM-TOPOLOGY-NODE-MOVED", warning,
       "All links of a node lead elsewhere than in topo_config_file.",
       "It was plugged in at another place.", "It is managed where it is.",
       "Move the node back, or bring the file up to date."},
      {topology_link_missing, "SM-TOPOLOGY-LINK-MISSING", warning,
       "A link of topo_config_file is not there, though both of its nodes are.",
       "A cable that was pulled or has failed, or a port that is disabled.",
       "Nothing: what is there is managed.",
       "Check the cable between the two ports that the message names."},
      {topology_link_extra, "SM-TOPOLOGY-LINK-UNEXPECTED", warning,
       "A link is there that topo_config_file does not have.", "A cable was added.",
       "It is used like all others.", "Bring the file up to date, or remove the cable."},
      {topology_miscabled, "SM-TOPOLOGY-MISCABLED", warning,
       "Ports are linked, but not as in topo_config_file.", "Cables were exchanged.",
       "The links are used as they are.", "Plug the cables as the message says."},
      {topology_link_slow, "SM-TOPOLOGY-LINK-SLOW", warning,
       "A link is slower or narrower than in topo_config_file.",
       "A cable of another kind, a bad lane, or a port with other speeds enabled.",
       "The link is used as it is.", "Check the cable and the ports that the message names."},
      {guid_misplaced, "SM-GUID-MISPLACED", warning,
       "The configuration names a NodeGUID where a port GUID belongs, a port GUID where a NodeGUID "
       "belongs, a host where a switch belongs, or a switch where a host belongs.",
       "A GUID that was copied from the wrong line: ibstat prints the NodeGUID first. Or an entry "
       "in "
       "the wrong file: roots are switches, compute and I/O nodes are hosts.",
       "The entry has no effect: no port is a member of a partition by a NodeGUID, and the switch "
       "of "
       "a host is not a root.",
       "Write the GUID that the message names instead."},
      {guid_absent, "SM-GUID-ABSENT", info,
       "The configuration names a GUID that nothing in the fabric has.",
       "The device was removed or replaced, is switched off, or the GUID is written wrong.",
       "The entry has no effect until something has this GUID.",
       "Write the GUID of the device that is there now, or remove the entry, and send SIGHUP."},
      {output_failed, "SM-OUTPUT-FAILED", error,
       "The log, or another file that Heddle writes for people and programs, cannot be written.",
       "The file system is full or read-only, a directory is missing, or the reader of a pipe has "
       "ended.",
       "The fabric is managed. Lines of the log that cannot be written are lost and counted; other "
       "files stay as they were and are written at the next occasion.",
       "Make room, or correct the path and its permissions; SIGUSR1 opens the log again."},
      {event_command_failed, "SM-EVENT-COMMAND-FAILED", warning,
       "event_command did not take an event.",
       "The program does not exist or cannot be run, ended with an exit code other than 0, ran "
       "longer "
       "than event_command_timeout, or is slower than events arrive.",
       "The event is not passed to it again, and this condition never is; /v1/events has both.",
       "Run the program by hand with an event as it is in the message, and look at what it "
       "prints."},
      {class_key_unknown, "SM-CLASS-KEY-UNKNOWN", error,
       "A device does not answer requests of a management class with any key that it may have.",
       "Another subnet manager set its key, and guid2vskey or guid2_m2n_key was not copied; "
       "key_mgr_seed was changed while no subnet manager ran; or its agent hangs.",
       "After three attempts it is not queried until it returns or restarts, or the configuration "
       "is "
       "read again. Its key of that class stays as it is.",
       "Add a line with PortGUID and key to the file of the class, and send SIGHUP; or restart the "
       "device."},
      {class_key_violation, "SM-CLASS-KEY-VIOLATION", error,
       "A device received a request of a management class with a wrong key (trap 0 of the class, "
       "or "
       "its counter of violations).",
       "A diagnostic program without the keys, another subnet manager, or an intruder on the host "
       "that the message names.",
       "The request had no effect.",
       "Check the host that the message names. Programs that need the keys read guid2vskey and "
       "guid2_m2n_key.",
       false, occurrence},
      {default_keys, "SM-DEFAULT-KEYS", info,
       "sm_key or sa_key has its default, which every program knows.", "The options were not set.",
       "Any host of the subnet can act as a subnet manager or as a trusted client of subnet "
       "administration.",
       "Set sm_key and sa_key to secret numbers, the same for all subnet managers. `heddlectl "
       "security` shows what else is open."},
      {vnic_agent_silent, "SM-VNIC-AGENT-SILENT", warning,
       "The Ethernet management agent of a port of a virtual Ethernet switch does not answer.",
       "The host is down or restarting, its driver opa_vnic is not loaded, or the port has no LID.",
       "Its VNICs stay as they are, and frames still go to its LID. It is queried at every pass.",
       "Check the host, and load opa_vnic there; or take the port off the members of the switch."},
      {vnic_agent_refused, "SM-VNIC-REFUSED", error,
       "An Ethernet management agent refuses a request of heddle-vnic.",
       "The driver has no memory for a further VNIC, or it does not know the attribute.",
       "The VNIC that the message names lacks what was refused; it is tried again at every pass.",
       "Look at the log of the host's kernel."},
      {vnic_member_missing, "SM-VNIC-MEMBER-MISSING", warning,
       "The configuration of a virtual Ethernet switch names a port that is not in the fabric.",
       "The host is down, or the PortGUID is wrong (ibstat prints the NodeGUID first).",
       "The switch works without it.", "Correct the PortGUID, or start the host."},
      {vnic_mac_duplicate, "SM-VNIC-MAC-DUPLICATE", error,
       "Two ports of one virtual Ethernet switch report the same MAC address.",
       "A copied configuration, a loop of bridges, or a host that takes the address of another "
       "one.",
       "The port that reported it first keeps it. A base MAC address is never taken over.",
       "Give one of the interfaces another address."},
      {vnic_mac_flood, "SM-VNIC-MAC-FLOOD", warning,
       "A VNIC or a virtual Ethernet switch has more MAC addresses than its bound.",
       "A bridge with many hosts behind a VNIC, or a host that invents addresses.",
       "Addresses beyond the bound are left out: frames to them go to the default ports.",
       "Look at the host that the message names; macs_per_port_max bounds those of a VNIC."},
      {vnic_group_failed, "SM-VNIC-GROUP-FAILED", error,
       "Subnet administration does not give heddle-vnic the ports of the fabric, or a group.",
       "No subnet manager is MASTER, its subnet administration does not answer in time, or the "
       "partition of the switch does not have this port or a member.",
       "What is programmed stays. Without a group, frames to many receivers are dropped.",
       "Check the subnet manager, and that the partition has all members of the switch and the "
       "port "
       "of heddle-vnic."},
  });
}();

}  // namespace fabric
