#pragma once
// torus_config: the description of the torus for torus-2QoS.

#include <array>
#include <cstdint>
#include <vector>

#include "config/diagnostic.h"

namespace config {

/// Dimensions x, y, z are 0, 1, 2.
struct TorusFile {
  static constexpr unsigned kRadixMax = 255;
  struct Dimension {
    unsigned radix = 0;  // 0: not in the file
    bool wraps = true;   // false: a mesh in this dimension
    bool operator==(const Dimension&) const = default;
  };
  struct Link {
    unsigned dimension = 0;
    bool plus = true;  // `to` is in plus direction of `from`
    std::uint64_t from = 0, to = 0;
    bool operator==(const Link&) const = default;
  };
  struct Seed {
    std::vector<Link> links;        // all from the same switch
    std::array<int, 3> dateline{};  // position of the origin, counted from that switch
    bool operator==(const Seed&) const = default;
  };
  std::array<Dimension, 3> dimensions{};
  std::vector<Seed> seeds;
  std::vector<std::uint8_t> port_order;
  unsigned max_changes = 32;
  bool operator==(const TorusFile&) const = default;
};

/// Lines: `torus|mesh X Y Z` (with t or m after a number: ring or line) before all others; `xp_link
/// from to` and so on for xm, yp, ym, zp, zm; `x_dateline n` and so on; `next_seed`;
/// `portgroup_max_ports n` (read, but there is no such limit here); `port_order port port..`;
/// `max_changes n`. Errors: a malformed line; a seed without a link in each dimension, or without
/// both directions of a ring of four; more switches than unicast LIDs.
TorusFile parse_torus_file(const Source& source, Diagnostics& out);

}  // namespace config
