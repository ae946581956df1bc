#pragma once
// The commands of an operator to a manager and its process. The API, and by it heddlectl, and
// OpenSM's console make the same calls.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/performance/dump.h"

namespace sm {

/// How a reload of the configuration ended.
struct ReloadResult {
  bool taken = false;                      // false: there are errors, and nothing of it is in force
  std::vector<std::string> changed;        // keys, files and partitions that have changed
  std::vector<std::string> needs_restart;  // keys whose new value counts at the next start
  std::vector<std::string> errors;         // with file, line and column
  std::vector<std::string> messages;       // errors and warnings, in the order of lines
};

/// A link or all links of a node are to be kept out of use.
struct IsolationRequest {
  std::string place;                                 // NODE or NODE:PORT
  std::string by = {}, reason = {};                  // for other operators; may be empty
  std::optional<std::chrono::seconds> lasting = {};  // nothing: until they are released
};

/// Called on the control thread, and quick. Errors: why a command is not carried out, in words; of
/// most that this manager is not MASTER.
class OperatorCommands {
 public:
  using Done = tl::expected<void, std::string>;
  virtual ~OperatorCommands() = default;

  /// Everything is read again, tables included, and what differs is written.
  virtual Done resweep() = 0;
  /// As when a trap says that something may have changed.
  virtual Done light_resweep() = 0;
  /// The next sweep begins now and chooses all routes again.
  virtual Done rebalance() = 0;
  virtual Done isolate(const IsolationRequest& request) = 0;
  /// `place`: NODE or NODE:PORT.
  virtual Done release(std::string_view place) = 0;
  /// Ends the conditions of nodes and links of this name that were lost.
  virtual Done forget(std::string_view name) = 0;
  /// All NodeDescriptions are read again.
  virtual Done update_descriptions() = 0;
  /// `priority`: 0..15, as if it were sm_priority, until a reload or the end.
  virtual Done set_priority(std::uint8_t priority) = 0;
  /// While it is off, sweeps wait.
  virtual Done set_sweeping(bool on) = 0;
  virtual Done poll_counters() = 0;
  virtual Done dump_counters(DumpShape shape) = 0;

  // Commands to the process, whatever its managers do.
  /// `flags`: as log_flags, until its line in the configuration is edited.
  virtual Done set_log_flags(std::uint8_t flags) = 0;
  virtual Done set_log_flush(bool on) = 0;
  /// Reads the configuration again, as SIGHUP does. What changed counts in each manager of the
  /// process as soon as its sweep under way has ended.
  virtual ReloadResult reload() = 0;
};

}  // namespace sm
