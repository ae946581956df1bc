#include "sm/sa/registrations/mlid_pool.h"

#include <algorithm>

namespace sa {
namespace {

constexpr std::size_t index_of(mad::Mlid mlid) { return mlid.value - mad::kMlidMin.value; }

}  // namespace

std::optional<mad::Mlid> MlidPool::lowest_free(mad::Mlid last) const {
  while (first_free_ < users_.size() && users_[first_free_] != 0) ++first_free_;
  if (first_free_ > index_of(last)) return std::nullopt;
  return mad::Mlid{static_cast<std::uint16_t>(mad::kMlidMin.value + first_free_)};
}

std::uint32_t MlidPool::users_of(mad::Mlid mlid) const {
  return is_multicast(mlid) && index_of(mlid) < users_.size() ? users_[index_of(mlid)] : 0;
}

void MlidPool::take(mad::Mlid mlid) {
  if (index_of(mlid) >= users_.size()) users_.resize(index_of(mlid) + 1);
  ++users_[index_of(mlid)];
}

void MlidPool::give_back(mad::Mlid mlid) {
  if (--users_[index_of(mlid)] == 0) first_free_ = std::min(first_free_, index_of(mlid));
}

mad::Mlid last_mlid(const sm::Fabric& fabric) {
  unsigned count = mad::kMlidMax.value - mad::kMlidMin.value + 1u;
  for (const sm::Switch& sw : fabric.switches)
    if (const unsigned cap = sw.info.multicast_fdb_cap(); cap != 0) count = std::min(count, cap);
  return {static_cast<std::uint16_t>(mad::kMlidMin.value + count - 1)};
}

}  // namespace sa
