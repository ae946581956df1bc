#pragma once
// The ports of a snapshot by NodeGUID and number: the order of /v1/nodes, ports and links.

#include <optional>
#include <string>
#include <string_view>

#include "sm/ops/api/snapshot.h"

namespace sm::api {

/// A place in that order, as a cursor of 18 digits.
struct PortPlace {
  mad::Guid node;
  unsigned port = 0;
};
std::optional<PortPlace> read_port_place(std::string_view cursor);
std::string text(const PortPlace& place);

/// Ports one after the other. `snapshot` has a subnet, and must outlive it.
class PortWalk {
 public:
  /// Begins behind `after`.
  PortWalk(const Snapshot& snapshot, const std::optional<PortPlace>& after);
  /// kNoIndex at the end.
  PortIndex next();
  /// Returns the place of the latest next().
  PortPlace place() const;

 private:
  const Snapshot& snapshot_;
  std::size_t node_ = 0;    // into Snapshot::nodes_by_guid
  std::uint32_t port_ = 0;  // of the node's ports: the next one
};

}  // namespace sm::api
