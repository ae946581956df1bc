#include "routing/graph/grid_shape.h"

#include <algorithm>
#include <functional>

namespace routing {

using fabric::SwitchIndex;

namespace {

constexpr std::size_t kNeighboursMax = 32;  // 16 dimensions

class Grid {
 public:
  explicit Grid(const fabric::SwitchGraph& graph) : neighbours_(distinct_neighbours(graph)) {
    for (const auto& of : neighbours_) {
      first_.push_back(direction_.size());
      for (std::size_t i = 0; i < of.size(); ++i) direction_.push_back(direction_.size());
    }
  }

  std::optional<std::vector<GridDimension>> shape() {
    if (neighbours_.empty() || std::ranges::any_of(neighbours_, [](const auto& of) {
          return of.empty() || of.size() > kNeighboursMax;
        }))
      return std::nullopt;
    join_directions();
    std::vector<GridDimension> out;
    std::vector<std::size_t> dimensions;
    std::size_t switches = 1;
    for (std::size_t i = 0; i < neighbours_.front().size(); ++i) {
      if (std::ranges::find(dimensions, find(i)) != dimensions.end()) continue;
      dimensions.push_back(find(i));
      const auto line = line_through(SwitchIndex{0}, dimensions.back());
      if (!line) return std::nullopt;
      out.push_back(*line);
      switches *= line->radix;
    }
    if (switches != neighbours_.size() || !is_even(out)) return std::nullopt;
    std::ranges::sort(out, std::ranges::greater{}, &GridDimension::radix);
    return out;
  }

 private:
  std::size_t find(std::size_t link) {
    while (direction_[link] != link) link = direction_[link] = direction_[direction_[link]];
    return link;
  }
  void join(std::size_t a, std::size_t b) {
    direction_[std::max(find(a), find(b))] = std::min(find(a), find(b));
  }
  std::size_t link(SwitchIndex from, SwitchIndex to) const {
    return first_[from] + static_cast<std::size_t>(std::ranges::lower_bound(neighbours_[from], to) -
                                                   neighbours_[from].begin());
  }
  bool are_cabled(SwitchIndex a, SwitchIndex b) const {
    return std::ranges::binary_search(neighbours_[a], b);
  }

  // Two links of a switch that are edges of a square (and of no triangle) belong to different
  // dimensions, and opposite edges of a square to the same one. Two links of a switch in no square
  // belong to the same dimension: they are consecutive on a line.
  void join_directions() {
    for (SwitchIndex sw{0}; sw < neighbours_.size(); ++sw) {
      const auto& of = neighbours_[sw];
      for (std::size_t i = 0; i < of.size(); ++i) {
        join(first_[sw] + i, link(of[i], sw));
        for (std::size_t j = i + 1; j < of.size(); ++j) {
          bool square = false;
          for (const SwitchIndex fourth : neighbours_[of[i]]) {
            if (fourth == sw || !are_cabled(fourth, of[j]) || are_cabled(of[i], of[j])) continue;
            square = true;
            join(first_[sw] + i, link(of[j], fourth));
            join(first_[sw] + j, link(of[i], fourth));
          }
          if (!square) join(first_[sw] + i, first_[sw] + j);
        }
      }
    }
  }

  // Returns the line through `start` along a dimension.
  std::optional<GridDimension> line_through(SwitchIndex start, std::size_t dimension) {
    std::vector<SwitchIndex> met{start};
    std::size_t ends = 0;
    for (std::size_t i = 0; i < met.size(); ++i) {
      std::size_t along = 0;
      for (const SwitchIndex other : neighbours_[met[i]]) {
        if (find(link(met[i], other)) != dimension) continue;
        ++along;
        if (std::ranges::find(met, other) == met.end()) met.push_back(other);
      }
      if (along > 2) return std::nullopt;
      ends += along == 1 ? 1u : 0u;
    }
    return GridDimension{static_cast<unsigned>(met.size()), ends == 0};
  }

  // True if the number of links is that of such a grid.
  bool is_even(const std::vector<GridDimension>& dimensions) const {
    std::size_t links = 0;
    for (const GridDimension& dimension : dimensions)
      links +=
          neighbours_.size() / dimension.radix * (dimension.radix - (dimension.wraps ? 0u : 1u));
    return links * 2 == direction_.size();
  }

  std::vector<std::vector<SwitchIndex>> neighbours_;
  std::vector<std::size_t> first_;      // by switch, of its channels; each link counts at both ends
  std::vector<std::size_t> direction_;  // by channel: a channel of the same dimension
};

}  // namespace

std::vector<std::vector<SwitchIndex>> distinct_neighbours(const fabric::SwitchGraph& graph) {
  std::vector<std::vector<SwitchIndex>> out(graph.switches());
  for (const SwitchIndex sw : graph.all_switches()) {
    out[sw].assign(graph.neighbours(sw).begin(), graph.neighbours(sw).end());
    std::ranges::sort(out[sw]);
    out[sw].erase(std::unique(out[sw].begin(), out[sw].end()), out[sw].end());
  }
  return out;
}

std::optional<std::vector<GridDimension>> grid_shape(const fabric::SwitchGraph& graph) {
  return Grid(graph).shape();
}

}  // namespace routing
