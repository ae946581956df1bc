#pragma once

#include <cstdint>
#include <functional>

#include "sm/manager/manager.h"
#include "sm/ops/operator_commands.h"

namespace sm {

/// Carries out commands to a process that has managers.
struct ProcessCommands {
  std::function<void(std::uint8_t)> set_log_flags;
  std::function<void(bool)> set_log_flush;
  std::function<ReloadResult()> reload;
};

/// Carries out commands to one manager, and to its process; both outlive this object.
class ManagerCommands final : public OperatorCommands {
 public:
  ManagerCommands(Manager& manager, ProcessCommands process)
      : manager_(manager), process_(std::move(process)) {}

  Done resweep() override { return manager_.orders().resweep(); }
  Done light_resweep() override { return manager_.orders().light_resweep(); }
  Done rebalance() override { return manager_.orders().rebalance(); }
  Done isolate(const IsolationRequest& request) override {
    return manager_.orders().isolate(request);
  }
  Done release(std::string_view place) override { return manager_.orders().release(place); }
  Done forget(std::string_view name) override { return manager_.orders().forget(name); }
  OrderProgress order_progress() const override { return manager_.orders().progress(); }
  Done update_descriptions() override { return manager_.orders().update_descriptions(); }
  Done set_priority(std::uint8_t priority) override {
    manager_.orders().set_priority(priority);
    return {};
  }
  Done set_sweeping(bool on) override {
    manager_.orders().set_sweeping(on);
    return {};
  }
  Done poll_counters() override { return as_done(manager_.performance().poll_now()); }
  Done dump_counters(DumpShape shape) override {
    return as_done(manager_.performance().dump(shape));
  }
  Done set_log_flags(std::uint8_t flags) override {
    process_.set_log_flags(flags);
    return {};
  }
  Done set_log_flush(bool on) override {
    process_.set_log_flush(on);
    return {};
  }
  ReloadResult reload() override { return process_.reload(); }

 private:
  static Done as_done(const tl::expected<void, std::string>& done) {
    if (done) return {};
    return tl::unexpected(done.error());
  }

  Manager& manager_;
  const ProcessCommands process_;
};

}  // namespace sm
