#include "sm/ctl/drawing.h"

#include <algorithm>
#include <array>
#include <map>

#include "mad/format.h"
#include "sm/ctl/fabric_file.h"
#include "sm/ctl/topology/draw.h"

namespace sm::ctl {

namespace {

// Colours from no load to the highest: pale, yellow, orange, red, dark red.
struct Colour {
  double red, green, blue;
};
constexpr std::array<Colour, 5> kScale{
    {{214, 222, 233}, {245, 213, 105}, {240, 140, 60}, {214, 48, 49}, {110, 10, 30}}};

std::string colour_of(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * (kScale.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kScale.size() - 2);
  const double part = place - static_cast<double>(below);
  const auto mix = [&](double Colour::* channel) {
    return static_cast<int>(kScale[below].*channel +
                            part * (kScale[below + 1].*channel - kScale[below].*channel));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(&Colour::red), mix(&Colour::green),
                     mix(&Colour::blue));
}

/// Holds the load of the cables between two nodes: `there` is from the node with the lower index to
/// the other.
struct Carried {
  std::uint64_t there = 0, back = 0;  // of the busiest cable each
  std::uint64_t busier() const { return std::max(there, back); }
};

topology::Paint paint_of(const Fabric& fabric, const SwitchGraph& graph,
                         const routing::LinkLoads& loads, std::string_view title) {
  auto carried = std::make_shared<std::map<std::pair<std::size_t, std::size_t>, Carried>>();
  for (const SwitchIndex sw : graph.all_switches()) {
    for (const ChannelIndex channel : graph.channels(sw)) {
      const std::size_t from = fabric.switches[sw].node,
                        to = fabric.switches[graph.neighbour[channel]].node;
      Carried& between = (*carried)[std::minmax(from, to)];
      std::uint64_t& direction = from < to ? between.there : between.back;
      direction = std::max(direction, loads.per_channel[channel]);
    }
  }
  topology::Paint paint;
  paint.title = title;
  const auto worst = static_cast<double>(std::max<std::uint64_t>(loads.worst, 1));
  paint.cable = [carried, worst, &fabric](std::size_t a, std::size_t b) -> topology::Paint::Cable {
    const auto found = carried->find({a, b});
    if (found == carried->end()) return {};
    const Carried& load = found->second;
    const double share = static_cast<double>(load.busier()) / worst;
    return {
        colour_of(share), 1.0 + 3.0 * share,
        fmt::format("{} paths to {}, {} paths to {}", load.there, fabric.description(NodeIndex(b)),
                    load.back, fabric.description(NodeIndex(a)))};
  };
  paint.legend = {{colour_of(0), "no path"},
                  {colour_of(loads.mean / worst), fmt::format("mean: {:.0f} paths", loads.mean)},
                  {colour_of(1), fmt::format("highest: {} paths", loads.worst)}};
  return paint;
}

}  // namespace

void draw_svg(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title) {
  topology::write_svg(make_topology(fabric), out, topology::Layout::automatic,
                      paint_of(fabric, graph, loads, title));
}

void draw_dot(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title) {
  topology::write_dot(make_topology(fabric), out, paint_of(fabric, graph, loads, title));
}

}  // namespace sm::ctl
