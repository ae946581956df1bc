#pragma once
// Bodies of requests to /v1/partitions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/ops/api/partition_answers.h"

namespace sm::api {

/// An error in a body: the fault, the remedy, and the member by its JSON pointer (RFC 6901).
struct BodyFault {
  std::string detail, remedy, pointer;
  bool too_long = false;
};
template <class T>
using OrFault = tl::expected<T, BodyFault>;

/// A change, and the source of each of its steps.
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

/// Reads 1..0x7fff as "0x0010" or a number.
OrFault<std::uint16_t> read_key(std::string_view text, std::string pointer);
/// Reads a GUID, or a port that `resolve` finds. An empty `resolve` allows only GUIDs.
OrFault<mad::Guid> read_member_guid(std::string_view text, std::string pointer,
                                    const ResolvePort& resolve = {});

/// Reads POST /v1/partitions: p_key, and the members that read_partition() takes.
OrFault<ReadChange> read_new_partition(std::string_view body, const BodyContext& context);
/// Reads PUT and PATCH: name, ipoib, mtu (bytes), rate_gbps, sl, members[]. With `whole`, absent
/// values get their defaults, and partition members that are not listed are removed.
OrFault<ReadChange> read_partition(std::string_view body, std::uint16_t key, bool whole,
                                   const BodyContext& context);
/// Reads PUT of a member: membership, index0, owner, expires_at. An empty body means a full member.
OrFault<ReadChange> read_member(std::string_view body, std::uint16_t key, mad::Guid guid,
                                const BodyContext& context);
/// Reads POST /v1/partition-changes: changes[], each with op (define, delete, add, remove, set),
/// p_key, if_match (a revision, or a list of them) and the fields of the op.
OrFault<ReadChange> read_changes(std::string_view body, const BodyContext& context);

/// Reads If-Match: `"12", "13"`; `*` is an empty list. Returns nullopt for anything else.
std::optional<std::vector<std::uint64_t>> read_etags(std::string_view header);

}  // namespace sm::api
