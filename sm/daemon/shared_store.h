#pragma once
// The store that managers share, as state_store and the options beside it describe it.

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "config/options.h"
#include "mad/ids.h"
#include "mad/runtime.h"
#include "sm/store/replica/state_replica.h"

namespace sm {

/// Creates a manager's part in the replicated state that state_store names; null with `files`.
/// Errors: a file of keys or certificates that cannot be used, in one line. A store or a peer that
/// does not answer is not an error.
tl::expected<std::shared_ptr<StateReplica>, std::string> make_replica(
    mad::Runtime& runtime, const config::Options& options, mad::Guid port_guid);

}  // namespace sm
