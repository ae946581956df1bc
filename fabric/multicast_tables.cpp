#include "fabric/multicast_tables.h"

#include <algorithm>

#include "fabric/fabric.h"
#include "mad/attributes/switch_info.h"

namespace fabric {

constinit const std::array<std::uint8_t, MulticastTables::kPositionsMax * kMftBytes>
    MulticastTables::kEmptyRow{};

MftUnit MulticastTables::unit(std::size_t number) const {
  const std::size_t table = number / positions_;
  return {.sw = SwitchIndex(table % switches_),
          .block = static_cast<std::uint16_t>(table / switches_),
          .position = static_cast<std::uint8_t>(number % positions_)};
}

void MulticastTables::grow(std::size_t blocks) {
  if (blocks <= blocks_) return;
  // All empty blocks share one content until something is written.
  const auto empty = std::make_shared<Content>();
  empty->rows.assign(switches_, 0);
  content_.resize(blocks, empty);
  blocks_ = blocks;
}

std::uint64_t MulticastTables::Writer::next() {
  static std::atomic<std::uint64_t> latest{0};
  return ++latest;
}

void MulticastTables::detach(std::size_t block) {
  auto own = std::make_shared<Content>(*content_[block]);
  own->writer = writer_.id();
  content_[block] = std::move(own);
}

void MulticastTables::add_row(std::size_t block, SwitchIndex sw) {
  Content& content = *content_[block];
  content.bytes.resize(content.bytes.size() + row_bytes(), 0);
  content.rows[sw.value] = static_cast<std::uint32_t>(content.bytes.size() / row_bytes());
}

void MulticastTables::assign(MftUnit unit, std::span<const std::uint8_t, kMftBytes> content) {
  if (!has_row(unit.block, unit.sw) &&
      std::ranges::all_of(content, [](std::uint8_t byte) { return byte == 0; }))
    return;
  std::ranges::copy(content, bytes(unit).begin());
}

bool MulticastTables::operator==(const MulticastTables& other) const {
  if (switches_ != other.switches_ || positions_ != other.positions_ || blocks_ != other.blocks_)
    return false;
  for (std::size_t block = 0; block < blocks_; ++block) {
    if (content_[block] == other.content_[block]) continue;
    for (const SwitchIndex sw : all_switches())
      if (!std::equal(row(block, sw), row(block, sw) + row_bytes(), other.row(block, sw)))
        return false;
  }
  return true;
}

mad::Mlid MulticastTables::top() const {
  for (std::size_t block = blocks_; block-- > 0;) {
    const std::vector<std::uint8_t>& bytes = content_[block]->bytes;
    std::size_t highest = 0;  // entry of the block, from 1
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      if (bytes[at] != 0) highest = std::max(highest, at % kMftBytes / 2 + 1);
    }
    if (highest > 0)
      return {
          static_cast<std::uint16_t>(mad::kMlidMin.value + block * kMftBlockMlids + highest - 1)};
  }
  return {mad::SwitchInfo::kNoMulticastEntries};
}

MulticastTables MulticastTables::rearranged(std::span<const SwitchIndex> sources,
                                            std::size_t positions, Moved& moved) const {
  MulticastTables tables(sources.size(), positions);
  tables.grow(blocks_);
  const std::size_t kept = std::min(positions, positions_) * kMftBytes;
  constexpr std::array<std::uint8_t, kPositionsMax * kMftBytes> kNone{};
  for (std::size_t block = 0; block < blocks_; ++block) {
    auto& [from, to] = moved.blocks_[content_[block].get()];
    if (to == nullptr) {
      from = content_[block];
      auto content = std::make_shared<Content>();
      content->rows.assign(sources.size(), 0);
      to = std::move(content);
      for (std::size_t sw = 0; sw < sources.size(); ++sw) {
        if (sources[sw] == kNoIndex || !has_row(block, sources[sw])) continue;
        const std::uint8_t* const source = row(block, sources[sw]);
        if (std::equal(source, source + kept, kNone.data())) continue;
        to->bytes.resize(to->bytes.size() + tables.row_bytes(), 0);
        to->rows[sw] = static_cast<std::uint32_t>(to->bytes.size() / tables.row_bytes());
        std::copy_n(source, kept,
                    to->bytes.end() - static_cast<std::ptrdiff_t>(tables.row_bytes()));
      }
    }
    tables.content_[block] = to;
  }
  return tables;
}

}  // namespace fabric
