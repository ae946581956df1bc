#pragma once
// The qos_* keys: VLs, SL2VL mapping and VL arbitration by class of ports.

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

/// 16 VLs, 0..15, comma separated. As in OpenSM, SLs behind a short list have VL 0, and what is
/// beyond 16 does not count. Nothing for any other text.
std::optional<SlToVlList> parse_sl_to_vl(std::string_view text);
/// At most 64 of "vl:weight", comma separated; what is beyond them does not count. Nothing for any
/// other text.
std::optional<std::vector<VlWeight>> parse_vl_weights(std::string_view text);
/// The number of entries of such a list, whatever they are.
std::size_t qos_list_size(std::string_view text);

/// A complete QoS set.
struct QosSettings {
  unsigned vls_max = 15;  // data VLs
  std::uint8_t high_limit = 0;
  SlToVlList sl_to_vl{};
  std::vector<VlWeight> high, low;
  bool own_sl_to_vl = false;  // from the configuration; false: the built-in one
  bool own_weights = false;
};

/// The settings of one class: of its own set, else of the qos_* set, else the built-in ones.
/// Malformed lists count as unset. Source: behaviour of OpenSM 3.3.23.
QosSettings qos_settings(const Options& options, QosScope scope);

/// The prefix of the keys of a class: "qos_ca".
std::string_view qos_prefix(QosScope scope);

}  // namespace config
