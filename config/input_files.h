#pragma once
// The contents of the files that options name.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/guid_files.h"
#include "config/health_files.h"
#include "config/options.h"
#include "config/qos_policy.h"
#include "config/router_policy.h"
#include "config/routing_chains.h"
#include "config/table_files.h"
#include "config/torus_file.h"

namespace config {

struct StepSettings;
/// Holds the configuration of each step of a routing chain, in their order; copies share it.
struct SharedSteps {
  std::shared_ptr<const std::vector<StepSettings>> steps = {};  // null: there are none
  bool operator==(const SharedSteps& other) const;
};

/// Holds the port groups that a list of GUIDs names, by the option of the list.
struct NamedGroups {
  std::vector<std::string> routing_order, roots, compute_nodes, io_nodes;
  bool operator==(const NamedGroups&) const = default;
};

/// Holds the contents of the files that options name.
struct InputFiles {
  std::vector<HopWeight> hop_weights;       // hop_weights_file
  std::vector<PortOrder> port_orders;       // port_search_ordering_file
  std::vector<IgnoredPort> ignored_ports;   // port_prof_ignore_file
  GuidList routing_order;                   // guid_routing_order_file
  GuidList roots, compute_nodes, io_nodes;  // root_guid_file, cn_guid_file, io_guid_file
  std::vector<NodeId> node_ids;             // ids_guid_file
  std::vector<NodeName> node_names;         // node_name_map_name
  ForwardingDump lfts;                      // lfts_file
  HopDump lid_matrix;                       // lid_matrix_dump_file
  TorusFile torus;                          // torus_config; nothing unless an engine reads it
  std::vector<PrefixRoute> prefix_routes;   // prefix_routes_file
  RouterPolicy router_policy;               // router_policy_file; nothing without the policy
  std::optional<QosPolicy> qos_policy;      // qos_policy_file; nothing without qos
  std::vector<PortHealth> port_health;      // hm_ports_health_policy_file
  GuidList held_back;                       // held_back_sw_file
  SharedSource expected_topology;           // topo_config_file; nothing without topo_config_enabled
  RoutingChains chains;                     // pgrp_, topo_ and rch_policy_file
  NamedGroups named_groups;                 // of the lists of GUIDs above
  GuidLines guid_lines;                     // of the files above whose lines begin with a GUID
  SharedSteps chain_steps;                  // of chains.steps
  bool operator==(const InputFiles&) const = default;
};

/// Holds the configuration of a step of a routing chain: the main configuration, overridden by the
/// file of the step.
struct StepSettings {
  Options options;
  InputFiles files;  // those that engines read
};

/// Reads the files that `options` name. Errors: as in guid_files.h. A file that
/// cannot be read is a warning at the line of its key, and its feature stays off; if an engine
/// needs it, the engine refuses every fabric. It is an error that no engine can route.
InputFiles read_input_files(const Options& options, const FileReader& reader, Diagnostics& out);

}  // namespace config
