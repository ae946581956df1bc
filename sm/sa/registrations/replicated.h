#pragma once
// Registrations as records of the replicated state: the lines of the journal (persistence.h), each
// under a key that names what it is about.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sm/sa/registrations/registrations.h"
#include "sm/store/replica/state_replica.h"

namespace sa {

/// A line as a change of one record. No text: the record is deleted.
struct RecordChange {
  std::string key;  // "registrations/group/<MGID>", ...
  std::optional<std::string> text;
  bool operator==(const RecordChange&) const = default;
};
/// Returns nothing for a line that does not come from take_changes() or all_lines().
std::optional<RecordChange> record_change(std::string_view line);
/// Returns the changes of lines, each ended by '\n'.
std::vector<RecordChange> record_changes(std::string_view lines);
/// The records of all_lines().
sm::Records all_records(std::string_view lines);

struct ReplicatedRegistrations {
  Registrations registrations;
  std::vector<std::string> rejected;  // records by key and defect; they are left out
};
/// Reads records of the section of registrations, whatever is in them. Their order is that of their
/// keys, which puts groups before members.
ReplicatedRegistrations read_records(const sm::Records& records);

}  // namespace sa
