#pragma once
// OpenSM's opensm-sa.dump (options sa_db_file, sa_db_dump), for migration from and to OpenSM and
// for tools that read it. Heddle's own journal is persistence.h.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/attributes/port_tables.h"
#include "mad/records/inform_info.h"
#include "mad/records/mc_member_record.h"
#include "mad/records/service_record.h"
#include "mad/transport.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/store/cache_files.h"

namespace sa {

inline constexpr std::string_view kSaDbFile = "opensm-sa.dump";  // in dump_files_dir, mode 0600

/// Holds the file as values. Records are as on the wire, including selectors.
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
    mad::Lid lid;  // destination of reports
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

/// Reads a dump. Malformed and incomplete lines are errors and left out. `#` begins a comment line.
struct ParsedSaDb {
  SaDb value;
  std::vector<sm::FileError> errors;
};
ParsedSaDb parse_sa_db(std::string_view text);
/// Writes the text as OpenSM does; parse_sa_db() of it gives `db`. Bytes of service names that
/// would break a line are written as '?'.
std::string to_text(const SaDb& db);

SaDb sa_db_of(const Registrations& registrations, const fabric::Subnet& subnet,
              const config::Options& options);
/// Adds the entries of the dump, after the groups of partitions.conf were created
/// (reconcile_groups()). An existing group keeps its values and MLID and gets the members; a new
/// one gets the MLID of the dump if that is free, else another. Left out are groups without full
/// members, entries beyond the limits, and alias GUIDs that ports have (absent ones by `guid2lid`,
/// which may be null). Returns: lines for the log.
std::vector<std::string> restore(const SaDb& db, Registrations& registrations,
                                 const fabric::Subnet& subnet, UnixTime now,
                                 const sm::Guid2Lid* guid2lid = nullptr);

}  // namespace sa
