#include "sm/manager/orders.h"

#include <algorithm>
#include <set>
#include <utility>

#include "mad/format.h"

namespace sm {
namespace {

/// The manager may end while this waits.
boost::asio::awaitable<bool> share_and_apply(
    std::shared_ptr<std::optional<unsigned>> replicated,
    boost::asio::awaitable<std::optional<unsigned>> sharing,
    boost::asio::awaitable<bool> applying) {
  const std::optional<unsigned> managers = co_await std::move(sharing);
  *replicated = managers;
  co_return co_await std::move(applying);
}

}  // namespace

Orders::Done Orders::require_master() const {
  if (const auto master = mastership_.require_master(); !master)
    return tl::unexpected(master.error());
  return {};
}

Orders::Done Orders::rebalance() {
  return require_master().map([this] {
    log_.info("rebalance: all routes are chosen again");
    loop_.scheduler().request_rebalance();
    loop_.wake();
  });
}

Orders::Done Orders::resweep() {
  return require_master().map([this] { loop_.request_everything("resweep", false); });
}

Orders::Done Orders::light_resweep() {
  return require_master().map([this] {
    loop_.scheduler().request_light_sweep(loop_.now());
    loop_.wake();
  });
}

Orders::Done Orders::update_descriptions() {
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  if (const auto master = require_master(); !master) return master;
  if (!subnet) return tl::unexpected(std::string("no subnet is known yet"));
  for (const Node& node : subnet->fabric.nodes) loop_.scheduler().request_description(node.guid);
  loop_.wake();
  return {};
}

void Orders::set_sweeping(bool on) {
  loop_.scheduler().hold(!on);
  loop_.wake();
}

Orders::Done Orders::may_isolate() const {
  if (const auto master = require_master(); !master) return master;
  if (!sharing_.takes_orders())
    return tl::unexpected(
        std::string("this manager has just become MASTER, and takes over what other managers know; "
                    "give the order again in some seconds"));
  return {};
}

Orders::Done Orders::isolate(const IsolationRequest& request) {
  if (const auto may = may_isolate(); !may) return may;
  IsolationOrder order{.by = request.by, .reason = request.reason, .since = loop_.now()};
  if (request.lasting) order.until = order.since + *request.lasting;
  LinkSupervision::OperatorOrders before = sweeper_.links().operator_orders();
  const auto nodes = sweeper_.links().isolate(sweeper_.subnet().get(), request.place, order);
  if (!nodes) return tl::unexpected(nodes.error());
  return store_isolations(std::move(before)).and_then([&] {
    return sweep_nodes(nodes, "isolate");
  });
}

Orders::Done Orders::release(std::string_view name) {
  if (const auto may = may_isolate(); !may) return may;
  LinkSupervision::OperatorOrders before = sweeper_.links().operator_orders();
  const auto nodes = sweeper_.links().release(sweeper_.subnet().get(), name);
  if (!nodes) return tl::unexpected(nodes.error());
  return store_isolations(std::move(before)).and_then([&] {
    return sweep_nodes(nodes, "release");
  });
}

Orders::Done Orders::store_isolations(LinkSupervision::OperatorOrders before) {
  if (const auto saved = save(); !saved) {
    sweeper_.links().take_back(std::move(before));
    CommandFault fault(fmt::format(
        "{}: the order would be lost at the next start, and is refused until the disk takes it; "
        "nothing was changed",
        saved.error()));
    fault.is_storage = true;
    return tl::unexpected(std::move(fault));
  }
  sharing_.changed();
  return {};
}

tl::expected<void, std::string> Orders::save() {
  const config::Options& options = loop_.options();
  const std::lock_guard lock(saves_->mutex);
  auto saved =
      save_isolations(options.cache_files_dir, isolations(), options.fsync_high_avail_files);
  if (saved) {
    ++saves_->latest;
    file_ = File::written;
  }
  return saved;
}

void Orders::save_aside() {
  struct Work {
    std::uint64_t number;
    std::string folder;
    std::vector<StoredIsolation> orders;
    bool fsync;
    tl::expected<void, std::string> saved;
  };
  const config::Options& options = loop_.options();
  const auto work = std::make_shared<Work>();
  {
    const std::lock_guard lock(saves_->mutex);
    work->number = ++saves_->latest;
  }
  work->folder = options.cache_files_dir;
  work->orders = isolations();
  work->fsync = options.fsync_high_avail_files;
  file_ = File::being_written;
  runtime_.run_aside(
      [work, saves = saves_] {
        const std::lock_guard lock(saves->mutex);
        if (saves->latest == work->number)
          work->saved = save_isolations(work->folder, work->orders, work->fsync);
      },
      [this, work, alive = std::weak_ptr<const int>(alive_)] {
        if (alive.expired()) return;
        std::string fault = work->saved ? std::string() : work->saved.error();
        if (!fault.empty() && fault != file_fault_) log_.warn("{}", fault);
        file_fault_ = std::move(fault);
        const std::lock_guard lock(saves_->mutex);
        if (saves_->latest == work->number)
          file_ = work->saved ? File::written : File::lacks_orders;
      });
}

bool Orders::is_on_disk() {
  if (file_ == File::lacks_orders) save_aside();
  return file_ == File::written;
}

/// Gives new orders their times, and forgets those of orders that have ended.
void Orders::note_times() {
  const mad::TimePoint now = loop_.now();
  const sa::UnixTime wall = wall_clock_();
  const auto on_wall = [&](mad::TimePoint time) {
    return wall + std::chrono::round<std::chrono::seconds>(time - now);
  };
  const LinkSupervision::Orders& orders = sweeper_.links().orders();
  std::erase_if(times_, [&](const auto& times) { return !orders.contains(times.first); });
  for (const auto& [place, order] : orders) {
    const auto known = times_.find(place);
    if (known != times_.end() && known->second.since == order.since) continue;
    Times& times = times_[place];
    times = {.since = order.since, .since_wall = on_wall(order.since), .until_wall = {}};
    if (order.until) times.until_wall = on_wall(*order.until);
  }
}

std::vector<StoredIsolation> Orders::isolations() {
  note_times();
  std::vector<StoredIsolation> stored;
  for (const auto& [place, order] : sweeper_.links().orders()) {
    const Times& times = times_.at(place);
    stored.push_back({.node = place.node,
                      .port = place.port,
                      .by = order.by,
                      .reason = order.reason,
                      .since = times.since_wall,
                      .until = times.until_wall,
                      .is_shared = times.is_shared});
  }
  return stored;
}

void Orders::note_shared() {
  note_times();
  const auto is_new = [](const auto& times) { return !times.second.is_shared; };
  if (std::ranges::none_of(times_, is_new)) return;
  for (auto& [place, times] : times_) times.is_shared = true;
  save_aside();
}

void Orders::adopt(std::span<const StoredIsolation> isolations) {
  const std::vector<StoredIsolation> before = this->isolations();
  const std::set<mad::Guid> nodes = sweeper_.links().adopt(read(isolations));
  // Reasons, authors and times may differ, too.
  if (this->isolations() != before) save_aside();
  if (nodes.empty()) return;
  log_.info("orders to isolate links: {} of another manager are in force here",
            sweeper_.links().orders().size());
  if (!sweeper_.subnet()) return;  // the first sweep reads everything
  for (const mad::Guid node : nodes) loop_.request_node(node, "orders of another manager");
}

OrderProgress Orders::progress() const {
  OrderProgress progress = loop_.order_progress();
  progress.replicated = *replicated_;
  return progress;
}

boost::asio::awaitable<bool> Orders::in_force() {
  return share_and_apply(replicated_, sharing_.shared(),
                         loop_.wait_for_orders(loop_.now() + kInForceMax));
}

boost::asio::awaitable<void> Orders::restore(mad::Computation& computation) {
  const std::string folder = loop_.options().cache_files_dir;
  LoadedIsolations stored;
  const std::function<void()> load = [&] { stored = load_isolations(folder); };
  co_await computation.run(load);
  for (const std::string& message : stored.messages) log_.warn("{}", message);
  sweeper_.links().restore(read(stored.orders));
}

LinkSupervision::Orders Orders::read(std::span<const StoredIsolation> stored) {
  const mad::TimePoint now = loop_.now();
  const sa::UnixTime wall = wall_clock_();
  LinkSupervision::Orders orders;
  for (const StoredIsolation& order : stored) {
    if (order.until && *order.until <= wall) continue;
    IsolationOrder& restored = orders[{order.node, order.port}];
    restored = {.by = order.by, .reason = order.reason, .since = now + (order.since - wall)};
    if (order.until) restored.until = now + (*order.until - wall);
    times_[{order.node, order.port}] = {.since = restored.since,
                                        .since_wall = order.since,
                                        .until_wall = order.until,
                                        .is_shared = order.is_shared};
  }
  return orders;
}

Orders::Done Orders::forget(std::string_view name) {
  if (const auto master = require_master(); !master) return master;
  const auto nodes = sweeper_.links().forget(name);
  if (!nodes) return tl::unexpected(nodes.error());
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  const bool are_there =
      subnet && !nodes->empty() && std::ranges::all_of(*nodes, [&](mad::Guid node) {
        return subnet->fabric.node_of_guid.contains(node);
      });
  if (are_there) return sweep_nodes(*nodes, "forget");
  loop_.note_order();
  loop_.request_everything("heddlectl forget");
  return {};
}

/// Requests a sweep of the nodes that an order of heddlectl names.
Orders::Done Orders::sweep_nodes(const tl::expected<std::vector<mad::Guid>, std::string>& nodes,
                                 std::string_view order) {
  if (!nodes) return tl::unexpected(nodes.error());
  loop_.note_order();
  for (const mad::Guid node : *nodes) loop_.request_node(node, fmt::format("heddlectl {}", order));
  return {};
}

}  // namespace sm
