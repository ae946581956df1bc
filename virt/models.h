#pragma once
// Records which device models are known to work with vports. The first port of each model is tried
// alone: a host shows the state of its physical function from vport 0, and two facts about firmware
// are not documented (VPortP_KeyTable's modifier, the behaviour of vport 0).

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "fabric/fabric.h"

namespace virt {

/// A device model with its firmware, as far as the firmware is visible: releases that announce
/// other capabilities count as other models. The manager does not read the version itself. NVIDIA's
/// GeneralInfo contains it (FWInfo in its diagnosis tool), but no public source gives the modifier
/// and the bits. NodeInfo:Revision is the revision of the hardware.
struct Model {
  std::uint32_t vendor = 0;
  std::uint16_t device = 0;
  std::uint32_t revision = 0;
  std::uint16_t capabilities2 = 0;  // PortInfo:CapabilityMask2, which its host does not change
  auto operator<=>(const Model&) const = default;

  static Model of(const fabric::Fabric& fabric, fabric::PortIndex port) {
    const mad::NodeInfo& node = fabric.owning_node(port).info;
    return {.vendor = node.vendor_id(),
            .device = node.device_id(),
            .revision = node.revision(),
            .capabilities2 = fabric.ports[port].info.capability_mask2()};
  }
};

struct Trial {
  enum class State : std::uint8_t { untried, works, failed };
  /// Bounds the ports that lose their link or stop responding during a trial. A single port may be
  /// a host that restarts; two in a row indicate that the trial is the cause.
  static constexpr unsigned kInterruptedMax = 2;
  State enabling = State::untried;  // vport 0 became Active when vports were switched on
  unsigned interrupted = 0;
  State p_keys = State::untried;  // a Set of one vport's table changed no other one
  std::string why;                // of a failure, for the operator
};

using Trials = std::map<Model, Trial>;

}  // namespace virt
