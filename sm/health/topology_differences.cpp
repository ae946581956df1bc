#include "sm/health/topology_differences.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "config/control_characters.h"
#include "mad/format.h"

namespace sm {
namespace {

/// Returns a text of a device or file as one line for a terminal.
std::string printable_text(std::string_view text) {
  return config::without_control_characters(text);
}

constexpr std::size_t kLinksInText = 4, kLinksJoined = 16;

std::string text_of(const DifferentNode& node) {
  return fmt::format("\"{}\" ({})", printable_text(node.description), node.guid);
}
std::string text_of(const DifferentEnd& end) {
  return fmt::format("{} port {}", text_of(end.node), end.port);
}
std::string text_of(const DifferentLink& link) {
  return fmt::format("{} <-> {}", text_of(link.a), text_of(link.b));
}
std::string text_of(const mad::LinkRate& rate) {
  return fmt::format("{} {}", mad::width_name(rate.lanes), mad::name(rate.speed));
}

std::string joined(const std::vector<DifferentLink>& links) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(links.size(), kLinksJoined); ++i)
    texts.push_back(text_of(links[i]));
  if (links.size() > texts.size())
    texts.push_back(fmt::format("{} others", links.size() - texts.size()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Returns where a node is: the other ends of its links.
std::string place(const std::vector<DifferentLink>& links) {
  std::vector<std::string> ends;
  for (std::size_t i = 0; i < std::min(links.size(), kLinksInText); ++i)
    ends.push_back(text_of(links[i].b));
  if (links.size() > ends.size())
    ends.push_back(fmt::format("{} others", links.size() - ends.size()));
  return fmt::format("{}", fmt::join(ends, ", "));
}

std::string with_place(std::string text, std::string_view before,
                       const std::vector<DifferentLink>& links) {
  return links.empty() ? text : fmt::format("{}{}{}", text, before, place(links));
}

using Link = ComparedTopology::Link;
using Node = ComparedTopology::Node;

/// Identifies one end of a link by values that are equal in both topologies.
struct EndKey {
  mad::Guid node;
  mad::PortNum port;
  auto operator<=>(const EndKey&) const = default;
};

constexpr std::size_t kNone = SIZE_MAX;

/// Returns the printable characters, with single blanks for all else.
std::string comparable(std::string_view description) {
  std::string out;
  for (const char character : description) {
    const auto byte = static_cast<unsigned char>(character);
    const bool printable = byte > 0x20 && byte < 0x7F;
    if (printable) {
      out += character;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

bool same_description(const Node& saved, const Node& now) {
  const std::array<std::string, 2> before{comparable(saved.description),
                                          comparable(saved.operator_name)},
      after{comparable(now.description), comparable(now.operator_name)};
  for (std::size_t i = 0; i < before.size(); ++i)
    for (std::size_t j = 0; j < after.size(); ++j)
      if (before[i] == after[j] && (i + j == 0 || !before[i].empty())) return true;
  return false;
}

/// Indexes one of the two topologies by GUID.
class Side {
 public:
  explicit Side(const ComparedTopology& of) : of_(of) {
    for (std::size_t i = 0; i < of.nodes.size(); ++i) node_of_.emplace(of.nodes[i].guid, i);
    links_of_.resize(of.nodes.size());
    for (std::size_t i = 0; i < of.links.size(); ++i) {
      const auto [a, b] = ends(i);
      // A port has one link. A second link of a port, as in files of two nodes with one GUID,
      // cannot be compared.
      if (a == b || link_at_.contains(a) || link_at_.contains(b)) continue;
      link_at_[a] = link_at_[b] = i;
      links_.push_back(i);
      links_of_[node_of_.at(a.node)].push_back(i);
      if (a.node != b.node) links_of_[node_of_.at(b.node)].push_back(i);
    }
  }

  const std::vector<Node>& nodes() const { return of_.nodes; }
  const Node* find(mad::Guid guid) const {
    const auto found = node_of_.find(guid);
    return found == node_of_.end() ? nullptr : &of_.nodes[found->second];
  }
  /// Returns the indices of the links that count.
  const std::vector<std::size_t>& links() const { return links_; }
  const std::vector<std::size_t>& find_links(mad::Guid guid) const {
    return links_of_[node_of_.at(guid)];
  }
  std::pair<EndKey, EndKey> ends(std::size_t link) const {
    const Link& of = of_.links[link];
    return {{of_.nodes[of.a.node].guid, of.a.port}, {of_.nodes[of.b.node].guid, of.b.port}};
  }
  mad::LinkRate rate(std::size_t link) const { return of_.links[link].rate; }
  std::size_t link_at(EndKey end) const {
    const auto found = link_at_.find(end);
    return found == link_at_.end() ? kNone : found->second;
  }
  /// Returns the end at the other side of that link.
  EndKey far(std::size_t link, EndKey near) const {
    const auto [a, b] = ends(link);
    return a == near ? b : a;
  }

 private:
  const ComparedTopology& of_;
  std::unordered_map<mad::Guid, std::size_t> node_of_;
  std::map<EndKey, std::size_t> link_at_;
  std::vector<std::size_t> links_;
  std::vector<std::vector<std::size_t>> links_of_;  // by node
};

class Comparison {
 public:
  Comparison(const ComparedTopology& saved, const ComparedTopology& now)
      : saved_(saved), now_(now) {
    mark_changed(saved_, now_, changed_saved_);
    mark_changed(now_, saved_, changed_now_);
  }

  std::vector<Difference> run() {
    nodes_of_one_side(saved_, now_, DifferenceKind::node_missing);
    nodes_of_one_side(now_, saved_, DifferenceKind::node_extra);
    // Ports whose links are exchanged are not moves, though each node's links then lead elsewhere.
    for (const Component& component : components())
      if (component.is_closed) miscabled(component);
    for (const bool switches : {false, true}) moved(switches);
    for (const Component& component : components()) {
      if (!component.saved.empty() && !component.now.empty()) {
        miscabled(component);
      } else if (component.now.empty()) {
        one_link(DifferenceKind::link_missing, component.saved.front(), kNone);
      } else {
        one_link(DifferenceKind::link_extra, kNone, component.now.front());
      }
    }
    descriptions();
    rates();
    std::vector<std::pair<DifferenceKind, std::size_t>> order;
    order.reserve(found_.size());
    for (std::size_t i = 0; i < found_.size(); ++i) order.emplace_back(found_[i].kind, i);
    std::ranges::sort(order);
    std::vector<Difference> sorted;
    sorted.reserve(found_.size());
    for (const auto& [kind, found] : order) sorted.push_back(std::move(found_[found]));
    return sorted;
  }

 private:
  /// Changes has the links that are in one topology only, by index, and whether they were reported.
  enum class Change : std::uint8_t { open, reported };
  using Changes = std::map<std::size_t, Change>;

  /// A Component has links that share ports: each port has at most one of either topology.
  struct Component {
    std::vector<std::size_t> saved, now;
    bool is_closed = true;  // each of the ports has a link in both
  };

  static void mark_changed(const Side& of, const Side& other, Changes& changes) {
    for (const std::size_t link : of.links()) {
      const auto [a, b] = of.ends(link);
      const std::size_t there = other.link_at(a);
      if (there == kNone || other.far(there, a) != b) changes.emplace(link, Change::open);
    }
  }

  bool in_both(mad::Guid node) const {
    return saved_.find(node) != nullptr && now_.find(node) != nullptr;
  }
  /// True for a link between nodes that are in both topologies.
  bool is_own(const Side& of, std::size_t link) const {
    const auto [a, b] = of.ends(link);
    return in_both(a.node) && in_both(b.node);
  }
  static bool is_open(const Changes& changes, std::size_t link) {
    const auto found = changes.find(link);
    return found != changes.end() && found->second == Change::open;
  }

  // ---- reports

  static DifferentNode node(const Side& of, mad::Guid guid) {
    const Node& found = *of.find(guid);
    return {.guid = guid,
            .description = found.operator_name.empty() ? found.description : found.operator_name};
  }
  static DifferentLink link(const Side& of, EndKey a, EndKey b) {
    return {.a = {node(of, a.node), a.port}, .b = {node(of, b.node), b.port}};
  }
  static DifferentLink link(const Side& of, std::size_t index) {
    const auto [a, b] = of.ends(index);
    return link(of, a, b);
  }
  /// Returns the links of a node, each beginning at it.
  static std::vector<DifferentLink> links_from(const Side& of, mad::Guid guid) {
    std::vector<DifferentLink> links;
    for (const std::size_t index : of.find_links(guid)) {
      const auto [a, b] = of.ends(index);
      links.push_back(a.node == guid ? link(of, a, b) : link(of, b, a));
    }
    std::ranges::sort(links, {}, [](const DifferentLink& each) { return each.a.port; });
    return links;
  }

  void nodes_of_one_side(const Side& of, const Side& other, DifferenceKind kind) {
    for (const Node& each : of.nodes()) {
      if (other.find(each.guid) != nullptr || of.find(each.guid) != &each) continue;
      Difference& difference = found_.emplace_back();
      difference.kind = kind;
      difference.node = node(of, each.guid);
      (kind == DifferenceKind::node_missing ? difference.saved : difference.now) =
          links_from(of, each.guid);
    }
  }

  void miscabled(const Component& component) {
    Difference& difference = found_.emplace_back();
    difference.kind = DifferenceKind::miscabled;
    for (const std::size_t index : component.saved) {
      difference.saved.push_back(link(saved_, index));
      changed_saved_[index] = Change::reported;
    }
    for (const std::size_t index : component.now) {
      difference.now.push_back(link(now_, index));
      changed_now_[index] = Change::reported;
    }
  }

  void one_link(DifferenceKind kind, std::size_t saved, std::size_t now) {
    Difference& difference = found_.emplace_back();
    difference.kind = kind;
    if (saved != kNone) difference.saved.push_back(link(saved_, saved));
    if (now != kNone) difference.now.push_back(link(now_, now));
  }

  // ---- moves

  /// Returns the ends that a node is linked to; for switches the nodes: two links of the same two
  /// switches at other ports are miscabled, not a move.
  static std::set<EndKey> neighbours(const Side& of, mad::Guid guid, bool whole_nodes) {
    std::set<EndKey> all;
    for (const std::size_t index : of.find_links(guid)) {
      const auto [a, b] = of.ends(index);
      EndKey far = a.node == guid ? b : a;
      if (whole_nodes) far.port = {};
      all.insert(far);
    }
    return all;
  }

  bool has_moved(const Node& node) const {
    const auto& before = saved_.find_links(node.guid);
    const auto& after = now_.find_links(node.guid);
    if (before.empty() || after.empty()) return false;
    const auto open = [](const Changes& changes) {
      return [&changes](std::size_t index) { return is_open(changes, index); };
    };
    if (!std::ranges::all_of(before, open(changed_saved_)) ||
        !std::ranges::all_of(after, open(changed_now_)))
      return false;
    // A node whose only switch was replaced by another one has not moved.
    if (std::ranges::none_of(before, [&](std::size_t i) { return is_own(saved_, i); }) &&
        std::ranges::none_of(after, [&](std::size_t i) { return is_own(now_, i); }))
      return false;
    const bool is_switch = node.type == mad::NodeType::switch_;
    std::vector<EndKey> common;
    std::ranges::set_intersection(neighbours(saved_, node.guid, is_switch),
                                  neighbours(now_, node.guid, is_switch),
                                  std::back_inserter(common));
    return common.empty();
  }

  void moved(bool switches) {
    for (const Node& each : saved_.nodes()) {
      if ((each.type == mad::NodeType::switch_) != switches || now_.find(each.guid) == nullptr ||
          saved_.find(each.guid) != &each || !has_moved(each))
        continue;
      Difference& difference = found_.emplace_back();
      difference.kind = DifferenceKind::node_moved;
      difference.node = node(now_, each.guid);
      difference.saved = links_from(saved_, each.guid);
      difference.now = links_from(now_, each.guid);
      for (const std::size_t index : saved_.find_links(each.guid))
        changed_saved_[index] = Change::reported;
      for (const std::size_t index : now_.find_links(each.guid))
        changed_now_[index] = Change::reported;
    }
  }

  // ---- links

  /// Returns the connected components of links that are not reported yet, between nodes that are in
  /// both.
  std::vector<Component> components() const {
    std::vector<Component> all;
    std::set<EndKey> seen;
    const auto begin_at = [&](const Side& of, const Changes& changes) {
      for (const auto& [index, change] : changes) {
        if (change == Change::reported || !is_own(of, index) || seen.contains(of.ends(index).first))
          continue;
        all.push_back(component_of(of.ends(index).first, seen));
      }
    };
    begin_at(saved_, changed_saved_);
    begin_at(now_, changed_now_);
    return all;
  }

  Component component_of(EndKey start, std::set<EndKey>& seen) const {
    Component component;
    std::vector<EndKey> waiting{start};
    seen.insert(start);
    while (!waiting.empty()) {
      const EndKey end = waiting.back();
      waiting.pop_back();
      const auto follow = [&](const Side& of, const Changes& changes,
                              std::vector<std::size_t>& links) {
        const std::size_t index = of.link_at(end);
        if (index == kNone || !is_open(changes, index) || !is_own(of, index)) return false;
        if (std::ranges::find(links, index) == links.end()) links.push_back(index);
        if (const EndKey far = of.far(index, end); seen.insert(far).second) waiting.push_back(far);
        return true;
      };
      const bool was = follow(saved_, changed_saved_, component.saved),
                 is = follow(now_, changed_now_, component.now);
      component.is_closed = component.is_closed && was && is;
    }
    std::ranges::sort(component.saved);
    std::ranges::sort(component.now);
    return component;
  }

  void descriptions() {
    for (const Node& each : saved_.nodes()) {
      const Node* const there = now_.find(each.guid);
      if (there == nullptr || saved_.find(each.guid) != &each || same_description(each, *there))
        continue;
      Difference& difference = found_.emplace_back();
      difference.kind = DifferenceKind::description_changed;
      difference.node = {.guid = each.guid, .description = there->description};
      difference.saved_description = each.description;
    }
  }

  void rates() {
    for (const std::size_t index : saved_.links()) {
      if (changed_saved_.contains(index)) continue;
      const std::size_t there = now_.link_at(saved_.ends(index).first);
      const mad::LinkRate before = saved_.rate(index), after = now_.rate(there);
      if (before == after || before.lanes == 0 || after.lanes == 0 ||
          before.speed == mad::LaneSpeed::none || after.speed == mad::LaneSpeed::none)
        continue;
      const bool worse = after.lanes < before.lanes || after.speed < before.speed;
      one_link(worse ? DifferenceKind::link_slower : DifferenceKind::link_faster, index, there);
      found_.back().saved_rate = before;
      found_.back().now_rate = after;
    }
  }

  const Side saved_, now_;
  Changes changed_saved_, changed_now_;
  std::vector<Difference> found_;
};

}  // namespace

std::string describe(const Difference& of) {
  switch (of.kind) {
    case DifferenceKind::node_missing:
      return with_place("node missing: " + text_of(of.node), "; saved at ", of.saved);
    case DifferenceKind::node_extra:
      return with_place("node extra: " + text_of(of.node), " at ", of.now);
    case DifferenceKind::node_moved:
      return fmt::format("node moved: {} at {}; saved at {}", text_of(of.node), place(of.now),
                         place(of.saved));
    case DifferenceKind::description_changed:
      return fmt::format("description changed: {}; saved \"{}\"", text_of(of.node),
                         printable_text(of.saved_description));
    case DifferenceKind::link_missing:
      return "link missing: " + joined(of.saved);
    case DifferenceKind::link_extra:
      return "link extra: " + joined(of.now);
    case DifferenceKind::miscabled:
      return fmt::format("miscabled: {}; saved {}", joined(of.now), joined(of.saved));
    case DifferenceKind::link_slower:
    case DifferenceKind::link_faster:
      return fmt::format("{}: {}: {}; saved {}",
                         of.kind == DifferenceKind::link_slower ? "link slower or narrower"
                                                                : "link faster or wider",
                         joined(of.now), text_of(of.now_rate), text_of(of.saved_rate));
  }
  return {};
}

std::string_view find_name(DifferenceKind kind) {
  constexpr std::array<std::string_view, 9> kNames{
      "node_missing", "node_extra", "node_moved",  "description_changed", "link_missing",
      "link_extra",   "miscabled",  "link_slower", "link_faster"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Difference> differences(const ComparedTopology& saved, const ComparedTopology& now) {
  return Comparison(saved, now).run();
}

}  // namespace sm
