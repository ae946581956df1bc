#pragma once
// Multicast groups and who is in them.

#include <cstdint>
#include <map>
#include <utility>

#include "mad/ids.h"

namespace sa {

/// Bits of JoinState (IBTA Vol 1, 15.2.5.17).
namespace join_state {
inline constexpr std::uint8_t kFull = 1;               // sends and receives; the group lives as long as there is one
inline constexpr std::uint8_t kNonMember = 2;          // sends and receives, does not keep the group alive
inline constexpr std::uint8_t kSendOnlyNonMember = 4;  // only sends
inline constexpr std::uint8_t kSendOnlyFull = 8;       // only sends, and keeps the group alive
inline constexpr std::uint8_t kReceives = kFull | kNonMember;
inline constexpr std::uint8_t kKeepsAlive = kFull | kSendOnlyFull;
}  // namespace join_state

struct Member {
  mad::Gid port_gid;
  std::uint8_t join_state = 0;
  bool proxy_join = false;
  bool operator==(const Member&) const = default;
};

struct Group {
  mad::Gid mgid;
  mad::Mlid mlid;
  mad::PKey p_key;
  std::uint32_t q_key = 0;
  std::uint8_t mtu = 0;          // code
  std::uint8_t rate = 0;         // code
  std::uint8_t packet_life = 0;  // code
  mad::Sl sl{};
  std::uint8_t t_class = 0;
  std::uint32_t flow_label = 0;
  std::uint8_t hop_limit = 0;
  bool well_known = false;       // from partitions.conf: stays when the last member leaves
  std::map<mad::Gid, Member> members{};  // by PortGID
  bool operator==(const Group&) const = default;
};

class Groups {
 public:
  /// Null if there is none.
  const Group* find(mad::Gid mgid) const {
    const auto found = groups_.find(mgid);
    return found == groups_.end() ? nullptr : &found->second;
  }
  const std::map<mad::Gid, Group>& all() const { return groups_; }
  /// A new group without members. There is none of this MGID, and its MLID is multicast.
  const Group& create(Group group) {
    const mad::Gid mgid = group.mgid;
    return groups_.emplace(mgid, std::move(group)).first->second;
  }

 private:
  std::map<mad::Gid, Group> groups_;
};

}  // namespace sa
