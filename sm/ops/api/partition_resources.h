#pragma once
// /v1/partitions and /v1/partition-changes.

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
#include "sm/ops/web/exchange.h"
#include "sm/partitions/partition_service.h"

namespace sm {

/// Makes the resources. `service` is called on the threads of the server; what it refers to must
/// outlive all requests.
web::Resources partition_resources(PartitionService service);

}  // namespace sm

namespace sm::api {

// ------------------------------------------------------------------------------------------
// Bodies of requests (partition_bodies.cpp)

/// Finds the port GUID for a text that is not a GUID: a NodeDescription or its first word,
/// NAME:PORT. Errors: no port or several ports have this name, or it is a number.
using ResolvePort = std::function<tl::expected<mad::Guid, std::string>(std::string_view text)>;
/// Resolves names by the subnet of `snapshot`, which is copied.
ResolvePort resolve_by(const PartitionSnapshot& snapshot);

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

/// Reads POST /v1/partitions/kept/adopt and discard: p_key and guids, or all.
OrFault<KeptRequest> read_kept_request(std::string_view body, bool adopts,
                                       const BodyContext& context);

/// Reads If-Match: `"12", "13"`; `*` is an empty list. Returns nullopt for anything else.
std::optional<std::vector<std::uint64_t>> read_etags(std::string_view header);

// ------------------------------------------------------------------------------------------
// Answers (partition_answers.cpp)

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
/// {"fabric_id", "kept": [...], "next_cursor"}: P_Keys of unknown origin. A cursor has the 16
/// digits of a GUID and the 4 of a P_Key.
std::string kept_keys_json(const PartitionSnapshot& snapshot,
                           const PageFrom<partitions::KeptKey>& page);
std::optional<partitions::KeptKey> parse_kept_key(std::string_view cursor);
/// {"fabric_id", "revision", "applied", "replicated", "kept": [{"p_key", "guid"}]}
std::string kept_resolved_json(const KeptResolved& resolved);
/// Returns fabric_id as in other resources; null before the first sweep.
nlohmann::ordered_json fabric_id(const PartitionSnapshot& snapshot);

}  // namespace sm::api
