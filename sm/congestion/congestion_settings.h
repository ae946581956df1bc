#pragma once
// This file decides, by the options, which congestion control attributes devices are to have. Pure.

#include <cstdint>
#include <optional>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "mad/attributes/congestion_control.h"
#include "mad/gmp_client.h"

namespace sm {

/// Holds one attribute of a device, complete.
struct CongestionSetting {
  mad::CongestionControlAttribute attribute{};
  std::uint32_t modifier = 0;
  mad::GmpData data{};

  bool operator==(const CongestionSetting&) const = default;
};

/// Holds the CongestionKeyInfo that devices are to have.
struct CongestionKey {
  std::uint64_t key = 0;  // 0: none
  bool protect = false;   // the key cannot be read without it
  std::uint16_t lease_period_s = 0;

  bool operator==(const CongestionKey&) const = default;
};

/// Holds everything that the options request. Settings are in the order in which they are written.
struct CongestionPlan {
  bool enabled = false;
  std::uint64_t key = 0;                                 // that requests have
  std::optional<CongestionKey> key_info = std::nullopt;  // nothing: it is left as it is
  std::vector<CongestionSetting> of_switch = {};         // at port 0
  std::vector<CongestionSetting> of_ca_port = {};
  std::size_t table_blocks = 0;  // of the CongestionControlTable, at the end of of_ca_port

  bool operator==(const CongestionPlan&) const = default;
};

/// Returns the plan that follows from the options. Source: IBTA Vol 1, annex A10; order and values
/// are those of OpenSM 3.3.23.
CongestionPlan decide_congestion(const config::Options& options);

/// Describes port 0 of a switch, or a CA port. Routers have no congestion control attributes.
struct CongestionEnd {
  mad::Guid guid;  // PortGUID
  PortIndex port = kNoIndex;
  bool is_switch = false;
};
/// Returns all ends that have a link, by ascending PortGUID.
std::vector<CongestionEnd> congestion_ends(const Fabric& fabric);

/// True if the fields that the annex defines are equal; reserved bits do not count.
bool have_same_fields(mad::CongestionControlAttribute attribute, const mad::GmpData& a,
                      const mad::GmpData& b);

}  // namespace sm
