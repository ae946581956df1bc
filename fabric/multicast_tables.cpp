#include "fabric/multicast_tables.h"

#include <algorithm>

#include "fabric/fabric.h"
#include "mad/attributes/switch_info.h"

namespace sm {

MftUnit MulticastTables::unit(std::size_t number) const {
  const std::size_t table = number / positions_;
  return {.sw = SwitchIndex(table % switches_),
          .block = static_cast<std::uint16_t>(table / switches_),
          .position = static_cast<std::uint8_t>(number % positions_)};
}

void MulticastTables::grow(std::size_t blocks) {
  if (blocks <= blocks_) return;
  blocks_ = blocks;
  bytes_.resize(units() * kMftBytes, 0);
}

mad::Mlid MulticastTables::top() const {
  const std::size_t block_bytes = switches_ * positions_ * kMftBytes;
  for (std::size_t block = blocks_; block-- > 0 && block_bytes > 0;) {
    std::size_t highest = 0;  // entry of the block, from 1
    for (std::size_t at = block * block_bytes; at < (block + 1) * block_bytes; ++at) {
      if (bytes_[at] != 0) highest = std::max(highest, at % kMftBytes / 2 + 1);
    }
    if (highest > 0)
      return {
          static_cast<std::uint16_t>(mad::kMlidMin.value + block * kMftBlockMlids + highest - 1)};
  }
  return {mad::SwitchInfo::kNoMulticastEntries};
}

MulticastTables MulticastTables::rearranged(std::span<const SwitchIndex> sources,
                                            std::size_t positions) const {
  MulticastTables tables(sources.size(), positions);
  tables.grow(blocks_);
  for (std::size_t number = 0; number < tables.units(); ++number) {
    const MftUnit to = tables.unit(number);
    if (sources[to.sw] == kNoIndex || to.position >= positions_) continue;
    std::ranges::copy(bytes({sources[to.sw], to.block, to.position}), tables.bytes(to).begin());
  }
  return tables;
}

}  // namespace sm
