#pragma once
// Further GUIDs of ports, given by clients or by subnet administration itself.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mad/attributes/guid_info.h"
#include "mad/ids.h"

namespace sa {

/// A place in the GUID tables of the subnet. Index 0 is the port GUID's and never here.
struct AliasPlace {
  mad::Guid port_guid;
  unsigned index = 0;
  auto operator<=>(const AliasPlace&) const = default;
};

class AliasGuids {
 public:
  using All = std::map<AliasPlace, mad::Guid>;
  /// What shall be in places that are to change; Guid{} empties one.
  using Change = std::map<unsigned, mad::Guid>;

  /// The port GUID of the end port that has this alias; Guid{} if nobody has.
  mad::Guid owner(mad::Guid alias) const {
    const auto found = owners_.find(alias);
    return found == owners_.end() ? mad::Guid{} : found->second;
  }
  /// Nobody has it, and it is not about to be somebody's.
  bool is_free(mad::Guid alias) const {
    return owner(alias) == mad::Guid{} && !reserved_.contains(alias);
  }
  const All& all() const { return all_; }
  /// Guid{} if the place is empty.
  mad::Guid at(AliasPlace place) const {
    const auto found = all_.find(place);
    return found == all_.end() ? mad::Guid{} : found->second;
  }
  /// What a block of the port's GUID table shall hold; entry 0 of block 0 is the port GUID.
  mad::GuidInfo block(mad::Guid port_guid, unsigned block) const;
  /// All blocks of the port that have aliases: what to write to a port that has restarted.
  std::vector<std::pair<unsigned, mad::GuidInfo>> blocks(mad::Guid port_guid) const;

  /// Fills a place, or empties it. An alias is in one place at most.
  void set(AliasPlace place, mad::Guid alias);
  /// Drops all of ports that are gone.
  void forget_ports(const std::function<bool(mad::Guid)>& gone);

  /// A change in two steps, since it holds only once the port has it: prepare() keeps the new
  /// aliases from others, commit() or abandon() ends it. A port has one change at a time.
  bool is_changing(mad::Guid port_guid) const { return changes_.contains(port_guid); }
  void prepare(mad::Guid port_guid, Change change);
  /// The port has acknowledged.
  void commit(mad::Guid port_guid);
  /// The port has not.
  void abandon(mad::Guid port_guid);

  /// The counter in the next GUID that subnet administration makes.
  std::uint32_t next_assigned = 1;

  using Touched = std::set<AliasPlace>;
  Touched take_touched() { return std::exchange(touched_, {}); }

 private:
  All all_;
  std::unordered_map<mad::Guid, mad::Guid> owners_;
  std::map<mad::Guid, Change> changes_;  // by port GUID
  std::set<mad::Guid> reserved_;         // aliases of changes that are under way
  Touched touched_;
};

}  // namespace sa
