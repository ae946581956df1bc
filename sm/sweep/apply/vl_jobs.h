#pragma once
// Computes, without I/O, which SLtoVLMappingTables and VLArbitrationTables are read, written and
// checked. The stages of vl_stages.h send these jobs.

#include <cstdint>
#include <functional>
#include <vector>

#include "mad/attributes/port_tables.h"
#include "routing/qos/vl_targets.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

/// Identifies one table, or with a wildcard several that are to be alike.
struct VlJob {
  enum class Kind : std::uint8_t { mapping, mapping_all_inputs, mapping_all, arbitration };
  PortIndex port = kNoIndex;  // output port
  Kind kind = Kind::mapping;
  std::uint8_t part = 0;  // the input port's number (with wildcards of any table), or the block
  std::uint32_t turn =
      0;  // jobs of one node go one after the other, so that neighbours in time are different nodes

  bool is_wildcard() const { return kind == Kind::mapping_all || kind == Kind::mapping_all_inputs; }
};

/// Holds everything that stages, and the functions that make their jobs, need to know.
struct VlWork {
  VlWork(const Fabric& fabric, DeviceState& devices, const config::Options& options,
         const PublishedRouting& routing, const std::vector<SwitchIndex>* only);

  const Fabric& fabric;
  routing::VlTargets targets;
  bool use_wildcards;
  VlTables& memory;
  Refusals& refusals;
  const routing::PairsInUse& pairs;
  std::vector<NodeIndex> nodes;  // that count
  bool with_arbitration;

  const Node& owning_node(const VlJob& job) const { return fabric.owning_node(job.port); }
  mad::AttributeId attribute(const VlJob& job) const;
  std::uint32_t modifier(const VlJob& job) const;
  /// Returns the desired content of a job's table, which exists.
  mad::SmpData wanted(const VlJob& job) const;
  bool is_as_wanted(PortIndex out, mad::PortNum in) const {
    return memory.sl_to_vl(out, in) == targets.sl_to_vl(out, in);
  }
  Refusals::Subject subject(const VlJob& job) const {
    return {.node = owning_node(job).guid,
            .port = {},
            .attribute = attribute(job),
            .item = modifier(job)};
  }
  bool is_refused(const VlJob& job) const { return refusals.is_paused(subject(job), wanted(job)); }
  bool takes_wildcards(NodeIndex node) const;
  /// Returns the subject of all wildcards of a switch. It refuses them, or holds something else
  /// after them, until its tables are forgotten.
  Refusals::Subject wildcards(NodeIndex node) const {
    return {.node = fabric.nodes[node].guid,
            .port = {},
            .attribute = mad::AttributeId::sl_to_vl_mapping_table,
            .item = mad::SlToVlMappingTable::kModifierAllPairs};
  }
  /// True for port 0 of a switch, which has a table of its own: wildcards are for external ports.
  bool is_port_0(PortIndex port) const {
    return fabric.owning_node(port).is_switch() && fabric.ports[port].number.value == 0;
  }

  using VisitMapping = std::function<void(PortIndex out, mad::PortNum in, SlToVlBits wanted)>;
  /// Visits all tables that a node is to have: of switches, those of pairs in use.
  void for_each_mapping(NodeIndex node, const VisitMapping& visit) const;
  /// Visits pairs that are not in use, too: a wildcard writes all of them.
  void for_each_pair(NodeIndex node, const VisitMapping& visit) const;
  using VisitBlock =
      std::function<void(PortIndex port, unsigned block, const ArbitrationBlock& wanted)>;
  void for_each_arbitration(NodeIndex node, const VisitBlock& visit) const;
};

/// Returns reads of unknown tables, as far as they may spare a write. `sampled` gets switches of
/// which only a sample is read.
std::vector<VlJob> vl_reads_of(const VlWork& work, std::vector<NodeIndex>& sampled);
/// Returns writes of mapping tables of these nodes that differ from the target, with as few
/// requests as wildcards allow. Leaves out refused tables.
std::vector<VlJob> mapping_writes(const VlWork& work, const std::vector<NodeIndex>& nodes);
std::vector<VlJob> arbitration_writes(const VlWork& work);
/// Returns one pair in use of each output port of these switches, each time with another input
/// port. If a wildcard was applied to one input or output port only, or to all but one, some pair
/// shows it. Leaves out port 0.
std::vector<VlJob> mapping_samples(const VlWork& work, const std::vector<NodeIndex>& nodes);

}  // namespace sm
