#include "sm/sweep/devices/extended_port_infos.h"

#include <algorithm>
#include <array>

namespace sm {
namespace {

constexpr std::uint8_t kFdr10 = mad::MlnxExtPortInfo::kFdr10;

bool has_fdr10(const mad::MlnxExtPortInfo& info) {
  return (info.link_speed_supported() & kFdr10) != 0;
}

}  // namespace

bool may_have_fdr10(const mad::NodeInfo& info) {
  constexpr std::uint32_t kBull = 0x119F;
  constexpr std::array<std::uint16_t, 21> kOfBull{
      0x1B02, 0x1B33, 0x1B40, 0x1B41, 0x1B50, 0x1B60, 0x1B61, 0x1B73, 0x1B83, 0x1B93, 0x1B94,
      0x1BA0, 0x1BB4, 0x1BB5, 0x1BC4, 0x1BD0, 0x1BD1, 0x1BD2, 0x1BD3, 0x1BD4, 0x1BD5};
  const std::uint16_t device = info.device_id();
  if (info.vendor_id() == kBull) return std::ranges::binary_search(kOfBull, device);
  const bool is_switch = (device >= 0xC738 && device <= 0xC73B) || device == 0xCB20 ||
                         device == 0xCF08;                     // SwitchX, Switch-IB
  return is_switch || (device >= 0x1003 && device <= 0x1017);  // ConnectX-3 to ConnectX-5
}

bool is_fdr10_on(const mad::MlnxExtPortInfo& info) {
  return (info.link_speed_enabled() & kFdr10) != 0;
}

std::optional<bool> fdr10_setting(const config::Options& options) {
  switch (options.fdr10) {
    case 1:
      return true;
    case 2:
      return false;
    default:
      return std::nullopt;
  }
}

mad::SmpData with_fdr10(const config::Options& options, const mad::SmpData& known) {
  const std::optional<bool> setting = fdr10_setting(options);
  mad::MlnxExtPortInfo info(known);
  if (!setting || !has_fdr10(info) || is_fdr10_on(info) == *setting) return known;
  // The attribute is not documented; OpenSM and ibportstate set it like this. The field seems to
  // be the mask of the speeds that the Set is about.
  info.set_state_change_enable(kFdr10);
  info.set_link_speed_enabled(static_cast<std::uint8_t>(
      *setting ? info.link_speed_enabled() | kFdr10 : info.link_speed_enabled() & ~kFdr10));
  mad::SmpData wanted;
  std::ranges::copy(info.bytes(), wanted.begin());
  return wanted;
}

}  // namespace sm
