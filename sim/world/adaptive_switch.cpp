#include "sim/world/adaptive_switch.h"

namespace sim {
namespace {

constexpr unsigned kGroupBits = 12;
constexpr std::uint16_t kGroupMask = (1u << kGroupBits) - 1;
constexpr std::size_t kGrowBy = 64;  // masks
// The values of PfrnConfig after power-on. Source: defaults of NVIDIA's manager; those of devices
// are not known.
constexpr std::uint16_t kMaskClearSeconds = 180, kMaskForceClearSeconds = 720;

}  // namespace

// ------------------------------------------------------------------------------------------
// groups

void ArGroups::grow(std::size_t index) {
  const std::size_t needed = (index + 1) * words_;
  if (needed <= bits_.size()) return;
  bits_.reserve((index / kGrowBy + 1) * kGrowBy * words_);
  bits_.resize(needed);
}

void ArGroups::set(std::size_t index, std::span<const std::uint8_t, 32> mask) {
  grow(index);
  for (std::size_t at = 0; at < words_; ++at) {
    std::uint64_t word = 0;
    for (std::size_t byte = 0; byte < 8; ++byte)
      word |= std::uint64_t{mask[mask.size() - 1 - 8 * at - byte]} << 8 * byte;
    bits_[index * words_ + at] = word;
  }
}

void ArGroups::copy(std::size_t from, std::size_t to) {
  grow(to);
  for (unsigned at = 0; at < words_; ++at) bits_[to * words_ + at] = word(from, at);
}

void ArGroups::get(std::size_t index, std::span<std::uint8_t, 32> mask) const {
  std::ranges::fill(mask, std::uint8_t{0});
  for (std::size_t at = 0; at < words_; ++at)
    for (std::size_t byte = 0; byte < 8; ++byte)
      mask[mask.size() - 1 - 8 * at - byte] =
          static_cast<std::uint8_t>(word(index, at) >> 8 * byte);
}

// ------------------------------------------------------------------------------------------
// forwarding entries

void ArEntries::set_block(std::uint32_t block, const mad::ArLinearForwardingTable& from) {
  constexpr unsigned kEntries = mad::ArLinearForwardingTable::kEntries,
                     kBlocks = Chunk::kLids / kEntries;
  const std::size_t index = block / kBlocks;
  if (chunks_.size() <= index) chunks_.resize(index + 1);
  if (!chunks_[index]) chunks_[index] = std::make_unique<Chunk>();
  Chunk& chunk = *chunks_[index];
  for (unsigned each = 0; each < kEntries; ++each) {
    const Entry entry = from.entry(each);
    const unsigned at = block % kBlocks * kEntries + each;
    chunk.static_port[at] = entry.static_port.value;
    chunk.state_and_group[at] = static_cast<std::uint16_t>(
        static_cast<unsigned>(entry.state) << kGroupBits | (entry.group & kGroupMask));
  }
  const auto bit = static_cast<std::uint8_t>(1u << block % kBlocks);
  chunk.set |= bit;
  chunk.behind = static_cast<std::uint8_t>(chunk.behind & ~bit);
}

mad::ArLinearForwardingTable ArEntries::block(std::uint32_t block) const {
  constexpr unsigned kEntries = mad::ArLinearForwardingTable::kEntries;
  mad::ArLinearForwardingTable table;
  for (unsigned each = 0; each < kEntries; ++each)
    table.set_entry(each, entry(block * kEntries + each));
  return table;
}

void ArEntries::lft_was_set(std::size_t lft_block) {
  if (lft_block < chunks_.size() && chunks_[lft_block])
    chunks_[lft_block]->behind = chunks_[lft_block]->set;
}

ArEntries::Standing ArEntries::standing(unsigned lid) const {
  const Chunk* const of = chunk(lid / Chunk::kLids);
  const unsigned bit = lid % Chunk::kLids / mad::ArLinearForwardingTable::kEntries;
  if (of == nullptr || (of->set >> bit & 1u) == 0) return Standing::never_set;
  return (of->behind >> bit & 1u) != 0 ? Standing::behind_lft : Standing::in_use;
}

ArEntries::Entry ArEntries::entry(unsigned lid) const {
  const Chunk* const of = chunk(lid / Chunk::kLids);
  if (of == nullptr) return {};
  const unsigned at = lid % Chunk::kLids;
  return {.state = static_cast<mad::ArLidState>(of->state_and_group[at] >> kGroupBits),
          .table = 0,
          .static_port = {of->static_port[at]},
          .group = static_cast<std::uint16_t>(of->state_and_group[at] & kGroupMask)};
}

// ------------------------------------------------------------------------------------------
// the switch

std::optional<ArEntries::Entry> ArSwitch::entry_in_use(unsigned lid) const {
  const bool on = enabled();
  if (!on && !firmware.static_ports_at_once && !(was_enabled && firmware.static_ports_stay))
    return std::nullopt;
  switch (entries.standing(lid)) {
    case ArEntries::Standing::in_use:
      return entries.entry(lid);
    case ArEntries::Standing::behind_lft:
      if (on && !firmware.lft_set_counts_at_once) return entries.entry(lid);
      return std::nullopt;
    case ArEntries::Standing::never_set:
      if (on && !firmware.unset_blocks_use_lft) return ArEntries::Entry{};
      return std::nullopt;
  }
  return std::nullopt;
}

void ArSwitch::power_on() {
  info = announced;
  was_enabled = false;
  groups.clear();
  entries.clear();
  masks.clear();
  pfrn = {};
  pfrn.set_mask_clear_timeout(kMaskClearSeconds);
  pfrn.set_mask_force_clear_timeout(kMaskForceClearSeconds);
}

}  // namespace sim
