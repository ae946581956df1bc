#include "routing/verify/dependencies_by_lid.h"

#include <algorithm>
#include <array>
#include <bit>

namespace routing {

using sm::SwitchIndex;

void add_dependencies(const sm::SwitchGraph& graph, const sm::ForwardingTables& lfts,
                      const ChannelTable& channel_table, std::span<const std::uint8_t> vl_of_lid,
                      std::span<const SwitchIndex> sources, std::size_t lid_begin,
                      std::size_t lid_end, ChannelGraph& channels) {
  const std::size_t words = (lid_end - lid_begin) / 64;
  // Bits of LIDs whose packets arrive at a switch: those that have been followed from there, and
  // those that have not yet.
  std::vector<std::uint64_t> done(graph.switches() * words, 0),
      waiting(graph.switches() * words, 0), sent(words, 0);
  for (std::size_t lid = lid_begin; lid < std::min(lid_end, vl_of_lid.size()); ++lid)
    if (vl_of_lid[lid] < channels.vls())
      sent[(lid - lid_begin) / 64] |= std::uint64_t{1} << lid % 64;
  std::vector<SwitchIndex> queue(sources.begin(), sources.end());
  std::vector<bool> queued(graph.switches(), false);
  for (const SwitchIndex sw : sources) {
    std::ranges::copy(sent, waiting.begin() + static_cast<std::ptrdiff_t>(sw * words));
    queued[sw] = true;
  }
  struct Neighbour {
    SwitchIndex sw;
    const std::uint8_t* lft;    // its forwarding table
    const std::uint8_t* exits;  // channel index by port
    std::uint64_t* waiting;
    bool reached;
  };
  std::array<Neighbour, 256> neighbours{};
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const SwitchIndex sw = queue[next];
    queued[sw] = false;
    const sm::ChannelIndex first_channel = graph.offsets[sw];
    for (unsigned i = 0; i < graph.degree(sw); ++i) {
      const SwitchIndex other = graph.neighbour[first_channel + i];
      neighbours[i] = {other, lfts.row(other).data(), channel_table.channel_indices(other),
                       waiting.data() + other * words, false};
    }
    const std::uint8_t *const lft = lfts.row(sw).data(), *const exits =
                                                             channel_table.channel_indices(sw);
    for (std::size_t word = 0; word < words; ++word) {
      std::uint64_t& todo = waiting[sw * words + word];
      std::uint64_t bits = todo & ~done[sw * words + word];
      done[sw * words + word] |= bits;
      todo = 0;
      for (; bits != 0; bits &= bits - 1) {
        const std::size_t lid =
            lid_begin + word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        const std::uint8_t exit = exits[lft[lid]];
        if (exit == ChannelTable::kNoChannel) continue;  // delivered here, or dropped
        Neighbour& neighbour = neighbours[exit];
        const std::uint8_t onward = neighbour.exits[neighbour.lft[lid]];
        if (onward == ChannelTable::kNoChannel) continue;
        channels.add(first_channel + exit, vl_of_lid[lid], onward, vl_of_lid[lid]);
        neighbour.waiting[word] |= bits & -bits;
        neighbour.reached = true;
      }
    }
    for (unsigned i = 0; i < graph.degree(sw); ++i) {
      if (!neighbours[i].reached || queued[neighbours[i].sw]) continue;
      queued[neighbours[i].sw] = true;
      queue.push_back(neighbours[i].sw);
    }
  }
}

}  // namespace routing
