#pragma once
// Commands to a manager that a test takes note of.

#include <string>
#include <vector>

#include "mad/format.h"
#include "sm/ops/operator_commands.h"

/// `done` has a line each, such as "priority 9"; with a `refusal` none is carried out.
class RecordedCommands final : public sm::OperatorCommands {
 public:
  std::vector<std::string> done;
  std::string refusal;
  bool disk_is_full = false;   // and this is why
  sm::ReloadResult reloaded;   // what reload() answers
  sm::OrderProgress progress;  // what order_progress() answers

  Done resweep() override { return note("resweep"); }
  Done light_resweep() override { return note("light resweep"); }
  Done rebalance() override { return note("rebalance"); }
  Done isolate(const sm::IsolationRequest& request) override {
    return note(fmt::format("isolate {} by {}: {}, {} s", request.place, request.by, request.reason,
                            request.lasting.value_or(std::chrono::seconds(0)).count()));
  }
  Done release(std::string_view place) override { return note(fmt::format("release {}", place)); }
  Done forget(std::string_view name) override { return note(fmt::format("forget {}", name)); }
  sm::OrderProgress order_progress() const override { return progress; }
  Done update_descriptions() override { return note("descriptions"); }
  Done set_priority(std::uint8_t priority) override {
    return note(fmt::format("priority {}", priority));
  }
  Done set_sweeping(bool on) override { return note(on ? "sweep" : "no sweep"); }
  Done poll_counters() override { return note("poll"); }
  Done dump_counters(sm::DumpShape shape) override {
    return note(shape == sm::DumpShape::table ? "dump table" : "dump lines");
  }
  Done set_log_flags(std::uint8_t flags) override { return note(fmt::format("flags {}", flags)); }
  Done set_log_flush(bool on) override { return note(on ? "flush" : "no flush"); }
  sm::ReloadResult reload() override {
    done.emplace_back("reload");
    return reloaded;
  }

 private:
  Done note(std::string what) {
    done.push_back(std::move(what));
    if (refusal.empty()) return {};
    sm::CommandFault fault(refusal);
    fault.is_storage = disk_is_full;
    return tl::unexpected(std::move(fault));
  }
};
