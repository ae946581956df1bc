#include "sm/sweep/decide/loss_conditions.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "mad/format.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace sm {
namespace {

/// Splits a name around its last number: "rack-", "12", "-a".
struct NumberedName {
  std::string prefix, digits, suffix;

  /// A number has at most as many digits as 64 bits hold.
  bool has_number() const {
    constexpr std::size_t kDigitsMax = 18;
    return !digits.empty() && digits.size() <= kDigitsMax;
  }
  std::uint64_t number() const { return has_number() ? std::stoull(digits) : 0; }
  std::string text() const { return prefix + digits + suffix; }
  bool operator<(const NumberedName& other) const {
    return std::tuple(prefix, suffix, number(), digits) <
           std::tuple(other.prefix, other.suffix, other.number(), other.digits);
  }
  /// True for "H9" before "H10" and "H09" before "H10", but not for "H9" before "H010".
  bool is_followed_by(const NumberedName& next) const {
    const bool has_zeros = digits.starts_with('0') || next.digits.starts_with('0');
    return has_number() && next.has_number() && prefix == next.prefix && suffix == next.suffix &&
           next.number() == number() + 1 && (!has_zeros || digits.size() == next.digits.size());
  }
};

NumberedName split(const std::string& description) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string name = description.substr(0, description.find(' '));
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string::npos) return {.prefix = name, .digits = {}, .suffix = {}};
  const std::size_t before = name.find_last_not_of(kDigits, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  return {.prefix = name.substr(0, first),
          .digits = name.substr(first, last + 1 - first),
          .suffix = name.substr(last + 1)};
}

/// Collects the nodes that were lost with a root of the forest, or behind a switch that answers.
struct Family {
  std::vector<std::string> hosts, switches;     // NodeDescriptions, without that of the root
  std::map<LinkTier, std::size_t> links;        // between switches
  std::vector<const LostThing*> children = {};  // all of them
};

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// Returns the share of the tier that has lost most of its links; nullopt if no tier has lost any.
std::optional<CapacityShare> largest_share(const std::map<LinkTier, std::size_t>& lost,
                                           const std::map<LinkTier, std::size_t>& before) {
  std::optional<CapacityShare> largest;
  for (const auto& [tier, count] : lost) {
    const auto all = before.find(tier);
    const CapacityShare share{.lost = count,
                              .all = all == before.end() ? count : std::max(all->second, count),
                              .tier = tier};
    if (!largest || share.ratio() > largest->ratio()) largest = share;
  }
  return largest;
}

Severity capacity_severity(const std::optional<CapacityShare>& share) {
  return share && share->is_large() ? Severity::error : Severity::warning;
}

std::string switch_text(const LostThing& node, const Family& family,
                        const std::optional<CapacityShare>& share) {
  std::string what;
  if (!family.hosts.empty()) {
    what = fmt::format("{} behind it ({})", counted(family.hosts.size(), "host", "hosts"),
                       name_ranges(family.hosts));
    if (!family.switches.empty())
      what = fmt::format("{} ({}) and {}", counted(family.switches.size(), "switch", "switches"),
                         name_ranges(family.switches), what);
  } else if (!family.switches.empty()) {
    what = fmt::format("{} behind it ({})", counted(family.switches.size(), "switch", "switches"),
                       name_ranges(family.switches));
  }
  if (share && family.hosts.empty()) what += (what.empty() ? "" : ", ") + share->text();
  return fmt::format("switch lost: \"{}\" ({}){}{}{}", node.name, node.node,
                     what.empty() ? "" : ": ", what, node.place_text());
}

std::string host_text(const LostThing& node) {
  return fmt::format("node lost: \"{}\" ({}){}", node.name, node.node, node.place_text());
}

Condition switch_condition(const LostThing& node, const Family& family,
                           const std::map<LinkTier, std::size_t>& before) {
  const std::optional<CapacityShare> share = largest_share(family.links, before);
  return {.id = kSweepConditions.node_lost,
          .text = switch_text(node, family, share),
          .guid = node.node,
          .severity = family.hosts.empty() ? capacity_severity(share) : Severity::critical};
}

Condition hosts_condition(const LostThing& one, const Family& family) {
  return {
      .id = kSweepConditions.hosts_lost,
      .text = fmt::format("hosts lost: {} behind \"{}\" ({}), which answers: {}",
                          family.hosts.size(), one.peer, one.peer_node, name_ranges(family.hosts)),
      .guid = one.peer_node};
}

Condition link_condition(const LostThing& link, const std::map<LinkTier, std::size_t>& before) {
  std::optional<CapacityShare> share;
  if (link.tier) share = largest_share({{*link.tier, 1}}, before);
  return {.id = kSweepConditions.link_lost,
          .text = fmt::format("link lost: \"{}\" ({}) port {} <-> \"{}\" ({}) port {}{}{}{}{}",
                              link.name, link.node, *link.port, link.peer, link.peer_node,
                              *link.peer_port, share ? ": " : "", share ? share->text() : "",
                              link.state.empty() ? "" : "; ", link.state),
          .guid = link.node,
          .port = link.port,
          .severity = capacity_severity(share)};
}

/// Holds a condition without a cause, and the nodes whose loss it caused.
struct Root {
  std::size_t number;
  Condition condition;
  std::vector<const LostThing*> children;
};

/// Adds at most kLossesNamed roots with their children, and one condition that counts the other
/// nodes.
void append_roots(std::vector<Condition>& out, std::vector<Root> roots) {
  std::ranges::sort(roots, {}, &Root::number);
  const std::size_t named = std::min(roots.size(), kLossesNamed);
  std::size_t rest = 0, behind = 0;
  for (const Root& root : std::span(roots).subspan(named)) rest += 1 + root.children.size();
  for (const Root& root : std::span(roots).first(named)) out.push_back(root.condition);
  if (rest > 0)
    out.push_back({.id = kSweepConditions.node_lost,
                   .text = fmt::format("and {} more nodes are lost", rest)});
  for (const Root& root : std::span(roots).first(named)) {
    for (const LostThing* const child : root.children) {
      if (++behind > kLossesBehind) return;
      Condition condition{
          .id = kSweepConditions.node_lost,
          .text = child->is_switch ? switch_text(*child, {}, std::nullopt) : host_text(*child),
          .guid = child->node,
          .severity = Severity::info,
          .caused_by = find_subject(root.condition)};
      out.push_back(std::move(condition));
    }
  }
}

/// Collects the families of the roots, and of switches that answer.
class Families {
 public:
  explicit Families(const LossFacts& facts) : facts_(facts), tree_(facts) {
    for (const LostThing& node : facts.nodes) {
      const LostThing& root = tree_.find_root(node);
      if (root.node != node.node) add(by_root_[root.node], node);
      if (root.node == node.node && is_host_of_present_switch(node))
        add(by_front_[node.behind], node);
    }
    for (const LostThing& link : facts.links) add_link(link);
  }

  std::vector<Root> roots() {
    std::vector<Root> roots;
    std::set<mad::Guid> fronts;
    for (const LostThing& node : facts_.nodes) {
      if (&tree_.find_root(node) != &node) continue;
      Family& front = by_front_[node.behind];
      if (is_host_of_present_switch(node) && front.children.size() > 1) {
        if (fronts.insert(node.behind).second)
          roots.push_back({node.number, hosts_condition(node, front), front.children});
        continue;
      }
      Family& own = by_root_[node.node];
      Condition condition = node.is_switch ? switch_condition(node, own, facts_.links_before)
                                           : Condition{.id = kSweepConditions.node_lost,
                                                       .text = host_text(node),
                                                       .guid = node.node,
                                                       .severity = Severity::info};
      roots.push_back({node.number, std::move(condition), own.children});
    }
    return roots;
  }

 private:
  static void add(Family& family, const LostThing& node) {
    (node.is_switch ? family.switches : family.hosts).push_back(node.name);
    family.children.push_back(&node);
  }
  bool is_host_of_present_switch(const LostThing& node) const {
    return !node.is_switch && node.behind != mad::Guid{} && node.behind == node.peer_node &&
           !tree_.is_lost(node.behind);
  }
  void add_link(const LostThing& link) {
    if (!link.tier) return;
    const LostThing *const here = tree_.find_root(link.node), *const there =
                                                                  tree_.find_root(link.peer_node);
    if (here != nullptr) ++by_root_[here->node].links[*link.tier];
    if (there != nullptr && there != here) ++by_root_[there->node].links[*link.tier];
  }

  const LossFacts& facts_;
  const LossTree tree_;
  std::map<mad::Guid, Family> by_root_, by_front_;  // NodeGUIDs: of lost switches, of others
};

}  // namespace

std::string name_ranges(const std::vector<std::string>& descriptions) {
  constexpr std::size_t kShown = 3;
  std::set<NumberedName> names;
  for (const std::string& description : descriptions) names.insert(split(description));
  std::string text;
  std::size_t shown = 0, left = names.size();
  for (auto at = names.begin(); at != names.end() && shown < kShown; ++shown) {
    const auto first = at;
    auto last = at;
    for (++at, --left; at != names.end() && last->is_followed_by(*at); ++at, --left) last = at;
    if (shown > 0) text += ", ";
    text += first == last ? first->text() : first->text() + ".." + last->text();
  }
  if (left > 0) text += fmt::format(" and {} more", left);
  return text;
}

LossTree::LossTree(const LossFacts& facts) {
  for (const LostThing& node : facts.nodes) nodes_[node.node] = &node;
}

const LostThing* LossTree::find_cause(const LostThing& node) const {
  const auto found = nodes_.find(node.behind);
  return found == nodes_.end() || !found->second->is_switch ? nullptr : found->second;
}

const LostThing& LossTree::find_root(const LostThing& node) const {
  const LostThing* at = &node;
  for (const LostThing* next = find_cause(node); next != nullptr; next = find_cause(*at)) at = next;
  return *at;
}

const LostThing* LossTree::find_root(mad::Guid node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nullptr : &find_root(*found->second);
}

std::vector<Condition> loss_conditions(const LossFacts& facts) {
  std::vector<Condition> result;
  append_roots(result, Families(facts).roots());
  const LossTree tree(facts);
  std::size_t links = 0;
  for (const LostThing& link : facts.links) {
    if (tree.is_lost(link.node) || tree.is_lost(link.peer_node)) continue;
    if (++links <= kLossesNamed) result.push_back(link_condition(link, facts.links_before));
  }
  if (links > kLossesNamed)
    result.push_back({.id = kSweepConditions.link_lost,
                      .text = fmt::format("and {} more links are lost", links - kLossesNamed)});
  return result;
}

LossCounts loss_counts(const LossFacts& facts) {
  const LossTree tree(facts);
  LossCounts counts;
  for (const LostThing& node : facts.nodes) {
    ++(node.is_switch ? counts.switches : counts.hosts);
    counts.hosts_cut_off += !node.is_switch && tree.find_cause(node) != nullptr;
  }
  std::map<LinkTier, std::size_t> lost;
  for (const LostThing& link : facts.links) {
    if (link.tier) ++lost[*link.tier];
    if (tree.is_lost(link.node) || tree.is_lost(link.peer_node)) continue;
    ++(link.tier ? counts.links_of_switches : counts.links_of_hosts);
  }
  if (const auto share = largest_share(lost, facts.links_before)) counts.capacity = share->ratio();
  return counts;
}

std::vector<LostThing> listed_losses(const LossFacts& facts) {
  const LossTree tree(facts);
  std::vector<LostThing> list;
  for (const LostThing& node : facts.nodes) {
    list.push_back(node);
    if (const LostThing* const cause = tree.find_cause(node)) list.back().cause = cause->node;
  }
  for (const LostThing& link : facts.links)
    if (!tree.is_lost(link.node) && !tree.is_lost(link.peer_node)) list.push_back(link);
  std::ranges::sort(list, {}, &LostThing::number);
  return list;
}

namespace {

/// True if `text` is a GUID, a NodeDescription or its first word.
bool is_name_of(std::string_view text, const std::string& description, mad::Guid guid) {
  return text == description || text == description.substr(0, description.find(' ')) ||
         text == fmt::format("{}", guid);
}

}  // namespace

bool LostThing::is_called(std::string_view text) const {
  const auto is_text = [&](mad::Guid guid) { return text == fmt::format("{}", guid); };
  if (is_name_of(text, name, node) || std::ranges::any_of(end_ports, is_text)) return true;
  const std::size_t colon = text.rfind(':');
  if (!port || colon == std::string_view::npos) return false;
  const std::string_view its_node = text.substr(0, colon), its_port = text.substr(colon + 1);
  return (its_port == fmt::format("{}", *port) && is_name_of(its_node, name, node)) ||
         (peer_port && its_port == fmt::format("{}", *peer_port) &&
          is_name_of(its_node, peer, peer_node));
}

bool LostThing::has_port_called(std::string_view text) const {
  const std::size_t colon = text.rfind(':');
  return !port && colon != std::string_view::npos && colon + 1 < text.size() &&
         text.find_first_not_of("0123456789", colon + 1) == std::string_view::npos &&
         is_called(text.substr(0, colon));
}

std::string LostThing::title() const {
  return fmt::format("\"{}\" ({}){}", name, node, port ? fmt::format(" port {}", *port) : "");
}

std::string LostThing::place_text() const {
  if (peer_node == mad::Guid{} || !peer_port) return "";
  return fmt::format("; it {} \"{}\" ({}) port {}{}{}", port ? "led to" : "was behind", peer,
                     peer_node, *peer_port,
                     state.empty() ? ""
                     : port        ? "; "
                                   : ", which is ",
                     state);
}

}  // namespace sm
