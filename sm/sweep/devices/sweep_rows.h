#pragma once
// Attributes that devices need not have. A row adds to the row of mad/attribute_rows.h what sweeps
// do with the attribute: when it is read, how responses are stored, and what a refusal or silence
// means. No outcome of such a request fails a sweep.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mad/attribute_rows.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Holds references that must outlive the stages that rows make.
struct RowContext {
  const Fabric& fabric;
  DeviceState& devices;
};

struct SweepRow {
  mad::AttributeId attribute{};  // which has a row in mad/attribute_rows.h
  StageKind stage{};             // of its requests
  std::uint8_t part = 1;         // flag of its part of the attribute in DeviceTable
  /// They say what follows from silence and from a rejection; `none` leaves that to `fail`.
  Failure silence = Failure::none, rejection = Failure::none;
  /// Returns how many blocks are to be read now. 0 if the device does not have the attribute, or
  /// its content is known. Null: one, if the device announces it and it is due.
  std::uint32_t (*blocks)(const RowContext&, PortIndex) = nullptr;
  /// It is null if DeviceTable has the content.
  void (*store)(const RowContext&, const Write&, std::span<const std::uint8_t, 64>) = nullptr;
  /// Handles a SubnGet that was rejected with this status, or not answered (status 0).
  void (*fail)(const RowContext&, const Write&, std::uint16_t status) = nullptr;
  /// Handles a SubnSet that was rejected or not answered, or that `reject_text` says was not taken.
  void (*reject)(const RowContext&, const Write&) = nullptr;
  /// Returns a text if a response to a SubnSet shows other content than matters.
  std::string (*reject_text)(const RowContext&, const Write&,
                             std::span<const std::uint8_t, 64>) = nullptr;
  bool reads_back = false;  // after a status other than 0, what the port holds decides
};

/// Identifies a request by its row.
struct RowRequest {
  const SweepRow* row = nullptr;
  Write write{};
};

/// Returns the reads of these rows that are due at these ports: all of a port before the next one.
std::vector<RowRequest> due_reads(const RowContext& context, std::span<const PortIndex> ports,
                                  std::initializer_list<const SweepRow*> rows);
/// Returns a request for block 0, without content.
RowRequest row_request(const RowContext& context, const SweepRow& row, PortIndex port);
/// Returns a stage of these requests, whose rows are of one kind of stage.
std::unique_ptr<Stage> row_stage(const RowContext& context, mad::Method method,
                                 std::vector<RowRequest> requests);

namespace rows {
/// MlnxExtPortInfo: one response is stored for both of its settings.
extern const SweepRow fdr10, out_of_order, out_of_order_withdrawal;
extern const SweepRow router_info, adjacent_subnets, next_hops;
extern const SweepRow general_info, ar_info;
/// Tables of switches that route adaptively already.
extern const SweepRow found_groups, found_notification, found_entries;
}  // namespace rows

}  // namespace sm
