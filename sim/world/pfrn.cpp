// pFRN: a switch that has no port left for a group reports it to its neighbours, which exclude it
// from their group of this number, if that has other ports; otherwise they report it in turn. Two
// timers end the exclusion. Keys of class 0x0C are not compared.

#include "sim/world/forwarding.h"
#include "sim/world/world.h"

namespace sim {
namespace {

using namespace std::chrono_literals;

/// A switch repeats a notice about a group at most once in this time. The period is shorter than
/// the training of a link. It ends notices between switches that have only each other.
constexpr mad::Duration kNoticePeriod = 5ms;

bool sends_pfrn_notices(const NodeModel& node) {
  return node.is_switch() && node.sw->adaptive && node.sw->adaptive->sends_pfrn_notices();
}

bool is_listed(const ArSwitch& ar, std::uint16_t group, unsigned port) {
  for (unsigned sub = 0; sub < ar.sub_groups(); ++sub)
    if (ar.groups.has(std::size_t{group} * ar.sub_groups() + sub, port)) return true;
  return false;
}

bool has_ended(const PfrnMask& mask, const mad::PfrnConfig& config, mad::TimePoint now) {
  const std::chrono::seconds clear(config.mask_clear_timeout()),
      force(config.mask_force_clear_timeout());
  return (clear > 0s && now >= mask.last + clear) || (force > 0s && now >= mask.first + force);
}

}  // namespace

void World::notify_lost_groups(PortIndex port) {
  const NodeModel& node = model.owning_node(port);
  if (!sends_pfrn_notices(node) || !model.alive(model.ports[port].node)) return;
  const ArSwitch& ar = *node.sw->adaptive;
  const std::size_t groups = ar.groups.size() / ar.sub_groups() + 1;
  for (std::size_t group = 1; group < groups; ++group)
    if (is_listed(ar, static_cast<std::uint16_t>(group), model.ports[port].number))
      notify_if_lost(model.ports[port].node, static_cast<std::uint16_t>(group));
}

void World::notify_if_lost(NodeIndex index, std::uint16_t group) {
  const NodeModel& node = model.nodes[index];
  if (group != 0 && sends_pfrn_notices(node) && find_members(model, node, group).empty())
    notify_neighbours(index, group);
}

void World::notify_neighbours(NodeIndex index, std::uint16_t group) {
  const NodeModel& node = model.nodes[index];
  const auto [said, first] = pfrn_said_.try_emplace({index, group}, events_.now());
  if (!first && events_.now() - said->second < kNoticePeriod) return;
  said->second = events_.now();
  log("{} says that it has no port left for group {}", node.description, group);
  for (unsigned number = 1; number <= node.port_count(); ++number) {
    const PortIndex out = node.first_port + number;
    if (!model.link_up(out) || !model.owning_node(model.ports[out].peer).is_switch()) continue;
    const PortIndex at = model.ports[out].peer;
    events_.after(qualities[model.wires[out].quality].latency_min,
                  [this, at, group] { receive_lost_group(at, group); });
  }
}

void World::receive_lost_group(PortIndex at, std::uint16_t group) {
  const NodeIndex index = model.ports[at].node;
  const NodeModel& node = model.nodes[index];
  const std::uint8_t number = model.ports[at].number;
  if (!model.link_up(at) || !model.alive(index) || !sends_pfrn_notices(node) ||
      !is_listed(*node.sw->adaptive, group, number))
    return;
  ArSwitch& ar = *node.sw->adaptive;
  if (!ar.masks.contains({group, number})) {
    const Exits members = find_members(model, node, group);
    const bool has_others =
        members.ports().size() > 1 || (!members.empty() && members.ports().front() != number);
    if (!has_others) return notify_neighbours(index, group);  // its packets still go there
    log("{} leaves port {} out of group {}", node.description, number, group);
    ar.masks[{group, number}].first = events_.now();
    const std::chrono::seconds force(ar.pfrn.mask_force_clear_timeout());
    events_.after(force, [this, at, group] { expire_mask(at, group); });
  }
  ar.masks[{group, number}].last = events_.now();
  const std::chrono::seconds clear(ar.pfrn.mask_clear_timeout());
  events_.after(clear, [this, at, group] { expire_mask(at, group); });
}

/// Ends the mask if one of both timers has expired, and no notice or reset restarted it.
void World::expire_mask(PortIndex at, std::uint16_t group) {
  const NodeModel& node = model.owning_node(at);
  if (!node.sw->adaptive) return;
  ArSwitch& ar = *node.sw->adaptive;
  const auto found = ar.masks.find({group, model.ports[at].number});
  if (found == ar.masks.end() || !has_ended(found->second, ar.pfrn, events_.now())) return;
  ar.masks.erase(found);
  log("{} takes port {} into group {} again", node.description, model.ports[at].number, group);
}

}  // namespace sim
