#pragma once
// Checks that both readers need. Private to this folder.

#include <map>
#include <string>
#include <utility>

#include "config/diagnostic.h"
#include "fabric/topology/model.h"

namespace sim {

/// A place in a file, both counted from 1.
struct Place {
  std::string file;
  int line = 0, column = 0;
};

/// Collects findings, up to a number that people still read.
class Findings {
 public:
  explicit Findings(config::Diagnostics& out) : out_(out) {}
  void error(const Place& place, std::string what, std::string remedy = {});
  bool full() const { return out_.size() >= kMax; }

 private:
  static constexpr std::size_t kMax = 50;
  config::Diagnostics& out_;
};

/// GUIDs and ids of nodes are unique, and end ports have GUIDs of their own.
class IdentityCheck {
 public:
  explicit IdentityCheck(Findings& findings) : findings_(findings) {}
  void add(const Node& node, const Place& place);

 private:
  void add_port_guid(const std::string& owner, mad::Guid guid, const Place& place);

  Findings& findings_;
  std::map<std::string, Place> ids_;
  std::map<mad::Guid, std::pair<std::string, Place>> node_guids_, port_guids_;
};

}  // namespace sim
