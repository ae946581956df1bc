#pragma once
// The contents that SLtoVLMappingTables and VLArbitrationTables should have.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "config/qos_settings.h"
#include "fabric/condition.h"
#include "fabric/published_routing.h"
#include "fabric/vl_tables.h"

namespace routing {

/// The tables that a port should have, by the operator's options (qos_*) and by what the routing
/// requires. Pure; each table is computed on request. None of the references is owned.
///
/// Mapping: the routing's own, if it has one, else that of the class of the output port. VLs that
///   the port does not run are taken modulo the number of its VLs, as in OpenSM. 15 stays, and
///   drops packets.
/// Arbitration: the lists of the class if the options give any; else the weights that the routing
///   requests (low priority, at least one entry per VL); else the built-in lists. VLs are brought
///   into the port's range in the same way.
/// Ports without a link have no tables: they are written when the link is up, before it is Active.
/// Source: IBTA Vol 1, 14.2.5.8, 14.2.5.9, 7.6.9.
class VlTargets {
 public:
  VlTargets(const fabric::Fabric& fabric, const config::Options& options,
            const fabric::PublishedRouting& routing);

  /// False: neither the options nor the routing require tables, and ports keep what they have.
  static bool any(const config::Options& options, const fabric::PublishedRouting& routing) {
    return options.qos || !routing.sl_to_vl.empty();
  }
  bool any() const { return any(options_, routing_); }
  /// The table for packets from input port `in` to output port `out`; nullopt if there is none to
  /// write. `in` is ignored on other nodes than switches.
  std::optional<fabric::SlToVlBits> sl_to_vl(fabric::PortIndex out, mad::PortNum in) const;
  /// `block` is 1..4. nullopt if there is none to write, or the port's tables are too short for it.
  std::optional<fabric::ArbitrationBlock> arbitration(fabric::PortIndex port, unsigned block) const;

  /// Options that have no effect with this routing, or that may stop traffic on a VL:
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
