#include "sm/sweep/decide/routing_facts.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "fabric/parallel.h"
#include "routing/qos/operational_vls.h"

namespace sm {
namespace {

class Facts {
 public:
  template <class T>
    requires std::is_integral_v<T>
  void add(T value) {
    std::memcpy(room(sizeof value), &value, sizeof value);
  }
  void add(std::span<const std::uint8_t> value) { std::ranges::copy(value, room(value.size())); }
  void add_end(mad::Guid port, mad::Guid node, mad::NodeType type, const LidMap::Range& lids) {
    add(port.value);
    add(node.value);
    add(static_cast<std::uint8_t>(type));
    add(lids.base.value);
    add(lids.lmc);
  }

  std::vector<std::uint8_t> take() {
    bytes_.resize(size_);
    return std::move(bytes_);
  }

 private:
  /// Each port has a dozen values, so the vector grows in large steps.
  std::uint8_t* room(std::size_t more) {
    if (size_ + more > bytes_.size()) bytes_.resize(2 * (size_ + more) + 1024);
    return bytes_.data() + std::exchange(size_, size_ + more);
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t size_ = 0;  // in use
};

/// Adds the number of VLs and the speeds, since a link may be excluded by them.
void add_link(Facts& facts, const Fabric& fabric, PortIndex index) {
  const Port& port = fabric.ports[index];
  const mad::PortInfo& info = port.info;
  facts.add(static_cast<std::uint8_t>(fabric.is_kept_out(index)));
  facts.add(static_cast<std::uint8_t>(routing::usable_data_vls(fabric, index)));
  for (const std::uint8_t value :
       {info.link_width_active(), info.link_width_supported(), info.link_speed_active(),
        info.link_speed_supported(), info.link_speed_ext_active(), info.link_speed_ext_supported(),
        info.link_speed_ext_active2(), info.link_speed_ext_supported2()})
    facts.add(value);
}

/// Says which kind of neighbour a switch port has.
enum class Neighbour : std::uint8_t { nothing, end_port, other_switch };

/// Holds the inputs for the facts of every switch.
struct Sources {
  const Fabric& fabric;
  IndexVector<PortIndex, LidMap::Range> lids;
  std::unordered_map<std::uint32_t, const KeptPort*> kept_at;  // by PortIndex of the switch port
};

void add_switch(Facts& facts, const Sources& sources, const Switch& sw) {
  const Fabric& fabric = sources.fabric;
  const Node& node = fabric.nodes[sw.node];
  facts.add(node.guid.value);
  facts.add(node.info.bytes());
  facts.add(sw.info.linear_fdb_cap());
  const PortIndex own = node.first_port;
  facts.add_end(fabric.ports[own].guid, node.guid, node.type, sources.lids[own]);
  for (unsigned number = 1; number <= node.num_ports; ++number) {
    const PortIndex index = node.first_port + number;
    const Port& port = fabric.ports[index];
    if (const auto absent = sources.kept_at.find(index.value); absent != sources.kept_at.end()) {
      const KeptPort& of = *absent->second;
      facts.add(static_cast<std::uint8_t>(Neighbour::end_port));
      facts.add_end(of.guid, of.node, of.type, of.lids);
      continue;
    }
    if (!fabric.is_link_up(index)) {
      facts.add(static_cast<std::uint8_t>(Neighbour::nothing));
      continue;
    }
    const Port& peer = fabric.ports[port.peer];
    const Node& neighbour = fabric.nodes[peer.node];
    if (!neighbour.is_switch()) {
      facts.add(static_cast<std::uint8_t>(Neighbour::end_port));
      facts.add_end(peer.guid, neighbour.guid, neighbour.type, sources.lids[port.peer]);
      continue;
    }
    facts.add(static_cast<std::uint8_t>(Neighbour::other_switch));
    facts.add(neighbour.switch_index.value);
    facts.add(peer.number.value);
    add_link(facts, fabric, index);
  }
}

}  // namespace

std::vector<std::uint8_t> routing_facts(const Fabric& fabric, const LidMap& lids,
                                        const KeptLids& kept) {
  Sources sources{.fabric = fabric, .lids = {}, .kept_at = {}};
  sources.lids.resize(fabric.ports.size());
  for (const EndPortIndex end_port : lids.of_end_port.indices())
    sources.lids[fabric.end_ports[end_port]] = lids.of_end_port[end_port];
  for (const KeptPort& port : kept.ports) {
    const Node& leaf = fabric.nodes[fabric.node_of_guid.at(port.leaf)];
    sources.kept_at.emplace((leaf.first_port + port.out.value).value, &port);
  }
  Facts facts;
  facts.add(fabric.switches.size());
  facts.add(fabric.leaf_switch(fabric.sm_port).value);
  LidMap room;
  room.lid_top = lids.lid_top;
  make_room(room, kept);
  facts.add(room.lid_top.value);
  constexpr std::size_t kSwitchesWorthAThread = 100;
  std::map<std::size_t, std::vector<std::uint8_t>> parts;  // by the first switch
  std::mutex adding;
  in_parallel(fabric.switches.size(), kSwitchesWorthAThread,
              [&](std::size_t begin, std::size_t end) {
                Facts part;
                for (auto sw = SwitchIndex(begin); sw < end; ++sw)
                  add_switch(part, sources, fabric.switches[sw]);
                const std::lock_guard lock(adding);
                parts.emplace(begin, part.take());
              });
  std::vector<std::uint8_t> all = facts.take();
  for (const auto& [first, part] : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace sm
