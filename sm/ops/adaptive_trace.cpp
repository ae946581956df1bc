#include "sm/ops/adaptive_trace.h"

#include <algorithm>

#include "mad/format.h"

namespace sm {

namespace {

/// Bounds the hops: only tables that form a loop have more.
constexpr std::size_t kAdaptiveHopsMax = 20'000;

class AdaptiveWalk {
 public:
  AdaptiveWalk(const TracedTables& by, const AdaptiveRouting& adaptive, const Trace& path)
      : by_(by),
        fabric_(by.fabric),
        adaptive_(adaptive),
        path_(path),
        owner_(by.lids.owner(path.to)),
        group_(adaptive.groups->find_group(path.to)) {}

  AdaptiveTrace from(PortIndex start) {
    const Port& port = fabric_.ports[start];
    level_.push_back({.node = port.node, .links = 0, .share = 1});
    if (!fabric_.owning_node(start).is_switch() && start != owner_)
      leave(level_.front(), port.number, 1, true);
    for (bool is_first = true; !level_.empty(); is_first = false) {
      for (AdaptiveHop& hop : level_)
        if (!is_first || fabric_.nodes[hop.node].is_switch()) forward(hop);
      if (result_.hops.size() + next_.size() > kAdaptiveHopsMax ||
          level_.front().links > fabric_.switches.size() + 2) {
        result_.trouble = "the forwarding tables form a loop";
        next_.clear();
      }
      std::ranges::move(level_, std::back_inserter(result_.hops));
      level_ = std::exchange(next_, {});
    }
    const auto chooses = [](const AdaptiveHop& hop) { return hop.group != 0; };
    if (std::ranges::none_of(result_.hops, chooses)) return {};
    return std::move(result_);
  }

 private:
  void forward(AdaptiveHop& hop) {
    const Node& node = fabric_.nodes[hop.node];
    if (!node.is_switch()) {
      if (owner_ == kNoIndex || fabric_.ports[owner_].node != hop.node)
        stop(fmt::format("it comes to {}, whose LID it is not", fabric_.name(hop.node)));
      return;
    }
    const mad::PortNum fixed = by_.lfts.at(node.switch_index, path_.to);
    if (owner_ == node.first_port && fixed == mad::PortNum{0}) return;
    std::vector<mad::PortNum> outs;
    if (group_ != 0 && adaptive_.switches.has(node.switch_index) &&
        adaptive_.is_adaptive(node.switch_index, path_.sl)) {
      const PortSet& ports = adaptive_.groups->ports(node.switch_index, group_);
      if (ports.any()) hop.group = group_;
      for (unsigned number = 1; number <= node.num_ports; ++number)
        if (ports[number] && is_up(hop.node, number)) outs.push_back(port_num(number));
    }
    if (outs.empty() && fixed.value != 0 && fixed.value <= node.num_ports &&
        is_up(hop.node, fixed.value))
      outs.push_back(fixed);
    if (outs.empty())
      stop(fmt::format("{} has no port for LID {} with a link that is up", fabric_.name(hop.node),
                       path_.to.value));
    for (const mad::PortNum out : outs)
      leave(hop, out, hop.share / static_cast<double>(outs.size()), out == fixed);
  }

  void leave(AdaptiveHop& hop, mad::PortNum out, double share, bool is_static) {
    const PortIndex port = fabric_.port(hop.node, out);
    if (!fabric_.is_link_up(port)) {
      stop(fmt::format("no link is up at {}", fabric_.port_name(port)));
      return;
    }
    const PortIndex next = fabric_.ports[port].peer;
    hop.exits.push_back({.out = out,
                         .share = share,
                         .is_static = is_static,
                         .vl = find_vl(hop, out),
                         .next = next});
    const NodeIndex node = fabric_.ports[next].node;
    auto found = std::ranges::find(next_, node, &AdaptiveHop::node);
    if (found == next_.end()) {
      next_.push_back({.node = node, .links = hop.links + 1});
      found = next_.end() - 1;
    }
    found->share += share;
    found->ins.push_back(fabric_.ports[next].number);
  }

  /// Returns nullopt if the VL depends on the input port.
  std::optional<unsigned> find_vl(const AdaptiveHop& hop, mad::PortNum out) const {
    if (by_.sl_to_vl.empty()) return std::nullopt;
    const Node& node = fabric_.nodes[hop.node];
    if (!node.is_switch()) return by_.sl_to_vl.of_end_ports[path_.sl.value];
    std::optional<unsigned> vl;
    const std::vector<mad::PortNum> own{mad::PortNum{0}};
    for (const mad::PortNum in : hop.ins.empty() ? own : hop.ins) {
      const unsigned each = by_.sl_to_vl.at(node.switch_index, in, out)[path_.sl.value];
      if (vl && *vl != each) return std::nullopt;
      vl = each;
    }
    return vl;
  }

  static mad::PortNum port_num(unsigned number) { return {static_cast<std::uint8_t>(number)}; }
  bool is_up(NodeIndex node, unsigned number) const {
    return fabric_.is_link_up(fabric_.port(node, port_num(number)));
  }
  void stop(std::string why) {
    if (result_.trouble.empty()) result_.trouble = std::move(why);
  }

  const TracedTables& by_;
  const Fabric& fabric_;
  const AdaptiveRouting& adaptive_;
  const Trace& path_;
  const PortIndex owner_;
  const GroupId group_;
  std::vector<AdaptiveHop> level_, next_;
  AdaptiveTrace result_;
};

}  // namespace

AdaptiveTrace trace_adaptive(const TracedTables& by, const AdaptiveRouting& adaptive,
                             PortIndex from, const Trace& path) {
  if (by.lids.owner(path.to) == kNoIndex) return {};
  return AdaptiveWalk(by, adaptive, path).from(from);
}

}  // namespace sm
