// Manager: what operators and other parts of the daemon order.

#include <algorithm>

#include "mad/format.h"
#include "sm/manager/manager.h"

namespace sm {

tl::expected<void, std::string> Manager::require_master() const {
  if (state_ == mad::SmState::master) return {};
  return tl::unexpected(fmt::format("the manager on port {} is not MASTER", self_.guid));
}

tl::expected<void, std::string> Manager::rebalance() {
  return require_master().map([this] {
    log_.info("rebalance: all routes are chosen again");
    scheduler_.request_rebalance();
    wake_.signal();
  });
}

tl::expected<void, std::string> Manager::resweep() {
  return require_master().map([this] {
    scheduler_.request_everything("resweep", false);
    wake_.signal();
  });
}

tl::expected<void, std::string> Manager::light_resweep() {
  return require_master().map([this] {
    scheduler_.request_light_sweep(runtime_.now());
    wake_.signal();
  });
}

tl::expected<void, std::string> Manager::update_descriptions() {
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  if (const auto master = require_master(); !master) return master;
  if (!subnet) return tl::unexpected(std::string("no subnet is known yet"));
  for (const Node& node : subnet->fabric.nodes) scheduler_.request_description(node.guid);
  wake_.signal();
  return {};
}

void Manager::set_sweeping(bool on) {
  scheduler_.hold(!on);
  wake_.signal();
}

tl::expected<void, std::string> Manager::isolate(const IsolationRequest& request) {
  if (const auto master = require_master(); !master) return master;
  IsolationOrder order{.by = request.by, .reason = request.reason, .since = runtime_.now()};
  if (request.lasting) order.until = order.since + *request.lasting;
  const auto nodes = sweeper_.links().isolate(sweeper_.subnet().get(), request.place, order);
  if (nodes) store_isolations();
  return sweep_nodes(nodes, "isolate");
}

tl::expected<void, std::string> Manager::release(std::string_view name) {
  if (const auto master = require_master(); !master) return master;
  const auto nodes = sweeper_.links().release(sweeper_.subnet().get(), name);
  if (nodes) store_isolations();
  return sweep_nodes(nodes, "release");
}

/// Times on disk are those of the wall clock: the manager's own begins with the machine.
void Manager::store_isolations() {
  const mad::TimePoint now = runtime_.now();
  const sa::UnixTime wall = wall_clock_();
  const auto on_wall = [&](mad::TimePoint time) {
    return wall + std::chrono::round<std::chrono::seconds>(time - now);
  };
  std::vector<StoredIsolation> stored;
  for (const auto& [place, order] : sweeper_.links().orders()) {
    StoredIsolation& of = stored.emplace_back();
    of = {.node = place.node,
          .port = place.port,
          .by = order.by,
          .reason = order.reason,
          .since = on_wall(order.since)};
    if (order.until) of.until = on_wall(*order.until);
  }
  const config::Options& options = context_->options;
  const auto saved =
      save_isolations(options.cache_files_dir, stored, options.fsync_high_avail_files);
  if (!saved) log_.error("{}; the order is lost if this process ends", saved.error());
}

void Manager::restore_isolations(const LoadedIsolations& stored) {
  for (const std::string& message : stored.messages) log_.warn("{}", message);
  const mad::TimePoint now = runtime_.now();
  const sa::UnixTime wall = wall_clock_();
  LinkSupervision::Orders orders;
  for (const StoredIsolation& order : stored.orders) {
    if (order.until && *order.until <= wall) continue;
    IsolationOrder& restored = orders[{order.node, order.port}];
    restored = {.by = order.by, .reason = order.reason, .since = now + (order.since - wall)};
    if (order.until) restored.until = now + (*order.until - wall);
  }
  sweeper_.links().restore(std::move(orders));
}

tl::expected<void, std::string> Manager::forget(std::string_view name) {
  if (const auto master = require_master(); !master) return master;
  const auto nodes = sweeper_.links().forget(name);
  if (!nodes) return tl::unexpected(nodes.error());
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  const bool are_there =
      subnet && !nodes->empty() && std::ranges::all_of(*nodes, [&](mad::Guid node) {
        return subnet->fabric.node_of_guid.contains(node);
      });
  if (are_there) return sweep_nodes(*nodes, "forget");
  request_everything("heddlectl forget");
  return {};
}

/// The nodes that an order of heddlectl is about.
tl::expected<void, std::string> Manager::sweep_nodes(
    const tl::expected<std::vector<mad::Guid>, std::string>& nodes, std::string_view order) {
  if (!nodes) return tl::unexpected(nodes.error());
  for (const mad::Guid node : *nodes) request_node(node, fmt::format("heddlectl {}", order));
  return {};
}

/// Ports whose errors have been too many for hours count in the health of their links.
void Manager::counters_published() {
  std::set<PortPlace> noisy;
  if (const SharedPortCounters counters = performance_.counters())
    for (const auto& node : counters->nodes)
      for (const PortCounters& port : node->ports)
        if (port.noisy_hours >= context_->options.hm_num_noisy_hours)
          noisy.insert({node->node, port.port});
  set_noisy_ports(noisy);
}

void Manager::set_noisy_ports(const std::set<PortPlace>& ports) {
  if (state_ == mad::SmState::master &&
      sweeper_.links().set_noisy(sweeper_.subnet().get(), ports) && sweeper_.subnet())
    request_everything("error counters of links");
}

void Manager::set_priority(std::uint8_t priority) {
  self_.priority = priority;
  request_pause_.reset();
  next_request_ = {};
}

}  // namespace sm
