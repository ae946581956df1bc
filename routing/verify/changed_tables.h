#pragma once
// Verifies tables that differ in a few entries from verified tables, and finds the entries of
// tables found on the fabric that can stay beside an engine's tables.

#include <cstdint>
#include <vector>

#include "fabric/forwarding_tables.h"
#include "routing/core/engine.h"
#include "routing/core/routing_state.h"
#include "routing/graph/channel_table.h"
#include "routing/verify/verify.h"

namespace routing {

/// Says what the engine guarantees of its paths to hosts and routers; kept tables give the same
/// guarantee.
enum class PathsToHosts : std::uint8_t { no_longer_than_own, any, only_own };

struct KeptTables {
  fabric::ForwardingTables lfts;
  std::uint64_t kept = 0;  // entries of `found` that differ from those of `own`
};

/// Tables of `found` where these deliver, and of `own` elsewhere; with only_own, `found` for LIDs
/// of switches alone. By LID, decided for itself:
/// - all entries stay if the LID arrives from every switch from which it arrives by `own`, to hosts
///   by no longer path where that is guaranteed;
/// - else, with that guarantee, each entry to a host stays that leads to a switch from which `own`
///   has fewer hops left. So no mixture has a forwarding loop;
/// - else the entries stay of switches from which the LID arrives. The paths of the others end as
///   soon as they meet one of these, so no mixture has a forwarding loop.
/// LIDs without an owner, and entries beyond a switch's LinearFDBCap, are those of `own`. Whether
/// the LIDs together allow credit loops is not examined here.
/// Shape: both have a table per switch of input.graph; `found` may have any number of LIDs.
/// Precondition: paths of `own` have no forwarding loop, or the result is not used.
KeptTables keep_tables(const RoutingInput& input, const fabric::ForwardingTables& found,
                       const fabric::ForwardingTables& own, PathsToHosts guarantee);

/// An entry that differs from the previous table, or that the table did not have for this switch or
/// LID. An equal entry also counts if its LID has another exit to its end port, or if its link is
/// new.
struct EntryChange {
  fabric::SwitchIndex sw;
  mad::Lid lid;
  bool operator==(const EntryChange&) const = default;
};

/// Holds the differences from input.previous_routing. They come from a comparison of all entries,
/// not from what the engine reports.
class ChangedTables {
 public:
  /// Precondition: `input.previous_routing` is set and has `rows`. Keeps references.
  ChangedTables(const RoutingInput& input, const fabric::ForwardingTables& lfts,
                const fabric::PublishedRouting& published);

  /// True if verifying the entries that differ costs less than verifying all.
  bool are_few() const { return entries_.size() <= lfts_.switches() * lfts_.pitch() / 16 + 1'000; }
  const std::vector<EntryChange>& entries() const { return entries_; }

  /// Returns, by LID, whether it belongs to a switch or to a CA inside of one and some path to it
  /// differs. Valid only if has_same_switches().
  std::vector<bool> inner_lids_with_changed_paths() const;
  bool has_same_switches() const { return was_.same_switches; }

  /// True if all paths that arrived with the previous tables still arrive: each path that reaches a
  /// changed entry arrives from there on, and all others are unchanged. With
  /// `switch_lids_may_be_withheld`, paths to switches may end in 0xFF.
  bool paths_arrive(VerifyRules rules) const;

  /// True if SLs have the same shape as before, and each SL the same VLs on every port.
  bool has_same_vls() const;

  /// Returns the channel dependencies of the previous and the new tables together, for packets
  /// between hosts on all of their VLs. Preconditions: paths_arrive(), has_same_vls(). `previous`:
  /// the dependencies of the previous tables, on their graph. If the union has no cycle, there is
  /// none before and none after the update; a cycle may consist of dependencies that the new tables
  /// no longer have. While the update runs, packets that enter a switch by an old entry and leave
  /// it by a new one can use dependencies of neither.
  ChannelGraph combined_dependencies(const ChannelGraph& previous) const;

 private:
  void compare();
  void add_equal_entries();
  bool differs(fabric::SwitchIndex sw, mad::Lid lid) const;
  bool leads_by_new_link(fabric::SwitchIndex sw, mad::Lid lid,
                         const std::vector<bool>& known) const;
  std::vector<bool> senders() const;
  std::vector<bool> new_senders() const;
  bool is_passed(fabric::SwitchIndex sw, mad::Lid lid, const ChannelTable& channels,
                 const std::vector<bool>& senders) const;
  std::vector<bool> lids_with_changes() const;
  void mark_changed_sls(std::vector<bool>& changed) const;
  void mark_changed_pairs(std::vector<bool>& changed) const;
  void add_on_one_vl(ChannelGraph& all) const;
  void add_path(fabric::SwitchIndex from, mad::Lid lid, const ChannelTable& channels,
                ChannelGraph& dependencies) const;
  bool arrives(fabric::SwitchIndex from, mad::Lid lid, const TableState::Attachment& last_switch,
               VerifyRules rules) const;

  const RoutingInput& input_;
  const fabric::ForwardingTables& lfts_;
  const fabric::PublishedRouting& published_;
  const TableState& before_;
  const Correspondence was_;
  std::vector<TableState::Attachment> attachments_;  // by LID: the exit to its end port now
  std::vector<mad::Lid> moved_;                      // LIDs with another exit than before
  std::vector<EntryChange> entries_;
};

}  // namespace routing
