#pragma once
// The GIDs and LIDs by which a PathRecord request names its two ends.

#include "mad/records/path_records.h"
#include "sm/sa/paths/ends.h"

namespace sa {

struct PathNames {
  EndName from, to;
};

inline PathNames path_names(const mad::PathRecord& request, const Query& query) {
  using Mask = mad::PathRecordFields::Mask;
  PathNames names;
  if (query.has(Mask::kSgid))
    names.from.gid = mad::Gid{request.get<std::uint64_t, "SGID.prefix">(),
                              request.get<mad::Guid, "SGID.guid">()};
  if (query.has(Mask::kSlid)) names.from.lid = request.get<mad::Lid, "SLID">();
  if (query.has(Mask::kDgid))
    names.to.gid = mad::Gid{request.get<std::uint64_t, "DGID.prefix">(),
                            request.get<mad::Guid, "DGID.guid">()};
  if (query.has(Mask::kDlid)) names.to.lid = request.get<mad::Lid, "DLID">();
  return names;
}

}  // namespace sa
