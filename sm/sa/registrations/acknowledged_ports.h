#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "fabric/fabric.h"

namespace sa {

/// Holds the end ports (PortGUIDs) whose clients have nothing to register again: each of them has
/// acknowledged ClientReregister, and nothing that its clients have registered since was dropped
/// because the port was absent. The manager asks all others. The set is in the journal, and a purge
/// removes absent ports from it before it drops what they have registered. So a port is asked after
/// a crash at any moment, without a second file that has to agree with the journal.
class AcknowledgedPorts {
 public:
  bool contains(mad::Guid port) const { return ports_.contains(port); }
  bool is_empty() const { return ports_.empty(); }
  /// Returns the ports in order.
  std::vector<mad::Guid> all() const {
    std::vector<mad::Guid> sorted(ports_.begin(), ports_.end());
    std::ranges::sort(sorted);
    return sorted;
  }
  /// Returns false if the port is there already.
  bool add(mad::Guid port) {
    if (!ports_.insert(port).second) return false;
    touched_.insert(port);
    return true;
  }
  void erase(mad::Guid port) {
    if (ports_.erase(port) != 0) touched_.insert(port);
  }
  void clear() {
    touched_.insert(ports_.begin(), ports_.end());
    ports_.clear();
  }
  /// Removes the ports that the fabric does not have. Cost: a look-up for each port.
  void keep_present(const fabric::Fabric& fabric) {
    erase_if(ports_, [&](mad::Guid port) {
      if (fabric.port_of_guid.contains(port)) return false;
      touched_.insert(port);
      return true;
    });
  }
  /// Returns the end ports of the fabric that are not in the set. Cost: a look-up for each port.
  std::vector<mad::Guid> find_others(const fabric::Fabric& fabric) const {
    std::vector<mad::Guid> others;
    for (const auto& [port, index] : fabric.port_of_guid)
      if (!ports_.contains(port)) others.push_back(port);
    return others;
  }

  /// Returns the ports that may differ from the journal (persistence.h).
  std::set<mad::Guid> take_touched() { return std::exchange(touched_, {}); }

 private:
  boost::unordered_flat_set<mad::Guid, std::hash<mad::Guid>> ports_;
  std::set<mad::Guid> touched_;
};

}  // namespace sa
