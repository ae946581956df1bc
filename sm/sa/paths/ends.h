#pragma once
// From GIDs and LIDs to the ports that a path begins and ends at.

#include <cstdint>
#include <optional>

#include "sm/sa/query/query.h"
#include "sm/sa/query/view.h"

namespace sa {

inline constexpr bool is_multicast(mad::Gid gid) { return gid.prefix >> 56 == 0xFF; }

/// The GID belongs to this subnet: it has its prefix or the default one.
bool is_local(const View& view, mad::Gid gid);

/// How a question names one end; nothing: not at all.
struct EndName {
  std::optional<mad::Gid> gid;
  std::optional<mad::Lid> lid;
};

/// One end port as the end of paths.
struct PathEnd {
  sm::PortIndex port = sm::kNoIndex;
  mad::Lid first_lid;  // of those that may be used
  unsigned lids = 0;
  mad::Gid gid;  // as the answer says it
};

/// The ends that a name stands for.
struct Ends {
  enum class Kind : std::uint8_t { none, one, all };
  Kind kind = Kind::none;
  PathEnd one{};               // if it is one
  std::uint8_t hop_limit = 0;  // of packets to there: 255 through a router
  bool contradiction = false;  // GID and LID are those of two ports
};

/// The end port with all its LIDs under its own GID.
PathEnd whole_port(const View& view, sm::PortIndex port);

/// A name of nobody known, or of a port without a LID, stands for none; no name for all.
Ends find_ends(const View& view, const EndName& name);

/// The same for the far end: GIDs of other subnets stand for the router that prefix_routes_file
/// names for them. The answer still says the asked GID.
Ends find_far_ends(const View& view, const EndName& name);

}  // namespace sa
