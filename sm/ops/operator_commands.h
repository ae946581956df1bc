#pragma once
// Commands of an operator to a manager and its process. The API (which heddlectl uses) and OpenSM's
// console make the same calls.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "sm/performance/dump.h"

namespace sm {

/// The result of a reload of the configuration.
struct ReloadResult {
  bool taken = false;                      // false: there are errors, and nothing of it is in force
  std::vector<std::string> changed;        // keys, files and partitions that have changed
  std::vector<std::string> needs_restart;  // keys whose new value counts at the next start
  std::vector<std::string> errors;         // with file, line and column
  std::vector<std::string> messages;       // errors and warnings, in the order of lines
};

/// A request to isolate a link or all links of a node.
struct IsolationRequest {
  std::string place;                                 // NODE or NODE:PORT
  std::string by = {}, reason = {};                  // for other operators; may be empty
  std::optional<std::chrono::seconds> lasting = {};  // nothing: until they are released
};

/// Counts orders that a sweep puts in force: isolate, release and forget.
struct OrderProgress {
  std::uint64_t made = 0;
  std::uint64_t in_force = 0;  // of those: applied in the published subnet and its conditions
  /// Other managers that hold the orders to isolate; nothing: etcd holds them.
  std::optional<unsigned> replicated = 0;
};

/// The reason why a command is not carried out.
struct CommandFault {
  CommandFault(std::string why) : text(std::move(why)) {}
  std::string text;
  bool is_storage = false;  // the disk did not take what must outlive the process
};

/// Called on the control thread; each call is quick. Most fail if this manager is not MASTER.
class OperatorCommands {
 public:
  using Done = tl::expected<void, CommandFault>;
  virtual ~OperatorCommands() = default;

  /// Reads everything again, tables included, and writes what differs.
  virtual Done resweep() = 0;
  /// Acts as a trap about an unspecified change does.
  virtual Done light_resweep() = 0;
  /// Begins a sweep that chooses all routes again.
  virtual Done rebalance() = 0;
  virtual Done isolate(const IsolationRequest& request) = 0;
  /// `place` is NODE or NODE:PORT.
  virtual Done release(std::string_view place) = 0;
  /// Ends the conditions of lost nodes and links of this name.
  virtual Done forget(std::string_view name) = 0;
  /// Returns how far the orders are.
  virtual OrderProgress order_progress() const { return {}; }
  /// Requests that all NodeDescriptions are read again.
  virtual Done update_descriptions() = 0;
  /// Sets the priority (0..15) in place of sm_priority, until a reload or the end of the process.
  virtual Done set_priority(std::uint8_t priority) = 0;
  /// Turns sweeps on or off; while they are off, sweeps wait.
  virtual Done set_sweeping(bool on) = 0;
  virtual Done poll_counters() = 0;
  virtual Done dump_counters(DumpShape shape) = 0;

  // Commands to the process, whatever its managers do.
  /// Sets log flags in place of log_flags, until its line in the configuration is edited.
  virtual Done set_log_flags(std::uint8_t flags) = 0;
  virtual Done set_log_flush(bool on) = 0;
  /// Reads the configuration again, as SIGHUP does. Changes take effect in each manager of the
  /// process as soon as its sweep under way has ended.
  virtual ReloadResult reload() = 0;
};

}  // namespace sm
