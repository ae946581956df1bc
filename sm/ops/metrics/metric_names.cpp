#include "sm/ops/metrics/metric_names.h"

#include "mad/format.h"

namespace sm::metrics {

namespace {

constexpr std::array<Metric, own::kIds> kOwn{{
    {"heddle_build_info", Kind::info, "version", "The version of this manager"},
    {"heddle_sm_state", Kind::gauge, "state",
     "1 for the state that the manager is in by IBTA Vol 1, 14.4.1; 0 for the others"},
    {"heddle_sm_priority", Kind::gauge, "", "The priority that SMInfo shows, 0 to 15"},
    {"heddle_subnet_up", Kind::gauge, "",
     "1: this manager is MASTER, and its latest sweep programmed all of the subnet"},
    {"heddle_sweep_duration_seconds", Kind::histogram, "kind",
     "How long sweeps took: heavy (everything is read), light (states only), repair (only nodes "
     "that changed)"},
    {"heddle_sweeps_total", Kind::counter, "kind, result",
     "Sweeps that ended: subnet_up, errors, incomplete; light ones: changed, unchanged, "
     "incomplete"},
    {"heddle_nodes", Kind::gauge, "type", "Nodes of the subnet: ca, switch, router"},
    {"heddle_ports", Kind::gauge, "state",
     "Ports of the subnet by PortState, without port 0 of switches: down, init, armed, active"},
    {"heddle_lids_used", Kind::gauge, "", "Unicast LIDs that end ports and vports have"},
    {"heddle_vports", Kind::gauge, "state",
     "Virtual ports by their state: down, init, armed, active"},
    {"heddle_smps_sent_total", Kind::counter, "method, attribute",
     "SMPs sent, repetitions included: SubnGet and SubnSet by attribute"},
    {"heddle_smp_timeouts_total", Kind::counter, "",
     "SMPs without a response after all repetitions"},
    {"heddle_smp_outstanding", Kind::gauge, "", "SMPs that wait for their response"},
    {"heddle_sa_requests_total", Kind::counter, "attribute, method, result",
     "Requests to subnet administration: answered, no_records, refused, busy, dropped, repeated"},
    {"heddle_sa_queue_length", Kind::gauge, "", "Requests to subnet administration that wait"},
    {"heddle_sa_latency_seconds", Kind::histogram, "",
     "From the arrival of a request to subnet administration to its response, of those answered"},
    {"heddle_traps_total", Kind::counter, "number",
     "Traps that arrived, by TrapNumber; other: numbers that are not known"},
    {"heddle_multicast_groups", Kind::gauge, "", "Multicast groups"},
    {"heddle_multicast_members", Kind::gauge, "", "Memberships of multicast groups"},
    {"heddle_partitions", Kind::gauge, "", "Partitions, the default partition included"},
    {"heddle_routing_engine_info", Kind::info, "engine", "The engine that made the tables in use"},
    {"heddle_routing_load_ratio", Kind::gauge, "",
     "Greatest load of a link, in pairs of hosts, over that of routes chosen from the beginning; "
     "absent until routes that were moved have been compared (rebalance_quiet_time)"},
    {"heddle_routing_duration_seconds", Kind::histogram, "",
     "How long unicast routing took, with the verification of its tables"},
    {"heddle_lft_blocks_written_total", Kind::counter, "",
     "Blocks of 64 LIDs of LinearForwardingTables that switches acknowledged"},
    {"heddle_config_reload_total", Kind::counter, "result",
     "Reloads (SIGHUP): applied, or rejected because of errors in a file"},
    {"heddle_conditions", Kind::gauge, "severity, id",
     "Conditions that are active, by identifier, without those that another one has caused"},
    {"heddle_conditions_cleared_total", Kind::counter, "severity, id",
     "Conditions that have ended, by identifier, without those that another one has caused: shows "
     "those that come and go between two scrapes"},
    {"heddle_occurrences_total", Kind::counter, "severity, id",
     "Occurrences, by identifier: refused requests, wrong keys, lost tables; they are not among "
     "the conditions"},
    {"heddle_state_peer_connected", Kind::gauge, "peer",
     "1: the manager at this address (state_peers) is connected and gets the shared state; 0: it "
     "is not"},
    {"heddle_state_peer_behind", Kind::gauge, "peer",
     "Changes of the shared state that the manager at this address lacks"},
    {"heddle_state_peer_behind_seconds", Kind::gauge, "peer", "For how long it has lacked some"},
    {"heddle_nodes_lost", Kind::gauge, "type",
     "Nodes that were lost and are not back: switches, and CAs and routers"},
    {"heddle_hosts_cut_off", Kind::gauge, "", "CAs and routers that a lost switch cuts off"},
    {"heddle_links_lost", Kind::gauge, "between",
     "Links that were lost while their nodes answer: between switches, and of hosts"},
    {"heddle_capacity_lost_ratio", Kind::gauge, "",
     "Lost links between two tiers of switches over those before the losses; the worst of all "
     "tiers"},
    {"heddle_congestion_devices", Kind::gauge, "type, state",
     "Switches and CA ports by the state of their congestion control, with congestion_control "
     "TRUE: pending, configured, unsupported, refused, other_key, silent"},
    {"heddle_congestion_events_total", Kind::counter, "type",
     "By CongestionLogs: packets that switches marked, flows of CA ports that reached the trigger "
     "threshold"},
    {"heddle_congestion_sets_total", Kind::counter, "",
     "Congestion control attributes that were written"},
    {"heddle_congestion_mended_total", Kind::counter, "",
     "Those of them that another program had changed"},
    {"heddle_adaptive_routing_switches", Kind::gauge, "state",
     "Switches by the state of their adaptive routing, with a routing engine that asks for it: "
     "off, active, pending, unsupported, refused, mismatch, silent"},
    {"heddle_adaptive_routing_groups", Kind::gauge, "",
     "Switches that packets are sent to by groups of ports"},
    {"heddle_routers", Kind::gauge, "state",
     "Routers by the state of their tables: not_read, read, unsupported, refused, silent"},
    {"heddle_subnets_reachable", Kind::gauge, "",
     "Other subnets that routers lead to, with read_router_tables"},
}};

constexpr std::array<CounterName, kCounters> kCounterNames{{
    {"transmit_data_bytes", 4, "portxmitdata", "Bytes of data transmitted (PortXmitData)"},
    {"receive_data_bytes", 4, "portrcvdata", "Bytes of data received (PortRcvData)"},
    {"transmit_packets", 1, "portxmitpkts", "Packets transmitted (PortXmitPkts)"},
    {"receive_packets", 1, "portrcvpkts", "Packets received (PortRcvPkts)"},
    {"unicast_transmit_packets", 1, "portunicastxmitpkts",
     "Unicast packets transmitted (PortUnicastXmitPkts)"},
    {"unicast_receive_packets", 1, "portunicastrcvpkts",
     "Unicast packets received (PortUnicastRcvPkts)"},
    {"multicast_transmit_packets", 1, "portmulticastxmitpkts",
     "Multicast packets transmitted (PortMulticastXmitPkts)"},
    {"multicast_receive_packets", 1, "portmulticastrcvpkts",
     "Multicast packets received (PortMulticastRcvPkts)"},
    {"symbol_error", 1, "symbolerrorcounter",
     "Symbol errors on one or more lanes (SymbolErrorCounter)"},
    {"link_error_recovery", 1, "linkerrorrecoverycounter",
     "Link error recoveries that succeeded (LinkErrorRecoveryCounter)"},
    {"link_downed", 1, "linkdownedcounter",
     "Link error recoveries that failed, and the link went down (LinkDownedCounter)"},
    {"receive_errors", 1, "portrcverrors", "Packets received with an error (PortRcvErrors)"},
    {"receive_remote_physical_errors", 1, "portrcvremotephysicalerrors",
     "Packets received that were marked bad on their way (PortRcvRemotePhysicalErrors)"},
    {"receive_switch_relay_errors", 1, "portrcvswitchrelayerrors",
     "Packets received that the switch could not forward (PortRcvSwitchRelayErrors)"},
    {"transmit_discards", 1, "portxmitdiscards",
     "Packets discarded before they were transmitted (PortXmitDiscards)"},
    {"transmit_constraint_errors", 1, "portxmitconstrainterrors",
     "Packets not transmitted because of P_Key or raw filters (PortXmitConstraintErrors)"},
    {"receive_constraint_errors", 1, "portrcvconstrainterrors",
     "Packets received and discarded because of P_Key or raw filters (PortRcvConstraintErrors)"},
    {"local_link_integrity_errors", 1, "locallinkintegrityerrors",
     "Local physical errors beyond LocalPhyErrors (LocalLinkIntegrityErrors)"},
    {"excessive_buffer_overrun_errors", 1, "excessivebufferoverrunerrors",
     "Overruns of buffers beyond OverrunErrors (ExcessiveBufferOverrunErrors)"},
    {"vl15_dropped", 1, "vl15dropped",
     "SMPs dropped for want of room in the buffer of VL 15 (VL15Dropped)"},
    {"transmit_wait", 1, "portxmitwait",
     "Ticks in which data waited for credits or arbitration (PortXmitWait)"},
    {"qp1_dropped", 1, "", "Packets to QP 1 that were dropped (QP1Dropped)"},
    {"local_physical_errors", 1, "portlocalphysicalerrors",
     "Of receive errors: CRC and other physical errors (PortLocalPhysicalErrors)"},
    {"malformed_packet_errors", 1, "portmalformedpkterrors",
     "Of receive errors: malformed packets (PortMalformedPacketErrors)"},
    {"buffer_overrun_errors", 1, "portbufferoverrunerrors",
     "Of receive errors: overruns of the input buffer (PortBufferOverrunErrors)"},
    {"dli_mapping_errors", 1, "portdlidmappingerrors",
     "Of switch relay errors: no route for the DLID (PortDLIDMappingErrors)"},
    {"vl_mapping_errors", 1, "", "Of switch relay errors: no VL for the SL (PortVLMappingErrors)"},
    {"looping_errors", 1, "",
     "Of switch relay errors: the output port is the input port (PortLoopingErrors)"},
}};

constexpr std::array<Metric, kPollMetrics> kPoll{{
    {"infiniband_exporter_collector_duration_seconds", Kind::gauge, "collector",
     "How long the latest poll of counters took"},
    {"infiniband_exporter_collect_errors", Kind::gauge, "collector",
     "Ports whose agent rejected the latest query"},
    {"infiniband_exporter_collect_timeouts", Kind::gauge, "collector",
     "Ports that did not respond to the latest query"},
    {"infiniband_exporter_last_execution", Kind::gauge, "collector",
     "When the latest poll of counters ended, in seconds since 1970"},
}};

constexpr std::array<Metric, guilbaults::kGauges> kGuilbaults{{
    {"infiniband_speed", Kind::gauge, guilbaults::kLabels, "Gb/s of each lane of the link"},
    {"infiniband_width", Kind::gauge, guilbaults::kLabels, "Lanes of the link"},
    {"infiniband_scrape_ok", Kind::gauge, "", "1: counters have been polled"},
    {"infiniband_scrape_duration_seconds", Kind::gauge, "",
     "How long the latest poll of counters took"},
    {"infiniband_ibqueryerrors_duration_seconds", Kind::gauge, "",
     "How long the latest poll of counters took"},
}};

}  // namespace

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, 4> kNames{"counter", "gauge", "histogram", "info"};
  return kNames[static_cast<std::size_t>(kind)];
}

const Metric& metric(own::Id id) { return kOwn[static_cast<std::size_t>(id)]; }
const Metric& metric(PollMetric id) { return kPoll[static_cast<std::size_t>(id)]; }
const Metric& guilbaults::metric(Gauge id) { return kGuilbaults[static_cast<std::size_t>(id)]; }

std::string_view prefix(PortOwner owner) {
  return owner == PortOwner::switches ? "infiniband_switch_" : "infiniband_hca_";
}

const CounterName& counter_name(Counter counter) {
  return kCounterNames[static_cast<std::size_t>(counter)];
}

NamedMetric counter_metric(PortOwner owner, Counter counter) {
  const CounterName& of = counter_name(counter);
  return {fmt::format("{}port_{}_total", prefix(owner), of.name), Kind::counter, "guid, port",
          std::string(of.help)};
}

NamedMetric port_metric(PortOwner owner, PortFamily family) {
  const std::string_view node = owner == PortOwner::switches ? "switch" : "hca";
  const auto named = [&](std::string_view rest, Kind kind, std::string labels,
                         std::string_view help) {
    return NamedMetric{fmt::format("{}{}", prefix(owner), rest), kind, std::move(labels),
                       std::string(help)};
  };
  // A switch has many ports; the GUID alone identifies an HCA's port.
  const bool by_port = owner == PortOwner::switches;
  const std::string rate = by_port ? "guid, port" : "guid";
  switch (family) {
    case PortFamily::info:
      return named("info", Kind::info, fmt::format("guid, {}, lid", node),
                   "The name and the LID of a node");
    case PortFamily::uplink:
      return named("uplink_info", Kind::info,
                   fmt::format("guid, port, {}, uplink, uplink_guid, uplink_type, uplink_port, "
                               "uplink_lid",
                               node),
                   "What is at the other end of a port's link; once for each port with a link");
    case PortFamily::rate:
      return named(by_port ? "port_rate_bytes_per_second" : "rate_bytes_per_second", Kind::gauge,
                   rate, "The data rate of the link: lanes and speed, without the line code");
    case PortFamily::raw_rate:
      return named(by_port ? "port_raw_rate_bytes_per_second" : "raw_rate_bytes_per_second",
                   Kind::gauge, rate, "The signalling rate of the link, with the line code");
    case PortFamily::collect_error:
      return named("collect_error", Kind::gauge, "guid, collector",
                   "1: some port's agent rejected the latest query of counters");
    case PortFamily::collect_timeout:
      return named("collect_timeout", Kind::gauge, "guid, collector",
                   "1: some port did not respond to the latest query of counters");
  }
  return {};
}

NamedMetric guilbaults::counter_metric(Counter counter) {
  const CounterName& of = counter_name(counter);
  std::string help(of.help);
  if (of.factor == 4) help = fmt::format("{}, in units of 4 bytes", name(counter));
  return {fmt::format("infiniband_{}_total", of.guilbaults), Kind::counter, std::string(kLabels),
          std::move(help)};
}

namespace {

NamedMetric named(const Metric& of) {
  return {std::string(of.name), of.kind, std::string(of.labels), std::string(of.help)};
}

Section of_ports(PortOwner owner, std::string_view title, std::string_view when) {
  Section section{title, when, {}};
  for (std::size_t family = 0; family < kPortFamilies; ++family)
    section.metrics.push_back(port_metric(owner, static_cast<PortFamily>(family)));
  for (std::size_t counter = 0; counter < kCounters; ++counter)
    section.metrics.push_back(counter_metric(owner, static_cast<Counter>(counter)));
  return section;
}

}  // namespace

std::vector<Section> all_metrics() {
  std::vector<Section> sections;
  sections.push_back({"The manager", "always", {}});
  for (const Metric& of : kOwn) sections.back().metrics.push_back(named(of));
  sections.push_back(of_ports(PortOwner::switches, "Switches and their ports",
                              "of a MASTER, unless metrics_ports is off"));
  for (const Metric& of : kPoll) sections.back().metrics.push_back(named(of));
  sections.push_back(of_ports(PortOwner::hcas, "Channel adapters and their ports",
                              "of a MASTER, with metrics_ports all"));
  sections.push_back({"Names of another exporter",
                      "with metrics_compat guilbaults, for the ports that metrics_ports selects",
                      {}});
  for (const Metric& of : kGuilbaults) sections.back().metrics.push_back(named(of));
  for (std::size_t i = 0; i < kCounters; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (!counter_name(counter).guilbaults.empty())
      sections.back().metrics.push_back(guilbaults::counter_metric(counter));
  }
  return sections;
}

}  // namespace sm::metrics
