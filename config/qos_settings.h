#pragma once
// This file reads the qos_* keys: VLs, SL2VL mapping and VL arbitration by class of ports.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/options.h"

namespace config {

/// Holds the VL of each SL; VL 15 drops packets.
using SlToVlList = std::array<std::uint8_t, 16>;

struct VlWeight {
  std::uint8_t vl = 0;      // 0..14
  std::uint8_t weight = 0;  // in units of 64 bytes; 0 skips the entry
  bool operator==(const VlWeight&) const = default;
};
inline constexpr std::size_t kVlWeightsMax = 64;  // of a VL arbitration table

/// Reads 16 VLs, 0..15, comma separated. As in OpenSM, SLs beyond the end of a short list have VL
/// 0, and entries beyond 16 do not count. Returns nothing for any other text.
std::optional<SlToVlList> parse_sl_to_vl(std::string_view text);
/// Reads at most 64 pairs "vl:weight", comma separated; pairs beyond them do not count. Returns
/// nothing for any other text.
std::optional<std::vector<VlWeight>> parse_vl_weights(std::string_view text);
/// Returns the number of entries of such a list, valid or not.
std::size_t qos_list_size(std::string_view text);

/// Holds a complete QoS set.
struct QosSettings {
  unsigned vls_max = 15;  // data VLs
  std::uint8_t high_limit = 0;
  SlToVlList sl_to_vl{};
  std::vector<VlWeight> high, low;
  bool own_sl_to_vl = false;  // from the configuration; false: the built-in one
  bool own_weights = false;
};

/// Returns the settings of one class: from its own set, else from the qos_* set, else the built-in
/// ones. Malformed lists count as unset. Source: behaviour of OpenSM 3.3.23.
QosSettings qos_settings(const Options& options, QosScope scope);

/// Returns the prefix of the keys of a class: "qos_ca".
std::string_view qos_prefix(QosScope scope);

}  // namespace config
