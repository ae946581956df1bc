#pragma once
// OpenSM's opensm-sa.dump: what one subnet manager leaves for the next (options sa_db_file,
// sa_db_dump). Heddle's own memory is persistence.h; this file is for changing over, both ways, and
// for tools that read it.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/attributes/guid_info.h"
#include "mad/records/inform_info_record.h"
#include "mad/records/mc_member_record.h"
#include "mad/records/service_record.h"
#include "mad/transport.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/store/key_value_file.h"

namespace sa {

inline constexpr std::string_view kSaDbFile = "opensm-sa.dump";  // in dump_files_dir, mode 0600

/// The file as values. Records are as they are on the wire, selectors included.
struct SaDb {
  struct Aliases {
    mad::Guid port_guid;
    mad::Lid lid;
    std::uint8_t block = 0;
    mad::GuidInfo guid_info;
    bool operator==(const Aliases&) const = default;
  };
  struct Member {
    mad::Gid port_gid;
    std::uint8_t scope_state = 0;  // Scope and JoinState
    std::uint8_t proxy_join = 0;
    bool operator==(const Member&) const = default;
  };
  struct Group {
    mad::Mlid mlid;  // in front of the record, which has it again
    bool well_known = false;
    mad::McMemberRecord record;
    std::vector<Member> members{};
    bool operator==(const Group&) const = default;
  };
  struct Subscription {
    mad::InformInfoRecord record;
    mad::Lid lid;  // where reports go
    std::uint8_t path_bits = 0, static_rate = 0;
    std::uint32_t qpn = 1, q_key = mad::kQp1QKey;
    std::uint16_t p_key_index = 0;
    std::uint8_t sl = 0;
    bool operator==(const Subscription&) const = default;
  };
  struct Service {
    mad::ServiceRecord record;
    std::uint32_t modified_time = 0;  // seconds
    std::uint32_t lease_period = 0;   // seconds left then
    bool operator==(const Service&) const = default;
  };
  std::vector<Aliases> aliases;
  std::vector<Group> groups;
  std::vector<Subscription> subscriptions;
  std::vector<Service> services;
  bool operator==(const SaDb&) const = default;
};

/// Reads a dump. Lines that are none of a dump's, or lack something, are errors and left out; the
/// rest is good. `#` begins a line of comment.
struct ParsedSaDb {
  SaDb value;
  std::vector<sm::FileError> errors;
};
ParsedSaDb parse_sa_db(std::string_view text);
/// As OpenSM writes it: parse_sa_db() of it gives `db`. Bytes of service names that would break a
/// line are written as '?'.
std::string to_text(const SaDb& db);

SaDb sa_db_of(const Registrations& registrations, const sm::Subnet& subnet,
              const config::Options& options);
/// Adds what the dump says, after the groups of partitions.conf were made (reconcile_groups()): a
/// group that is there keeps its values and MLID and gets the members; another gets its old MLID if
/// that is free, else another. Groups that nobody keeps alive are left out, and what goes beyond
/// the limits. Returns:  lines for the log.
std::vector<std::string> restore(const SaDb& db, Registrations& registrations,
                                 const sm::Subnet& subnet, UnixTime now);

}  // namespace sa
