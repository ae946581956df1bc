#pragma once
// Checks the records of ibnetdiscover's text against each other: both ends of a link name each
// other, and no node, port or GUID occurs twice. Private to this directory.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/topology/findings.h"
#include "fabric/topology/ibnetdiscover_records.h"

namespace topology::ibnetdiscover {

class Cabling {
 public:
  Cabling(Records& records, Findings& findings)
      : records_(records.nodes), aliases_(records.aliases), findings_(findings) {}

  /// Writes the GUIDs of ports to the records' nodes, and the links to `links`; to `without_rate`
  /// the indices of those whose width or speed neither end states.
  void check(std::vector<Link>& links, std::vector<std::size_t>& without_rate);

 private:
  struct Target {
    std::size_t record;
    unsigned port;
    bool by_alias;
  };

  void fill_port_guids();
  void set_port_guid(Record& record, unsigned port, mad::Guid guid, const Position& at);
  std::optional<Target> target_of(const Plug& plug);
  void connect(std::vector<Link>& links, std::vector<std::size_t>& without_rate);

  std::vector<Record>& records_;
  const std::map<std::string, Alias>& aliases_;
  Findings& findings_;
  std::unordered_map<std::string, Record*> index_by_id_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace topology::ibnetdiscover
