#pragma once
// Output of topologies: ibnetdiscover's text and YAML, which the readers read back.

#include <ostream>

#include "fabric/topology/topology_model.h"

namespace topology {

/// The text form that ibnetdiscover prints and `ibsim -s FILE` reads. Gives every node's GUID;
/// vendor, device and SystemImageGUID where they differ from a reader's default; width and speed of
/// a link (as ibnetdiscover's comment) unless it is 4x QDR. GUIDs of ports are written, too, but
/// ibsim ignores them: its port p has the node's GUID + p.
void write_ibsim(const Topology& topology, std::ostream& out);

/// YAML with one line per node and link; read_yaml() gets the same topology back.
void write_yaml(const Topology& topology, std::ostream& out);

}  // namespace topology
