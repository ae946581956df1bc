#pragma once
// Settings of switches that can route adaptively, as the configuration has them.

#include <cstdint>

#include "config/options.h"
#include "mad/attributes/adaptive_routing.h"

namespace sm {

struct AdaptiveSettings {
  bool choose = false;        // a port of the group for each packet
  bool recover = false;       // a port of the group in place of one that is down (SHIELD)
  bool notify = false;        // neighbours learn of lost paths (pFRN), where all switches can
  bool only_capable = false;  // a choice only for packets to ports that put them in order
  bool copy = false;          // groups with the same ports are copied by the switch, where it can
  mad::PfrnConfig notification = {};
  std::uint16_t sl_mask = 0xFFFF;
  std::uint8_t transport_mask = 0;
  std::uint32_t ageing_time_us = 0;

  bool any() const { return choose || recover; }
};

/// Nothing is asked for unless a routing engine ar_... is named.
AdaptiveSettings adaptive_settings(const config::Options& options);

/// ARInfo that a switch is to have. `top`: the highest group that its tables name; `notifies`: all
/// switches take notifications of lost paths.
mad::AdaptiveRoutingInfo wanted_info(const mad::AdaptiveRoutingInfo& now,
                                     const AdaptiveSettings& settings, std::uint16_t top,
                                     bool notifies);
/// ARInfo of a switch that is to forward by its LinearForwardingTable.
mad::AdaptiveRoutingInfo switched_off(const mad::AdaptiveRoutingInfo& now);
/// The settings that a Set changes are the same.
bool same_settings(const mad::AdaptiveRoutingInfo& a, const mad::AdaptiveRoutingInfo& b);

}  // namespace sm
