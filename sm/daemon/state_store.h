#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "config/options.h"
#include "mad/runtime.h"
#include "sm/store/replica/state_replica.h"

namespace sm {

/// A manager's part in the replicated state that state_store names; null with `files`.
/// Errors: a key file or CA file that cannot be used, in one line. A store that does not answer is
/// none.
tl::expected<std::unique_ptr<StateReplica>, std::string> make_replica(
    mad::Runtime& runtime, const config::Options& options, mad::Guid port_guid);

}  // namespace sm
