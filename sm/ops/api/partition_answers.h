#pragma once
// Answers of /v1/partitions: partitions, members, and the state of memberships that a client added.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/ops/row_declaration.h"
#include "sm/partitions/partition_service.h"

namespace sm::api {

enum class MemberState : std::uint8_t {
  applied,  // the port has the P_Key
  pending,  // it will, as soon as it is in the subnet or the write under way has ended
  refused,  // it will not, as things are
};

struct MemberResult {
  partitions::MembershipKey member;
  MemberState state{};
  std::string reason;  // of all but applied
};

RowInfo member_result_info();
nlohmann::ordered_json row(const MemberResult& result);

/// Returns the memberships that a change adds, in its order.
std::vector<partitions::MembershipKey> added_members(const partitions::Change& change);
/// Returns the state of each membership. `revision` is the one that has them.
std::vector<MemberResult> member_results(const PartitionSnapshot& snapshot,
                                         std::span<const partitions::MembershipKey> members,
                                         std::uint64_t revision);

/// Finds the port GUID for a text that is not a GUID: a NodeDescription or its first word,
/// NAME:PORT. Errors: no port or several ports have this name, or it is a number.
using ResolvePort = std::function<tl::expected<mad::Guid, std::string>(std::string_view text)>;
/// Resolves names by the subnet of `snapshot`, which is copied.
ResolvePort resolve_by(const PartitionSnapshot& snapshot);

/// Computes the members that partitions.conf gives to the fabric, once for a subnet and a
/// configuration. Any thread.
class FileMembers {
 public:
  /// Returns null before the first sweep.
  std::shared_ptr<const PartitionMap> of(const PartitionSnapshot& snapshot);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Subnet> subnet_;
  std::shared_ptr<const char> settings_;
  std::shared_ptr<const PartitionMap> map_;
};

/// A page of a list: at most `limit` rows from the key `first` on.
template <class Key>
struct PageFrom {
  Key first{};
  std::size_t limit = 0;
};

/// {"fabric_id", "revision", "applied_revision", "partitions": [...], "next_cursor"}
std::string partitions_json(const PartitionSnapshot& snapshot, const PartitionMap* file,
                            const PageFrom<std::uint16_t>& page);
/// Returns one partition; nullopt if neither the API nor partitions.conf has it.
std::optional<std::string> partition_json(const PartitionSnapshot& snapshot,
                                          const PartitionMap* file, std::uint16_t key);
/// {"fabric_id", "p_key", "members": [...], "next_cursor"}
std::optional<std::string> members_json(const PartitionSnapshot& snapshot, const PartitionMap* file,
                                        std::uint16_t key, const PageFrom<mad::Guid>& page);
/// Returns fabric_id as in other resources; null before the first sweep.
nlohmann::ordered_json fabric_id(const PartitionSnapshot& snapshot);

}  // namespace sm::api
