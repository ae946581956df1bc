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

/// Holds what engines that choose paths by load keep for the next routing, by channel and switch of
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
/// Creates the engine's own part of `rows` and returns it. `loads`: by channel.
std::shared_ptr<LoadState> add_load_state(TableState& rows, std::vector<double> loads,
                                          const std::vector<std::uint8_t>& open,
                                          const HopTable<std::uint8_t>& hops);
/// Returns the load state of the previous routing; null if there is none or tables were adopted.
const LoadState* previous_load_state(const RoutingInput& input);

/// Returns the number of host LIDs by switch.
std::vector<double> list_hosts(const std::vector<TableState::Attachment>& attachments,
                               std::size_t switches);

/// Returns the previous tables by the indices of the input's fabric, with the ports that own the
/// LIDs now and without entries for LIDs that are no longer assigned. `rows` belongs to the fabric.
/// A new switch has entries for its own LIDs only.
fabric::ForwardingTables moved_tables(const RoutingInput& input, const Correspondence& was,
                                      const TableState& rows);

/// Finds the LIDs to route again, and which of their entries stay.
class PathChanges {
 public:
  using Attachment = TableState::Attachment;
  enum class Affected : std::uint8_t {
    no,
    entries,  // some switches have lost their channel, or lead it over a new one: lost_entries()
    in_part,  // the same, and some switch has a longer path
    whole,    // new, at another switch, or some switch has a shorter path to it than before
  };

  /// An entry to choose again, of a LID that is not affected or affected by `entries` alone.
  struct LostEntry {
    std::uint16_t lid;
    fabric::SwitchIndex sw;
    double hosts;  // whose packets come to this switch before any other that has no entry
  };

  /// `open`: by channel; `hops`: distances over open channels. Keeps references.
  PathChanges(const RoutingInput& input, const LoadState& state,
              const std::vector<std::uint8_t>& open, const HopTable<std::uint8_t>& hops);

  /// Returns false if the loads are not known, or if so much has changed that a routing from the
  /// beginning is better.
  bool are_few() const { return few_; }

  const Correspondence& correspondence() const { return was_; }
  const TableState& before() const { return before_; }
  std::shared_ptr<TableState> rows() const { return rows_; }
  Affected affected(std::size_t lid) const { return affected_[lid]; }
  std::size_t lids() const { return affected_.size(); }
  /// Returns new switches in the order of GUIDs; they need entries for all LIDs.
  std::span<const fabric::SwitchIndex> new_switches() const { return new_switches_; }
  /// Returns the LIDs whose paths must be subtracted from the loads, ascending, without the LIDs of
  /// lost_entries().
  std::vector<std::uint16_t> counted() const;
  /// Returns lost entries by LID, then by distance: a path uses only earlier entries. The entries
  /// of new switches are included, with the hosts that they have. Subtracts from `loads` (by
  /// previous channel) the hosts of each entry, on their whole path, and the hosts of switches that
  /// have left.
  std::vector<LostEntry> lost_entries(std::vector<double>& loads) const;
  const Attachment& now(std::size_t lid) const { return rows_->attachments[lid]; }
  Attachment then(std::size_t lid) const {
    return lid < before_.attachments.size() ? before_.attachments[lid] : Attachment{};
  }
  /// Returns the previous channel of the switch for the LID; kNoIndex if it is lost, or if the
  /// entry must be chosen again.
  fabric::ChannelIndex kept(fabric::SwitchIndex sw, std::uint16_t lid) const;
  /// Converts loads by previous channel to loads by channel.
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
