#pragma once
// Answers of /v1/partitions.

#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sm/partitions/partition_service.h"

namespace sm::api {

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

/// A part of a list.
struct PartitionPage {
  std::string cursor;  // "": from the beginning
  std::size_t limit = 1000;
};

/// {"fabric_id", "revision", "applied_revision", "partitions": [...], "next_cursor"}
std::string partitions_json(const PartitionSnapshot& snapshot, const PartitionMap* file,
                            const PartitionPage& page);
/// Returns one partition; nullopt if neither the API nor partitions.conf has it.
std::optional<std::string> partition_json(const PartitionSnapshot& snapshot,
                                          const PartitionMap* file, std::uint16_t key);
/// {"fabric_id", "p_key", "members": [...], "next_cursor"}
std::optional<std::string> members_json(const PartitionSnapshot& snapshot, const PartitionMap* file,
                                        std::uint16_t key, const PartitionPage& page);
/// Returns fabric_id as in other resources; null before the first sweep.
nlohmann::ordered_json fabric_id(const PartitionSnapshot& snapshot);

}  // namespace sm::api
