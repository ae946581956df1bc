#pragma once
// Connects passes with subnet administration.

#include <optional>
#include <vector>

#include "sm/manager/manager_loop.h"
#include "sm/manager/replication.h"
#include "sm/sa/administrator.h"
#include "sm/sweep/administration.h"

namespace sm {

/// Gives passes what clients have registered.
class SweepAdministration final : public Administration {
 public:
  /// Owns none of the references.
  SweepAdministration(sa::Administrator& administrator, Replication& replication, ManagerLoop& loop)
      : administrator_(administrator), replication_(replication), loop_(loop) {}

  Registered prepare(const Subnet& draft, const SweepContext& context) override;
  std::optional<std::size_t> update_router_aliases(const Subnet& draft, const SweepContext& context,
                                                   std::size_t first,
                                                   RouterAliasChange& change) override;
  bool has_groups() const override { return true; }
  std::optional<mad::Mlid> append_groups(const Subnet& subnet, mad::Mlid first,
                                         std::vector<routing::MulticastGroup>& groups) override;
  std::optional<std::vector<routing::MulticastGroup>> changed_groups(
      const Subnet& subnet) override {
    return administrator_.changed_groups_for_routing(subnet);
  }

 private:
  sa::Administrator& administrator_;
  Replication& replication_;
  ManagerLoop& loop_;
};

}  // namespace sm
