#include "mad/path_units.h"

#include <string>

namespace mad {
namespace {

unsigned lanes(std::uint8_t width_active) {
  switch (width_active) {
    case link_width::k1x:
      return 1;
    case link_width::k2x:
      return 2;
    case link_width::k4x:
      return 4;
    case link_width::k8x:
      return 8;
    case link_width::k12x:
      return 12;
    default:
      return 0;
  }
}

/// Returns twice the Gb/s of a lane, since SDR has 2.5.
unsigned half_gbps_per_lane(const PortInfo& info) {
  if (info.link_speed_ext_active2() == link_speed_ext2::kXdr) return 400;
  switch (info.link_speed_ext_active()) {
    case link_speed_ext::kFdr:
      return 28;
    case link_speed_ext::kEdr:
      return 50;
    case link_speed_ext::kHdr:
      return 100;
    case link_speed_ext::kNdr:
      return 200;
    default:
      break;
  }
  switch (info.link_speed_active()) {
    case link_speed::kSdr:
      return 5;
    case link_speed::kDdr:
      return 10;
    case link_speed::kQdr:
      return 20;
    default:
      return 0;
  }
}

}  // namespace

std::string rate_text(std::uint8_t code) {
  return code == kRate2_5Gbps ? "2.5" : std::to_string(rate_gbps(code));
}

std::uint8_t link_rate(const PortInfo& info) {
  return rate_code(lanes(info.link_width_active()) * half_gbps_per_lane(info) / 2).value_or(0);
}

}  // namespace mad
