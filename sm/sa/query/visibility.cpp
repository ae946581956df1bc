#include "sm/sa/query/visibility.h"

#include <algorithm>

namespace sa {

bool share_partition(std::span<const mad::PKey> a, std::span<const mad::PKey> b) {
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const std::uint16_t left = mad::p_key_base(a[i]), right = mad::p_key_base(b[k]);
    if (left == right && fabric::may_communicate(a[i], b[k])) return true;
    if (left < right) {
      ++i;
    } else if (right < left) {
      ++k;
    } else if (k + 1 < b.size() && mad::p_key_base(b[k + 1]) == right) {
      ++k;  // the same partition twice, limited before full: one of the pairs may match
    } else {
      ++i;
    }
  }
  return false;
}

bool may_communicate(const fabric::Subnet& subnet, fabric::EndPoint a, fabric::EndPoint b) {
  if (!subnet.end_port_index.has(a.port) || !subnet.end_port_index.has(b.port)) return false;
  return a == b || share_partition(subnet.find_p_keys(a), subnet.find_p_keys(b));
}

bool is_manager(const View& view, const Requester& from) {
  if (!from.trusted || from.vport != fabric::kNoIndex) return false;
  const config::Options& options = view.options;
  return std::ranges::any_of(view.subnet.sms, [&](const fabric::OtherSm& sm) {
    const std::uint64_t guid = sm.info.guid().value;
    return sm.port == from.port && sm.port != fabric::kNoIndex &&
           view.subnet.fabric.ports[sm.port].guid == sm.info.guid() &&
           (options.sm_key == 0 || sm.info.sm_key() == options.sm_key) &&
           (options.allowed_sm_guids.empty() ||
            std::ranges::find(options.allowed_sm_guids, guid) != options.allowed_sm_guids.end());
  });
}

}  // namespace sa
