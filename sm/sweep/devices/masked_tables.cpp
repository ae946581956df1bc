#include "sm/sweep/devices/masked_tables.h"

#include <algorithm>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"

namespace sm {

LftDifference difference(std::uint32_t block, std::span<const std::uint8_t, kLftBlockLids> written,
                         std::span<const std::uint8_t, kLftBlockLids> shown, mad::Lid top,
                         const LidMap& lids) {
  LftDifference worst = LftDifference::none;
  for (std::size_t entry = 0; entry < written.size(); ++entry) {
    if (written[entry] == shown[entry]) continue;
    const mad::Lid lid{static_cast<std::uint16_t>(block * kLftBlockLids + entry)};
    const bool in_use = lid != mad::Lid{} && (written[entry] != mad::kNoPort.value ||
                                              lids.owner(lid) != PortIndex(kNoIndex));
    const LftDifference now = !in_use     ? LftDifference::unused
                              : lid > top ? LftDifference::above_top
                                          : LftDifference::wrong;
    worst = std::max(worst, now);
  }
  return worst;
}

void MaskedTables::note(mad::Guid sw, std::uint32_t block, LftDifference difference) {
  Masked& masked = switches_[sw];
  masked.blocks[block] = difference;
  masked.top_first = masked.top_first || difference == LftDifference::above_top;
}

bool MaskedTables::note_match(mad::Guid sw, std::uint32_t block) {
  const auto found = switches_.find(sw);
  return found != switches_.end() && found->second.blocks.erase(block) > 0;
}

bool MaskedTables::needs_top_first(mad::Guid sw) const {
  const auto found = switches_.find(sw);
  return found != switches_.end() && found->second.top_first;
}

bool MaskedTables::any_needs_top_first() const {
  return std::ranges::any_of(switches_, [](const auto& of) { return of.second.top_first; });
}

bool MaskedTables::contains(mad::Guid sw) const {
  const auto found = switches_.find(sw);
  return found != switches_.end() && !found->second.blocks.empty();
}

void MaskedTables::update_from(const Fabric& fabric, std::size_t blocks) {
  std::erase_if(switches_, [&](const auto& of) { return !fabric.node_of_guid.contains(of.first); });
  for (auto& [guid, masked] : switches_)
    std::erase_if(masked.blocks, [&](const auto& block) { return block.first >= blocks; });
}

std::vector<Condition> MaskedTables::conditions(const Fabric& fabric) const {
  std::vector<Condition> found;
  for (const auto& [guid, masked] : switches_) {
    const auto node = fabric.node_of_guid.find(guid);
    if (node == fabric.node_of_guid.end() || masked.blocks.empty()) continue;
    const bool is_above_top = std::ranges::any_of(
        masked.blocks, [](const auto& of) { return of.second == LftDifference::above_top; });
    const std::string_view what =
        is_above_top ? "above LinearFDBTop as they were before; its LinearFDBTop is raised first"
                     : "of LIDs that are not in use with other ports; they are accepted";
    found.push_back({.id = kFabricConditions.value_implausible,
                     .text = fmt::format("{} answers with forwarding table entries {}",
                                         fabric.name(node->second), what),
                     .guid = guid});
  }
  return found;
}

}  // namespace sm
