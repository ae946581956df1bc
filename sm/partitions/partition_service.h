#pragma once
// This file offers the partitions of the API to handlers of requests, on any thread.

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/subnet.h"
#include "mad/format.h"
#include "mad/number.h"
#include "mad/runtime.h"
#include "partitions/runtime_partitions.h"
#include "sm/context/sweep_context.h"
#include "sm/partitions/named_changes.h"

namespace sm {

/// A node that is known and that no end port of the subnet belongs to.
struct AbsentNode {
  mad::Guid node, port;    // NodeGUID; PortGUID, 0 if it is not known
  std::string name;        // NodeDescription
  std::string why;         // follows its name: "was lost 2026-11-30T06:50:00Z"
  bool is_silent = false;  // a cable leads to it, and it does not answer
};

/// Holds one consistent snapshot of the partitions.
struct PartitionSnapshot {
  partitions::SharedRuntime stored;                // never null
  std::uint64_t applied = 0;                       // the revision of `stored` that the fabric has
  std::optional<partitions::UnixTime> changed_at;  // the latest change of `stored`, if it is known
  SharedContext context;                           // with partitions.conf
  std::shared_ptr<const Subnet> subnet;            // null before the first sweep
  std::string refuses;                             // why changes are refused now; "": they are not
  std::shared_ptr<const std::vector<AbsentNode>> absent = {};  // null: there are none
  std::shared_ptr<const NamedChanges> changes = {};            // null: not known

  /// True if partitions.conf has the partition.
  bool is_configured(std::uint16_t key) const {
    return std::ranges::find(context->partitioning.definitions, key,
                             &partitions::Definition::key) !=
           context->partitioning.definitions.end();
  }
  /// True if partitions.conf names this GUID in the partition, alone or in a range, or all ports.
  bool is_configured(std::uint16_t key, mad::Guid guid) const {
    using Kind = partitions::Member::Kind;
    const auto names_guid = [guid](const partitions::Member& member) {
      return member.kind == Kind::all || (member.kind == Kind::guids &&
                                          member.first <= guid.value && guid.value <= member.last);
    };
    return std::ranges::any_of(context->partitioning.definitions, [&](const auto& definition) {
      return definition.key == key && std::ranges::any_of(definition.members, names_guid);
    });
  }
  /// True if the API or partitions.conf has the partition.
  bool has_partition(std::uint16_t key) const {
    return stored->partitions().find(key) != nullptr || is_configured(key);
  }
};

/// Says why a change was not made; the partitions are unchanged then.
struct ChangeFailure {
  enum class Kind : std::uint8_t {
    fault,        // of the change itself: `fault`
    not_master,   // another manager takes changes
    unavailable,  // the store or the disk does not take it, or too many wait: try again later
  };
  Kind kind = Kind::unavailable;
  partitions::ChangeFault fault = {};
  std::string text;  // one sentence
};
struct StoredChange {
  /// Contains the change; an earlier revision if there was nothing to change.
  std::uint64_t revision = 0;
  /// Counts the other managers that hold the change. Nothing: there was nothing to change, or a
  /// store holds it that keeps its data by itself (etcd).
  std::optional<unsigned> replicated = {};
};
using ChangeResult = tl::expected<StoredChange, ChangeFailure>;

/// Holds what a stored change led to.
struct Changed {
  StoredChange stored = {};
  PartitionSnapshot snapshot;  // afterwards
};

/// Says what becomes of P_Keys of unknown origin that ports have kept.
struct KeptRequest {
  bool adopts = false;                    // as memberships of the API; otherwise they are discarded
  std::optional<std::uint16_t> key = {};  // nullopt: all
  std::vector<mad::Guid> guids = {};      // empty: all ports
};
struct KeptResolved {
  std::vector<partitions::MembershipKey> resolved;
  std::uint64_t revision = 0;               // of the partitions of the API, afterwards
  bool applied = false;                     // the fabric has it
  std::optional<unsigned> replicated = {};  // as StoredChange has it; nothing if no key is adopted
  PartitionSnapshot snapshot;               // afterwards
};

/// These functions wait for the control thread; any other thread may call them.
struct PartitionService {
  std::function<boost::asio::awaitable<PartitionSnapshot>()> snapshot;
  /// Returns when the change is stored. With `wait`, returns when the fabric has it (the last P_Key
  /// Set is acknowledged), or when that takes longer than `wait`. `by` names the author for the
  /// log.
  std::function<boost::asio::awaitable<tl::expected<Changed, ChangeFailure>>(
      partitions::Change change, std::string by, std::optional<mad::Duration> wait)>
      change;
  /// Adopts or discards kept P_Keys, and waits some seconds until the fabric has that. Nothing is
  /// done if a key or port of the request is not among them.
  std::function<boost::asio::awaitable<tl::expected<KeptResolved, ChangeFailure>>(
      KeptRequest request, std::string by)>
      resolve_kept = {};
  /// Writes a line to the manager's log.
  std::function<void(std::string line)> log = {};
};

// ---- texts of values, as clients write them

/// The number of "0x10", "16"; nothing for other text, and beyond 0xffff. Which values are P_Keys
/// is for the caller to say.
inline std::optional<std::uint16_t> parse_p_key(std::string_view text) {
  const auto value = mad::parse_hex_or_decimal(text, 0xFFFF);
  return value ? std::optional(static_cast<std::uint16_t>(*value)) : std::nullopt;
}
/// 1 to 16 hexadecimal digits after 0x, 16 digits without it, or 8 pairs with colons. Nothing for
/// other text, and for 0 and all ones, which no port has.
inline std::optional<mad::Guid> parse_member_guid(std::string_view text) {
  const auto guid = mad::parse_guid(text);
  const bool is_member = guid && *guid != mad::Guid{} && *guid != mad::Guid{~std::uint64_t{0}};
  return is_member ? guid : std::nullopt;
}
/// 16 lower-case digits, without 0x.
inline std::string guid_digits(mad::Guid guid) { return fmt::format("{:016x}", guid.value); }
/// "2026-11-24T12:00:00Z"
inline std::string time_text(partitions::UnixTime time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const auto second_of_day = (time - days).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
}

}  // namespace sm
