#pragma once
// Finds the source and destination of paths by GIDs and LIDs, and the partition of both.

#include <cstdint>
#include <optional>
#include <span>

#include "config/qos_policy.h"
#include "mad/records/path_records.h"
#include "sm/sa/query/record_type.h"

namespace sa {

/// True if the GID belongs to this subnet: it has its prefix or the default one.
bool is_local(const View& view, mad::Gid gid);

/// The GID and LID by which a query names one end; both may be absent.
struct EndName {
  std::optional<mad::Gid> gid;
  std::optional<mad::Lid> lid;
};

/// One end port or vport as the end of paths.
struct PathEnd {
  fabric::EndPoint end{};
  mad::Lid first_lid;  // first of the LIDs that may be used
  unsigned lids = 0;
  mad::Gid gid;  // as in the response
  bool is_beyond =
      false;  // in another subnet: `end` is a port of a router, and its LIDs lead there
  std::optional<mad::PKey> partition = {};  // in which that router leads there, if it says so
};

/// The ends that a name stands for.
struct Ends {
  enum class Kind : std::uint8_t { none, one, all };
  Kind kind = Kind::none;
  PathEnd one{};               // for Kind::one
  std::uint8_t hop_limit = 0;  // of packets to there: 255 through a router
  bool contradiction = false;  // GID and LID belong to different ports
  bool recent = false;         // absent now, but present a moment ago (recent_ends.h)
  bool is_foreign = false;  // Kind::none: the GID is of another subnet, and no router leads there
};

/// Returns the end with all its LIDs under its own GID.
PathEnd end_with_all_lids(const View& view, fabric::EndPoint end);

/// Returns Kind::none for an unknown end and for one without a LID. Without GID and LID, returns
/// Kind::all: all end ports. A vport is an end if its GID or its own LID is given.
Ends find_ends(const View& view, const EndName& name);

/// The P_Key by which two ends may communicate: `wanted`, or that of their lowest common
/// partition, with the membership bit of `from`. Nothing if there is none. Lists as in
/// fabric::PartitionMap. `allowed`: the partitions that count, all if it is empty.
std::optional<mad::PKey> common_p_key(std::span<const mad::PKey> from,
                                      std::span<const mad::PKey> to,
                                      std::optional<mad::PKey> wanted,
                                      const config::NumberRanges& allowed = {});

// The GIDs and LIDs by which a PathRecord request names its two ends.

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
