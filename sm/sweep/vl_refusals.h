#pragma once

#include <map>
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
  void forget_all() { refused_.clear(); }
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
};

}  // namespace sm
