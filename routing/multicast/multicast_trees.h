#pragma once
// Holds the state of MulticastRouter: the fabric, the tables, and the tree under construction.

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/multicast_tables.h"
#include "fabric/switch_graph.h"
#include "routing/graph/tree_order.h"
#include "routing/multicast/multicast_groups.h"

namespace routing {

/// multicast.cpp routes groups; multicast_trees.cpp makes the trees over needed switches.
class MulticastTrees {
  using ChannelIndex = fabric::ChannelIndex;
  using SwitchIndex = fabric::SwitchIndex;
  using Mlid = mad::Mlid;
  static constexpr auto kNoIndex = fabric::kNoIndex;

 public:
  MulticastTrees(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                 fabric::MulticastTables previous, std::span<const mad::Guid> previous_centres,
                 std::span<const ChannelIndex> up);

  void route(const MulticastGroup& group, std::vector<MulticastFinding>& findings);
  void clear(Mlid mlid);
  void route_all(std::span<const MulticastGroup> groups, std::vector<MulticastFinding>& findings);

  /// True if the fabric has the same switches, and the same links between them, as these trees.
  bool fits(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph) const;
  /// Precondition: fits().
  void move_to(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph);
  /// See MulticastRouter::updated().
  void update_from(const MulticastTrees& before, std::span<const MulticastGroup> known,
                   std::span<const MulticastFinding> known_findings,
                   std::span<const MulticastGroup> groups, std::vector<MulticastFinding>& findings);

  fabric::MulticastTables tables;
  TreeOrder order;
  bool has_new_dependencies = true;  // see MulticastRouter

 private:
  /// Selects the links that lead up a tree: those that TreeOrder calls up, or all.
  enum class Turns : std::uint8_t { none, any };
  static constexpr std::uint8_t kNoPath = 0xFF;
  static constexpr std::uint32_t kUnmarked = 0xFFFFFFFFu;  // switch of no component
  struct Attachment {                                      // of an end port
    SwitchIndex sw = kNoIndex;
    mad::PortNum out;
    bool operator==(const Attachment&) const = default;
  };
  struct Component {  // of the previous tree
    std::size_t needed = 0;
    bool legal = true;            // all switches are below its root
    bool has_cycle = false;       // no tree at all
    SwitchIndex root = kNoIndex;  // the switch with no link up; in an illegal one any of these
    mad::Guid lowest{~std::uint64_t{0}};
    std::vector<ChannelIndex> links;  // each once, from either end
  };

  // The fabric
  SwitchIndex far(ChannelIndex channel) const { return graph_.neighbour[channel]; }
  SwitchIndex near(ChannelIndex channel) const { return graph_.neighbour[graph_.reverse[channel]]; }
  bool goes_up(ChannelIndex channel) const {
    return order.position[far(channel)] < order.position[near(channel)];
  }
  bool climbs(ChannelIndex channel, Turns turns) const {
    return !excluded_[far(channel)] && (turns == Turns::any || goes_up(channel));
  }
  void attach(const fabric::Fabric& fabric);
  void exclude_for(Mlid mlid);
  void take_tables();
  void count_links(std::uint32_t row, std::uint16_t was, std::uint16_t is);
  std::span<const std::uint8_t> hops_from(SwitchIndex sw, Turns turns);

  void route_in_turn(std::vector<const MulticastGroup*> groups,
                     std::vector<MulticastFinding>& findings);
  bool has_tree(Mlid mlid) const;
  bool has_same_places(const MulticastTrees& before, const std::vector<fabric::PortIndex>& was,
                       const std::vector<fabric::PortIndex>& is) const;

  // One group
  void gather(const MulticastGroup& group, std::vector<MulticastFinding>& findings);
  void report_disconnected(const MulticastGroup& group,
                           std::vector<MulticastFinding>& findings) const;
  void make_tree(Mlid mlid, std::span<const SwitchIndex> needed,
                 std::vector<MulticastFinding>& findings);
  std::vector<Component> previous_components(Mlid mlid, std::span<const SwitchIndex> needed);
  bool extend(Mlid mlid, const Component& component, std::span<const SwitchIndex> needed,
              Turns turns);
  bool raise_root(Mlid mlid, SwitchIndex added);
  bool graft(Mlid mlid, SwitchIndex sw, Turns turns);
  SwitchIndex best_root(Mlid mlid, std::span<const SwitchIndex> needed, Turns turns);
  void build(Mlid mlid, SwitchIndex root, std::span<const SwitchIndex> needed, Turns turns);
  void start_tree(SwitchIndex root);
  void add_link(ChannelIndex channel);
  void prune();
  void write(const MulticastGroup& group);
  void set_row(std::uint32_t row, Mlid mlid, std::uint16_t ports);

  bool was_used(Mlid mlid, ChannelIndex channel) const {
    return tables.test(near(channel), mlid, graph_.port[channel]) &&
           tables.test(far(channel), mlid, graph_.port[graph_.reverse[channel]]);
  }
  /// For a tree of few switches, returns the first four bits of the load and their place, so that
  /// loads that are nearly the same are equal: the least difference grows with the load, from 1
  /// below 16 to a sixteenth or an eighth. Among equal levels, a switch is preferred that has
  /// entries in the block (shares_block), so that few switches get new blocks. Trees of one block
  /// gather as loads grow, and the few groups of a small subnet stay spread. For other trees,
  /// returns the load.
  std::uint64_t load_level(std::uint64_t load) const;
  std::uint64_t hash(Mlid mlid, SwitchIndex sw, unsigned port = 0) const;
  /// True if the switch has entries in the block of the MLID: more of them need no block of their
  /// own.
  bool shares_block(Mlid mlid, SwitchIndex sw) const;
  /// Orders equally short paths: first a channel that is already used, then the least loaded link,
  /// of links with nearly the same load one to a switch that has entries in the block, then by
  /// hash.
  auto preference(Mlid mlid, ChannelIndex channel) const {
    return std::tuple(!was_used(mlid, channel), load_level(link_load_[channel]),
                      !shares_block(mlid, far(channel)), link_load_[channel],
                      hash(mlid, far(channel), graph_.port[graph_.reverse[channel]].value));
  }

  fabric::SwitchGraph graph_;
  const bool one_tree_;               // graph_ has the links of one tree alone
  std::vector<mad::Guid> node_guid_;  // by switch
  std::vector<unsigned> capacity_;    // by switch: MLIDs that its table holds
  std::vector<unsigned> capacities_;  // the distinct values, sorted
  std::vector<mad::Guid> previous_centres_;
  std::vector<Attachment> attachment_;  // by PortIndex
  std::vector<ChannelIndex>
      channel_of_;  // [switch][port]: kNoIndex for ports that lead to no switch
  std::size_t ports_pitch_ = 0;
  std::vector<std::uint16_t> switch_ports_;  // [switch][position]: ports that lead to switches

  std::size_t excluded_class_ =
      ~std::size_t{0};  // how many of capacities_ are too small for the current MLID
  std::vector<bool> excluded_;
  std::vector<std::uint32_t>
      component_;  // by switch: connected component of switches that are not excluded
  std::array<std::vector<std::vector<std::uint8_t>>, 2>
      hops_;  // by Turns, by switch: hops from it to every switch; made on first use

  // These are by MLID, from the first. A row is a switch's position in the tables,
  // [switch][position].
  std::vector<std::uint16_t> sls_;                   // MulticastGroup::sls of its tree
  std::vector<std::vector<std::uint32_t>> rows_of_;  // that have ports
  std::vector<std::uint32_t> link_load_;             // by channel: MLIDs that use the link
  std::vector<std::uint32_t> switch_load_;           // sum over its channels

  static constexpr std::size_t kGatheredSwitchesMax = 8;
  bool gathers_ = false;  // the current tree has few needed switches: its own writes count most

  // These describe the current group. A mark of the current epoch means needed, or in the tree.
  std::uint32_t epoch_ = 0, tree_epoch_ = 0;
  std::vector<std::uint32_t> need_mark_, tree_mark_, component_mark_;
  std::vector<SwitchIndex> needed_, tree_;
  std::vector<Attachment> host_bits_;
  std::vector<std::uint16_t> row_ports_;  // by row; all 0 between two groups
  SwitchIndex root_ = kNoIndex;
  std::vector<ChannelIndex> links_, group_links_;  // of the current tree; of all trees of the group
  std::vector<std::uint32_t> degree_;
  std::vector<std::uint32_t> channels_xor_;  // by switch: exclusive or of its channels in the tree
  std::vector<SwitchIndex> queue_;
  std::vector<ChannelIndex> came_by_;
  std::vector<std::uint32_t> distance_;
};

}  // namespace routing
