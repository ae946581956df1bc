#pragma once
// Finds how a change of the fabric affects the paths of a previous routing.

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "routing/core/engine.h"
#include "routing/core/hop_table.h"
#include "routing/graph/channel_table.h"

namespace routing {

/// Holds what engines that choose paths by load keep for the next routing; by channel and switch of
/// TableState::graph.
struct LoadState : EngineState {
  explicit LoadState(HopTable<std::uint8_t> distances) : hops(std::move(distances)) {}
  fabric::IndexVector<fabric::SwitchIndex, mad::Guid>
      switches;                                     // those of the TableState that it is for
  std::vector<double> loads;                        // by channel: pairs of host LIDs over it
  std::vector<std::uint8_t> open;                   // by channel: it may be used
  HopTable<std::uint8_t> hops;                      // over these
  std::vector<TableState::Attachment> attachments;  // of the LIDs that `loads` counts
  std::vector<std::uint8_t> switch_vls;             // nue: by switch, the VL of its LIDs
};
/// The state for `rows`, which it becomes the engine's own part of. `loads`: by channel.
std::shared_ptr<LoadState> add_load_state(TableState& rows, std::vector<double> loads,
                                          const std::vector<std::uint8_t>& open,
                                          const HopTable<std::uint8_t>& hops);
/// That of the previous routing; null if there is none, or if tables were adopted.
const LoadState* previous_load_state(const RoutingInput& input);

/// By switch: number of host LIDs.
std::vector<double> list_hosts(const std::vector<TableState::Attachment>& attachments,
                               std::size_t switches);

/// The previous tables by the indices of the input's fabric, with the ports of the owners of LIDs,
/// and without entries for LIDs that are not assigned any more. `rows`: of the fabric. A new switch
/// has entries for its own LIDs only.
fabric::ForwardingTables moved_tables(const RoutingInput& input, const Correspondence& was,
                                      const TableState& rows);

/// The LIDs that are to be routed again, and which of their entries stay.
class PathChanges {
 public:
  using Attachment = TableState::Attachment;
  enum class Affected : std::uint8_t {
    no,
    entries,  // some switches have lost their channel, or lead it over a new one: lost_entries()
    in_part,  // the same, and some switch has a longer path
    whole,    // new, at another switch, or some switch has a shorter path to it than before
  };

  /// An entry that is to be chosen, of a LID that is not affected or by `entries` alone.
  struct LostEntry {
    std::uint16_t lid;
    fabric::SwitchIndex sw;
    double hosts;  // whose packets come to this switch before any other that has no entry
  };

  /// `open`: by channel, `hops`: over these. Keeps references.
  PathChanges(const RoutingInput& input, const LoadState& state,
              const std::vector<std::uint8_t>& open, const HopTable<std::uint8_t>& hops);

  /// False: the loads are not known, or so much has changed that a routing from the beginning is
  /// better.
  bool are_few() const { return few_; }

  const Correspondence& correspondence() const { return was_; }
  const TableState& before() const { return before_; }
  std::shared_ptr<TableState> rows() const { return rows_; }
  Affected affected(std::size_t lid) const { return affected_[lid]; }
  std::size_t lids() const { return affected_.size(); }
  /// By GUID. They need entries for all LIDs, also for those that are not affected.
  std::span<const fabric::SwitchIndex> new_switches() const { return new_switches_; }
  /// LIDs whose paths are to be subtracted from the loads, ascending; those of lost_entries() are
  /// not among them.
  std::vector<std::uint16_t> counted() const;
  /// By LID, then by distance: a path leads over those that come before. New switches are among
  /// them, with the hosts that they have. `loads` (by previous channel) loses the hosts of each, on
  /// their whole path, and of the hosts of switches that have left.
  std::vector<LostEntry> lost_entries(std::vector<double>& loads) const;
  const Attachment& now(std::size_t lid) const { return rows_->attachments[lid]; }
  Attachment then(std::size_t lid) const {
    return lid < before_.attachments.size() ? before_.attachments[lid] : Attachment{};
  }
  /// The channel that the switch has had for the LID; kNoIndex: it is lost, or the entry is to be
  /// chosen again.
  fabric::ChannelIndex kept(fabric::SwitchIndex sw, std::uint16_t lid) const;
  /// By channel, from loads by previous channel.
  std::vector<double> moved(const std::vector<double>& loads) const;
  fabric::ForwardingTables tables() const { return moved_tables(input_, was_, *rows_); }

 private:
  bool is_possible() const;
  void map_channels();
  void find_lids();
  void find_changed_distances();
  void find_lost_channels();
  void find_new_channels();
  void find_lost_entries(std::vector<LostEntry>& lost) const;
  bool is_counted(std::uint16_t lid) const;
  void take_back(fabric::SwitchIndex from, std::uint16_t lid, double hosts,
                 std::vector<double>& loads) const;
  double hosts_before(fabric::SwitchIndex sw, std::uint16_t lid, std::span<const double> hosts,
                      const std::vector<bool>& is_lost) const;
  bool is_removed(std::size_t lid) const {
    return lid >= affected_.size() || now(lid).sw == fabric::kNoIndex;
  }

  const RoutingInput& input_;
  const fabric::SwitchGraph& graph_;
  const TableState& before_;
  const fabric::ForwardingTables& previous_;
  const LoadState& state_;
  const std::vector<std::uint8_t>& open_;
  const HopTable<std::uint8_t>& hops_;
  const Correspondence was_;
  std::shared_ptr<TableState> rows_;
  const ChannelTable channels_before_;
  const std::size_t switches_;
  bool few_ = false;
  fabric::IndexVector<fabric::ChannelIndex, fabric::ChannelIndex>
      now_of_;                // by previous channel; kNoIndex:
                              // lost, or not open at one of the
                              // two times
  std::vector<bool> is_new_;  // by channel
  std::vector<fabric::SwitchIndex> with_lost_channel_;
  std::vector<fabric::SwitchIndex> new_switches_;
  std::vector<Affected> affected_;                                     // by LID
  std::vector<std::pair<std::uint16_t, fabric::SwitchIndex>> forced_;  // entries to be chosen again
};

}  // namespace routing
