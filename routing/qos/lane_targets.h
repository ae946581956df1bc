#pragma once
// What SLtoVLMappingTables and VLArbitrationTables should say.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "config/qos_settings.h"
#include "fabric/lane_tables.h"
#include "fabric/published_routing.h"

namespace routing {

/// The tables that a port should have, by what the operator wants (qos_*) and what the routing
/// needs. Pure; the tables of a fabric are few, so each is made when it is asked for. None of the
/// references is owned.
///
/// Mapping: the routing's own, if it has one, else that of the class of the port that packets leave
/// by. VLs that the port does not run become such that
///   it runs: modulo their number, as in OpenSM. 15 stays, and drops.
/// Arbitration: the class's lists as far as somebody wrote them down; else the shares that the
/// routing asks for (low priority, every lane at least one
///   entry); else the built-in lists. VLs are brought into the port's range in the same way.
/// Ports without a link have no tables: they get them when the link comes up, before it is Active.
/// Source: IBTA Vol 1, 14.2.5.8, 14.2.5.9, 7.6.9.
class LaneTargets {
 public:
  LaneTargets(const sm::Fabric& fabric, const config::Options& options,
              const sm::PublishedRouting& routing);

  /// False: nobody cares, and ports keep what they have.
  static bool any(const config::Options& options, const sm::PublishedRouting& routing) {
    return options.qos || !routing.sl_to_vl.empty();
  }
  bool any() const { return any(options_, routing_); }
  /// The table for packets that come in by `in` and leave by `out`; nothing if there is none to
  /// write. `in` counts on switches alone.
  std::optional<sm::SlToVlBits> sl_to_vl(sm::PortIndex out, mad::PortNum in) const;
  /// `block` is 1..4. Nothing if there is none to write, or the port's tables are too short for it.
  std::optional<sm::ArbitrationBlock> arbitration(sm::PortIndex port, unsigned block) const;

  /// What the operator asked for and does not get, or may regret.
  std::vector<std::string> notes(std::string_view engine) const;

 private:
  struct Class {
    config::QosSettings settings;
    std::vector<config::VlWeight> high, low;
  };
  const Class& class_of(sm::PortIndex port) const;
  bool has_lanes(sm::PortIndex port) const;
  sm::SlToVlBits in_range(const sm::SlToVlRow& row, sm::PortIndex out) const;

  const sm::Fabric& fabric_;
  const config::Options& options_;
  const sm::PublishedRouting& routing_;
  std::array<Class, 5> classes_;   // by QosScope
  std::vector<std::uint8_t> vls_;  // by PortIndex: data VLs that it will run
};

}  // namespace routing
