#pragma once
// Width and speed of a link by their names, and whether both ends could do better.

#include <cstdint>
#include <string_view>

#include "mad/attributes/port_info.h"

namespace mad {

/// Speeds of a lane, in ascending order. FDR10 is in MlnxExtPortInfo only: here it is QDR.
enum class LaneSpeed : std::uint8_t { none, sdr, ddr, qdr, fdr, edr, hdr, ndr, xdr };
std::string_view name(LaneSpeed speed);  // "HDR"; "" for none

/// A link's width and the speed of each lane.
struct LinkRate {
  unsigned lanes = 0;  // 0: unknown
  LaneSpeed speed = LaneSpeed::none;
  bool operator==(const LinkRate&) const = default;
};
/// Nominal Gb/s: 400 for 4X NDR, 10 for 4X SDR; 0 where an end says nothing.
double gbps(const LinkRate& rate);
std::string_view width_name(unsigned lanes);  // "4X"; "" for an undefined number

LinkRate active_rate(const PortInfo& info);
/// The best width and speed that both ends of a link support, enabled or not: what iblinkinfo
/// calls "could be". {} where an end says nothing.
LinkRate best_common_rate(const PortInfo& a, const PortInfo& b);

}  // namespace mad
