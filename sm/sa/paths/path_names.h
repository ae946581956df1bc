#pragma once
// How a PathRecord that was asked names its two ends.

#include "mad/records/path_record.h"
#include "sm/sa/paths/ends.h"

namespace sa {

struct PathNames {
  EndName from, to;
};

inline PathNames path_names(const mad::PathRecord& asked, const Query& query) {
  using Mask = mad::PathRecordFields::Mask;
  PathNames names;
  if (query.has(Mask::kSgid))
    names.from.gid =
        mad::Gid{asked.get<std::uint64_t, "SGID.prefix">(), asked.get<mad::Guid, "SGID.guid">()};
  if (query.has(Mask::kSlid)) names.from.lid = asked.get<mad::Lid, "SLID">();
  if (query.has(Mask::kDgid))
    names.to.gid =
        mad::Gid{asked.get<std::uint64_t, "DGID.prefix">(), asked.get<mad::Guid, "DGID.guid">()};
  if (query.has(Mask::kDlid)) names.to.lid = asked.get<mad::Lid, "DLID">();
  return names;
}

}  // namespace sa
