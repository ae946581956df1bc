#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "mad/backoff.h"
#include "mad/smp_client.h"

namespace sm {

/// Holds SLtoVLMappingTables and VLArbitrationTables that devices refused, or acknowledged and did
/// not take. Such a table is sent again after a pause that grows, or at once if its content
/// changes, or after the device has restarted.
class VlRefusals {
 public:
  static constexpr mad::Duration kPauseFirst = std::chrono::seconds(10),
                                 kPauseLast = std::chrono::hours(1);

  struct Table {
    mad::Guid node;
    mad::AttributeId attribute{};
    std::uint32_t modifier = 0;
    auto operator<=>(const Table&) const = default;
  };
  /// Begins a sweep: ends pauses by this time. Forgets tables that the previous sweep was to send
  /// again and did not: a read had shown the desired content, or it is not desired any more.
  void begin(mad::TimePoint now);
  void note(const Table& table, const mad::SmpData& wanted, std::uint16_t status);
  /// Returns the nodes with tables that are due again, by NodeGUID.
  std::vector<mad::Guid> due(mad::TimePoint now) const;
  void forget(const Table& table) { refused_.erase(table); }
  void forget(mad::Guid node);
  void forget_all() {
    refused_.clear();
    no_wildcards_.clear();
  }
  /// Notes a switch that announces wildcards of SLtoVLMappingTable but refuses them, or holds other
  /// content after them.
  void note_no_wildcards(mad::Guid node) { no_wildcards_.insert(node); }
  bool takes_wildcards(mad::Guid node) const { return !no_wildcards_.contains(node); }
  /// True if this content was refused, and the pause is not over.
  bool is_refused(const Table& table, const mad::SmpData& wanted) const;
  /// Returns one line for each node and attribute, without tables that were due in this sweep and
  /// were not refused again. `with_status`: also tables that were refused with a status.
  std::vector<std::string> texts(const Fabric& fabric, bool with_status) const;

 private:
  struct Refusal {
    mad::SmpData wanted{};
    std::uint16_t status = 0;  // 0: acknowledged
    mad::TimePoint retry_at{};
    mad::Backoff pause{kPauseFirst, kPauseLast};
    bool due = false;  // to be sent again by this sweep
  };
  std::map<Table, Refusal> refused_;
  std::set<mad::Guid> no_wildcards_;
  mad::TimePoint now_;
};

}  // namespace sm
