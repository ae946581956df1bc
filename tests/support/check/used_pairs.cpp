#include "support/check/used_pairs.h"

#include <algorithm>
#include <utility>

#include "sim/world/forwarding.h"
#include "support/check/ports.h"

namespace sim {
namespace {

/// A packet at an input port of a switch.
struct PacketAt {
  NodeIndex sw;
  unsigned in = 0;
};

class PairTracer {
 public:
  PairTracer(const Model& model, const std::vector<bool>& reach)
      : model_(model), used_(model.nodes.size()) {
    for (const NodeIndex node : model.nodes.indices()) {
      if (!reach[node] || !model.nodes[node].is_switch()) continue;
      used_[node].resize(side(node) * side(node));
    }
    for_each_end_port(model, reach, [&](PortIndex port) {
      if (model.owning_node(port).is_switch())
        return senders_.push_back({model.ports[port].node, 0});
      const PortIndex entry = model.ports[port].peer;
      if (model.owning_node(entry).is_switch())
        senders_.push_back({model.ports[entry].node, model.ports[entry].number});
    });
  }

  /// `exits(switch)` calls back with each port that packets leave by.
  template <class Exits>
  void trace(Exits exits) {
    std::vector<std::vector<bool>> seen(model_.nodes.size());
    std::vector<PacketAt> open = senders_;
    while (!open.empty()) {
      const PacketAt at = open.back();
      open.pop_back();
      if (used_[at.sw].empty()) continue;
      seen[at.sw].resize(side(at.sw));
      if (seen[at.sw][at.in]) continue;
      seen[at.sw][at.in] = true;
      exits(at.sw, [&](unsigned out, bool is_multicast) {
        if (out == 0 || out >= side(at.sw) || (is_multicast && out == at.in)) return;
        const PortIndex port = model_.nodes[at.sw].first_port + out;
        if (!model_.link_up(port)) return;
        used_[at.sw][at.in * side(at.sw) + out] = true;
        const PortIndex entry = model_.ports[port].peer;
        if (model_.owning_node(entry).is_switch())
          open.push_back({model_.ports[entry].node, model_.ports[entry].number});
      });
    }
  }
  std::vector<std::vector<bool>> take() { return std::move(used_); }

 private:
  std::size_t side(NodeIndex sw) const { return model_.nodes[sw].port_count() + 1u; }

  const Model& model_;
  std::vector<std::vector<bool>> used_;
  std::vector<PacketAt> senders_;
};

}  // namespace

std::vector<std::vector<bool>> used_pairs(const Model& model, const std::vector<bool>& reach) {
  PairTracer tracer(model, reach);
  for_each_end_port(model, reach, [&](PortIndex owner) {
    for (const mad::Lid lid : lid_range(model, owner)) {
      tracer.trace([&](NodeIndex node, auto leave) {
        const SwitchState& sw = *model.nodes[node].sw;
        const auto leave_all = [&](const PacketHeader& packet) {
          const Exits exits = find_exits(model, model.nodes[node], packet);
          for (const std::uint8_t port : exits.ports()) leave(port, false);
        };
        leave_all({.dlid = lid, .management = true});
        for (std::uint8_t sl = 0; sw.adaptive && sl < 16; ++sl)
          leave_all({.dlid = lid, .sl = {sl}});
      });
    }
  });
  std::size_t mlids = 0;
  for (const NodeModel& node : model.nodes) {
    if (!node.is_switch()) continue;
    for (const auto& masks : node.sw->mft) mlids = std::max(mlids, masks.size());
  }
  constexpr unsigned kPositionPorts = 16;
  for (std::size_t mlid = 0; mlid < mlids; ++mlid) {
    tracer.trace([&](NodeIndex node, auto leave) {
      const auto& mft = model.nodes[node].sw->mft;
      for (std::size_t position = 0; position < mft.size(); ++position) {
        const unsigned mask = mlid < mft[position].size() ? mft[position][mlid] : 0u;
        for (unsigned bit = 0; bit < kPositionPorts; ++bit)
          if ((mask >> bit & 1u) != 0)
            leave(static_cast<unsigned>(position) * kPositionPorts + bit, true);
      }
    });
  }
  return tracer.take();
}

}  // namespace sim
