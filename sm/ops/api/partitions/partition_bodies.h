#pragma once
// Bodies of requests to /v1/partitions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "partitions/runtime/runtime_partitions.h"
#include "sm/ops/api/partitions/member_results.h"

namespace sm::api {

/// An error in a body: what is wrong, what would be right, and the member by its JSON pointer
/// (RFC 6901).
struct BodyFault {
  std::string detail, remedy, pointer;
  bool too_long = false;
};
template <class T>
using Read = tl::expected<T, BodyFault>;

/// A change, and where each of its steps comes from.
struct ReadChange {
  partitions::Change change;
  std::vector<std::string> pointers;  // parallel to the steps
  std::uint16_t key = 0;              // of the body, if it has one
  std::vector<std::pair<std::uint16_t, mad::Guid>> removed;

  void add(partitions::Step step, std::string pointer) {
    change.steps.push_back(std::move(step));
    pointers.push_back(std::move(pointer));
  }
};

/// Values that the reader of a body needs.
struct BodyContext {
  partitions::UnixTime now{};
  ResolvePort resolve = {};  // empty: members are GUIDs only
};

/// 1..0x7fff as "0x0010" or a number.
Read<std::uint16_t> read_key(std::string_view text, std::string pointer);
/// A GUID, or a port that `resolve` finds. Empty: GUIDs only.
Read<mad::Guid> read_guid(std::string_view text, std::string pointer,
                          const ResolvePort& resolve = {});

/// POST /v1/partitions: p_key, and what read_partition() has.
Read<ReadChange> read_new_partition(std::string_view body, const BodyContext& context);
/// PUT and PATCH: name, ipoib, mtu (bytes), rate_gbps, sl, members[]. `whole`: what is not there
/// gets its default, and members that are not there are removed.
Read<ReadChange> read_partition(std::string_view body, std::uint16_t key, bool whole,
                                const BodyContext& context);
/// PUT of a member: membership, index0, owner, expires_at. An empty body: a full member.
Read<ReadChange> read_member(std::string_view body, std::uint16_t key, mad::Guid guid,
                             const BodyContext& context);
/// POST /v1/partition-changes: changes[], each with op (define, delete, add, remove, set), p_key,
/// if_match (a revision, or a list of them) and what the op needs.
Read<ReadChange> read_changes(std::string_view body, const BodyContext& context);

/// Reads If-Match: `"12", "13"`; `*` is an empty list. Returns nothing for anything else.
std::optional<std::vector<std::uint64_t>> read_etags(std::string_view header);

}  // namespace sm::api
