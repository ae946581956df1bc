#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "mad/smp_client.h"

namespace sm {

/// SLtoVLMappingTables and VLArbitrationTables that devices did not take: they refused them, or
/// acknowledged them and hold something else. Such a table is not sent again until its content is
/// to be another, or the device restarts.
class VlRefusals {
 public:
  struct Table {
    mad::Guid node;
    mad::AttributeId attribute{};
    std::uint32_t modifier = 0;
    auto operator<=>(const Table&) const = default;
  };
  void note(const Table& table, const mad::SmpData& wanted, std::uint16_t status) {
    refused_[table] = {wanted, status};
  }
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
  bool is_refused(const Table& table, const mad::SmpData& wanted) const;
  /// One line for each node and attribute. `with_status`: those that were refused with a status,
  /// too.
  std::vector<std::string> texts(const Fabric& fabric, bool with_status) const;

 private:
  struct Refusal {
    mad::SmpData wanted{};
    std::uint16_t status = 0;  // 0: acknowledged
  };
  std::map<Table, Refusal> refused_;
  std::set<mad::Guid> no_wildcards_;
};

}  // namespace sm
