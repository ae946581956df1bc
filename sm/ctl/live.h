#pragma once
// This file reads a fabric as it is now, without a running manager of Heddle. Only
// try_hardware_live() writes, and takes it back.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "fabric/recording/recording.h"
#include "mad/ids.h"
#include "sm/ctl/hardware_steps.h"
#include "sm/sweep/sweeper.h"

namespace sm::ctl {

struct LiveFabric {
  Survey survey;
  TableMemory memory;  // what the switches' forwarding tables hold
};

/// Surveys the fabric from the port with this GUID, or from the default port, and reads the
/// forwarding tables. Uses the M_Keys of the options and of guid2mkey, and sends SubnGet only.
/// Errors: there is no such port, it is down, or this user may not open it; in words.
tl::expected<LiveFabric, std::string> read_live(std::optional<mad::Guid> port_guid,
                                                const config::Options& options);

/// Records everything that the fabric's nodes answer (recorder.h), read from that port.
/// `on_progress` gets the number of nodes and answers so far; `per_second` bounds the requests, 0:
/// by what the nodes answer alone. Errors: as read_live().
tl::expected<Recording, std::string> record_live(
    std::optional<mad::Guid> port_guid, const config::Options& options,
    const std::function<void(std::size_t nodes, std::size_t answers)>& on_progress,
    unsigned per_second = 0);

struct LiveTrial {
  Recording before, after;
  HardwareTrialResult result;
};
struct LiveTrialRequest {
  std::function<void(std::size_t nodes, std::size_t answers)> on_progress;
  unsigned per_second = 0;  // as record_live(), for both recordings
  std::filesystem::path undo_file;
  HardwareTrialOptions steps;
};

/// Tries the steps of hardware_steps() on the fabric, and takes them back. Records the fabric
/// before and after that. Errors: as read_live() and try_hardware().
tl::expected<LiveTrial, std::string> try_hardware_live(std::optional<mad::Guid> port_guid,
                                                       const config::Options& options,
                                                       const LiveTrialRequest& request);

/// Writes back what a program that ended during try_hardware_live() has left in the file. Returns
/// what does not have its former value; empty if all has. Errors: as read_live(), a file that
/// cannot be read, and a subnet manager that runs.
tl::expected<std::string, std::string> undo_hardware_live(std::optional<mad::Guid> port_guid,
                                                          const config::Options& options,
                                                          const std::filesystem::path& undo_file);

struct PreviewRequest {
  SharedContext context;
  /// Rebalances as `heddlectl rebalance` does; if false, entries of the switches stay where
  /// possible.
  bool rebalance = false;
  /// Alters the observed fabric before the preview decides anything. Errors: in words.
  std::function<tl::expected<void, std::string>(Fabric&)> alter;
};

/// Returns what a daemon with this configuration would write to the live fabric next. Uses the
/// LIDs, registrations and unsupported settings that the daemon on this machine has stored. Sends
/// SubnGet only. Errors: as read_live(), and that no engine routes the fabric.
tl::expected<Preview, std::string> preview_live(std::optional<mad::Guid> port_guid,
                                                const PreviewRequest& request);

}  // namespace sm::ctl
