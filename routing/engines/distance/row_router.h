#pragma once
// One row of the tables at a time: spreads destinations over the candidate ports of a switch. See
// minhop.h for the rules.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/core/engine.h"
#include "routing/graph/candidates.h"
#include "routing/graph/destinations.h"
#include "routing/graph/slot_settings.h"

namespace routing {

/// LIDs that count as load, by the port that a switch sends them to.
using PortLoads = std::span<std::uint16_t, 256>;

/// Keeps references to all that it is made of; one for each thread.
class RowRouter {
 public:
  RowRouter(const RoutingInput& input, const SlotSettings& settings, const Plan& plan,
            const Candidates& candidates);

  /// Fills a row of 0xFF. Entries of `previous` (empty: none) stay where they are still candidates.
  void route(sm::SwitchIndex sw, std::span<const std::uint8_t> previous,
             std::span<std::uint8_t> row, PortLoads loads);

  /// Looks at some runs (of the plan, ascending) of a row whose other entries stay as they are:
  /// what route() would do to them with this row as the previous one. `was_counted`: by LID, 1 if
  /// its entry is part of `loads` until now.
  void repair(sm::SwitchIndex sw, std::span<const std::uint32_t> runs,
              std::span<const std::uint8_t> was_counted, std::span<std::uint8_t> row,
              PortLoads loads);

 private:
  using Lids = std::span<const std::uint16_t>;
  using Row = std::span<std::uint8_t>;
  static constexpr std::size_t kSlotsMax = 256, kWords = kSlotsMax / 64;

  void start(sm::SwitchIndex sw);
  void assign_open(Row row);
  void number_systems();
  void number_slots(sm::SwitchIndex sw);
  void number_neighbours();
  bool select(const Run& run);
  void load_candidates();
  void settle_rounds();
  bool are_loads_equal() const;
  std::size_t scan_start(const Run& run) const;
  std::size_t keep_previous(const Run& run, std::span<const std::uint8_t> previous, Row row);
  void assign(const Run& run, Lids lids, bool consecutive, Row row);
  void assign_levelled(const Run& run, Lids lids, bool consecutive, Row row);
  void assign_singly(const Run& run, Lids lids, Row row);
  std::uint8_t least_loaded(std::size_t start) const;
  std::uint8_t scattered(std::uint16_t lid) const;
  std::uint8_t most_diverse(std::uint16_t lid, std::size_t start, Row row);

  const RoutingInput& input_;
  const SlotSettings& settings_;
  const Plan& plan_;
  const Candidates* candidates_of_;  // not null
  std::vector<std::uint32_t> to_leaf_;
  bool further_lids_ = false;                      // LMC > 0 somewhere
  std::vector<sm::SwitchIndex> system_of_switch_;  // the first switch of the same system

  // The switch at work. Its slots are numbered from 0 in the order in which they are searched.
  sm::SwitchIndex sw_ = sm::kNoIndex;
  mad::Guid guid_;
  std::size_t slots_ = 0;
  bool level_ways_ = true;           // nothing asks for a look at each LID
  bool lowest_first_ = false;        // ties are decided by the order of the slots
  std::uint32_t turn_ = 0;           // where this switch starts to look
  std::uint32_t turn_per_rank_ = 0;  // and how much further on for each next destination switch
  std::array<std::uint32_t, kSlotsMax> slot_{};  // slot of the graph
  std::array<std::uint8_t, kSlotsMax> port_{};
  std::array<std::uint8_t, kSlotsMax> uncounted_{};
  std::array<std::uint8_t, kSlotsMax>
      node_{};  // number of the neighbouring switch among the neighbours
  std::array<std::uint8_t, kSlotsMax>
      system_{};  // number of its system among the neighbours' systems
  std::array<std::uint8_t, 256> slot_of_port_{};
  std::array<std::uint32_t, kSlotsMax> load_{};
  CandidateMasks masks_;
  std::vector<std::uint16_t> open_lids_;
  std::vector<const Run*> open_runs_;

  // Candidates of the run at work, in search order.
  std::array<std::uint64_t, kWords> mask_{};
  std::array<std::uint8_t, kSlotsMax> candidate_{};
  std::array<std::uint8_t, 2 * kSlotsMax>
      candidate_port_{};  // twice in a row: all from any start are a slice
  std::size_t candidates_ = 0;
  bool loads_equal_ = false;  // of all candidates
  std::uint32_t rounds_ = 0;  // each candidate has so many LIDs more than load_ says
  std::array<std::uint8_t, kSlotsMax> system_uses_{}, node_uses_{};
};

}  // namespace routing
