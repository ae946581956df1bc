#include "sm/manager/key_changes.h"

#include <algorithm>

#include "mad/format.h"

namespace sm {
namespace asio = boost::asio;

mad::TimePoint KeyChanges::due() const {
  if (!mastership_.leads() || !sweeper_.subnet()) return mad::TimePoint::max();
  const MKeys& keys = sweeper_.state().m_keys;
  if (keys.period() == std::chrono::minutes::zero()) return mad::TimePoint::max();
  const auto next = keys.next_change();
  if (!next) return std::max(not_before_, changed_ + keys.period());
  return std::max(not_before_, loop_.now() + (*next - wall_clock_()));
}

asio::awaitable<void> KeyChanges::change() {
  changed_ = loop_.now();
  not_before_ = changed_ + kRetry;
  MKeys& keys = sweeper_.m_keys();
  const KeyVersion version = keys.next_version();
  log_.info("periodic_key_update: version {} of the M_Keys follows {}", version.current,
            version.previous);
  co_await replication_.store_key_version(version);
  if (loop_.is_stopping() || !mastership_.leads()) co_return;
  keys.take_version(version);
  loop_.scheduler().request_m_keys();
}

}  // namespace sm
