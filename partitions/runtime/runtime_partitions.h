#pragma once
// Holds the partitions that the API creates in addition to partitions.conf, as a value with atomic
// changes. Pure.

#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "mad/ids.h"
#include "partitions/runtime/shared_map.h"

namespace partitions {

using UnixTime = std::chrono::sys_seconds;

/// Bounds what clients can store.
inline constexpr std::size_t kRuntimeMembersMax = 1'000'000;
inline constexpr std::size_t kNameBytesMax = 64, kOwnerBytesMax = 128;

/// The attributes of a new partition; they correspond to the flags of partitions.conf.
struct PartitionAttributes {
  std::string name;       // may be empty; at most kNameBytesMax
  bool ipoib = false;     // it has an IPoIB broadcast group
  std::uint8_t mtu = 4;   // of that group: code
  std::uint8_t rate = 3;  // code
  std::uint8_t sl = 0;
  bool operator==(const PartitionAttributes&) const = default;
};

struct RuntimePartition {
  PartitionAttributes attributes;
  std::uint64_t revision = 0;  // of the latest change, of its members as well
  std::size_t members = 0;     // how many
  bool operator==(const RuntimePartition&) const = default;
};

/// The membership of a port or vport, which need not be in the fabric yet.
struct RuntimeMember {
  bool full = true;
  bool index0 = false;      // the key belongs at index 0 of its table
  std::uint64_t order = 0;  // with index0: of several partitions of a port the highest one counts
  std::optional<UnixTime> expires = {};
  std::shared_ptr<const std::string> owner = {};  // null: none
  bool operator==(const RuntimeMember& other) const;
};

struct MembershipKey {
  std::uint16_t key = 0;  // the low 15 bits
  mad::Guid guid;
  auto operator<=>(const MembershipKey&) const = default;
};

/// The steps of a change; they are carried out in order.
namespace step {
/// Creates the partition, or changes the attributes that are given.
struct Define {
  enum class When : std::uint8_t { either, absent, present };
  std::uint16_t key = 0;
  When when = When::either;
  std::optional<std::string> name = {};
  std::optional<bool> ipoib = {};
  std::optional<std::uint8_t> mtu = {}, rate = {}, sl = {};
};
/// Deletes the partition and its members; an absent partition is no error.
struct Delete {
  std::uint16_t key = 0;
};
/// Adds a member or replaces it. Creates the partition if it does not exist.
struct Put {
  std::uint16_t key = 0;
  mad::Guid guid;
  bool full = true, index0 = false;
  std::optional<UnixTime> expires = {};
  std::string owner = {};  // empty: none
};
/// Removes a member; an absent member is no error.
struct Remove {
  std::uint16_t key = 0;
  mad::Guid guid;
};
/// Removes all members whose GUIDs are not in `guids` (ascending).
struct Keep {
  std::uint16_t key = 0;
  std::vector<mad::Guid> guids;
};
/// Deletes the partition if it has no members.
struct DeleteIfEmpty {
  std::uint16_t key = 0;
};
/// Requires the partition to be at one of these revisions (If-Match); if none is given, to exist.
struct Match {
  std::uint16_t key = 0;
  std::vector<std::uint64_t> revisions = {};
};
/// Removes memberships that have expired.
struct Expire {
  UnixTime now{};
};
}  // namespace step
using Step = std::variant<step::Define, step::Delete, step::Put, step::Remove, step::Keep,
                          step::DeleteIfEmpty, step::Match, step::Expire>;

/// A change takes effect as a whole or not at all.
struct Change {
  std::vector<Step> steps;
};

struct ChangeFault {
  enum class Kind : std::uint8_t { absent, exists, mismatch, full } kind{};
  std::size_t step = 0;  // index into Change::steps
  std::string text;      // one sentence
};

class RuntimePartitions;
using SharedRuntime = std::shared_ptr<const RuntimePartitions>;

/// An immutable value that is cheap to copy.
class RuntimePartitions {
 public:
  using ByKey = SharedMap<std::uint16_t, RuntimePartition>;
  using Members = SharedMap<MembershipKey, RuntimeMember>;
  struct GuidKey {
    mad::Guid guid;
    std::uint16_t key = 0;
    auto operator<=>(const GuidKey&) const = default;
  };
  using OfGuid = SharedMap<GuidKey, RuntimeMember>;
  struct Expiry {
    UnixTime at{};
    MembershipKey of;
    auto operator<=>(const Expiry&) const = default;
  };

  const ByKey& partitions() const { return partitions_; }
  const Members& members() const { return members_; }
  /// Returns the memberships in the order of their GUIDs.
  const OfGuid& of_guid() const { return of_guid_; }
  /// Returns the number of changes so far; a number never repeats, even after deletions.
  std::uint64_t revision() const { return revision_; }
  /// Returns when the first membership expires, or nullopt if none will.
  std::optional<UnixTime> next_expiry() const;
  /// Returns the memberships that have expired.
  std::vector<MembershipKey> expired(UnixTime now) const;

  /// Holds the effect of a change: entries as they are afterwards; without a value, deleted.
  struct Delta {
    std::vector<ByKey::Change> partitions;  // ascending
    std::vector<Members::Change> members;   // ascending
    std::uint64_t revision = 0;             // afterwards
    bool empty() const { return partitions.empty() && members.empty(); }
  };
  /// Returns the difference that a change makes; it is empty if the change asks for nothing new.
  tl::expected<Delta, ChangeFault> delta(const Change& change) const;
  RuntimePartitions with(const Delta& delta) const;

 private:
  ByKey partitions_;
  Members members_;
  OfGuid of_guid_;
  SharedMap<Expiry, bool> expiries_;
  std::uint64_t revision_ = 0;
};

}  // namespace partitions
