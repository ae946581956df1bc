#pragma once
// One value with all that a manager has published, for threads other than its own: the API,
// metrics and the map read it.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
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

/// Reads a View on the control thread for clients: once for all who wait, and once for those
/// that ask within 50 ms, unless something is being changed by way of the API.
class SharedView {
 public:
  /// `read` runs on `control`, and returns null where there is no manager: then the last View is
  /// the answer, of which there has to be one.
  SharedView(boost::asio::any_io_executor control,
             std::function<std::shared_ptr<const View>()> read, std::shared_ptr<const View> first);

  /// As sm/ops/view.h describes it. May outlive this.
  Views views() const;
  /// Any thread: a View that was read before is not reused while something changes and after it.
  void change_begins();
  void change_ends();

 private:
  struct State;
  static boost::asio::awaitable<std::shared_ptr<const View>> latest(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace sm
