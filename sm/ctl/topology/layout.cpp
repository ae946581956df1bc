#include "sm/ctl/topology/layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <string>

#include "fabric/topology/graph.h"

namespace topology {

namespace {

constexpr std::size_t kLabelledHostsMax = 48;
constexpr double kGap = 26;

// Holds the size of a switch together with its hosts.
struct Block {
  double width = kSwitchWidth, height = kSwitchHeight;
  std::size_t columns = 1;
};

// Returns the distance of the switches from the nearest host, 1 for leaves; 0 if no path leads to a
// host.
std::vector<unsigned> ranks_of(const Topology& topology,
                               const std::vector<std::vector<std::size_t>>& neighbours,
                               const std::vector<std::size_t>& drawn_at) {
  std::vector<unsigned> rank(topology.nodes.size());
  std::vector<std::size_t> queue;
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    if (topology.nodes[i].type != NodeType::ca || drawn_at[i] == i || rank[drawn_at[i]] != 0)
      continue;
    rank[drawn_at[i]] = 1;
    queue.push_back(drawn_at[i]);
  }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const std::size_t peer : neighbours[queue[next]]) {
      if (rank[peer] != 0) continue;
      rank[peer] = rank[queue[next]] + 1;
      queue.push_back(peer);
    }
  }
  return rank;
}

// Converts "S0_12_3" to 0, 12, 3, also with a rail's prefix.
std::optional<std::vector<unsigned>> coordinates(std::string_view name) {
  if (name.starts_with('r')) name.remove_prefix(std::min(name.find('-') + 1, name.size()));
  if (!name.starts_with('S')) return std::nullopt;
  std::vector<unsigned> numbers;
  while (!name.empty()) {
    name.remove_prefix(1);
    unsigned value = 0;
    std::size_t digits = 0;
    for (; digits < name.size() && name[digits] >= '0' && name[digits] <= '9' && digits < 5;
         ++digits)
      value = value * 10 + static_cast<unsigned>(name[digits] - '0');
    if (digits == 0) return std::nullopt;
    numbers.push_back(value);
    name.remove_prefix(digits);
    if (!name.empty() && name.front() != '_') return std::nullopt;
  }
  if (numbers.size() < 2) return std::nullopt;
  return numbers;
}

// Converts "G3-S1" to "G3".
std::optional<std::string> group_of(const std::string& name) {
  const std::size_t at = name.rfind("-S");
  if (at == std::string::npos || name.find('G') == std::string::npos) return std::nullopt;
  return name.substr(0, at);
}

class Plan {
 public:
  Plan(const Topology& topology, Layout layout)
      : topology_(topology), neighbours_(switch_neighbours(topology)), layout_(layout) {
    drawing_.at.resize(topology.nodes.size());
    drawing_.drawn_at.resize(topology.nodes.size());
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) drawing_.drawn_at[i] = i;
    for (const Link& link : topology.links) {
      adopt(link.a.node, link.b.node);
      adopt(link.b.node, link.a.node);
    }
    hosts_.resize(topology.nodes.size());
    std::size_t end_nodes = 0;
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
      if (topology.nodes[i].type == NodeType::switch_) continue;
      ++end_nodes;
      if (drawing_.drawn_at[i] != i) hosts_[drawing_.drawn_at[i]].push_back(i);
    }
    drawing_.host_labels = end_nodes <= kLabelledHostsMax;
    rank_ = ranks_of(topology, neighbours_, drawing_.drawn_at);
  }

  Drawing make() {
    double top = 0;
    std::vector<bool> placed(topology_.nodes.size());
    for (const Subnet& subnet : subnets(topology_)) {  // one below the other
      if (subnet.switches.empty()) continue;
      set_positions(subnet.switches, top);
      for (const std::size_t node : subnet.switches) placed[node] = true;
      top = drawing_.height + 2 * kGap;
    }
    place_unattached(top);
    return std::move(drawing_);
  }

 private:
  void adopt(std::size_t node, std::size_t peer) {
    if (topology_.nodes[node].type == NodeType::switch_ ||
        topology_.nodes[peer].type != NodeType::switch_)
      return;
    if (drawing_.drawn_at[node] == node) drawing_.drawn_at[node] = peer;
  }

  Block find_block(std::size_t node) const {
    Block block;
    const std::size_t hosts = hosts_[node].size();
    if (hosts == 0) return block;
    const double pitch_x = drawing_.host_labels ? kHostWidth + 6 : kDotPitch,
                 pitch_y = drawing_.host_labels ? kHostHeight + 6 : kDotPitch;
    block.columns =
        drawing_.host_labels
            ? std::min<std::size_t>(hosts, layered_ ? 4 : 2)
            : std::max<std::size_t>(
                  6, static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(hosts)))));
    const std::size_t rows = (hosts + block.columns - 1) / block.columns;
    block.width =
        std::max(kSwitchWidth, pitch_x * static_cast<double>(std::min(hosts, block.columns)));
    block.height +=
        (layered_ && drawing_.host_labels ? 24 : 6) + pitch_y * static_cast<double>(rows);
    return block;
  }

  // Places a switch: `centre` is that of its box; its hosts come below.
  void put(std::size_t node, Point centre) {
    drawing_.at[node] = centre;
    const Block block = find_block(node);
    const double pitch_x = drawing_.host_labels ? kHostWidth + 6 : kDotPitch,
                 pitch_y = drawing_.host_labels ? kHostHeight + 6 : kDotPitch;
    const double first_row = centre.y + block.height - kSwitchHeight / 2;
    const std::size_t hosts = hosts_[node].size();
    const std::size_t rows = (hosts + block.columns - 1) / block.columns;
    for (std::size_t i = 0; i < hosts; ++i) {
      const std::size_t row = i / block.columns,
                        in_row = std::min(block.columns, hosts - row * block.columns);
      drawing_.at[hosts_[node][i]] = {
          centre.x +
              (static_cast<double>(i % block.columns) - (static_cast<double>(in_row) - 1) / 2) *
                  pitch_x,
          first_row - (static_cast<double>(rows - row) - 0.5) * pitch_y};
    }
    drawing_.width = std::max(drawing_.width, centre.x + block.width / 2);
    drawing_.height = std::max(drawing_.height, centre.y - kSwitchHeight / 2 + block.height);
  }

  bool has_layers(const std::vector<std::size_t>& switches) const {
    if (switches.size() <= 3) return true;  // side by side, not on a ring
    unsigned highest = 0;
    for (const std::size_t node : switches) {
      highest = std::max(highest, rank_[node]);
      for (const std::size_t peer : neighbours_[node]) {
        if (rank_[peer] == rank_[node]) return false;
      }
    }
    return highest >= 2;
  }

  void set_positions(const std::vector<std::size_t>& switches, double top) {
    Layout layout = layout_;
    const std::string& some = topology_.nodes[switches.front()].name;
    const auto all = [&](auto test) {
      return std::ranges::all_of(
          switches, [&](std::size_t node) { return test(topology_.nodes[node].name); });
    };
    const bool named_grid = coordinates(some) && all([&](const std::string& name) {
                              const auto c = coordinates(name);
                              return c && c->size() == coordinates(some)->size();
                            });
    const bool named_groups =
        all([](const std::string& name) { return group_of(name).has_value(); });
    if (layout == Layout::automatic) {
      layout = has_layers(switches) ? Layout::layers
               : named_grid         ? Layout::grid
               : named_groups       ? Layout::groups
                                    : Layout::circle;
    }
    if ((layout == Layout::grid && !named_grid) || (layout == Layout::groups && !named_groups))
      layout = Layout::circle;
    layered_ = layout == Layout::layers;
    switch (layout) {
      case Layout::grid:
        return place_grid(switches, top);
      case Layout::groups:
        return place_groups(switches, top);
      case Layout::layers:
        return place_layers(switches, top);
      case Layout::automatic:
      case Layout::circle:
        return place_circle(switches, top);
    }
  }

  void place_layers(const std::vector<std::size_t>& switches, double top) {
    std::map<unsigned, std::vector<std::size_t>, std::greater<>> layers;  // the top switches first
    for (const std::size_t node : switches) layers[rank_[node]].push_back(node);
    double widest = 0;
    std::map<unsigned, double> width;
    for (const auto& [rank, nodes] : layers) {
      for (const std::size_t node : nodes) width[rank] += find_block(node).width + kGap;
      widest = std::max(widest, width[rank]);
    }
    double y = top + kSwitchHeight / 2;
    for (const auto& [rank, nodes] : layers) {
      double x = 0, tallest = 0;
      const double stretch = widest / width[rank];
      for (const std::size_t node : nodes) {
        const Block block = find_block(node);
        const double room = (block.width + kGap) * stretch;
        put(node, {x + room / 2, y});
        x += room;
        tallest = std::max(tallest, block.height);
      }
      // Wide layers of links need more height to remain distinguishable.
      y += tallest + std::clamp(widest / 12, 70.0, 260.0);
    }
  }

  // Draws dimension 0 to the right, 1 downwards, 2 to the right again in steps of a whole plane,
  // and so on.
  void place_grid(const std::vector<std::size_t>& switches, double top) {
    std::vector<unsigned> size;
    Block cell;
    for (const std::size_t node : switches) {
      const std::vector<unsigned> at = *coordinates(topology_.nodes[node].name);
      size.resize(at.size());
      for (std::size_t i = 0; i < at.size(); ++i) size[i] = std::max(size[i], at[i] + 1);
      const Block block = find_block(node);
      cell.width = std::max(cell.width, block.width);
      cell.height = std::max(cell.height, block.height);
    }
    drawing_.curve_from = 1.3 * std::max(cell.width, cell.height) + 2 * kGap;
    for (const std::size_t node : switches) {
      const std::vector<unsigned> at = *coordinates(topology_.nodes[node].name);
      double x = 0, y = 0, step_x = cell.width + 2 * kGap, step_y = cell.height + 2 * kGap;
      for (std::size_t i = 0; i < at.size(); ++i) {
        double& axis = i % 2 == 0 ? x : y;
        double& step = i % 2 == 0 ? step_x : step_y;
        axis += at[i] * step;
        step = step * size[i] + 2 * kGap;
      }
      put(node, {x + cell.width / 2, top + y + kSwitchHeight / 2});
    }
  }

  // Returns the radius of the ring that `count` things of this size need.
  static double radius_for(std::size_t count, double size) {
    return count < 2 ? 0
                     : std::max(size, size * static_cast<double>(count) / (2 * std::numbers::pi));
  }
  static Point on_circle(Point centre, double radius, std::size_t index, std::size_t count) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(index) / static_cast<double>(count) -
        std::numbers::pi / 2;
    return {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
  }
  double size_of(const std::vector<std::size_t>& switches) const {
    double size = 0;
    for (const std::size_t node : switches) {
      const Block block = find_block(node);
      size = std::max(size, std::max(block.width, block.height) + kGap);
    }
    return size;
  }

  void place_circle(const std::vector<std::size_t>& switches, double top) {
    const double size = size_of(switches), radius = radius_for(switches.size(), size);
    const Point centre{radius + size / 2, top + radius + size / 2};
    for (std::size_t i = 0; i < switches.size(); ++i)
      put(switches[i], on_circle(centre, radius, i, switches.size()));
  }

  void place_groups(const std::vector<std::size_t>& switches, double top) {
    std::vector<std::vector<std::size_t>> groups;
    std::map<std::string, std::size_t> index;
    for (const std::size_t node : switches) {
      const auto [it, fresh] = index.emplace(*group_of(topology_.nodes[node].name), groups.size());
      if (fresh) groups.emplace_back();
      groups[it->second].push_back(node);
    }
    const double size = size_of(switches);
    double group_radius = 0;
    for (const auto& group : groups)
      group_radius = std::max(group_radius, radius_for(group.size(), size));
    const double group_size = 2 * group_radius + size + kGap,
                 radius = radius_for(groups.size(), group_size);
    const Point centre{radius + group_size / 2, top + radius + group_size / 2};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const Point middle = on_circle(centre, radius, i, groups.size());
      const double own = radius_for(groups[i].size(), size);
      for (std::size_t j = 0; j < groups[i].size(); ++j)
        put(groups[i][j], on_circle(middle, own, j, groups[i].size()));
    }
  }

  // Places end nodes without a switch in a row at the bottom, those of one link side by side.
  void place_unattached(double top) {
    std::vector<std::size_t> loners;
    for (const Link& link : topology_.links) {
      for (const std::size_t node : {link.a.node, link.b.node}) {
        if (drawing_.drawn_at[node] == node && topology_.nodes[node].type != NodeType::switch_)
          loners.push_back(node);
      }
    }
    for (std::size_t i = 0; i < topology_.nodes.size(); ++i) {
      if (drawing_.drawn_at[i] == i && topology_.nodes[i].type != NodeType::switch_)
        loners.push_back(i);
    }
    std::vector<bool> seen(topology_.nodes.size());
    double x = kHostWidth / 2;
    for (const std::size_t node : loners) {
      if (seen[node]) continue;
      seen[node] = true;
      drawing_.at[node] = {x, top + kHostHeight / 2};
      drawing_.width = std::max(drawing_.width, x + kHostWidth / 2);
      drawing_.height = std::max(drawing_.height, top + kHostHeight);
      x += kHostWidth + kGap;
    }
  }

  const Topology& topology_;
  std::vector<std::vector<std::size_t>> neighbours_, hosts_;
  std::vector<unsigned> rank_;
  Layout layout_;
  bool layered_ = false;
  Drawing drawing_;
};

}  // namespace

Drawing lay_out(const Topology& topology, Layout layout) { return Plan(topology, layout).make(); }

}  // namespace topology
