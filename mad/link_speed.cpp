#include "mad/link_speed.h"

#include <array>
#include <utility>

namespace mad {
namespace {

constexpr std::array<std::pair<std::uint8_t, unsigned>, 5> kLanes{{{link_width::k1x, 1},
                                                                   {link_width::k2x, 2},
                                                                   {link_width::k4x, 4},
                                                                   {link_width::k8x, 8},
                                                                   {link_width::k12x, 12}}};

unsigned most_lanes(unsigned widths) {
  unsigned most = 0;
  for (const auto& [bit, lanes] : kLanes)
    if ((widths & bit) != 0) most = lanes;
  return most;
}

/// Returns a bit for each LaneSpeed that the fields name.
unsigned speeds(unsigned speed, unsigned ext, unsigned ext2) {
  constexpr unsigned kSdr = static_cast<unsigned>(LaneSpeed::sdr),
                     kFdr = static_cast<unsigned>(LaneSpeed::fdr),
                     kXdr = static_cast<unsigned>(LaneSpeed::xdr);
  return (speed & 0x7u) << kSdr | (ext & 0xFu) << kFdr | (ext2 & 1u) << kXdr;
}

LaneSpeed fastest(unsigned speeds) {
  for (unsigned speed = static_cast<unsigned>(LaneSpeed::xdr); speed > 0; --speed)
    if ((speeds >> speed & 1u) != 0) return static_cast<LaneSpeed>(speed);
  return LaneSpeed::none;
}

unsigned supported_speeds(const PortInfo& info) {
  return speeds(info.link_speed_supported(), info.link_speed_ext_supported(),
                info.link_speed_ext_supported2());
}

}  // namespace

std::string_view name(LaneSpeed speed) {
  constexpr std::array<std::string_view, 9> kNames{"",    "SDR", "DDR", "QDR", "FDR",
                                                   "EDR", "HDR", "NDR", "XDR"};
  return kNames[static_cast<std::size_t>(speed)];
}

double gbps(const LinkRate& rate) {
  constexpr std::array<double, 9> kOfLane{0, 2.5, 5, 10, 14, 25, 50, 100, 200};
  return rate.lanes * kOfLane[static_cast<std::size_t>(rate.speed)];
}

std::string_view width_name(unsigned lanes) {
  switch (lanes) {
    case 1:
      return "1X";
    case 2:
      return "2X";
    case 4:
      return "4X";
    case 8:
      return "8X";
    case 12:
      return "12X";
    default:
      return "";
  }
}

LinkRate active_rate(const PortInfo& info) {
  return {.lanes = most_lanes(info.link_width_active()),
          .speed = fastest(speeds(info.link_speed_active(), info.link_speed_ext_active(),
                                  info.link_speed_ext_active2()))};
}

LinkRate best_common_rate(const PortInfo& a, const PortInfo& b) {
  return {.lanes = most_lanes(a.link_width_supported() & b.link_width_supported()),
          .speed = fastest(supported_speeds(a) & supported_speeds(b))};
}

}  // namespace mad
