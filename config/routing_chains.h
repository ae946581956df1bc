#pragma once
// Routing chains combine groups of ports, parts of the fabric made of these groups, and an engine
// for each part.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/options.h"
#include "config/positioned_values.h"

namespace config {

/// A PortGroup is a group of pgrp_policy_file: the ports of all its rules.
struct PortGroup {
  struct Guids {  // of nodes or ports, both ends included
    std::uint64_t first = 0, last = 0;
    NumberRanges ports = {};  // empty: all
    bool operator==(const Guids&) const = default;
  };
  struct Host {  // NodeDescription "NAME HCA-1" or "NAME mlx5_1"
    std::string name;
    std::optional<std::uint8_t> port = {}, hca = {};  // nothing: any
    bool operator==(const Host&) const = default;
  };
  struct Pattern {
    std::string expression;  // extended regular expression (POSIX), searched in NodeDescriptions
    std::optional<std::uint8_t> port = {};  // nothing: any
    bool operator==(const Pattern&) const = default;
  };
  struct Combination {
    std::string first, second;
    bool subtract = false;
    bool operator==(const Combination&) const = default;
  };
  std::string name;
  std::vector<Guids> guids = {};
  std::vector<Host> hosts = {};
  std::vector<Pattern> patterns = {};
  std::vector<Combination> combinations = {};
  bool operator==(const PortGroup&) const = default;
};

/// These groups exist without a file.
inline constexpr std::string_view kAllPorts = "ALL", kAllSwitches = "ALL_SWITCHES",
                                  kAllCas = "ALL_CAS";

/// A ChainTopology is a part of the fabric, defined by names of groups.
struct ChainTopology {
  std::uint64_t id = 0;  // not 0, which is the fabric
  std::string switches, hosts;
  bool operator==(const ChainTopology&) const = default;
};

struct ChainStep {
  std::uint64_t id = 0;
  std::string engine;
  std::string config = {};                        // a file; empty: as the main configuration
  std::uint64_t topology = 0;                     // 0: the fabric
  std::optional<std::uint64_t> fallback_to = {};  // used where that step's engine refuses
  bool operator==(const ChainStep&) const = default;
};

struct RoutingChains {
  static constexpr std::size_t kGroupsMax = 4096, kTopologiesMax = 1024, kStepsMax = 1024;

  std::vector<PortGroup> groups;  // each behind those that it combines
  std::vector<ChainTopology> topologies;
  std::vector<ChainStep> steps;  // by id; fallbacks refer to steps that are none
  bool operator==(const RoutingChains&) const = default;
};

/// Reads pgrp_policy_file, topo_policy_file and rch_policy_file together; an empty text stands for
/// a missing file. Shape: paragraphs from `port-group` to `end-port-group`, `topology` to
/// `end-topology` and `unicast-step` to `end-unicast-step`, with a line `qualifier: value` each;
/// `#` starts a comment. Errors: malformed, ambiguous or undefined values; groups that combine
/// themselves; too many paragraphs; a first step that is not for the fabric. A fallback to a
/// missing step or to a fallback is a warning, and left out. Source: NVIDIA's documentation of UFM,
/// "Routing Chains", except: several rules in one group are united, as newer versions of it say.
RoutingChains parse_routing_chains(const Source& groups, const Source& topologies,
                                   const Source& steps, Diagnostics& out);

struct GuidsAndGroups {
  GuidList guids;
  std::vector<std::string> groups;
};
/// Reads a list of GUIDs as parse_guid_list() does; a line may also be the name of a port group.
/// Errors: as there.
GuidsAndGroups parse_guids_and_groups(const Source& source, const RoutingChains& chains,
                                      Diagnostics& out);

}  // namespace config
