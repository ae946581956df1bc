#include "fabric/multicast_tables.h"

#include <algorithm>

#include "fabric/fabric.h"
#include "mad/attributes/switch_info.h"

namespace fabric {

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
  empty->bytes.assign(switches_ * positions_ * kMftBytes, 0);
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

bool MulticastTables::operator==(const MulticastTables& other) const {
  return switches_ == other.switches_ && positions_ == other.positions_ &&
         std::ranges::equal(content_, other.content_, [](const auto& a, const auto& b) {
           return a == b || a->bytes == b->bytes;
         });
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
  const std::size_t bytes = std::min(positions, positions_) * kMftBytes;
  for (std::size_t block = 0; block < blocks_; ++block) {
    auto& [from, to] = moved.blocks_[content_[block].get()];
    if (to == nullptr) {
      from = content_[block];
      auto content = std::make_shared<Content>();
      content->bytes.assign(sources.size() * positions * kMftBytes, 0);
      for (std::size_t sw = 0; sw < sources.size(); ++sw)
        if (sources[sw] != kNoIndex)
          std::copy_n(
              from->bytes.begin() +
                  static_cast<std::ptrdiff_t>(sources[sw] * positions_ * kMftBytes),
              bytes,
              content->bytes.begin() + static_cast<std::ptrdiff_t>(sw * positions * kMftBytes));
      to = std::move(content);
    }
    tables.content_[block] = to;
  }
  return tables;
}

}  // namespace fabric
