#pragma once
// Lists in UFM's form.

#include <optional>
#include <string>
#include <vector>

#include "sm/partitions/partition_service.h"

namespace sm::ufm {

struct PKeyFields {
  bool guids = false;     // guids_data=true
  bool qos_conf = false;  // qos_conf=true
};
/// {"0x5": {...}, ...}
std::string p_keys_json(const PartitionSnapshot& snapshot, PKeyFields fields);
/// One of them; "{}" if there is none.
std::string p_key_json(const PartitionSnapshot& snapshot, std::uint16_t key, PKeyFields fields);

/// A list of ports: guid, name, systemID, lid, dname, system_name, physical_state, logical_state,
/// number, node_description. `systems`: of all, of CAs ("Computer"), of switches ("Switch").
enum class Systems : std::uint8_t { all, computers, switches };
std::string ports_json(const Subnet* subnet, Systems systems);

/// Port GUIDs of the host: of CAs whose description, or its first word, is this name.
std::vector<mad::Guid> ports_of_host(const Subnet& subnet, std::string_view name);

/// "Thu Sep  3 11:42:39 UTC 2020"
std::string date_text(partitions::UnixTime time);

}  // namespace sm::ufm
