#pragma once
// Subnet administration as tests of sweeps without a manager need it.

#include <functional>
#include <optional>
#include <vector>

#include "sm/sweep/administration.h"

namespace support {

class SweepClients final : public sm::Administration {
 public:
  std::function<sm::Registered(const fabric::Subnet& draft)> registered = {};
  /// Called for all groups at once. Empty: multicast tables stay as they are.
  std::function<std::vector<routing::MulticastGroup>(const fabric::Subnet& subnet)> groups = {};

  sm::Registered prepare(const fabric::Subnet& draft,
                         const sm::SweepContext& /*context*/) override {
    return registered ? registered(draft) : sm::Registered{};
  }
  bool has_groups() const override { return static_cast<bool>(groups); }
  std::optional<mad::Mlid> append_groups(const fabric::Subnet& subnet, mad::Mlid /*first*/,
                                         std::vector<routing::MulticastGroup>& all) override {
    all = groups(subnet);
    return std::nullopt;
  }
};

}  // namespace support
