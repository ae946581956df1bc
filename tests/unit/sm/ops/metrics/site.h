#pragma once
// A published subnet with counters, by hand: two leaves and a spine, three hosts.

#include <memory>
#include <string>

#include "mad/format.h"
#include "sm/ops/view.h"
#include "support/fabrics.h"
#include "support/subnets.h"

namespace metrics_site {

struct Site {
  fabric::Subnet subnet;
  fabric::NodeIndex spine, leaf;
  fabric::PortIndex host;
};

inline Site site(std::string spine_name = "spine") {
  fabrics::Maker maker;
  Site made;
  made.spine = maker.sw(4, std::move(spine_name));
  made.leaf = maker.sw(4, "leaf");
  const fabric::NodeIndex other = maker.sw(4, "other");
  maker.cable(made.leaf, made.spine);
  maker.cable(other, made.spine, 2);
  made.host = maker.host(made.leaf);
  maker.host(made.leaf);
  maker.host(other);
  fabric::Fabric fabric = maker.build();
  for (fabric::Port& port : fabric.ports) {
    port.info.set_link_width_active(mad::link_width::k4x);
    port.info.set_link_speed_active(mad::link_speed::kExtended);
    port.info.set_link_speed_ext_active(mad::link_speed_ext::kHdr);
  }
  made.subnet = subnets::bring_up(std::move(fabric));
  made.subnet.partitions = subnets::default_partition(made.subnet.fabric.end_ports.size());
  return made;
}

/// Every port with a link has all counters: a thousand times its number, and the counter's place.
inline std::shared_ptr<sm::PortCounterTable> counters_of(const fabric::Fabric& fabric) {
  auto table = std::make_shared<sm::PortCounterTable>();
  std::map<mad::Guid, std::shared_ptr<const sm::NodeCounters>> by_guid;
  for (const fabric::Node& node : fabric.nodes) {
    auto counters = std::make_shared<sm::NodeCounters>();
    counters->node = node.guid;
    counters->type = node.type;
    for (unsigned number = 1; number <= node.num_ports; ++number) {
      sm::PortCounters port{.port = {static_cast<std::uint8_t>(number)}};
      const fabric::PortIndex index = fabric.port(fabric.node_of_guid.at(node.guid), port.port);
      if (fabric.ports[index].peer != fabric::kNoIndex) {
        port.reading = sm::PortReading::read;
        port.present = (1u << sm::kCounters) - 1;
        for (std::size_t i = 0; i < sm::kCounters; ++i)
          port.values.set_total(static_cast<sm::Counter>(i), number * 1000 + i);
      }
      counters->ports.push_back(port);
    }
    by_guid[node.guid] = counters;
  }
  for (auto& [guid, counters] : by_guid) table->nodes.push_back(counters);
  table->polls = 1;
  table->latest = {.begun = mad::TimePoint(std::chrono::seconds(10)),
                   .ended = mad::TimePoint(std::chrono::milliseconds(10250)),
                   .ended_at = std::chrono::sys_seconds(std::chrono::seconds(1793691157))};
  return table;
}

inline std::shared_ptr<sm::View> make_view(const Site& site, config::Options options = {}) {
  auto view = std::make_shared<sm::View>();
  view->status.state = mad::SmState::master;
  view->status.subnet = std::make_shared<const fabric::Subnet>(site.subnet);
  view->status.counters = counters_of(site.subnet.fabric);
  view->status.routing_load_ratio = 1.25;
  view->context = sm::make_context(std::move(options), {}, partitions::default_configuration());
  return view;
}

}  // namespace metrics_site
