#pragma once
// Rows of /v1/partitions: partitions of partitions.conf and the API, and their members.

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "mad/ids.h"
#include "partitions/runtime_partitions.h"
#include "sm/ops/row_declaration.h"

namespace sm::api {

/// The sources that configure a partition or a member.
struct ConfiguredBy {
  bool file = false, api = false;
};

struct ConfiguredPartition {
  std::uint16_t key = 0;  // without the membership bit
  ConfiguredBy by;
  partitions::PartitionAttributes attributes;
  // Counts members in the subnet, all members of the API, present or not, those of them that are
  // not in the subnet, and members that partitions.conf gives: those in the subnet, and GUIDs that
  // it names and nothing has.
  std::size_t full = 0, limited = 0, of_api = 0, absent = 0, of_file = 0, absent_of_file = 0;
  std::uint64_t revision = 0;  // 0: of partitions.conf alone
  bool applied = false;
};

struct ConfiguredMember {
  mad::Guid guid;
  bool full = false, index0 = false;
  ConfiguredBy by;
  bool present = false;
  std::shared_ptr<const std::string> owner;  // null: none
  std::optional<partitions::UnixTime> expires;
};

/// A P_Key of unknown origin that a port has kept.
struct KeptRow {
  mad::PKey key;
  mad::Guid guid;
  std::string name;  // of the port; empty: not in the subnet
};

RowInfo kept_key_info();
nlohmann::ordered_json row(const KeptRow& kept);
RowInfo partition_info();
RowInfo partition_member_info();
nlohmann::ordered_json row(const ConfiguredPartition& partition);
nlohmann::ordered_json row(const ConfiguredMember& member);

}  // namespace sm::api
