#include "sm/ops/trace.h"

#include <iterator>

#include "mad/format.h"

namespace sm {

namespace {

/// Returns the switch that an end port is attached to, or belongs to.
SwitchIndex get_switch(const Fabric& fabric, PortIndex end) {
  if (end == kNoIndex) return kNoIndex;
  if (fabric.owning_node(end).is_switch()) return fabric.owning_node(end).switch_index;
  const PortIndex peer = fabric.ports[end].peer;
  return peer == kNoIndex ? kNoIndex : fabric.owning_node(peer).switch_index;
}

class Walk {
 public:
  Walk(const Fabric& fabric, const LidMap& lids, const ForwardingTables& lfts,
       const SlToVl& sl_to_vl, Trace& trace)
      : fabric_(fabric),
        owner_(lids.owner(trace.to)),
        lfts_(lfts),
        sl_to_vl_(sl_to_vl),
        trace_(trace) {}

  void from(PortIndex start) {
    if (owner_ == kNoIndex) {
      trace_.trouble = fmt::format("no port has LID {}", trace_.to.value);
      return;
    }
    const Node& node = fabric_.owning_node(start);
    trace_.hops.push_back({fabric_.ports[start].node,
                           {},
                           node.is_switch() ? mad::PortNum{} : fabric_.ports[start].number,
                           end_port_vl()});
    PortIndex at = start;
    if (!node.is_switch()) {
      if (start == owner_) return;
      if (!cross(start, at)) return;
    }
    while (fabric_.owning_node(at).is_switch()) {
      if (trace_.hops.size() > fabric_.switches.size() + 2) {
        trace_.trouble = "the forwarding tables form a loop";
        return;
      }
      Hop& here = trace_.hops.back();
      const Node& sw = fabric_.owning_node(at);
      const mad::PortNum out = lfts_.at(sw.switch_index, trace_.to);
      if (out == mad::PortNum{0} || out == mad::kNoPort || out.value > sw.num_ports) {
        if (out == mad::PortNum{0} && owner_ == sw.first_port) return;
        trace_.trouble =
            out == mad::PortNum{0}
                ? fmt::format("{} takes it for itself", fabric_.name(fabric_.ports[at].node))
                : fmt::format("{} has no entry for LID {}", fabric_.name(fabric_.ports[at].node),
                              trace_.to.value);
        return;
      }
      here.out = out;
      if (!sl_to_vl_.empty())
        here.vl = sl_to_vl_.at(sw.switch_index, here.in, out)[trace_.sl.value];
      if (!cross(fabric_.port(fabric_.ports[at].node, out), at)) return;
    }
    if (at != owner_)
      trace_.trouble = fmt::format("it comes to {}, whose LID it is not", fabric_.port_name(at));
  }

 private:
  std::optional<unsigned> end_port_vl() const {
    if (sl_to_vl_.empty()) return std::nullopt;
    return sl_to_vl_.of_end_ports[trace_.sl.value];
  }

  bool cross(PortIndex port, PortIndex& at) {
    if (!fabric_.is_link_up(port)) {
      trace_.trouble = fmt::format("no link is up at {}", fabric_.port_name(port));
      return false;
    }
    at = fabric_.ports[port].peer;
    trace_.hops.push_back({fabric_.ports[at].node, fabric_.ports[at].number, {}, {}});
    return true;
  }

  const Fabric& fabric_;
  const PortIndex owner_;
  const ForwardingTables& lfts_;
  const SlToVl& sl_to_vl_;
  Trace& trace_;
};

}  // namespace

Trace trace(const Fabric& fabric, const LidMap& lids, const ForwardingTables& lfts,
            const PathSls& sls, const SlToVl& sl_to_vl, PortIndex from, mad::Lid to) {
  Trace result{.to = to, .sl = {}, .hops = {}, .trouble = {}};
  const SwitchIndex source = get_switch(fabric, from),
                    destination = get_switch(fabric, lids.owner(to));
  if (source != kNoIndex && destination != kNoIndex) result.sl = sls.at(source, to, destination);
  Walk(fabric, lids, lfts, sl_to_vl, result).from(from);
  return result;
}

std::string text(const Trace& trace, const Fabric& fabric) {
  std::string out;
  for (const Hop& hop : trace.hops) {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "  {}", fabric.name(hop.node));
    if (hop.in != mad::PortNum{0}) fmt::format_to(to, " in {}", hop.in.value);
    if (hop.out != mad::PortNum{0}) fmt::format_to(to, " out {}", hop.out.value);
    if (hop.out != mad::PortNum{0} && hop.vl) fmt::format_to(to, " on VL {}", *hop.vl);
    out += '\n';
  }
  if (trace.trouble.empty()) {
    fmt::format_to(std::back_inserter(out), "  LID {} by {} cable{} with SL {}\n", trace.to.value,
                   trace.cables(), trace.cables() == 1 ? "" : "s", trace.sl.value);
  } else {
    fmt::format_to(std::back_inserter(out), "  LID {} is not reached: {}\n", trace.to.value,
                   trace.trouble);
  }
  return out;
}

}  // namespace sm
