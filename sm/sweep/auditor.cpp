#include "sm/sweep/auditor.h"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/subnet.h"
#include "mad/format.h"
#include "mad/smp_client.h"
#include "sm/sweep/devices/device_events.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "sm/sweep/observe/audit.h"
#include "sm/sweep/pass.h"

namespace sm {
namespace asio = boost::asio;
namespace {

struct AuditAnswer {
  AuditItem item;
  mad::SmpAnswer answer;
};

/// Returns the answers in the order of the items; an item whose port cannot be reached has no
/// answer.
asio::awaitable<std::vector<AuditAnswer>> read_audit_items(mad::SmpClient& client,
                                                           std::shared_ptr<const Subnet> subnet,
                                                           std::vector<AuditItem> items) {
  std::vector<AttributeRead> reads;
  reads.reserve(items.size());
  for (const AuditItem& item : items) reads.push_back({item.attribute, item.modifier, item.port});
  const auto answers = co_await read_each(client, subnet->fabric, std::move(reads));
  std::vector<AuditAnswer> all;
  for (std::size_t number = 0; number < items.size(); ++number)
    if (answers[number]) all.push_back({.item = items[number], .answer = *answers[number]});
  co_return all;
}

}  // namespace

asio::awaitable<AuditStep> Auditor::step(unsigned count) {
  AuditStep step;
  const std::shared_ptr<const Subnet> subnet = state_.subnet;
  if (!subnet) co_return step;
  std::vector<AuditItem> items;
  while (items.size() < count && !step.pass_is_over) {
    if (const std::optional<AuditItem> item = cursor_.next(subnet, state_.devices))
      items.push_back(*item);
    else
      step.pass_is_over = true;
  }
  if (step.pass_is_over) state_.devices.reread_vport_states();  // by the next light sweep
  if (items.empty()) co_return step;
  const NodeIndex current = subnet->fabric.ports[items.back().port].node;
  const std::vector<AuditAnswer> answers =
      co_await read_audit_items(environment_.client, subnet, std::move(items));
  bool unmasked = false;
  for (const auto& [item, answer] : answers) {
    const NodeIndex node = subnet->fabric.ports[item.port].node;
    const mad::Guid guid = subnet->fabric.nodes[node].guid;
    // The light sweep handles nodes that do not answer.
    const bool is_silent = !answer.ok() && answer.fault != mad::SmpFault::bad_status;
    if (is_silent && node == current) cursor_.skip_node();
    if (!answer.ok() || std::ranges::find(step.differing, guid) != step.differing.end()) continue;
    if (learn_multicast(*subnet, item, answer.data)) step.groups = true;
    if (matches_known(*subnet, state_.devices, item, answer.data)) {
      unmasked = note_matching_table(*subnet, item, answer.data) || unmasked;
      continue;
    }
    note_difference(*subnet, item, answer.data, step);
    if (node == current) cursor_.skip_node();
  }
  if (unmasked)
    environment_.conditions.set_active(ConditionSource::port_settings,
                                       port_setting_conditions(state_.devices, subnet->fabric));
  co_return step;
}

asio::awaitable<AuditStep> Auditor::check_p_keys(std::vector<PKeyCheck> checks) {
  AuditStep step;
  const std::shared_ptr<const Subnet> subnet = state_.subnet;
  if (!subnet) co_return step;
  std::vector<AuditItem> items;
  for (const PKeyCheck& check : checks)
    std::ranges::copy(p_key_items(*subnet, state_.devices, check), std::back_inserter(items));
  if (items.empty()) co_return step;
  const std::vector<AuditAnswer> answers =
      co_await read_audit_items(environment_.client, subnet, std::move(items));
  for (const auto& [item, answer] : answers) {
    const mad::Guid guid = subnet->fabric.owning_node(item.port).guid;
    if (answer.ok() && std::ranges::find(step.differing, guid) == step.differing.end() &&
        !matches_known(*subnet, state_.devices, item, answer.data))
      note_difference(*subnet, item, answer.data, step);
  }
  co_return step;
}

/// Returns true if an earlier response of the switch showed other content of this block.
bool Auditor::note_matching_table(const Subnet& subnet, const AuditItem& item,
                                  std::span<const std::uint8_t, 64> data) {
  if (item.attribute != mad::AttributeId::linear_forwarding_table) return false;
  const Node& node = subnet.fabric.owning_node(item.port);
  return state_.devices.lfts.holds(node.switch_index, item.part, data) &&
         state_.devices.masked_lfts.note_match(node.guid, item.part);
}

void Auditor::note_difference(const Subnet& subnet, const AuditItem& item,
                              std::span<const std::uint8_t, 64> data, AuditStep& step) {
  const Fabric& fabric = subnet.fabric;
  const NodeIndex node = fabric.ports[item.port].node;
  const mad::Guid guid = fabric.nodes[node].guid;
  environment_.conditions.occurred(
      {.id = kSweepConditions.audit_difference,
       .text = fmt::format("{} did not hold what was written or read before: {}; it had to be read "
                           "again and mended",
                           fabric.name(node), describe(subnet, state_.devices, item, data)),
       .guid = guid});
  forget_node(state_.devices, fabric, node);
  step.differing.push_back(guid);
  // If a link trained again, both of its ends have changed.
  if (item.attribute == mad::AttributeId::port_info && fabric.ports[item.about].peer != kNoIndex)
    step.differing.push_back(fabric.owning_node(fabric.ports[item.about].peer).guid);
  step.everything = step.everything || item.attribute == mad::AttributeId::node_info;
}

/// Learns a unit of a multicast table that was not known before. Returns true if the unit has
/// entries that the target does not have.
bool Auditor::learn_multicast(const Subnet& subnet, const AuditItem& item,
                              std::span<const std::uint8_t, 64> data) {
  if (item.attribute != mad::AttributeId::multicast_forwarding_table) return false;
  const SwitchIndex sw = subnet.fabric.owning_node(item.port).switch_index;
  const MftUnit unit{sw, item.part, item.position};
  routing::HeldMulticast& held = state_.devices.mfts.held();
  if (held.of(unit) != routing::MftKnowledge::unknown) return false;
  held.learn(unit, data);
  const MulticastTables& wanted = state_.devices.mfts.start();
  const bool is_wanted =
      unit.block < wanted.blocks() && std::ranges::equal(wanted.bytes(unit), data);
  const bool is_empty = std::ranges::all_of(data, [](std::uint8_t byte) { return byte == 0; });
  if (is_wanted || (is_empty && unit.block >= wanted.blocks())) return false;
  state_.trees.is_behind = true;
  return true;
}

}  // namespace sm
