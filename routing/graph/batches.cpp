#include "routing/graph/batches.h"

#include <algorithm>
#include <numeric>

#include "routing/graph/destinations.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

std::vector<Batch> batches_of(const RoutingInput& input) {
  const PortList compute(input, input.options.compute_nodes), io(input, input.options.io_nodes);
  const std::vector<Target> all = targets(input);
  std::vector<std::uint32_t> hosts(input.graph.switches(), 0);
  for (const Target& target : all) hosts[target.end->sw] += target.is_switch() ? 0u : 1u;
  struct Key {
    unsigned group;  // 0 compute nodes, 1 I/O nodes, 2 other hosts, 3 switches
    std::uint32_t hosts_missing;
    mad::Guid sw;
    mad::PortNum port;
    const Target* target;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys;
  keys.reserve(all.size());
  for (const Target& target : all) {
    const unsigned group = target.is_switch()    ? 3
                           : compute.has(target) ? 0
                           : io.has(target)      ? 1
                           : compute.empty()     ? 0
                                                 : 2;
    keys.push_back({group, ~hosts[target.end->sw],
                    input.fabric.nodes[input.fabric.switches[target.end->sw].node].guid,
                    target.end->out, &target});
  }
  std::ranges::sort(keys);
  std::vector<Batch> out;
  std::vector<std::size_t> last_of(input.graph.switches(),
                                   ~std::size_t{0});  // by switch: its batch
  unsigned last_group = 0;
  for (const Key& index : keys) {
    const Target& target = *index.target;
    std::size_t& last = last_of[target.end->sw];
    // The LID of a switch is added to the batch of its hosts.
    if (last == ~std::size_t{0} ||
        !(target.is_switch() || (last + 1 == out.size() && last_group == index.group))) {
      last = out.size();
      out.push_back({target.end->sw, {}, 0});
    }
    last_group = index.group;
    for (unsigned i = 0; i < target.lids.count(); ++i)
      out[last].lids.push_back(static_cast<std::uint16_t>(target.lids.base.value + i));
    out[last].counted += target.is_switch() ? 0 : target.lids.count();
  }
  return out;
}

HostLids host_lids(const RoutingInput& input) {
  HostLids out{
      std::vector<std::uint32_t>(input.graph.switches(), 0),
      std::vector<std::uint8_t>(input.lids.lid_top.value + std::size_t{1}, mad::kNoPort.value)};
  for (const Target& target : targets(input)) {
    if (!target.is_switch()) out.at_switch[target.end->sw] += target.lids.count();
    std::fill_n(out.last_port.begin() + target.lids.base.value, target.lids.count(),
                target.end->out.value);
  }
  return out;
}

std::vector<SwitchIndex> by_guid(const RoutingInput& input) {
  std::vector<SwitchIndex> order(input.graph.switches());
  std::iota(order.begin(), order.end(), SwitchIndex{0});
  std::ranges::sort(order, {}, [&](SwitchIndex sw) {
    return input.fabric.nodes[input.fabric.switches[sw].node].guid;
  });
  return order;
}

}  // namespace routing
