#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/core/hop_table.h"

namespace routing {

/// The directed acyclic graph of all shortest paths to one switch, with its switches in groups: the
/// next hops of all switches of a group lead to the same switches, in the same order of ports. What
/// is known of these next switches is then collected once for the group. In a tree, all leaves of a
/// pod are such a group. Keeps references to the graph and the distances.
class ShortestGroups {
 public:
  /// `hops`: over the channels that are `open`; both directions of a link are open, or none.
  ShortestGroups(const sm::SwitchGraph& graph, const HopTable<std::uint8_t>& hops,
                 std::span<const std::uint8_t> open);

  /// Lists of next switches are padded to a multiple of this.
  static constexpr std::uint32_t kPad = 4;

  struct Source {
    sm::SwitchIndex sw;
    sm::ChannelIndex first;  // the channel to the first of the group's next switches; those to the
                             // others follow
  };
  struct Group {
    std::uint32_t next_begin, next_end;      // indices into next()
    std::uint32_t source_begin, source_end;  // indices into sources()
  };

  void find(sm::SwitchIndex to);

  // Of the switch of find():
  /// Nearest first.
  std::span<const Group> groups() const { return groups_; }
  /// All switches with a path to it, without itself, by group.
  std::span<const Source> sources() const { return sources_; }
  /// Next switches by channel; the number of switches stands for a channel that is on no shortest
  /// path.
  const std::uint16_t* next() const { return next_.data(); }

 private:
  const HopTable<std::uint8_t>& hops_;
  std::size_t switches_;
  std::vector<sm::ChannelIndex> offsets_;
  std::vector<std::uint16_t> neighbour_;  // by channel; its own switch if it is not open
  std::vector<sm::SwitchIndex> near_first_;
  std::vector<std::uint16_t> next_;
  std::vector<Group> groups_;
  std::vector<Source> sources_, unsorted_;
  std::vector<std::uint32_t> group_of_;    // by position in unsorted_
  std::vector<std::uint32_t> last_group_;  // by switch: the last group that it is the first next
                                           // switch of
};

}  // namespace routing
