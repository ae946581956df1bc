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

#include "config/options.h"
#include "mad/attribute_rows.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Holds references that must outlive the stages that rows make.
struct RowContext {
  const Fabric& fabric;
  DeviceState& devices;
};

/// Flags of events, after which rows make their part of an attribute be read again.
namespace forgotten {
inline constexpr std::uint8_t kTablesLost = 1,  // a switch has lost its tables
    kRestart = 2,       // a device restarted: what it does with an attribute of its ports
    kTraining = 4,      // the link of the port has trained
    kOtherManager = 8,  // another manager may have written
    kDifference = 16;   // the node does not hold what it showed
}  // namespace forgotten

struct SweepRow {
  mad::AttributeId attribute{};           // which has a row in mad/attribute_rows.h
  StageKind stage = StageKind::optional;  // of its requests
  std::uint8_t part = 1;                  // flag of its part of the attribute in DeviceTable
  /// They say what follows from silence and from a rejection; `none` leaves that to `fail`.
  Failure silence = Failure::none, rejection = Failure::none;
  std::uint8_t forgotten_at = 0;  // flags of `forgotten`
  bool is_audited = false;        // the audit reads it back
  /// True if it is read after sweeps (apply/optional_attributes.h), and written if `wanted` says
  /// so. A step of its own reads it otherwise.
  bool is_read_after_sweeps = false;
  bool (*is_used)(const config::Options&) = nullptr;  // after sweeps; null: always
  /// True for devices that may have it; null: those that announce it.
  bool (*may_have)(const mad::NodeInfo&) = nullptr;
  /// Returns how many blocks are to be read now. 0 if the device does not have the attribute, or
  /// its content is known. Null: one, if the device may have it and it is due.
  std::uint32_t (*blocks)(const RowContext&, PortIndex) = nullptr;
  /// Stores a response. Null: DeviceTable has the content.
  void (*store)(const RowContext&, const Write&, std::span<const std::uint8_t, 64>) = nullptr;
  /// Handles a SubnGet that was rejected with this status, or not answered (status 0).
  void (*fail)(const RowContext&, const Write&, std::uint16_t status) = nullptr;
  /// Returns the content that the options request of a block with content `known`: a Set follows if
  /// it differs. After a status other than 0, what the device holds decides. A device that does not
  /// take a Set is left alone until an event of `forgotten_at`.
  mad::SmpData (*wanted)(const config::Options&, const mad::SmpData& known) = nullptr;
  /// Returns a text if a response to a SubnSet shows other content than matters. Null: one that
  /// names the fields.
  std::string (*reject_text)(const RowContext&, const Write&,
                             std::span<const std::uint8_t, 64>) = nullptr;
  /// Returns the line for the log after so many Sets.
  std::string (*written_text)(const config::Options&, std::size_t writes) = nullptr;
};

/// Returns all rows.
std::span<const SweepRow* const> sweep_rows();

/// Returns the key of the block that a request reads or writes.
BlockKey block_key(const Fabric& fabric, const Write& request);
/// Forgets what rows say of an event: at a node, or (node 0) at all nodes.
void forget_rows(DeviceTable& table, std::uint8_t event, mad::Guid node = {});
/// Forgets after a survey what restarts and trainings have changed, and ports that disappeared.
void forget_after_survey(DeviceTable& table, const Fabric& fabric);

/// Identifies a request by its row.
struct RowRequest {
  const SweepRow* row = nullptr;
  Write write{};
};

/// Returns a port by which requests enter the node.
PortIndex entry_port(const Fabric& fabric, const Node& node);
/// Returns the reads of these rows that are due at these ports: all of a port before the next one.
std::vector<RowRequest> due_reads(const RowContext& context, std::span<const PortIndex> ports,
                                  std::initializer_list<const SweepRow*> rows);
/// Returns a request for the first block, without content.
RowRequest row_request(const Fabric& fabric, const SweepRow& row, PortIndex port);
/// Returns the Sets of a row that is written after sweeps.
std::vector<RowRequest> due_writes(const RowContext& context, const SweepRow& row,
                                   const config::Options& options);
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
