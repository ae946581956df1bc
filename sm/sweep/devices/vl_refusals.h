#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "mad/backoff.h"
#include "mad/smp_client.h"

namespace sm {

/// SLtoVLMappingTables and VLArbitrationTables that devices did not take: they refused them, or
/// acknowledged them and hold something else. Such a table is sent again after a pause that grows,
/// at once if its content is to be another, or after the device has restarted.
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
  /// A sweep begins: pauses are over by this time. What the sweep before was to send again and did
  /// not is forgotten: a read had shown it as wanted, or it is not wanted any more.
  void begin(mad::TimePoint now);
  void note(const Table& table, const mad::SmpData& wanted, std::uint16_t status);
  /// Nodes with tables to be sent again, by NodeGUID.
  std::vector<mad::Guid> due(mad::TimePoint now) const;
  void forget(const Table& table) { refused_.erase(table); }
  void forget(mad::Guid node);
  void forget_all() {
    refused_.clear();
    no_wildcards_.clear();
  }
  /// A switch that announces wildcards of SLtoVLMappingTable refuses them, or holds something else
  /// after them.
  void note_no_wildcards(mad::Guid node) { no_wildcards_.insert(node); }
  bool takes_wildcards(mad::Guid node) const { return !no_wildcards_.contains(node); }
  /// This content was refused, and the pause is not over.
  bool is_refused(const Table& table, const mad::SmpData& wanted) const;
  /// One line for each node and attribute, without what this sweep was to send again and was not
  /// refused. `with_status`: those that were refused with a status, too.
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
