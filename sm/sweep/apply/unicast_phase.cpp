#include "sm/sweep/apply/unicast_phase.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fabric/plausible.h"
#include "mad/format.h"
#include "sm/sweep/devices/masked_tables.h"
#include "sm/sweep/devices/stage_requests.h"

namespace sm {
namespace {

using routing::LftUnit;

mad::Guid switch_guid(const Fabric& fabric, SwitchIndex sw) {
  return fabric.nodes[fabric.switches[sw].node].guid;
}

std::string other_content(const Fabric& fabric, const LftUnit& unit) {
  return fmt::format("{} took block {} of its forwarding table, but answers with another content",
                     fabric.name(fabric.switches[unit.sw].node), unit.block);
}

/// Compares a block with what the switch shows of it.
LftDifference shown_difference(const Fabric& fabric, const LidMap& lids, const LftUnit& unit,
                               std::span<const std::uint8_t, kLftBlockLids> written,
                               std::span<const std::uint8_t, 64> shown) {
  const mad::Lid top{linear_fdb_top(fabric.switches[unit.sw].info)};
  return difference(unit.block, written, shown, top, lids);
}

/// Makes the adaptive entries of the block be written again: forms do not say which static ports
/// the switch has with them.
void forget_forms(AdaptiveDevice& device, const LftUnit& unit) {
  constexpr std::size_t kParts = kLftBlockLids / kArBlockLids;
  for (std::size_t part = 0; part < kParts; ++part)
    if (unit.block * kParts + part < device.forms.size())
      device.set_form(unit.block * kParts + part, 0);
}

}  // namespace

Write lft_request(const Fabric& fabric, const LftUnit& unit) {
  return {.attribute = mad::AttributeId::linear_forwarding_table,
          .modifier = unit.block,
          .port = fabric.nodes[fabric.switches[unit.sw].node].first_port,
          .data = {}};
}

std::unique_ptr<Stage> UnicastPhase::stage() {
  std::vector<std::uint32_t> numbers(units_.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  return std::make_unique<Requests<std::uint32_t>>(
      StageKind::forwarding_tables, mad::Method::set, std::move(numbers),
      [this](std::uint32_t number) {
        Write out = lft_request(fabric_, unit(number));
        std::ranges::copy(update_.content(units_[number]), out.data.begin());
        return out;
      },
      Outcomes<std::uint32_t>{
          .accept = [phase = shared_from_this()](
                        std::uint32_t number, std::span<const std::uint8_t, 64> data,
                        ApplyReport& report) { phase->accept(number, data, report); }});
}

void UnicastPhase::accept(std::size_t number, std::span<const std::uint8_t, 64> data,
                          ApplyReport& report) {
  const LftDifference difference =
      shown_difference(fabric_, lids_, unit(number), update_.content(units_[number]), data);
  if (difference == LftDifference::wrong) return report.fail(other_content(fabric_, unit(number)));
  if (difference != LftDifference::none)
    devices_.masked_lfts.note(switch_guid(fabric_, unit(number).sw), unit(number).block,
                              difference);
  // The switch drops packets to LIDs above its LinearFDBTop, so it causes no forwarding loop.
  if (difference == LftDifference::above_top) hidden_.push_back(units_[number]);
  acknowledged_[number] = true;
  ++report.writes;
  if (AdaptiveDevice* const device =
          devices_.adaptive.find(switch_guid(fabric_, unit(number).sw))) {
    device->stale_blocks.erase(unit(number).block);
    // A switch that does not choose yet has no entries written with the block (adaptive_blocks).
    if (!device->is_active()) forget_forms(*device, unit(number));
  }
  devices_.lfts.note_written(unit(number).sw, unit(number).block);
}

std::vector<AdaptiveBlock> UnicastPhase::adaptive_blocks(const AdaptiveUpdate& adaptive) {
  std::vector<AdaptiveBlock> blocks;
  for (std::size_t number = 0; number < units_.size(); ++number) {
    if (!acknowledged_[number] || !adaptive.is_active(unit(number).sw)) continue;
    const auto content = update_.content(units_[number]);
    for (std::size_t part = 0; part < kLftBlockLids / kArBlockLids; ++part) {
      const std::size_t block = unit(number).block * (kLftBlockLids / kArBlockLids) + part;
      if (block >= adaptive.form_blocks()) break;
      AdaptiveBlock& at = blocks.emplace_back(
          AdaptiveBlock{.sw = unit(number).sw, .block = static_cast<std::uint32_t>(block)});
      std::ranges::copy(content.subspan(part * kArBlockLids, kArBlockLids),
                        at.static_ports.begin());
      adaptive_units_.push_back(number);
    }
  }
  return blocks;
}
void UnicastPhase::finish(routing::UnicastUpdate& update) const {
  for (std::size_t number = 0; number < units_.size(); ++number) {
    if (acknowledged_[number]) {
      update.acknowledged(units_[number]);
    } else {
      update.lost(units_[number]);
    }
  }
}

std::unique_ptr<Stage> repetitions(const Fabric& fabric, DeviceState& devices, const Target& target,
                                   std::vector<LftUnit> units) {
  const auto content = [&](const LftUnit& unit) {
    return std::as_const(*target.lfts).block(unit.sw, unit.block);
  };
  // Until the switch has responded, it may hold other content there.
  for (const LftUnit& unit : units) {
    TableMemory::Ports ports;
    for (const std::uint8_t port : content(unit)) ports.set(port);
    devices.lfts.invalidate_block(unit.sw, unit.block, {.misled = ports, .contents = {}});
    if (AdaptiveDevice* const device = devices.adaptive.find(switch_guid(fabric, unit.sw)))
      forget_forms(*device, unit);  // it may have lost them
  }
  const auto accept = [&, content](const LftUnit& unit, std::span<const std::uint8_t, 64> data,
                                   ApplyReport& report) {
    const LftDifference difference =
        shown_difference(fabric, target.lids, unit, content(unit), data);
    if (difference > LftDifference::unused) return report.fail(other_content(fabric, unit));
    ++report.writes;
    devices.lfts.read_back(unit.sw, unit.block, content(unit));
    devices.lfts.note_written(unit.sw, unit.block);
  };
  return std::make_unique<Requests<LftUnit>>(
      StageKind::forwarding_tables, mad::Method::set, std::move(units),
      [&, content](const LftUnit& unit) {
        Write out = lft_request(fabric, unit);
        std::ranges::copy(content(unit), out.data.begin());
        return out;
      },
      Outcomes<LftUnit>{.accept = accept});
}

}  // namespace sm
