#pragma once
// Converts partitions of the API to lines of a journal, and to records of a replicated store.
//
// Numbers are hexadecimal; texts are the hexadecimal digits of their bytes, or "-" if empty.
// - partition <P_Key> <revision> <ipoib> <mtu> <rate> <SL> <name>
// - member <P_Key> <GUID> <full> <index0> <order> <expires, seconds since 1970; 0: never> <owner>
// - no-partition <P_Key> (and its members), no-member <P_Key> <GUID>
// - revision <revision>
// A line about an existing entry replaces it. If the format has a higher revision (newer), lines of
// unknown kinds are ignored, and so are words behind the known ones.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partitions/runtime/runtime_partitions.h"

namespace partitions {

/// Returns the lines of a difference, each ended by '\n'; "" for an empty difference.
std::string to_lines(const RuntimePartitions::Delta& delta);
/// Returns lines that recreate all partitions when applied to an empty value.
std::string all_lines(const RuntimePartitions& partitions);

/// Applies lines in order.
class LineReader {
 public:
  explicit LineReader(bool newer = false) : newer_(newer) {}
  /// Applies one line. Errors: the defect, as the end of a sentence; nothing is changed then.
  tl::expected<void, std::string> apply(std::string_view line);
  /// Returns the result, without members that have no partition.
  RuntimePartitions take() &&;

 private:
  bool newer_;
  std::map<std::uint16_t, RuntimePartition> partitions_;
  std::map<MembershipKey, RuntimeMember> members_;
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> owners_;
  std::uint64_t revision_ = 0;
};

/// A line as a change of one record; no text means that the record is deleted.
struct RecordChange {
  std::string key;  // "<section>/<P_Key>", "<section>/<P_Key>/<GUID>", "<section>/revision"
  std::optional<std::string> text;
  bool operator==(const RecordChange&) const = default;
};
std::vector<RecordChange> record_changes(std::string_view section,
                                         const RuntimePartitions::Delta& delta);
std::vector<RecordChange> all_records(std::string_view section, const RuntimePartitions& all);

}  // namespace partitions
