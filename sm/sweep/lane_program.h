#pragma once
// Apply, for virtual lanes: SLtoVLMappingTables and VLArbitrationTables.

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>
#include <vector>

#include "mad/smp_client.h"
#include "routing/qos/vl_targets.h"
#include "sm/sweep/apply.h"

namespace sm {

/// The node's tables may say something: it is no switch without a forwarding table, and no CA or
/// router whose links carry nothing yet. Such have just started.
bool may_hold_tables(const Fabric& fabric, NodeIndex index);

/// What devices did not take: they refused it, or acknowledged it and hold something else. It is
/// not sent again until it is to be something else, or the device restarts.
class LaneRefusals {
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
  /// One line a node and attribute. `with_status`: those that were refused with a status, too.
  std::vector<std::string> texts(const Fabric& fabric, bool with_status) const;

 private:
  struct Refusal {
    mad::SmpData wanted{};
    std::uint16_t status = 0;  // 0: acknowledged
  };
  std::map<Table, Refusal> refused_;
};

/// Makes ports hold `targets`: reads what is not known, as far as that may spare a write, and
/// writes the differences, mapping before arbitration. What ports acknowledge is remembered in
/// `memory`, which follows the fabric; what they do not take in `refusals`. A switch of which
/// nothing can be kept (it has no forwarding table yet), or that takes all its tables in a few
/// writes with wildcards, is not read. `use_wildcards`: such writes, where SwitchInfo says that the
/// switch takes them. Source: IBTA Vol 1, 14.2.5.4
/// (OptimizedSLtoVLMappingProgramming), 14.2.5.8, 14.2.5.9.
boost::asio::awaitable<ApplyReport> program_lanes(mad::SmpClient& client,
                                                  const ApplyOptions& options, const Fabric& fabric,
                                                  const routing::VlTargets& targets,
                                                  bool use_wildcards, VlTables& memory,
                                                  LaneRefusals& refusals);

}  // namespace sm
