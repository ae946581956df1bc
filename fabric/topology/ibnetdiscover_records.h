#pragma once
// The content of the lines of ibnetdiscover's text, before they are checked against each other.
// Private to this directory.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fabric/topology/findings.h"
#include "fabric/topology/topology_model.h"

namespace topology::ibnetdiscover {

/// Holds the enabled widths and speeds of a port, as bits; speeds in the order of LinkSpeed.
struct Enabled {
  unsigned widths = 0, speeds = 0;  // 0: not in the file
};

/// The LIDs of a port, from a comment.
struct CommentLid {
  std::uint16_t lid = 0;
  std::uint8_t lmc = 0;
};

/// One end of a link, from the line of its port.
struct Plug {
  unsigned port = 0;
  std::string peer_id;  // or alias, if it has an '@'
  unsigned peer_port = 1;
  std::optional<mad::Guid> own_guid, peer_guid;
  Enabled enabled;
  std::optional<CommentLid> own_lid;
  Position position, peer_position;
};

/// A node and the lines of its ports.
struct Record {
  Node node;
  Position position;
  std::optional<CommentLid> lid;  // of a switch
  std::vector<Plug> plugs;
};

/// A port with a name of its own.
struct Alias {
  std::size_t record;  // index of its node
  unsigned port;
};

struct Records {
  std::vector<Record> nodes;             // in the order of the file
  std::map<std::string, Alias> aliases;  // by module@name
};

}  // namespace topology::ibnetdiscover
