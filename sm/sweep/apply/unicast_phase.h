#pragma once
// Writes LinearForwardingTable blocks: one phase of an update, and blocks that are written again.

#include <memory>
#include <span>
#include <vector>

#include "routing/verify/unicast_update.h"
#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Returns a request for this block, without content.
Write lft_request(const Fabric& fabric, const routing::LftUnit& unit);

/// Writes one phase of an update, and keeps the outcomes.
class UnicastPhase : public std::enable_shared_from_this<UnicastPhase> {
 public:
  /// Owns none of the references. `hidden` gets units whose entries above LinearFDBTop the switch
  /// does not show.
  UnicastPhase(const Fabric& fabric, DeviceState& devices, const LidMap& lids,
               const routing::UnicastUpdate& update, std::vector<std::uint32_t> units,
               std::vector<std::uint32_t>& hidden)
      : fabric_(fabric),
        devices_(devices),
        lids_(lids),
        update_(update),
        units_(std::move(units)),
        hidden_(hidden),
        acknowledged_(units_.size(), false) {}

  /// Returns the stage, which shares this.
  std::unique_ptr<Stage> stage();

  /// Returns the adaptive blocks for acknowledged blocks of switches that route adaptively.
  std::vector<AdaptiveBlock> adaptive_blocks(const AdaptiveUpdate& adaptive);
  /// Marks adaptive blocks, by their numbers in adaptive_blocks(), that the switch may not hold.
  void lose_adaptive(std::span<const std::uint32_t> lost) {
    for (const std::uint32_t number : lost) acknowledged_[adaptive_units_[number]] = false;
  }
  /// Passes the outcome of its units to the update.
  void finish(routing::UnicastUpdate& update) const;

 private:
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport& report);
  const routing::LftUnit& unit(std::size_t number) const { return update_.units()[units_[number]]; }

  const Fabric& fabric_;
  DeviceState& devices_;
  const LidMap& lids_;
  const routing::UnicastUpdate& update_;
  const std::vector<std::uint32_t> units_;
  std::vector<std::uint32_t>& hidden_;
  std::vector<bool> acknowledged_;
  std::vector<std::size_t> adaptive_units_;  // by adaptive block: its unit
};

/// Repeats blocks that were above LinearFDBTop when they were written first. Owns none of the
/// references.
std::unique_ptr<Stage> repetitions(const Fabric& fabric, DeviceState& devices, const Target& target,
                                   std::vector<routing::LftUnit> units);

}  // namespace sm
