#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/subnet.h"
#include "mad/ids.h"
#include "routing/multicast/multicast_groups.h"
#include "sm/sa/registrations/alias_guids.h"
#include "sm/sa/registrations/registration_limits.h"

namespace sa {

/// Holds the MLIDs in use, and the number of groups of each. Policy: one group per MLID, the lowest
/// that is free; a new group is refused when none is left. MLIDs are shared only with
/// consolidate_ipv6_snm_req: sharing sends each group's packets to the members of all others.
class MlidPool {
 public:
  /// Returns the lowest free MLID, up to and including `last`.
  std::optional<mad::Mlid> lowest_free(mad::Mlid last) const;
  bool is_free(mad::Mlid mlid) const { return users_of(mlid) == 0; }
  std::uint32_t users_of(mad::Mlid mlid) const;
  /// Counts one more group. The MLID is in kMlidMin..kMlidMax.
  void take(mad::Mlid mlid);
  void give_back(mad::Mlid mlid);
  /// Counts the MLIDs up to and including `last` that no group has.
  std::uint32_t free(mad::Mlid last) const;

 private:
  std::vector<std::uint32_t> users_;    // from kMlidMin on
  std::uint32_t in_use_ = 0;            // MLIDs with a group
  mutable std::size_t first_free_ = 0;  // all below are in use
};

constexpr bool is_multicast(mad::Mlid mlid) {
  return mlid >= mad::kMlidMin && mlid <= mad::kMlidMax;
}

constexpr bool is_multicast(mad::Gid gid) { return gid.prefix >> 56 == 0xFF; }

/// Returns the last MLID that all switches can forward: by the smallest MulticastFDBCap of the
/// switches that forward multicast at all. Groups that had a higher MLID before a smaller switch
/// appeared keep it.
mad::Mlid last_mlid(const fabric::Fabric& fabric);

// Multicast groups and their members: the state and its changes. requests.h has the requests.

/// Bits of JoinState (IBTA Vol 1, 15.2.5.17).
namespace join_state {
inline constexpr std::uint8_t kFull = 1;       // sends and receives; keeps the group alive
inline constexpr std::uint8_t kNonMember = 2;  // sends and receives, does not keep the group alive
inline constexpr std::uint8_t kSendOnlyNonMember = 4;  // only sends
inline constexpr std::uint8_t kSendOnlyFull = 8;       // only sends, and keeps the group alive
inline constexpr std::uint8_t kReceives = kFull | kNonMember;
inline constexpr std::uint8_t kKeepsAlive = kFull | kSendOnlyFull;
}  // namespace join_state

struct Member {
  mad::Gid port_gid;  // canonical_gid(): a port that joins by both forms of its GID is one member
  std::uint8_t join_state = 0;
  bool proxy_join = false;
  mad::Guid registered_by{};  // GUID of the end port or vport that registered it first
  mad::Guid registered_at{};  // PortGUID of that vport's physical port; Guid{}: it was no vport
  bool operator==(const Member&) const = default;

  /// Returns the client whose quotas include this membership.
  Client client() const { return make_client(registered_by, registered_at); }
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
  mad::Guid created_by{};   // the physical port whose request, or whose vport's, took the MLID;
                            // Guid{} if none did, or unknown
  bool well_known = false;  // from partitions.conf: stays when the last member leaves
  std::uint32_t full_members = 0;        // FullMembers and SendOnlyFullMembers
  std::map<mad::Gid, Member> members{};  // by PortGID
  std::uint8_t scope() const { return static_cast<std::uint8_t>(mgid.prefix >> 48 & 0xF); }
  bool operator==(const Group&) const = default;
};

class Groups {
 public:
  using All = std::map<mad::Gid, Group>;
  using MemberKey = std::pair<mad::Gid, mad::Gid>;  // MGID, PortGID

  /// Returns null if there is none.
  const Group* find(mad::Gid mgid) const {
    const auto found = groups_.find(mgid);
    return found == groups_.end() ? nullptr : &found->second;
  }
  const Member* find(mad::Gid mgid, mad::Gid port_gid) const;
  const All& all() const { return groups_; }
  const MlidPool& mlids() const { return mlids_; }
  PortQuota& quota() { return quota_; }
  const PortQuota& quota() const { return quota_; }
  /// Counts the groups that exist by requests of the port.
  std::uint32_t created_by(mad::Guid port) const { return creations_.of(port); }
  /// A membership, after the GUID in its PortGID.
  using Membership = std::pair<mad::Guid, MemberKey>;
  /// Returns all memberships by GUID: a GUID's are found without a search of the groups.
  const std::set<Membership>& memberships() const { return memberships_; }
  /// Returns the groups with a member that has this GUID in its PortGID, by MGID, with its
  /// JoinState bits. Several PortGIDs of one group combine their bits.
  std::map<mad::Gid, std::uint8_t> join_states(mad::Guid guid) const;
  /// True if some group has a member with this GUID in its PortGID.
  bool has_member(mad::Guid guid) const {
    const auto found = memberships_.lower_bound({guid, {}});
    return found != memberships_.end() && found->first == guid;
  }

  /// Creates a group without members. Precondition: a new MGID, and a multicast MLID.
  const Group& create(Group group);
  /// Replaces the values of an existing group, except for MGID, MLID, creator and members.
  void set_values(const Group& values);
  /// Adds JoinState bits in an existing group. After a join by the port itself, the membership no
  /// longer belongs to a proxy. Returns the resulting member.
  const Member& join(mad::Gid mgid, const Member& member);
  /// Clears JoinState bits of an existing member. A member without bits is erased.
  void leave(mad::Gid mgid, mad::Gid port_gid, std::uint8_t bits);
  /// Erases the group with all its members.
  void erase(mad::Gid mgid);

  /// Marks all members as stale, since another manager was master and members may have left there.
  /// A stale member stays a member, but is in the journal only after it joins again: the next start
  /// would not know that it is stale.
  void mark_members_stale();
  void trust_members();
  /// Returns the stale members that have not joined again since.
  const std::set<MemberKey>& stale_members() const { return stale_members_; }

  /// Counts the group's MLID as changed, as a member is at another port than before.
  void note_move(mad::Gid mgid) { changed_.insert(groups_.at(mgid).mlid); }
  /// Returns MLIDs whose senders or receivers changed since the last call; ascending, each once.
  std::vector<mad::Mlid> take_changed_mlids();
  bool has_changed_mlids() const { return !changed_.empty(); }
  /// Returns senders and receivers of `mlids` for the routing (ascending; empty for an MLID without
  /// members), except for members whose port is not in the subnet. Cost: by their members.
  std::vector<routing::MulticastGroup> for_routing(const fabric::Subnet& subnet,
                                                   const AliasGuids& aliases,
                                                   std::span<const mad::Mlid> mlids) const;
  /// Appends senders and receivers of MLIDs that have members, from `first` on, until these have
  /// `members_max` members or more. Returns the next MLID, or nullopt after the last one.
  std::optional<mad::Mlid> append_for_routing(const fabric::Subnet& subnet,
                                              const AliasGuids& aliases, mad::Mlid first,
                                              std::size_t members_max,
                                              std::vector<routing::MulticastGroup>& out) const;
  /// Returns the senders and receivers of all MLIDs that have members.
  std::vector<routing::MulticastGroup> for_routing(const fabric::Subnet& subnet,
                                                   const AliasGuids& aliases) const;

  /// Groups and members that may differ from the journal (persistence.h).
  struct Touched {
    std::set<mad::Gid> groups;
    std::set<MemberKey> members;
  };
  Touched take_touched();

  /// The counter at which the search for the next unused MGID begins.
  std::uint32_t next_mgid = 0;

 private:
  void count(Group& group, std::uint8_t before, std::uint8_t after);

  All groups_;
  std::set<std::pair<mad::Mlid, mad::Gid>> of_mlid_;  // all groups
  MlidPool mlids_;
  PortQuota quota_, creations_;
  std::set<Membership> memberships_;
  std::set<mad::Mlid> changed_;  // a set: bounded even if take_changed_mlids() is rare
  Touched touched_;
  std::set<MemberKey> stale_members_;
};

/// True for ff1s:601b:<P_Key>::1:ffxx:xxxx, the group of an IPv6 solicited-node address (RFC
/// 4291, 2.7.1; RFC 4391, 4).
constexpr bool is_solicited_node(mad::Gid mgid) {
  return (mgid.prefix & 0xFF00FFFF0000FFFF) == 0xFF00601B00000000 &&
         (mgid.guid.value & 0xFFFFFFFFFF000000) == 0x00000001FF000000;
}
/// Returns the MLID of another solicited-node group with the P_Key and scope of this one.
std::optional<mad::Mlid> solicited_node_mlid(const Groups& groups, mad::Gid mgid);

}  // namespace sa
