#include "sm/ops/console/performance_text.h"

#include <fmt/format.h>

#include "fabric/find_port.h"
#include "mad/format.h"

namespace sm::console {
namespace {

constexpr std::size_t kPortsMax = 10'000;  // that are printed

bool is_error(Counter counter) {
  return counter >= Counter::symbol_errors && counter != Counter::xmit_wait;
}

void append_port(std::string& out, const Fabric& fabric, NodeIndex node, const PortCounters& port,
                 bool errors_only) {
  std::string lines;
  for (std::size_t i = 0; i < kCounters; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (!port.has(counter)) continue;
    if (errors_only && (!is_error(counter) || port.total(counter) == 0)) continue;
    lines += fmt::format("{:<30} : {}{}\n", name(counter), port.total(counter),
                         port.is_saturated(counter) ? " (saturated)" : "");
  }
  if (errors_only && lines.empty()) return;
  out +=
      fmt::format("\n{} port {} ({})\n{}", fabric.name(node), port.port, name(port.reading), lines);
}

}  // namespace

std::string performance_text(const PerformanceFacts& facts) {
  const auto truth = [](bool value) { return value ? "TRUE" : "FALSE"; };
  return fmt::format(
      "Performance Manager status:\n"
      "state                        : {}\n"
      "sweep state                  : {}\n"
      "sweep time                   : {}s\n"
      "outstanding queries/max      : {}/{}\n"
      "remove missing nodes from DB : {}\n"
      "query ClassPortInfo          : {}\n",
      facts.state(), facts.sweep_state(), facts.sweep_time.count(), facts.outstanding,
      facts.outstanding_max, truth(facts.removes_nodes), truth(facts.queries_class_port_info));
}

std::string counters_text(const ManagerStatus& status, std::string_view name, bool errors_only) {
  if (!status.counters || !status.subnet) return "no counters were read yet\n";
  const Subnet& subnet = *status.subnet;
  const Fabric& fabric = subnet.fabric;
  std::optional<NodeIndex> wanted;
  std::optional<unsigned> port;
  if (!name.empty()) {
    const auto found = find_node(fabric, subnet.lids, name);
    if (!found) return found.error() + "\n";
    wanted = found->node;
    port = found->number;
  }
  std::string out;
  std::size_t printed = 0;
  for (const auto& node : status.counters->nodes) {
    const auto index = fabric.node_of_guid.find(node->node);
    if (index == fabric.node_of_guid.end() || (wanted && index->second != *wanted)) continue;
    for (const PortCounters& counters : node->ports) {
      if (port && counters.port.value != *port) continue;
      if (++printed > kPortsMax) return out + "\n... more ports: name a node\n";
      append_port(out, fabric, index->second, counters, errors_only);
    }
  }
  if (!out.empty()) return out;
  return errors_only ? "no port shows errors\n" : "no counters of it were read yet\n";
}

}  // namespace sm::console
