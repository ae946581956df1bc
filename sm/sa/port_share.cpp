#include "sm/sa/port_share.h"

#include <unordered_map>

namespace sa {

Admission admission(const ShareLimits& limits, const Client& requester, const InUse& in_use,
                    std::size_t amount) {
  if (in_use.port + amount > limits.per_port ||
      (requester.is_vport() && in_use.own + amount > limits.per_vport))
    return Admission::refused;
  const bool has_few = in_use.port < limits.few;
  if (in_use.all + amount > limits.total) return has_few ? Admission::full : Admission::refused;
  if (has_few) return Admission::admitted;
  const std::size_t taken = in_use.all + limits.reserved;
  return taken < limits.total && in_use.port * limits.free_share + amount <= limits.total - taken
             ? Admission::admitted
             : Admission::refused;
}

std::vector<std::size_t> find_displaced(std::span<const Holding> holdings, mad::Guid newcomer,
                                        std::size_t amount, mad::TimePoint now) {
  std::unordered_map<mad::Guid, std::size_t> counts;
  for (const Holding& holding : holdings) ++counts[holding.port];
  const std::size_t own = counts[newcomer];
  std::vector<std::size_t> displaced;
  std::vector<bool> ends(holdings.size());
  for (std::size_t room = 0; room < amount;) {
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::size_t best = kNone;
    for (std::size_t at = 0; at < holdings.size(); ++at) {
      const Holding& holding = holdings[at];
      const std::size_t count = counts[holding.port];
      const bool may_end = count > own + 1 || (count > own && now >= holding.due);
      if (ends[at] || holding.port == newcomer || !may_end) continue;
      if (best == kNone || count > counts[holdings[best].port] ||
          (count == counts[holdings[best].port] && holding.since < holdings[best].since))
        best = at;
    }
    if (best == kNone) return {};
    ends[best] = true;
    displaced.push_back(best);
    room += holdings[best].amount;
    --counts[holdings[best].port];
  }
  return displaced;
}

}  // namespace sa
