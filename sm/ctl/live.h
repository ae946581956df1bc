#pragma once
// A fabric as it is now, without a manager of our own: only reads.

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "mad/ids.h"
#include "sm/sweep/discovery.h"
#include "sm/sweep/table_memory.h"

namespace sm::ctl {

struct LiveFabric {
  Survey survey;
  TableMemory memory;  // what the switches' forwarding tables hold
};

/// Surveys the fabric from the port with this GUID, or the default one, and reads the forwarding
/// tables. Sends SubnGet only. Errors: no port, not allowed to open it, or it is down; in words.
tl::expected<LiveFabric, std::string> read_live(std::optional<mad::Guid> port_guid,
                                                mad::MKey m_key);

}  // namespace sm::ctl
