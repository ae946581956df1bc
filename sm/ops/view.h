#pragma once
// One value with all that a manager has published, for threads other than its own: the API,
// metrics and the map read it.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "sm/context/sweep_context.h"
#include "sm/ops/status.h"
#include "sm/sa/registrations/groups.h"

namespace sm {

/// A group without its members.
struct GroupSummary {
  sa::Group group;  // `members` is empty
  std::size_t member_count = 0;
};
/// By MGID. Quick: called on the control thread.
std::vector<GroupSummary> summaries(const sa::Groups& groups);

struct View {
  ManagerStatus status;              // with the Subnet
  std::vector<GroupSummary> groups;  // by MGID
  SharedContext context;
};

/// The latest View, not older than what the caller has changed itself. Any thread but the control
/// thread; never null. Waits for the control thread as long as one turn of its loop takes; requests
/// that arrive during that share one View.
using Views = std::function<boost::asio::awaitable<std::shared_ptr<const View>>()>;

}  // namespace sm
