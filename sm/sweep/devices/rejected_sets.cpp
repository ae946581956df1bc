#include "sm/sweep/devices/rejected_sets.h"

#include <algorithm>

#include "mad/format.h"

namespace sm {

void RejectedSets::begin(const Fabric& fabric, mad::TimePoint now) {
  now_ = now;
  const auto is_over = [&](const Subject& subject, const Rejection& rejection) {
    if (rejection.due)
      return true;  // and the last sweep did not send it: it is not wanted any more
    const auto node = fabric.node_of_guid.find(subject.node);
    if (node == fabric.node_of_guid.end()) return true;
    if (fabric.nodes[node->second].is_switch() && subject.port.value == 0) return false;
    const Port& port = fabric.ports[fabric.port(node->second, subject.port)];
    return !port.is_up() || (port.info.port_state() == mad::PortState::init &&
                             rejection.left_in > mad::PortState::init);
  };
  for (auto entry = sets_.begin(); entry != sets_.end();) {
    if (is_over(entry->first, entry->second)) {
      entry = sets_.erase(entry);
    } else {
      entry->second.due = entry->second.retry_at <= now;
      ++entry;
    }
  }
}

bool RejectedSets::is_paused(const Subject& subject,
                             std::span<const std::uint8_t, 64> wanted) const {
  if (sets_.empty()) return false;
  const auto found = sets_.find(subject);
  return found != sets_.end() && std::ranges::equal(found->second.wanted, wanted) &&
         now_ < found->second.retry_at;
}

void RejectedSets::note(const Subject& subject, std::span<const std::uint8_t, 64> wanted,
                        std::string what, mad::PortState left_in) {
  Rejection& rejection = sets_[subject];
  if (!std::ranges::equal(rejection.wanted, wanted)) rejection.pause.reset();
  rejection.retry_at = now_ + rejection.pause.next();
  rejection.due = false;
  std::ranges::copy(wanted, rejection.wanted.begin());
  rejection.what = std::move(what);
  rejection.left_in = left_in;
}

void RejectedSets::defer(const Subject& subject) {
  if (const auto found = sets_.find(subject); found != sets_.end())
    found->second.retry_at = mad::TimePoint::max();
}

std::vector<mad::Guid> RejectedSets::due(mad::TimePoint now) const {
  std::vector<mad::Guid> nodes;
  for (const auto& [subject, rejection] : sets_) {
    if (rejection.retry_at <= now && (nodes.empty() || nodes.back() != subject.node))
      nodes.push_back(subject.node);
  }
  return nodes;
}

std::vector<Condition> RejectedSets::conditions(const Fabric& fabric) const {
  std::vector<Condition> active;
  std::size_t more = 0;
  for (auto first = sets_.begin(); first != sets_.end();) {
    const Subject& subject = first->first;
    std::string what;
    auto last = first;
    for (; last != sets_.end() && last->first.node == subject.node &&
           last->first.port == subject.port;
         ++last)
      what += (what.empty() ? "" : "; ") + last->second.what;
    first = last;
    const auto node = fabric.node_of_guid.find(subject.node);
    if (node == fabric.node_of_guid.end()) continue;
    if (active.size() >= kNamed) {
      ++more;
      continue;
    }
    active.push_back(
        {.id = ConditionId::port_set_rejected,
         .text =
             fmt::format("{}: {}", fabric.port_name(fabric.port(node->second, subject.port)), what),
         .guid = subject.node,
         .port = subject.port});
  }
  if (more > 0)
    active.push_back({.id = ConditionId::port_set_rejected,
                      .text = fmt::format("{} more ports reject what is set", more)});
  return active;
}

RejectedSets::Subject port_info_subject(const Node& node, mad::PortNum port, PortInfoPart part) {
  return {.node = node.guid,
          .port = port,
          .attribute = mad::AttributeId::port_info,
          .item = static_cast<std::uint32_t>(part)};
}

RejectedSets::Subject subject_of(const Fabric& fabric, PortIndex port, mad::AttributeId attribute,
                                 std::uint32_t block) {
  return {.node = fabric.owning_node(port).guid,
          .port = fabric.ports[port].number,
          .attribute = attribute,
          .item = block};
}

}  // namespace sm
