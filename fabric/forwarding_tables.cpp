#include "fabric/forwarding_tables.h"

#include <algorithm>

namespace fabric {

void ForwardingTables::take_row(SwitchIndex sw, const ForwardingTables& other,
                                SwitchIndex of_other) {
  if (other.pitch() == pitch()) {
    rows_[sw] = other.rows_[of_other];
    return;
  }
  const std::span<const std::uint8_t> from = other.row(of_other);
  const std::span<std::uint8_t> to = writable_row(sw);
  const std::size_t common = std::min(from.size(), to.size());
  std::copy_n(from.begin(), common, to.begin());
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(common), to.end(), mad::kNoPort.value);
}

}  // namespace fabric
