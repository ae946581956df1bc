#pragma once
// Checks that both readers need. Private to this directory.

#include <map>
#include <string>
#include <utility>

#include "config/diagnostic.h"
#include "fabric/topology/topology_model.h"

namespace topology {

/// A position in a file; line and column from 1.
struct Position {
  std::string file;
  int line = 0, column = 0;
};

/// Collects findings, up to kMax.
class Findings {
 public:
  explicit Findings(config::Diagnostics& out) : out_(out) {}
  void error(const Position& position, std::string what, std::string remedy = {});
  void warning(const Position& position, std::string what, std::string remedy = {});
  bool full() const { return out_.size() >= kMax; }

 private:
  void add(config::Severity severity, const Position& position, std::string what,
           std::string remedy);

  static constexpr std::size_t kMax = 50;
  config::Diagnostics& out_;
};

/// GUIDs and ids of nodes are unique, and end ports have GUIDs of their own.
class IdentityCheck {
 public:
  explicit IdentityCheck(Findings& findings) : findings_(findings) {}
  void add(const Node& node, const Position& position);

 private:
  void add_port_guid(const std::string& owner, mad::Guid guid, const Position& position);

  Findings& findings_;
  std::map<std::string, Position> ids_;
  std::map<mad::Guid, std::pair<std::string, Position>> node_guids_, port_guids_;
};

}  // namespace topology
