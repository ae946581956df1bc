#pragma once
// Alias GUIDs of ports and vports, set by clients or assigned by subnet administration (IBTA Vol 1,
// 15.2.5.18).

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mad/attributes/port_tables.h"
#include "mad/ids.h"

namespace sa {

/// An entry of a port's or vport's GUID table. Index 0 is the port GUID and never used here.
struct AliasPlace {
  mad::Guid port_guid;
  unsigned index = 0;
  auto operator<=>(const AliasPlace&) const = default;
};

class AliasGuids {
 public:
  using All = std::map<AliasPlace, mad::Guid>;
  /// Maps table indexes to new values; Guid{} clears an entry.
  using Change = std::map<unsigned, mad::Guid>;

  /// Returns the port GUID of the end port that has this alias, or Guid{} if none has it.
  mad::Guid owner(mad::Guid alias) const {
    const auto found = owners_.find(alias);
    return found == owners_.end() ? mad::Guid{} : found->second;
  }
  /// True if no port has the alias, and no pending change has it.
  bool is_free(mad::Guid alias) const {
    return owner(alias) == mad::Guid{} && !reserved_.contains(alias);
  }
  const All& all() const { return all_; }
  /// Returns Guid{} if the entry is empty.
  mad::Guid at(AliasPlace place) const {
    const auto found = all_.find(place);
    return found == all_.end() ? mad::Guid{} : found->second;
  }
  /// Returns the block as the port's GUID table should hold it; entry 0 of block 0 is the port
  /// GUID.
  mad::GuidInfo block(mad::Guid port_guid, unsigned block) const;
  /// Returns all blocks of the port that have aliases, for a port that has restarted.
  std::vector<std::pair<unsigned, mad::GuidInfo>> blocks(mad::Guid port_guid) const;

  /// Sets or clears an entry. An alias is in one entry at most.
  void set(AliasPlace place, mad::Guid alias);
  /// Drops the unfinished changes of ports for which `gone` is true, and their blocks in
  /// take_withdrawn(); their entries stay. Cost: by the number of these.
  void forget_changes(const std::function<bool(mad::Guid)>& gone);
  /// Drops the alias in this place: another port or vport has that GUID itself. take_withdrawn()
  /// returns the block that the port has to clear.
  void withdraw(AliasPlace place);
  /// Names a block of a port's GUID table.
  struct Block {
    mad::Guid port_guid;
    unsigned number = 0;
    auto operator<=>(const Block&) const = default;
  };
  /// Returns blocks of ports that still hold withdrawn aliases, since the last call.
  std::set<Block> take_withdrawn() { return std::exchange(withdrawn_, {}); }

  /// A change has two steps, since it takes effect when the port has acknowledged it: prepare()
  /// reserves the new aliases, commit() or abandon() ends it. A port has one change at a time.
  bool is_changing(mad::Guid port_guid) const { return changes_.contains(port_guid); }
  void prepare(mad::Guid port_guid, Change change);
  /// Applies the change, which the port has acknowledged.
  void commit(mad::Guid port_guid);
  /// Drops the change, which the port has not acknowledged.
  void abandon(mad::Guid port_guid);

  /// The counter in the next GUID that subnet administration assigns.
  std::uint32_t next_assigned = 1;

  using Touched = std::set<AliasPlace>;
  Touched take_touched() { return std::exchange(touched_, {}); }

 private:
  All all_;
  std::unordered_map<mad::Guid, mad::Guid> owners_;
  std::map<mad::Guid, Change> changes_;  // by port GUID
  std::set<mad::Guid> reserved_;         // aliases of pending changes
  Touched touched_;
  std::set<Block> withdrawn_;
};

}  // namespace sa
