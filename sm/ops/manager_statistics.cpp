#include "sm/ops/manager_statistics.h"

#include <algorithm>

namespace sm {

namespace {

constexpr std::array<std::uint16_t, 14> kStandard{64,  65,  66,  67,  128, 129, 130,
                                                  131, 144, 145, 256, 257, 258, 259};
constexpr std::array<std::uint16_t, 4> kAboutVPorts{1144, 1146, 1257, 1258};  // NVIDIA's

}  // namespace

void TrapCounts::count(const mad::Notice& notice) {
  const auto number = static_cast<std::uint16_t>(notice.trap_number());
  const bool is_known = notice.is_generic() ? std::ranges::binary_search(kStandard, number)
                                            : std::ranges::binary_search(kAboutVPorts, number);
  ++counts_[is_known ? number : std::uint16_t{0}];
}

}  // namespace sm
