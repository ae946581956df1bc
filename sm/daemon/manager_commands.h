#pragma once

#include <cstdint>
#include <functional>

#include "sm/manager/manager.h"
#include "sm/ops/operator_commands.h"

namespace sm {

/// The log of a process that has managers.
struct ProcessLog {
  std::function<void(std::uint8_t)> set_flags;
  std::function<void(bool)> set_flush;
};

/// Commands to one manager, and to the log of its process. Both outlive this.
class ManagerCommands final : public OperatorCommands {
 public:
  ManagerCommands(Manager& manager, ProcessLog log) : manager_(manager), log_(std::move(log)) {}

  Done resweep() override { return manager_.resweep(); }
  Done light_resweep() override { return manager_.light_resweep(); }
  Done rebalance() override { return manager_.rebalance(); }
  Done isolate(std::string_view place) override { return manager_.isolate(place); }
  Done release(std::string_view place) override { return manager_.release(place); }
  Done update_descriptions() override { return manager_.update_descriptions(); }
  Done set_priority(std::uint8_t priority) override {
    manager_.set_priority(priority);
    return {};
  }
  Done set_sweeping(bool on) override {
    manager_.set_sweeping(on);
    return {};
  }
  Done poll_counters() override { return manager_.performance().poll_now(); }
  Done dump_counters(DumpShape shape) override { return manager_.performance().dump(shape); }
  Done set_log_flags(std::uint8_t flags) override {
    log_.set_flags(flags);
    return {};
  }
  Done set_log_flush(bool on) override {
    log_.set_flush(on);
    return {};
  }

 private:
  Manager& manager_;
  const ProcessLog log_;
};

}  // namespace sm
