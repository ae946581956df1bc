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

tl::expected<void, std::string> Manager::isolate(std::string_view name) {
  return require_master().and_then([&] {
    return sweep_nodes(sweeper_.links().isolate(sweeper_.subnet().get(), name), "isolate");
  });
}

tl::expected<void, std::string> Manager::release(std::string_view name) {
  return require_master().and_then([&] {
    return sweep_nodes(sweeper_.links().release(sweeper_.subnet().get(), name), "release");
  });
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
