#pragma once

#include "sm/sa/paths/path_finder.h"
#include "sm/sa/paths/path_names.h"

namespace sa {

/// The path to a multicast group, with the group's parameters: at most one record. `names.to.gid`
/// is a multicast GID.
std::uint16_t find_multicast_path(const View& view, const Query& query, const PathNames& names,
                                  const PathConstraints& constraints, RecordSink& sink);

}  // namespace sa
