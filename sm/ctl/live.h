#pragma once
// A fabric as it is now, without a manager of our own: only reads.

#include <functional>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "fabric/recording/recording.h"
#include "mad/ids.h"
#include "sm/sweep/sweeper.h"

namespace sm::ctl {

struct LiveFabric {
  Survey survey;
  TableMemory memory;  // what the switches' forwarding tables hold
};

/// Surveys the fabric from the port with this GUID, or the default one, and reads the forwarding
/// tables; M_Keys are those of the options and of guid2mkey. Sends SubnGet only. Errors: no port,
/// not allowed to open it, or it is down; in words.
tl::expected<LiveFabric, std::string> read_live(std::optional<mad::Guid> port_guid,
                                                const config::Options& options);

/// Everything that the fabric's nodes answer (recorder.h), read from that port. Progress is the
/// number of nodes and answers so far. Errors: as read_live().
tl::expected<Recording, std::string> record_live(
    std::optional<mad::Guid> port_guid, const config::Options& options,
    const std::function<void(std::size_t nodes, std::size_t answers)>& on_progress);

struct PreviewRequest {
  SharedContext context;
  /// As `heddlectl rebalance` does; else what switches hold stays where it may.
  bool rebalance = false;
  /// Applied to what was observed, before anything is decided. Errors: in words.
  std::function<tl::expected<void, std::string>(Fabric&)> alter;
};

/// Returns what a daemon with this configuration would write to the live fabric next. LIDs,
/// registrations and unsupported settings are those that the daemon on this machine has stored.
/// Sends SubnGet only. Errors: as read_live(), and that no engine routes the fabric.
tl::expected<Preview, std::string> preview_live(std::optional<mad::Guid> port_guid,
                                                const PreviewRequest& request);

}  // namespace sm::ctl
