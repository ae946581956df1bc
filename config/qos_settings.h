#pragma once
// What the qos_* keys say: virtual lanes, by class of ports.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/options.h"

namespace config {

/// The VL of each SL; 15 drops.
using SlToVlList = std::array<std::uint8_t, 16>;

struct VlWeight {
  std::uint8_t vl = 0;      // 0..14
  std::uint8_t weight = 0;  // in units of 64 bytes; 0 skips the entry
  bool operator==(const VlWeight&) const = default;
};
inline constexpr std::size_t kVlWeightsMax = 64;  // of a VL arbitration table

/// 16 VLs, 0..15, comma separated. Nothing if it is something else.
std::optional<SlToVlList> parse_sl_to_vl(std::string_view text);
/// At most 64 of "vl:weight", comma separated. Nothing if it is something else.
std::optional<std::vector<VlWeight>> parse_vl_weights(std::string_view text);

/// A QoS set with nothing left unset.
struct QosSettings {
  unsigned vls_max = 15;  // data VLs
  std::uint8_t high_limit = 0;
  SlToVlList sl_to_vl{};
  std::vector<VlWeight> high, low;
  bool own_sl_to_vl = false;  // somebody wrote it down; false: it is built in
  bool own_weights = false;
};

/// The settings of one class: what its own set says, else what the qos_* set says, else what is
/// built in. Lists that cannot be read count as unset. Source: behaviour of OpenSM 3.3.23.
QosSettings qos_settings(const Options& options, QosScope scope);

/// What the keys of a class begin with: "qos_ca".
std::string_view qos_prefix(QosScope scope);

}  // namespace config
