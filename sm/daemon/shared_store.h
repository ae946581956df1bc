#pragma once
// The store that managers share, as state_store and the options beside it describe it.

#include <spdlog/logger.h>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "config/options.h"
#include "mad/ids.h"
#include "mad/runtime.h"
#include "sm/store/peers/peer_store.h"
#include "sm/store/replica/state_replica.h"

namespace sm {

/// Returns the settings of state_store peers. Errors: a file of keys that others may access, or a
/// secret that is too short, in one line.
tl::expected<peers::PeerSettings, std::string> peer_settings(const config::Options& options,
                                                             mad::Guid port_guid);

/// Returns what makes digests of options with state_store peers: with certificates its secret is
/// known to all, and the copy's file, mode 0600, protects the digests. Errors: as peer_settings().
tl::expected<RecordSeal, std::string> digests_of_peers(const config::Options& options);

/// Creates a manager's part in the replicated state that state_store names; null with `files`.
/// Errors: a file of keys or certificates that cannot be used, in one line. A store or a peer that
/// does not answer is not an error. The log gets what opening the copy has found.
tl::expected<std::shared_ptr<StateReplica>, std::string> make_replica(
    mad::Runtime& runtime, const config::Options& options, mad::Guid port_guid,
    spdlog::logger& log);

}  // namespace sm
