#include "config/schema.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "config/foreign_keys.h"
#include "config/heddle_keys.h"
#include "config/nearest.h"
#include "config/options.h"

namespace config {
namespace {

template <QosScope Scope, auto Member>
Ref qos_at(Options& options) {
  return &(options.qos_sets[static_cast<std::size_t>(Scope)].*Member);
}

// Reasons why a change waits for the next start.
constexpr std::string_view kIsProcess = "it says how the process starts",
                           kChangesLids =
                               "end ports would get other LIDs, which ends their connections",
                           kIsInGids = "registrations, groups and hosts have GIDs with the prefix";

#define QOS_KEYS(prefix, scope, ports)                                              \
  Key{#prefix "_max_vls", &qos_at<scope, &QosSet::max_vls>, Section::qos,           \
      "Data VLs used " ports "; 0: unset"}                                          \
      .in(0, 15)                                                                    \
      .live(),                                                                      \
      Key{#prefix "_high_limit", &qos_at<scope, &QosSet::high_limit>, Section::qos, \
          "VL arbitration: high priority limit " ports "; negative: unset"}         \
          .in(-2147483648, 255)                                                     \
          .live(),                                                                  \
      Key{#prefix "_vlarb_high", &qos_at<scope, &QosSet::vlarb_high>, Section::qos, \
          "VL arbitration: high priority table " ports ", vl:weight,..."}           \
          .live(),                                                                  \
      Key{#prefix "_vlarb_low", &qos_at<scope, &QosSet::vlarb_low>, Section::qos,   \
          "VL arbitration: low priority table " ports ", vl:weight,..."}            \
          .live(),                                                                  \
      Key{#prefix "_sl2vl", &qos_at<scope, &QosSet::sl2vl>, Section::qos,           \
          "VL of each of the 16 SLs " ports}                                        \
          .live()

template <std::size_t... N>
constexpr auto concatenate(const std::array<Key, N>&... parts) {
  std::array<Key, (N + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& part) {
    for (const Key& key : part) all[next++] = key;
  };
  (append(parts), ...);
  return all;
}

namespace device {
constexpr Section kSection = Section::device;
constexpr std::array kKeys{
    KEY(guid, "Port GUIDs to run on, comma separated (OpenSM reads just one); 0: choose a port")
        .of_host()
        .at_start("the daemon is bound to its ports")
        .hex(16)
        .differs("OpenSM reads one GUID, NVIDIA's several."),
    KEY(m_key, "M_Key set on every end port").hex(16).live().secret(),
    KEY(m_key_lease_period,
        "Seconds without a valid request after which a port drops its M_Key; 0: never")
        .live()
        .differs("UFM sets 60."),
    KEY(m_key_protection_level, "Protection against requests without the M_Key (M_KeyProtectBits)")
        .in(0, 3)
        .live(),
    KEY(m_key_lookup, "Look up a port's present M_Key in guid2mkey before trying m_key").live(),
    KEY(sm_key, "SM_Key sent and required in SMInfo").hex(16).live().secret(),
    KEY(sa_key, "SM_Key that makes an SA request a trusted one").hex(16).live().secret(),
    KEY(subnet_prefix,
        "GID prefix of the subnet; with several ports in guid also one for each, comma separated")
        .at_start(kIsInGids)
        .hex(16)
        .differs("OpenSM has one prefix."),
    KEY(lmc, "CA and router ports get 2^lmc LIDs each").at_start(kChangesLids).in(0, 7),
    KEY(lmc_esp0, "Enhanced switch port 0 gets 2^lmc LIDs too").at_start(kChangesLids),
    KEY(sm_sl, "SL for traffic to the SM and SA").in(0, 15).live(),
    KEY(packet_life_time, "Switch packet lifetime, 4.096 us * 2^n; 0x14 and above: unlimited")
        .in(0, 31)
        .hex(2)
        .live(),
    KEY(vl_stall_count, "Dropped packets in a row that stall a VL, between switches")
        .in(0, 7)
        .hex(2)
        .live(),
    KEY(leaf_vl_stall_count, "Dropped packets in a row that stall a VL, switch to CA or router")
        .in(0, 7)
        .hex(2)
        .live(),
    KEY(head_of_queue_lifetime,
        "Head-of-queue lifetime between switches, 4.096 us * 2^n; 0x14 and above: unlimited")
        .in(0, 31)
        .hex(2)
        .live(),
    KEY(leaf_head_of_queue_lifetime, "Head-of-queue lifetime towards CAs and routers, same unit")
        .in(0, 31)
        .hex(2)
        .live(),
    KEY(max_op_vls, "Most VLs in operation, as a code: 1 one, 2 two, 3 four, 4 eight, 5 fifteen")
        .in(1, 5)
        .live()
        .differs("NVIDIA's default is 2."),
    KEY(force_link_speed,
        "LinkSpeedEnabled: bits 1 SDR, 2 DDR, 4 QDR; 0: leave, 15: all that the port supports")
        .in(0, 7)
        .or_just(15)
        .live(),
    KEY(force_link_speed_ext,
        "LinkSpeedExtEnabled: bits 1 FDR, 2 EDR, 4 HDR, 8 NDR (not before OpenSM 3.3.24); 0: "
        "leave, 30: none, 31: all supported")
        .in(0, 15)
        .in(30, 31)
        .live()
        .differs("OpenSM 3.3.23 has bits 1 to 4."),
    KEY(force_link_width,
        "LinkWidthEnabled: bits 1 1x, 2 4x, 4 8x, 8 12x, 16 2x; 0: leave, 255: all supported")
        .in(0, 31)
        .or_just(255)
        .live(),
    KEY(fdr10, "FDR10 on ports that have it: 0 leave, 1 on, 2 off (255: NVIDIA's default, as 0)")
        .in(0, 2)
        .or_just(255)
        .live()
        .differs("NVIDIA's default is 255."),
    KEY(subnet_timeout, "SubnetTimeOut of every port, 4.096 us * 2^n").in(0, 31).live(),
    KEY(local_phy_errors_threshold, "Local physical errors that raise trap 129")
        .in(0, 15)
        .hex(2)
        .live(),
    KEY(overrun_errors_threshold, "Buffer overruns that raise trap 130").in(0, 15).hex(2).live(),
    KEY(use_mfttop, "Set MulticastFDBTop on switches that have it").live(),
};
}  // namespace device

namespace partitioning {
constexpr Section kSection = Section::partitioning;
constexpr std::array kKeys{
    KEY(partition_config_file, "File that defines the partitions").live(),
    KEY(no_partition_enforcement, "Old form of 'part_enforce off', overrides it").live(),
    KEY(part_enforce, "Direction in which switches check P_Keys at end ports: both, in, out, off")
        .live(),
    KEY(allow_both_pkeys, "A port may be full and limited member of one partition").live(),
    KEY(keep_pkey_indexes, "Leave a P_Key at the index where a port has it").live(),
    KEY(sm_assigned_guid,
        "Byte that distinguishes this subnet's alias GUIDs from those of other subnets")
        .hex(2)
        .live(),
};
}  // namespace partitioning

namespace sweep {
constexpr Section kSection = Section::sweep;
constexpr std::array kKeys{
    KEY(sweep_interval, "Seconds between periodic sweeps; 0: only on events").in(0, 4294).live(),
    KEY(audit_interval,
        "Seconds in which a background audit reads all tables and settings back once; 0: never")
        .in(0, 4294967)
        .live()
        .ours(),
    KEY(reassign_lids, "First sweep as master gives every port a new LID").live(),
    KEY(force_heavy_sweep, "Every sweep reads the whole fabric").live(),
    KEY(sweep_on_trap, "Traps 128 and 144 start a sweep at once").live(),
};
}  // namespace sweep

namespace routing {
constexpr Section kSection = Section::routing;
constexpr std::array kKeys{
    KEY(port_profile_switch_nodes, "Routes to switches count when links are balanced").rerouting(),
    KEY(port_prof_ignore_file, "File of switch ports that do not count when links are balanced")
        .rerouting(),
    KEY(hop_weights_file, "File of weights for switch ports, instead of one hop each").rerouting(),
    KEY(port_search_ordering_file,
        "File of port orders in which a switch is searched for equal routes")
        .rerouting(),
    KEY(routing_engine,
        "Routing engines, comma separated, tried in order; 'no_fallback': without minhop at the "
        "end")
        .rerouting()
        .differs(
            "OpenSM's default is minhop and it has no engine ar_...; NVIDIA's default is ar_updn."),
    KEY(avoid_throttled_links, "Leave out links between switches that run below their speed")
        .rerouting(),
    KEY(connect_roots, "Route between root switches too").live(),
    KEY(use_ucast_cache, "Accepted for old configurations: routing is always incremental")
        .live()
        .differs("OpenSM keeps routes of lost links only with it."),
    KEY(lid_matrix_dump_file, "File with hop matrices to use instead of computing them")
        .rerouting(),
    KEY(lfts_file, "File with forwarding tables for the engine 'file'").rerouting(),
    KEY(pgrp_policy_file, "File of port groups; lists of GUIDs may name them")
        .rerouting()
        .nvidias()
        .differs("NVIDIA's takes their names in more files."),
    KEY(topo_policy_file, "File of the parts of the fabric, by port groups, for routing chains")
        .rerouting()
        .nvidias(),
    KEY(rch_policy_file, "File of the steps of routing chains (engine 'chain')")
        .rerouting()
        .nvidias()
        .differs("NVIDIA's takes minhop, updn and ftree for steps."),
    KEY(root_guid_file, "File of root switches (updn, ftree, dmodc)").rerouting(),
    KEY(cn_guid_file, "File of compute nodes (ftree, sssp, dfsssp, nue)").rerouting(),
    KEY(io_guid_file, "File of storage nodes (ftree, sssp, dfsssp, nue)").rerouting(),
    KEY(quasi_ftree_indexing,
        "No effect: ftree ranks switches by their links, also in irregular trees")
        .live()
        .differs("OpenSM and NVIDIA's number the switches of irregular trees otherwise with it."),
    KEY(max_reverse_hops, "Reverse hops on paths of ftree to storage nodes").rerouting(),
    KEY(ids_guid_file, "File of node numbers for updn and dnup, in place of GUIDs").rerouting(),
    KEY(guid_routing_order_file, "File of port GUIDs to route first, in that order").rerouting(),
    KEY(do_mesh_analysis, "lash looks for a mesh first").rerouting(),
    KEY(lash_start_vl, "First VL that lash uses").in(0, 15).rerouting(),
    KEY(nue_max_num_vls, "Most VLs that nue uses; 0: all").in(0, 15).rerouting(),
    KEY(nue_include_switches, "nue treats switches as sources and destinations").rerouting(),
    KEY(port_shifting, "Rotate among equal ports").rerouting(),
    KEY(scatter_ports, "Choose among equal ports at random with this seed; 0: round robin")
        .in(0, 2147483647)
        .rerouting()
        .differs("NVIDIA's default is 8."),
    KEY(guid_routing_order_no_scatter, "No random choice for the ports of guid_routing_order_file")
        .rerouting(),
    KEY(sa_db_file, "File of SA registrations to load at start")
        .of_host()
        .at_start("registrations are loaded at the start only"),
    KEY(sa_db_dump, "Write SA registrations to a file").of_host().live(),
    KEY(torus_config, "File that describes the torus (torus-2QoS, ar_torus, auto)").rerouting(),
};
}  // namespace routing

namespace handover {
constexpr Section kSection = Section::handover;
constexpr std::array kKeys{
    KEY(sm_priority, "Of several SMs the one with the highest becomes master")
        .of_host()
        .in(0, 15)
        .live()
        .differs("UFM sets 15."),
    KEY(ignore_other_sm, "Ignore all other SMs").of_host().live(),
    KEY(sminfo_polling_timeout, "Milliseconds between a standby's polls of the master")
        .of_host()
        .in(1, 4294967295)
        .live()
        .differs("UFM sets 5000."),
    KEY(polling_retry_number, "Unanswered polls after which a standby starts discovery")
        .of_host()
        .live(),
    KEY(standby_read_rate,
        "SMPs a second of a standby that reads the subnet, to take over at once; 0: none")
        .in(0, 1000000)
        .live()
        .ours(),
    KEY(honor_guid2lid_file, "Use the LIDs of guid2lid when a standby becomes master").live(),
};
}  // namespace handover

namespace timing {
constexpr Section kSection = Section::timing;
constexpr std::array kKeys{
    KEY(max_wire_smps, "SMPs on the wire at a time; 0: unlimited. Unset, Heddle's window adapts")
        .in(0, 2147483647)
        .even_by_default()
        .live()
        .differs("OpenSM's window is fixed: 4, NVIDIA's 32, UFM sets 8."),
    KEY(max_wire_smps2, "SMPs on the wire while some are late")
        .in(0, 2147483647)
        .even_by_default()
        .live(),
    KEY(max_smps_timeout, "Microseconds after which an SMP is late").live(),
    KEY(transaction_timeout, "Milliseconds to wait for the response to an SMP")
        .in(1, 4294967295)
        .live()
        .differs("NVIDIA's default is 100."),
    KEY(transaction_retries, "Retries of an unanswered SMP").live(),
    KEY(long_transaction_timeout,
        "Milliseconds to wait for the response when all SL2VL tables of a switch are set at once")
        .live()
        .differs("NVIDIA's default is 1000."),
    KEY(max_msg_fifo_timeout,
        "SA requests that waited longer than these milliseconds are dropped; 0: never")
        .live(),
    KEY(single_thread, "Accepted; Heddle's SA answers on one thread in any case")
        .live()
        .differs("OpenSM and NVIDIA's use a thread for each processor without it."),
};
}  // namespace timing

namespace misc {
constexpr Section kSection = Section::misc;
constexpr std::array kKeys{
    KEY(daemon, "Run in the background").of_host().at_start(kIsProcess),
    KEY(sm_inactive, "Start in the state NOT-ACTIVE").of_host().live(),
    KEY(babbling_port_policy, "Disable a port that repeats traps 129 to 131 without end").live(),
    KEY(drop_event_subscriptions, "Drop subscriptions of ports that disappeared").live(),
    KEY(ipoib_mcgroup_creation_validation, "A new IPoIB group has to match the broadcast group")
        .live(),
    KEY(mcgroup_join_validation, "A join request has to match the group").live(),
    KEY(use_original_extended_sa_rates_only, "Never answer with rates above 300 Gb/s")
        .live()
        .differs("OpenSM 3.3.24 and NVIDIA's have max_rate_enum instead."),
    KEY(use_optimized_slvl,
        "Set all SL2VL tables of a switch at once where supported; TRUE unless it is set")
        .even_by_default()
        .live()
        .differs("OpenSM and NVIDIA's do so only if it is TRUE."),
    KEY(fsync_high_avail_files,
        "Sync the files that a new master needs to disk before the sweep continues")
        .of_host()
        .live(),
};
}  // namespace misc

namespace perfmgr {
constexpr Section kSection = Section::perfmgr;
constexpr std::array kKeys{
    KEY(perfmgr, "Read the counters of all ports at intervals, while MASTER").live(),
    KEY(perfmgr_redir, "Follow redirection to another port").live(),
    KEY(perfmgr_sweep_time_s,
        "Seconds between polls; the queries of one are spread over half of it")
        .in(1, 65535)
        .live(),
    KEY(perfmgr_max_outstanding_queries, "Queries without an answer at a time")
        .in(1, 4294967295)
        .live(),
    KEY(perfmgr_ignore_cas, "Read the counters of switches only").live(),
    KEY(perfmgr_rm_nodes,
        "Leave nodes out that disappeared; of one that returns within a day totals go on")
        .live(),
    KEY(perfmgr_log_errors, "Errors above perfmgr_*_per_hour are conditions (SM-PORT-ERRORS)")
        .live(),
    KEY(perfmgr_query_cpi,
        "Query what the agent of a node can do; without it PortCounters alone are read")
        .live(),
    KEY(perfmgr_xmit_wait_log, "Ports that wait to send are conditions (SM-PORT-CONGESTED)").live(),
    KEY(perfmgr_xmit_wait_threshold, "PortXmitWait: ticks between two polls from which on they are")
        .live(),
};
}  // namespace perfmgr

namespace events {
constexpr Section kSection = Section::events;
constexpr std::array kKeys{
    KEY(event_db_dump_file,
        "File that POST /v1/dump-counters and the console's perfmgr dump_counters write; empty: "
        "opensm_port_counters.log in dump_files_dir")
        .of_host()
        .live(),
    KEY(event_plugin_name, "Plug-ins to load")
        .live()
        .use_instead(
            "event_command, which is run with each event, or /v1/events of the HTTP service")
        .differs("OpenSM and NVIDIA's load such plug-ins, UFM's among them."),
    KEY(event_plugin_options, "Text passed to the plug-ins")
        .live()
        .use_instead(
            "event_command, which is run with each event, or /v1/events of the HTTP service")
        .secret(),
};
}  // namespace events

namespace names {
constexpr Section kSection = Section::names;
constexpr std::array kKeys{
    KEY(node_name_map_name, "File with names for nodes: guid \"name\"").live()};
}  // namespace names

namespace debug {
constexpr Section kSection = Section::debug;
constexpr std::array kKeys{
    KEY(log_flags,
        "What is logged, as bits: 1 error, 2 info, 4 verbose, 8 debug, 0x10 calls, 0x20 MADs, 0x40 "
        "routing, 0x80 system")
        .of_host()
        .hex(2)
        .live(),
    KEY(force_log_flush, "Every log line goes to the file at once").of_host().live(),
    KEY(log_file, "Log file, or stdout, or stderr")
        .of_host()
        .at_start("the log is open; SIGUSR1 opens the same name again")
        .differs("UFM sets /opt/ufm/files/log/opensm.log."),
    KEY(log_max_size, "Megabytes at which the log is truncated; 0: never").of_host().live(),
    KEY(accum_log_file, "Append to an old log at start").of_host().live(),
    KEY(per_module_logging_file,
        "File with log levels for single modules; it is not read: log_flags is for all of them")
        .of_host()
        .live()
        .later(),
    KEY(dump_files_dir, "Directory for dump files")
        .of_host()
        .live()
        .differs("UFM sets /opt/ufm/files/log/."),
    KEY(enable_quirks,
        "Work around known faults of some devices: paths of Tavor HCAs have MTU 1024")
        .live(),
    KEY(no_clients_rereg, "Never set ClientReregister")
        .live()
        .differs("NVIDIA's newer versions have client_rereg_mode instead."),
    KEY(disable_multicast, "No multicast routing").live(),
    KEY(exit_on_fatal,
        "Accepted and without effect: nothing that the fabric shows ends the manager")
        .live()
        .differs("OpenSM ends at a duplicate GUID, which any host can show; Heddle leaves the copy "
                 "out (SM-GUID-DUPLICATE). A faulty configuration ends the start of both."),
    KEY(console, "Operator's console: off, local (terminal of the process) or loopback")
        .of_host()
        .live(),
    KEY(console_port, "TCP port of the console, of 127.0.0.1").of_host().live(),
};
}  // namespace debug

namespace qos {
constexpr Section kSection = Section::qos;
constexpr std::array kKeys{
    KEY(qos, "Apply the QoS policy to paths; program SL2VL mapping and VL arbitration").live(),
    KEY(qos_policy_file, "File with the QoS policy").live(),
    KEY(suppress_sl2vl_mad_status_errors, "Do not log errors that ports return for SL2VL tables")
        .live(),
    QOS_KEYS(qos, QosScope::all, "everywhere"),
    QOS_KEYS(qos_ca, QosScope::ca, "on CAs"),
    QOS_KEYS(qos_sw0, QosScope::sw0, "on switch port 0"),
    QOS_KEYS(qos_swe, QosScope::swe, "on external switch ports"),
    QOS_KEYS(qos_rtr, QosScope::rtr, "on routers"),
};
}  // namespace qos

namespace congestion {
constexpr Section kSection = Section::congestion;
constexpr std::array kKeys{
    KEY(congestion_control, "Configure congestion control of switches and CAs")
        .live()
        .differs("OpenSM configures congestion control with it; NVIDIA's newer versions have "
                 "mlnx_congestion_control instead."),
    KEY(cc_key, "CC_Key that congestion control requests have").hex(16).live().secret(),
    KEY(cc_max_outstanding_mads, "Congestion control requests on the wire").in(1, 4096).live(),
    KEY(cc_sw_cong_setting_control_map,
        "Switch settings to use: bits 1 victims, 2 credits, 4 threshold and size, 8 starvation, 16 "
        "rate")
        .in(0, 31)
        .hex(1)
        .live(),
    KEY(cc_sw_cong_setting_victim_mask, "Switch ports that also mark as victims, bit n is port n")
        .live(),
    KEY(cc_sw_cong_setting_credit_mask, "Switch ports that detect starvation, bit n is port n")
        .live(),
    KEY(cc_sw_cong_setting_threshold, "Threshold for marks: 0 none to 15 most")
        .in(0, 15)
        .hex(2)
        .live(),
    KEY(cc_sw_cong_setting_packet_size, "Smaller packets are not marked, in credits").live(),
    KEY(cc_sw_cong_setting_credit_starvation_threshold,
        "Threshold for credit starvation: 0 none to 15 most sensitive")
        .in(0, 15)
        .hex(2)
        .live(),
    KEY(cc_sw_cong_setting_credit_starvation_return_delay, "Delay of credits, shift:multiplier")
        .live(),
    KEY(cc_sw_cong_setting_marking_rate, "Packets between two marks, on average").live(),
    KEY(cc_ca_cong_setting_port_control, "0: by queue pair, 1: by SL").in(0, 1).hex(4).live(),
    KEY(cc_ca_cong_setting_control_map, "SLs to configure, bit n is SL n").hex(4).live(),
    KEY(cc_ca_cong_setting_ccti_timer,
        "SL and ticks of 1.024 us after which its table index falls by one; one line for each SL")
        .live(),
    KEY(cc_ca_cong_setting_ccti_increase, "SL and steps that its index rises on a notification")
        .in(0, 255)
        .live(),
    KEY(cc_ca_cong_setting_trigger_threshold, "SL and index that is logged").in(0, 255).live(),
    KEY(cc_ca_cong_setting_ccti_min, "SL and smallest index").in(0, 255).live(),
    KEY(cc_cct, "Congestion control table, up to 128 of shift:multiplier,...")
        .live()
        .differs("OpenSM takes a table of one entry as none."),
    KEY(cc_key_enable,
        "CC_Key of devices: 0 leave it, 1 remove it (requests have cc_key), 2 set it to cc_key")
        .in(0, 2)
        .live()
        .nvidias()
        .differs("NVIDIA's derives a key for each device; Heddle sets cc_key on all."),
    KEY(cc_key_lease_period,
        "Seconds after a request without the CC_Key until a device shows it to all; 0: never")
        .live()
        .nvidias(),
    KEY(cc_key_protect_bit, "1: the CC_Key cannot be read without it").in(0, 1).live().nvidias(),
};
}  // namespace congestion

namespace snm {
constexpr Section kSection = Section::snm;
constexpr std::array kKeys{
    KEY(consolidate_ipv6_snm_req, "One multicast group for all IPv6 neighbour discovery").live()};
}  // namespace snm

namespace log_prefix {
constexpr Section kSection = Section::log_prefix;
constexpr std::array kKeys{KEY(log_prefix, "Text at the start of every log line").of_host().live()};
}  // namespace log_prefix

#undef QOS_KEYS
#undef KEY

constexpr auto kKeys =
    concatenate(device::kKeys, partitioning::kKeys, sweep::kKeys, routing::kKeys, handover::kKeys,
                timing::kKeys, misc::kKeys, perfmgr::kKeys, events::kKeys, names::kKeys,
                debug::kKeys, qos::kKeys, congestion::kKeys, adaptive_routing::kKeys,
                routers::kKeys, snm::kKeys, log_prefix::kKeys, heddle::kKeys);

static_assert(std::ranges::all_of(kKeys,
                                  [](const Key& key) { return key.hup == key.restart.empty(); }),
              "a key takes effect on SIGHUP, or says why not");

}  // namespace

std::span<const Key> keys() { return kKeys; }

const Key* find_key(std::string_view name) {
  if (name == "dimn_ports_file") name = "port_search_ordering_file";
  const auto found = std::ranges::find(kKeys, name, &Key::name);
  return found == kKeys.end() ? nullptr : &*found;
}

bool is_foreign_key(std::string_view name) {
  return name.starts_with("nvl_") || std::ranges::binary_search(foreign_keys(), name);
}

std::optional<std::string_view> nearest_key(std::string_view name) {
  std::vector<std::string_view> names(kKeys.size());
  std::ranges::transform(kKeys, names.begin(), &Key::name);
  names.insert(names.end(), foreign_keys().begin(), foreign_keys().end());
  return nearest(name, names);
}

Options default_options(const char* osm_tmp_dir, const char* osm_cache_dir) {
  Options options;
  options.pid_file = "/var/run/opensm.pid";  // where scripts for NVIDIA's builds look for it
  if (osm_tmp_dir != nullptr && *osm_tmp_dir != '\0') options.dump_files_dir = osm_tmp_dir;
  if (osm_cache_dir != nullptr && *osm_cache_dir != '\0') options.cache_files_dir = osm_cache_dir;
  return options;
}

}  // namespace config
