#include "routing/balance/sibling_columns.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "routing/core/mix.h"
#include "routing/graph/destinations.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

using Attachment = TableState::Attachment;

/// Converts tables, SLs and VLs to the indices of this fabric.
class SiblingColumns {
 public:
  explicit SiblingColumns(const RoutingInput& input)
      : input_(input),
        before_(*input.previous_routing->memory.rows),
        published_(input.previous_routing->published),
        was_(correspondence(before_, input.fabric, input.graph)),
        state_(std::make_shared<TableState>(table_state(input))),
        switches_(input.graph.switches()) {}

  std::optional<RoutingResult> route() {
    if (!was_.same_graph || has_small_switch()) return std::nullopt;
    copy_tables();
    if (!find_moved()) return std::nullopt;
    copy_sls();
    for (const std::uint16_t lid : moved_) give_column(lid);
    state_->own = before_.own;
    result_.rows = std::move(state_);
    result_.conditions = input_.previous_routing->memory.notes;
    return std::move(result_);
  }

 private:
  bool has_small_switch() const {
    return std::ranges::any_of(input_.fabric.switches, [&](const fabric::Switch& sw) {
      return sw.info.linear_fdb_cap() <= input_.lids.lid_top.value;
    });
  }

  void copy_tables() {
    const fabric::ForwardingTables& previous = input_.previous_routing->lfts;
    if (was_.same_switches && previous.lid_top() == input_.lids.lid_top) {
      result_.lfts = previous;
    } else {
      result_.lfts = fabric::ForwardingTables(switches_, input_.lids.lid_top);
      for (const SwitchIndex sw : input_.graph.all_switches())
        result_.lfts.take_row(sw, previous, was_.previous_switch[sw]);
    }
    static_cast<fabric::PublishedRouting&>(result_) = published_;
    if (was_.same_switches) return;
    const auto then = [&](SwitchIndex sw) { return was_.previous_switch[sw]; };
    for (const SwitchIndex sw : input_.graph.all_switches()) {
      if (!published_.sl_to_vl.empty() && !published_.sl_to_vl.is_uniform())
        for (unsigned port = 0; port < 256; ++port) {
          const mad::PortNum number{static_cast<std::uint8_t>(port)};
          result_.sl_to_vl.set_port_class(sw, number,
                                          published_.sl_to_vl.port_class(then(sw), number));
        }
      if (published_.multicast_up.empty()) continue;
      const fabric::ChannelIndex up = published_.multicast_up[then(sw)];
      result_.multicast_up[sw] = up == kNoIndex ? kNoIndex : was_.current_channel[up];
    }
  }

  /// Returns the previous attachment of the LID, by the switches of this fabric.
  Attachment then(std::size_t lid) const {
    Attachment old = lid < before_.attachments.size() ? before_.attachments[lid] : Attachment{};
    if (old.sw != kNoIndex) old.sw = was_.current_switch[old.sw];
    return old;
  }

  /// Finds LIDs that moved. Returns false if one has no other LID at its switch whose paths it
  /// could use.
  bool find_moved() {
    const std::vector<Attachment>& now = state_->attachments;
    std::vector<std::uint16_t> removed;
    for (std::size_t lid = 1; lid < std::max(now.size(), before_.attachments.size()); ++lid) {
      const Attachment old = then(lid), own = lid < now.size() ? now[lid] : Attachment{};
      const auto value = static_cast<std::uint16_t>(lid);
      if (own.sw == kNoIndex) {
        if (old.sw != kNoIndex && lid < result_.lfts.pitch()) removed.push_back(value);
      } else if (old.sw != own.sw || (old.out == 0) != (own.out == 0)) {
        moved_.push_back(value);
      } else {
        if (old.out != own.out) result_.lfts.writable_row(own.sw)[lid] = own.out;
        others_[own.sw].push_back(value);
      }
    }
    for (const SwitchIndex sw : input_.graph.all_switches())
      for (const std::uint16_t lid : removed)
        if (result_.lfts.row(sw)[lid] != mad::kNoPort.value)
          result_.lfts.writable_row(sw)[lid] = mad::kNoPort.value;
    return std::ranges::all_of(moved_, [&](std::uint16_t lid) {
      return now[lid].out != 0 && others_.contains(now[lid].sw);
    });
  }

  /// Makes path SLs of the published shape, and copies the rows and columns of LIDs and switches
  /// that remain.
  void copy_sls() {
    const PathSls& sls = published_.sls;
    const auto copy_rows = [&](PathSls to, auto&& column_was) {
      to.free_bits = sls.free_bits;
      const std::size_t rows = sls.shape() == PathSls::Shape::destination ? 1 : switches_;
      for (std::size_t i = 0; i < rows; ++i) {
        const auto from = sls.row(rows == 1 ? 0 : was_.previous_switch[i].value);
        const auto row = to.row(i);
        for (std::size_t k = 0; k < row.size(); ++k)
          if (const std::size_t old = column_was(k); old < from.size()) row[k] = from[old];
      }
      result_.sls = std::move(to);
    };
    const auto same_lid = [](std::size_t lid) { return lid; };
    switch (sls.shape()) {
      case PathSls::Shape::zero:
        return;
      case PathSls::Shape::destination:
        return copy_rows(PathSls::by_destination(input_.lids.lid_top), same_lid);
      case PathSls::Shape::source_lid:
        return copy_rows(PathSls::by_source_and_lid(switches_, input_.lids.lid_top), same_lid);
      case PathSls::Shape::switch_pair:
        if (was_.same_switches) return;
        return copy_rows(PathSls::by_switch_pair(switches_), [&](std::size_t sw) {
          return std::size_t{was_.previous_switch[sw].value};
        });
    }
  }

  std::uint64_t column_hash(const fabric::ForwardingTables& lfts, std::uint16_t lid,
                            SwitchIndex last_switch) const {
    std::uint64_t hash = 0;
    for (const SwitchIndex sw : input_.graph.all_switches())
      if (sw != last_switch) hash = mix(hash ^ lfts.at(sw, mad::Lid{lid}).value);
    return hash;
  }

  void give_column(std::uint16_t lid) {
    const Attachment& own = state_->attachments[lid];
    std::vector<std::uint16_t>& others = others_[own.sw];
    // LIDs of hosts have paths from all switches; paths to LIDs of switches may have been withheld.
    const bool has_hosts = std::ranges::any_of(
        others, [&](std::uint16_t other) { return state_->attachments[other].out != 0; });
    std::map<std::uint64_t, std::size_t> uses, uses_by_port;
    std::vector<std::uint64_t> hashes;
    for (const std::uint16_t other : others) {
      hashes.push_back(column_hash(result_.lfts, other, own.sw));
      const std::uint8_t out = state_->attachments[other].out;
      uses[hashes.back()] += out != 0 ? 1 : 0;
      uses_by_port[hashes.back()] += out == own.out ? 1 : 0;
    }
    // After a return, the LID gets the column in use, if another LID has this column.
    const std::uint64_t current =
        input_.current == nullptr ? 0 : column_hash(*input_.current, lid, own.sw);
    std::uint16_t best = 0;
    std::tuple<bool, std::size_t, std::size_t, std::uint16_t> best_cost;
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (has_hosts && state_->attachments[others[i]].out == 0) continue;
      const std::tuple cost{input_.current != nullptr && hashes[i] != current,
                            uses_by_port[hashes[i]], uses[hashes[i]], others[i]};
      if (best != 0 && best_cost <= cost) continue;
      best = others[i];
      best_cost = cost;
    }
    for (const SwitchIndex sw : input_.graph.all_switches()) {
      const auto row = result_.lfts.writable_row(sw);
      row[lid] = sw == own.sw ? own.out : row[best];
    }
    if (result_.sls.shape() == PathSls::Shape::destination) {
      result_.sls.row(0)[lid] = result_.sls.row(0)[best];
    } else if (result_.sls.shape() == PathSls::Shape::source_lid) {
      for (std::size_t from = 0; from < switches_; ++from)
        result_.sls.row(from)[lid] = result_.sls.row(from)[best];
    }
    others.push_back(lid);
  }

  const RoutingInput& input_;
  const TableState& before_;
  const fabric::PublishedRouting& published_;
  const Correspondence was_;
  std::shared_ptr<TableState> state_;
  const std::size_t switches_;
  RoutingResult result_;
  std::vector<std::uint16_t> moved_;                          // ascending
  std::map<SwitchIndex, std::vector<std::uint16_t>> others_;  // by switch: its LIDs with paths
};

}  // namespace

std::optional<RoutingResult> with_sibling_columns(const RoutingInput& input) {
  return SiblingColumns(input).route();
}

}  // namespace routing
