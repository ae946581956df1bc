#pragma once
// Writes the attributes of adaptive routing, and handles their responses. No outcome fails a sweep:
// a switch that rejects a write, does not answer it, or answers with other content, has an obstacle
// from then on.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sm/sweep/apply/adaptive_content.h"
#include "sm/sweep/apply/adaptive_update.h"
#include "sm/sweep/devices/stage_requests.h"

namespace sm {

/// Says how the items of a stage are written, and what follows.
template <class Item>
struct AdaptiveOutcomes {
  std::function<Write(const Item&)> write;
  /// Notes that the switch holds what was written.
  std::function<void(const Item&, std::span<const std::uint8_t, 64>)> hold;
  /// Notes that the switch may hold what was written, or not.
  std::function<void(const Item&)> may_hold;
  /// True if the response shows that the switch took the write; empty: its content is equal.
  std::function<bool(const Item&, std::span<const std::uint8_t, 64>)> is_taken = {};
  /// Handles a rejected write; empty: it is an obstacle.
  std::function<void(const Item&)> reject = {};
};

/// Gives the switch an obstacle: another content than was written, a status, or (status 0) silence.
void note_mismatch(const Fabric& fabric, const AdaptiveUpdate& update, const Write& asked,
                   std::span<const std::uint8_t, 64> shown);
void note_failure(const Fabric& fabric, const AdaptiveUpdate& update, const Write& asked,
                  std::uint16_t status);

template <class Item>
std::unique_ptr<Stage> adaptive_writes(StageKind kind, const Fabric& fabric,
                                       const AdaptiveUpdate& update, std::vector<Item> items,
                                       AdaptiveOutcomes<Item> outcomes) {
  const auto how = std::make_shared<const AdaptiveOutcomes<Item>>(std::move(outcomes));
  const auto is_taken = [how](const Item& item, std::span<const std::uint8_t, 64> data) {
    return how->is_taken ? how->is_taken(item, data)
                         : std::ranges::equal(how->write(item).data, data);
  };
  const auto accept = [&, how, is_taken](const Item& item, std::span<const std::uint8_t, 64> data,
                                         ApplyReport& report) {
    if (is_taken(item, data)) {
      ++report.writes;
      return how->hold(item, data);
    }
    const Write asked = how->write(item);
    how->may_hold(item);
    note_mismatch(fabric, update, asked, data);
  };
  const auto refuse = [&, how](const Item& item, std::uint16_t status) {
    how->may_hold(item);
    if (how->reject)
      how->reject(item);
    else
      note_failure(fabric, update, how->write(item), status);
    return true;
  };
  const auto lose = [&, how](const Item& item) {
    how->may_hold(item);
    note_failure(fabric, update, how->write(item), 0);
  };
  const auto accept_rejected = [is_taken, accept, refuse](const Item& item, std::uint16_t status,
                                                          std::span<const std::uint8_t, 64> data,
                                                          ApplyReport& report) {
    if (is_taken(item, data)) return accept(item, data, report);
    refuse(item, status);
  };
  return std::make_unique<Requests<Item>>(
      kind, mad::Method::set, std::move(items),
      [how](const Item& item) { return how->write(item); },
      Outcomes<Item>{.accept = accept,
                     .refuse = refuse,
                     .lose = lose,
                     .accept_rejected = accept_rejected,
                     .may_fail = true});
}

/// Identifies a block of a table of one switch.
struct TableBlock {
  SwitchIndex sw{0};
  std::uint32_t block = 0;
  FormBlocks::Id form = 0;  // of an ARLinearForwardingTable
};
struct InfoSetting {
  SwitchIndex sw{0};
  mad::AdaptiveRoutingInfo info;
};
using GroupPorts = std::function<const PortSet(SwitchIndex, GroupId)>;

/// Writes ARGroupTable.
std::unique_ptr<Stage> group_writes(StageKind kind, const Fabric& fabric,
                                    const AdaptiveUpdate& update, std::vector<TableBlock> blocks,
                                    GroupPorts ports);
/// Writes ARLinearForwardingTable. `static_ports` is called with the number of the block. `lost`,
/// if not null, gets the numbers of blocks that the switch may not hold.
std::unique_ptr<Stage> entry_writes(StageKind kind, const Fabric& fabric,
                                    const AdaptiveUpdate& update,
                                    const std::vector<TableBlock>& blocks,
                                    std::function<StaticPorts(std::size_t number)> static_ports,
                                    std::vector<std::uint32_t>* lost = nullptr);
/// Writes ARInfo.
std::unique_ptr<Stage> info_writes(StageKind kind, const Fabric& fabric,
                                   const AdaptiveUpdate& update, std::vector<InfoSetting> settings);
/// Writes pFRNConfig.
std::unique_ptr<Stage> notification_writes(StageKind kind, const Fabric& fabric,
                                           const AdaptiveUpdate& update,
                                           std::vector<SwitchIndex> switches);

/// Notes that a switch holds these ports in a group, or (`is_known` false) these or those that it
/// had.
void note_group(HeldGroups& groups, GroupId group, const PortSet& ports, bool is_known);

/// Returns the port by which the switch is written.
inline PortIndex port_of(const Fabric& fabric, SwitchIndex sw) {
  return fabric.nodes[fabric.switches[sw].node].first_port;
}

/// Returns "byte 12 is 0x05, not 0x07; byte 13 ...".
std::string differing_bytes(std::span<const std::uint8_t, 64> wanted,
                            std::span<const std::uint8_t, 64> shown);

}  // namespace sm
