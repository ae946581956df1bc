#include "support/check/checked_conditions.h"

#include <algorithm>
#include <charconv>

#include "mad/format.h"
#include "support/check/ports.h"

namespace sim {
namespace {

/// The digits of a GUID as messages write it: "0x" and 16 of them.
constexpr std::size_t kGuidDigits = 16;

struct NamedGuid {
  mad::Guid guid;
  std::string_view rest;  // of the text
};
std::optional<NamedGuid> next_guid(std::string_view text) {
  for (std::size_t at = text.find("0x"); at != std::string_view::npos;
       at = text.find("0x", at + 2)) {
    const std::string_view digits = text.substr(at + 2).substr(0, kGuidDigits);
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error == std::errc() && digits.size() == kGuidDigits && end == digits.data() + kGuidDigits)
      return NamedGuid{{value}, text.substr(at + 2 + kGuidDigits)};
  }
  return std::nullopt;
}

/// Reads 7 from ") port 7: ...".
std::optional<unsigned> port_number(std::string_view rest) {
  constexpr std::string_view kPort = ") port ";
  if (!rest.starts_with(kPort)) return std::nullopt;
  unsigned number = 0;
  const std::string_view digits = rest.substr(kPort.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

bool is_among(fabric::ConditionId id, std::initializer_list<fabric::ConditionId> ids) {
  return std::ranges::find(ids, id) != ids.end();
}

}  // namespace

KnownSubnet known_subnet(const Model& model, PortIndex from) {
  const std::vector<bool> reach = reachable(model, from);
  KnownSubnet known;
  for (const NodeIndex node : model.nodes.indices())
    if (reach[node]) known.nodes.insert(node);
  for (const PortIndex port : model.ports.indices()) {
    const PortIndex far = model.ports[port].peer;
    if (far == kNone || far < port || !model.link_up(port) || !reach[model.ports[port].node] ||
        !reach[model.ports[far].node])
      continue;
    known.links.emplace(port, far);
  }
  return known;
}

ConditionWorld::ConditionWorld(const Model& model, const ObservedManager& manager,
                               std::span<const fabric::Condition> active)
    : model_(model), manager_(manager), active_(active), reach_(reachable(model, manager.port)) {}

bool ConditionWorld::is_linked(PortIndex port) const {
  const PortIndex far = model_.ports[port].peer;
  return far != kNone && model_.link_up(port) && reaches(far);
}

std::vector<mad::Guid> ConditionWorld::guids_named(const fabric::Condition& condition) {
  std::vector<mad::Guid> guids;
  if (condition.guid != mad::Guid{}) guids.push_back(condition.guid);
  std::string_view text = condition.text;
  while (const auto found = next_guid(text)) {
    guids.push_back(found->guid);
    text = found->rest;
  }
  return guids;
}

std::vector<NodeIndex> ConditionWorld::nodes_named(const fabric::Condition& condition) const {
  const std::vector<mad::Guid> guids = guids_named(condition);
  std::vector<NodeIndex> nodes;
  for (const NodeIndex node : model_.nodes.indices()) {
    const NodeModel& of = model_.nodes[node];
    const auto is_named = [&](mad::Guid guid) {
      return std::ranges::find(guids, guid) != guids.end();
    };
    bool named = is_named(of.info.node_guid());
    for (unsigned number = 0; number <= of.port_count() && !named; ++number)
      named = is_named(model_.ports[of.first_port + number].guid);
    if (named) nodes.push_back(node);
  }
  return nodes;
}

std::vector<PortIndex> ConditionWorld::ports_named(const fabric::Condition& condition) const {
  std::vector<PortIndex> ports;
  const auto add = [&](mad::Guid guid, unsigned number) {
    for (const NodeIndex node : model_.nodes.indices()) {
      if (model_.nodes[node].info.node_guid() != guid) continue;
      if (const PortIndex port = model_.port(node, number); port != kNone) ports.push_back(port);
    }
  };
  if (condition.port) add(condition.guid, condition.port->value);
  std::string_view text = condition.text;
  while (const auto found = next_guid(text)) {
    if (const auto number = port_number(found->rest)) add(found->guid, *number);
    text = found->rest;
  }
  return ports;
}

bool ConditionWorld::has(std::initializer_list<fabric::ConditionId> ids, NodeIndex node) const {
  return std::ranges::any_of(active_, [&](const fabric::Condition& condition) {
    if (!is_among(condition.id, ids)) return false;
    const std::vector<NodeIndex> named = nodes_named(condition);
    return std::ranges::find(named, node) != named.end();
  });
}

bool ConditionWorld::has(std::initializer_list<fabric::ConditionId> ids, PortIndex port) const {
  return std::ranges::any_of(active_, [&](const fabric::Condition& condition) {
    if (!is_among(condition.id, ids)) return false;
    const std::vector<PortIndex> named = ports_named(condition);
    return std::ranges::find(named, port) != named.end();
  });
}

bool ConditionWorld::has(fabric::ConditionId id) const {
  return std::ranges::find(active_, id, &fabric::Condition::id) != active_.end();
}

Complaints check_conditions(const Model& model, const ObservedManager& manager,
                            std::span<const fabric::Condition> active) {
  const ConditionWorld world(model, manager, active);
  Complaints complaints;
  for (const fabric::Condition& condition : active) {
    const auto add = [&](std::string_view why) {
      complain(complaints, fmt::format("false condition: {} [{}]: {}", condition.text,
                                       condition.id->name, why));
    };
    if (condition.id->is_occurrence()) {
      add("an occurrence is never active");
      continue;
    }
    const auto found = std::ranges::find(condition_rules(), condition.id, &ConditionRule::id);
    if (found == condition_rules().end()) {
      add("it has no rule");
      continue;
    }
    const ConditionRule& rule = *found;
    if (!manager.leads && rule.of_master) {
      add("this manager is not MASTER");
      continue;
    }
    if (rule.truth == Truth::caller && !manager.caused.contains(condition.id)) add(rule.reason);
    if (rule.falsehood == nullptr || manager.caused.contains(condition.id)) continue;
    if (const std::string why = rule.falsehood(world, condition); !why.empty()) add(why);
  }
  for (const ConditionRule& rule : condition_rules()) {
    if (rule.find_missing == nullptr || (rule.of_master && !manager.leads)) continue;
    Complaints missing;
    rule.find_missing(world, missing);
    for (const std::string& text : missing)
      complain(complaints, fmt::format("missing condition: {}: {}", rule.id->name, text));
  }
  return complaints;
}

}  // namespace sim
