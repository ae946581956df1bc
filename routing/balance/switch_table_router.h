#pragma once
// Makes the table of one switch at a time: distributes destinations over its candidate ports by the
// rules of distance_engines.h.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/core/engine.h"
#include "routing/graph/candidates.h"
#include "routing/graph/channel_settings.h"
#include "routing/graph/destinations.h"

namespace routing {

/// The LIDs that count as load, by output port of a switch.
using PortLoads = std::span<std::uint16_t, 256>;

/// Chooses one of several candidates for a new entry, by the engine's rule. Threads may share it.
class Preference {
 public:
  virtual ~Preference() = default;
  /// Returns the index of a channel whose bit is set in `allowed`; channels are numbered as given.
  /// nullopt selects the least loaded channel.
  virtual std::optional<std::size_t> choose(fabric::SwitchIndex sw, std::uint16_t lid,
                                            std::span<const fabric::ChannelIndex> channels,
                                            const CandidateSet& allowed) const = 0;
};

/// Keeps references to the arguments of its constructor; each thread has its own instance.
class SwitchTableRouter {
 public:
  SwitchTableRouter(const RoutingInput& input, const ChannelSettings& settings, const Plan& plan,
                    const Candidates& candidates, const Preference* preference = nullptr);

  /// Fills a table of 0xFF. Entries of `previous` (may be empty) are kept if they are still
  /// candidates.
  void route(fabric::SwitchIndex sw, std::span<const std::uint8_t> previous,
             std::span<std::uint8_t> row, PortLoads loads);

  /// Recomputes some runs (of the plan, ascending) of a row, as route() would do with this row as
  /// the previous one. The other entries stay. `was_counted`: by LID, 1 if `loads` contains its
  /// entry.
  void repair(fabric::SwitchIndex sw, std::span<const std::uint32_t> runs,
              std::span<const std::uint8_t> was_counted, std::span<std::uint8_t> row,
              PortLoads loads);

 private:
  using Lids = std::span<const std::uint16_t>;
  using LftView = std::span<std::uint8_t>;
  static constexpr std::size_t kChannelsMax = 256, kWords = kChannelsMax / 64;

  void start(fabric::SwitchIndex sw);
  void assign_open(LftView row);
  void assign_current(const Run& run, LftView row);
  void assign_preferred(const Run& run, LftView row);
  void number_systems();
  void number_channels(fabric::SwitchIndex sw);
  void number_neighbours();
  bool select(const Run& run);
  void load_candidates();
  void settle_rounds();
  bool are_loads_equal() const;
  std::size_t scan_start(const Run& run) const;
  std::size_t keep_previous(const Run& run, std::span<const std::uint8_t> previous, LftView row);
  void assign(const Run& run, Lids lids, bool consecutive, LftView row);
  void assign_levelled(const Run& run, Lids lids, bool consecutive, LftView row);
  void assign_singly(const Run& run, Lids lids, LftView row);
  std::uint8_t least_loaded(std::size_t start) const;
  std::uint8_t scattered(std::uint16_t lid) const;
  std::uint8_t most_diverse(std::uint16_t lid, std::size_t start, LftView row);

  const RoutingInput& input_;
  const ChannelSettings& settings_;
  const Plan& plan_;
  const Candidates* candidates_of_;  // not null
  const Preference* preference_;     // null: none
  std::vector<std::uint32_t> to_leaf_;
  bool further_lids_ = false;                          // LMC > 0 somewhere
  std::vector<fabric::SwitchIndex> system_of_switch_;  // the first switch of the same system

  // These describe the current switch. Its channels are numbered from 0 in search order.
  fabric::SwitchIndex sw_ = fabric::kNoIndex;
  mad::Guid guid_;
  std::size_t channels_ = 0;
  bool levelled_ = true;             // LIDs of a run can be assigned together
  bool lowest_first_ = false;        // equal candidates: the first in search order
  std::uint32_t turn_ = 0;           // where this switch starts to search
  std::uint32_t turn_per_rank_ = 0;  // added for each next destination switch
  std::array<fabric::ChannelIndex, kChannelsMax> channel_{};  // channel of the graph
  std::array<std::uint8_t, kChannelsMax> port_{};
  std::array<std::uint8_t, kChannelsMax> uncounted_{};
  std::array<std::uint8_t, kChannelsMax>
      node_{};  // number of the neighbouring switch among the neighbours
  std::array<std::uint8_t, kChannelsMax>
      system_{};  // number of its system among the neighbours' systems
  std::array<std::uint8_t, 256> channel_of_port_{};
  std::array<std::uint32_t, kChannelsMax> load_{};
  CandidateMasks masks_;
  std::vector<std::uint16_t> open_lids_;
  std::vector<const Run*> open_runs_;

  // These are the candidates of the current run, in search order.
  std::array<std::uint64_t, kWords> mask_{};
  std::array<std::uint8_t, kChannelsMax> candidate_{};
  std::array<std::uint8_t, 2 * kChannelsMax>
      candidate_port_{};  // repeated, so that a rotation is a slice
  std::size_t candidates_ = 0;
  bool loads_equal_ = false;  // of all candidates
  std::uint32_t rounds_ = 0;  // LIDs that each candidate has in addition to load_
  std::array<std::uint8_t, kChannelsMax> system_uses_{}, node_uses_{};
};

}  // namespace routing
