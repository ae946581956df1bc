#include "sm/sweep/devices/refusals.h"

#include <algorithm>
#include <array>

#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "sm/sweep/devices/table_memory.h"

namespace sm {
namespace {

constexpr RefusalRule kSettingRule{.kind = RefusalKind::setting,
                                   .pause_first = std::chrono::seconds(5),
                                   .pause_last = std::chrono::hours(1)};
constexpr RefusalRule table_rule(mad::AttributeId attribute) {
  return {.attribute = attribute,
          .kind = RefusalKind::table,
          .pause_first = std::chrono::seconds(10),
          .pause_last = std::chrono::hours(1)};
}
/// The rules of attributes for which kSettingRule does not hold.
constexpr std::array kRefusalRules{table_rule(mad::AttributeId::sl_to_vl_mapping_table),
                                   table_rule(mad::AttributeId::vl_arbitration_table)};

/// True if the port disappeared or trained again.
bool has_ended(const Fabric& fabric, const Refusals::Subject& subject, mad::PortState left_in) {
  const auto node = fabric.node_of_guid.find(subject.node);
  if (node == fabric.node_of_guid.end()) return true;
  if (fabric.nodes[node->second].is_switch() && subject.port.value == 0) return false;
  const Port& port = fabric.ports[fabric.port(node->second, subject.port)];
  return !port.is_up() ||
         (port.info.port_state() == mad::PortState::init && left_in > mad::PortState::init);
}

std::string how_rejected(mad::AttributeId attribute, std::uint16_t status,
                         std::string_view detail) {
  return fmt::format("{} {}{}{}", mad::name(attribute),
                     status == 0 ? "acknowledged and not taken"
                                 : fmt::format("rejected with status {:#06x}", status),
                     detail.empty() ? "" : ": ", detail);
}

}  // namespace

const RefusalRule& refusal_rule(mad::AttributeId attribute) {
  const auto* const rule = std::ranges::find(kRefusalRules, attribute, &RefusalRule::attribute);
  return rule == kRefusalRules.end() ? kSettingRule : *rule;
}

void Refusals::begin(const Fabric& fabric, mad::TimePoint now) {
  now_ = now;
  std::erase_if(settings_, [&](const auto& entry) {
    return has_ended(fabric, entry.first, entry.second.left_in);
  });
  for (Sets* const sets : {&settings_, &tables_}) {
    std::erase_if(*sets, [](const auto& entry) { return entry.second.due; });
    for (auto& [subject, refusal] : *sets) refusal.due = refusal.retry_at <= now;
  }
  forget_unsupported_if([&](const Subject& subject) {
    const auto node = fabric.node_of_guid.find(subject.node);
    return node != fabric.node_of_guid.end() && !may_hold_tables(fabric, node->second);
  });
}

bool Refusals::is_paused(const Subject& subject, std::span<const std::uint8_t, 64> wanted) const {
  const Sets& all = sets(subject);
  const auto found = all.find(subject);
  return found != all.end() && std::ranges::equal(found->second.wanted, wanted) &&
         now_ < found->second.retry_at;
}

void Refusals::note(const Subject& subject, std::span<const std::uint8_t, 64> wanted,
                    std::uint16_t status, std::string detail, mad::PortState left_in) {
  Refusal& refusal =
      sets(subject).try_emplace(subject, refusal_rule(subject.attribute)).first->second;
  if (!std::ranges::equal(refusal.wanted, wanted)) refusal.pause.reset();
  refusal.retry_at = now_ + refusal.pause.next();
  refusal.due = false;
  std::ranges::copy(wanted, refusal.wanted.begin());
  refusal.status = status;
  refusal.detail = std::move(detail);
  refusal.left_in = left_in;
}

void Refusals::defer(const Subject& subject) {
  Sets& all = sets(subject);
  if (const auto found = all.find(subject); found != all.end())
    found->second.retry_at = mad::TimePoint::max();
}

void Refusals::forget(mad::Guid node) {
  forget_tables(node);
  forget_unsupported_if([node](const Subject& subject) { return subject.node == node; });
}

void Refusals::forget_tables(mad::Guid node) {
  std::erase_if(tables_, [node](const auto& entry) { return entry.first.node == node; });
}

std::vector<mad::Guid> Refusals::due(mad::TimePoint now) const {
  std::vector<mad::Guid> nodes;
  for (const Sets* const sets : {&settings_, &tables_}) {
    for (const auto& [subject, refusal] : *sets) {
      // A table that this sweep was to send was not needed; a setting waits for the next sweep.
      const bool is_due = refusal.retry_at <= now && !(refusal.due && sets == &tables_);
      if (is_due && (nodes.empty() || nodes.back() != subject.node)) nodes.push_back(subject.node);
    }
  }
  return nodes;
}

std::vector<Condition> Refusals::setting_conditions(const Fabric& fabric) const {
  std::vector<Condition> active;
  std::size_t more = 0;
  for (auto first = settings_.begin(); first != settings_.end();) {
    const Subject& subject = first->first;
    std::string what;
    auto last = first;
    for (; last != settings_.end() && last->first.node == subject.node &&
           last->first.port == subject.port;
         ++last) {
      const Refusal& refusal = last->second;
      what += (what.empty() ? "" : "; ") +
              how_rejected(last->first.attribute, refusal.status, refusal.detail);
    }
    first = last;
    const auto node = fabric.node_of_guid.find(subject.node);
    if (node == fabric.node_of_guid.end()) continue;
    if (active.size() >= kNamed) {
      ++more;
      continue;
    }
    active.push_back(
        {.id = kWriteConditions.port_set_rejected,
         .text =
             fmt::format("{}: {}", fabric.port_name(fabric.port(node->second, subject.port)), what),
         .guid = subject.node,
         .port = subject.port});
  }
  if (more > 0)
    active.push_back({.id = kWriteConditions.port_set_rejected,
                      .text = fmt::format("{} more ports reject what is set", more)});
  return active;
}

std::vector<Condition> Refusals::table_conditions(const Fabric& fabric, bool with_status) const {
  std::vector<Condition> active;
  for (auto first = tables_.begin(); first != tables_.end();) {
    const Subject& subject = first->first;
    std::size_t tables = 0;
    std::uint16_t status = 0;
    auto last = first;
    for (; last != tables_.end() && last->first.node == subject.node &&
           last->first.attribute == subject.attribute;
         ++last) {
      if (last->second.due || last->second.retry_at == mad::TimePoint::max()) continue;
      status = last->second.status;
      ++tables;
    }
    first = last;
    const auto node = fabric.node_of_guid.find(subject.node);
    if (tables == 0 || node == fabric.node_of_guid.end() || (status != 0 && !with_status)) continue;
    const std::string how = status == 0 ? "acknowledges them and holds something else"
                                        : fmt::format("refuses them with status {:#06x}", status);
    active.push_back({.id = routing::kRoutingConditions.vl_table_rejected,
                      .text = fmt::format(
                          "{} does not take {} of its tables ({}): it {}; they are sent again "
                          "with growing pauses",
                          fabric.name(node->second), tables, mad::name(subject.attribute), how)});
  }
  return active;
}

Refusals::Subject subject_of(const Fabric& fabric, PortIndex port, mad::AttributeId attribute,
                             std::uint32_t block) {
  return {.node = fabric.owning_node(port).guid,
          .port = fabric.ports[port].number,
          .attribute = attribute,
          .item = block};
}

Refusals::Subject subject_of(const Fabric& fabric, PortIndex port, PortInfoPart part) {
  return subject_of(fabric, port, mad::AttributeId::port_info, static_cast<std::uint32_t>(part));
}

}  // namespace sm
