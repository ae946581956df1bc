#include "sm/sweep/devices/vl_refusals.h"

#include "mad/format.h"

namespace sm {

void VlRefusals::forget(mad::Guid node) {
  std::erase_if(refused_, [node](const auto& entry) { return entry.first.node == node; });
  no_wildcards_.erase(node);
}

void VlRefusals::begin(mad::TimePoint now) {
  now_ = now;
  std::erase_if(refused_, [](const auto& entry) { return entry.second.due; });
  for (auto& [table, refusal] : refused_) refusal.due = refusal.retry_at <= now;
}

void VlRefusals::note(const Table& table, const mad::SmpData& wanted, std::uint16_t status) {
  Refusal& refusal = refused_[table];
  if (refusal.wanted != wanted) refusal.pause.reset();
  refusal.due = false;
  refusal.wanted = wanted;
  refusal.status = status;
  refusal.retry_at = now_ + refusal.pause.next();
}

std::vector<mad::Guid> VlRefusals::due(mad::TimePoint now) const {
  std::vector<mad::Guid> nodes;
  for (const auto& [table, refusal] : refused_)
    if (!refusal.due && refusal.retry_at <= now && (nodes.empty() || nodes.back() != table.node))
      nodes.push_back(table.node);
  return nodes;
}

bool VlRefusals::is_refused(const Table& table, const mad::SmpData& wanted) const {
  const auto found = refused_.find(table);
  return found != refused_.end() && found->second.wanted == wanted && now_ < found->second.retry_at;
}

std::vector<std::string> VlRefusals::texts(const Fabric& fabric, bool with_status) const {
  std::vector<std::string> out;
  for (auto first = refused_.begin(); first != refused_.end();) {
    std::size_t tables = 0;
    auto last = first;
    std::uint16_t status = 0;
    for (; last != refused_.end() && last->first.node == first->first.node &&
           last->first.attribute == first->first.attribute;
         ++last) {
      if (last->second.due) continue;
      status = last->second.status;
      ++tables;
    }
    const auto node = fabric.node_of_guid.find(first->first.node);
    if (tables > 0 && node != fabric.node_of_guid.end() && (status == 0 || with_status)) {
      const std::string how = status == 0 ? "acknowledges them and holds something else"
                                          : fmt::format("refuses them with status {:#06x}", status);
      out.push_back(
          fmt::format("{} does not take {} of its tables ({}): it {}; they are sent again "
                      "with growing pauses",
                      fabric.name(node->second), tables, mad::name(first->first.attribute), how));
    }
    first = last;
  }
  return out;
}

}  // namespace sm
