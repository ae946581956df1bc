#pragma once
// Computes the contents that SLtoVLMappingTables and VLArbitrationTables should have.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "config/qos_settings.h"
#include "fabric/condition.h"
#include "fabric/published_routing.h"
#include "fabric/vl_tables.h"

namespace routing {

/// Computes the tables that a port should have, from the operator's options (qos_*) and the
/// requirements of the routing. Pure; each table is computed on request. Owns no reference.
///
/// Mapping: the routing's own, if it has one, otherwise the mapping of the output port's class. VLs
///   that the port does not run are taken modulo the number of its VLs, as in OpenSM. VL 15 stays,
///   and drops packets.
/// Arbitration: the lists of the class if the options give any; otherwise the weights that the
///   routing requests (low priority, at least one entry per VL); otherwise the built-in lists. VLs
///   are brought into the port's range in the same way.
/// Ports without a link have no tables: they are written when the link is up, before it is Active.
/// Source: IBTA Vol 1, 14.2.5.8, 14.2.5.9, 7.6.9.
class VlTargets {
 public:
  VlTargets(const fabric::Fabric& fabric, const config::Options& options,
            const fabric::PublishedRouting& routing);

  /// Returns false if neither options nor routing require tables; ports then keep theirs.
  static bool any(const config::Options& options, const fabric::PublishedRouting& routing) {
    return options.qos || !routing.sl_to_vl.empty();
  }
  bool any() const { return any(options_, routing_); }
  /// Returns the table for packets from input port `in` to output port `out`; nullopt if there is
  /// none to write. `in` counts only on switches.
  std::optional<fabric::SlToVlBits> sl_to_vl(fabric::PortIndex out, mad::PortNum in) const;
  /// Returns block 1..4 of the arbitration tables; nullopt if there is none to write, or if the
  /// port's tables are too short for it.
  std::optional<fabric::ArbitrationBlock> arbitration(fabric::PortIndex port, unsigned block) const;

  /// Reports options that have no effect with this routing, or that may stop traffic on a VL:
  /// SM-VL-SETTING.
  std::vector<fabric::Condition> conditions(std::string_view engine) const;

 private:
  struct Class {
    config::QosSettings settings;
    std::vector<config::VlWeight> high, low;
  };
  const Class& class_of(fabric::PortIndex port) const;
  bool has_vl_tables(fabric::PortIndex port) const;
  fabric::SlToVlBits in_range(const fabric::SlToVlRow& row, fabric::PortIndex out) const;

  const fabric::Fabric& fabric_;
  const config::Options& options_;
  const fabric::PublishedRouting& routing_;
  std::array<Class, 5> classes_;   // by QosScope
  std::vector<std::uint8_t> vls_;  // by PortIndex: data VLs that it will run
};

}  // namespace routing
