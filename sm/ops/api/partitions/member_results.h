#pragma once
// The state of memberships that a client added.

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "partitions/runtime/runtime_partitions.h"
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

}  // namespace sm::api
