#pragma once
// Attributes that devices need not have, each declared by one row: when it is read, how responses
// are stored, and what a refusal or silence means. No outcome of such a request fails a sweep.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Holds references that must outlive the stages that rows make.
struct RowContext {
  const Fabric& fabric;
  DeviceState& devices;
};

struct AttributeRow {
  mad::AttributeId attribute{};
  StageKind stage{};  // of its requests
  /// Returns how many blocks are to be read now, and counts them as requested. 0 if the device does
  /// not have the attribute, or its content is known.
  std::uint32_t (*blocks)(const RowContext&, PortIndex) = nullptr;
  void (*store)(const RowContext&, const Write&, std::span<const std::uint8_t, 64>) = nullptr;
  /// Handles a SubnGet that was rejected with this status, or not answered (status 0).
  void (*fail)(const RowContext&, const Write&, std::uint16_t status) = nullptr;
  std::uint32_t first_modifier = 0;  // of block 0
};

/// Identifies a request by its row.
struct RowRequest {
  const AttributeRow* row = nullptr;
  Write write{};
};

/// Returns the reads of these rows that are due at these ports: all of a port before the next one.
std::vector<RowRequest> due_reads(const RowContext& context, std::span<const PortIndex> ports,
                                  std::initializer_list<const AttributeRow*> rows);
/// Returns a stage of SubnGets.
std::unique_ptr<Stage> row_reads(const RowContext& context, std::vector<RowRequest> requests);

namespace rows {
extern const AttributeRow router_info, adjacent_subnets, next_hops;
extern const AttributeRow general_info, ar_info;
/// Tables of switches that route adaptively already.
extern const AttributeRow found_groups, found_notification, found_entries;
}  // namespace rows

}  // namespace sm
