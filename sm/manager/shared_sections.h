#pragma once
// The sections of the replicated store, by which managers share their state: one row for each.

#include <spdlog/logger.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sm/manager/orders.h"
#include "sm/partitions/partition_store.h"
#include "sm/sa/administrator.h"
#include "sm/store/replica/state_replica.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// A section of the store, as a manager reads and writes it.
struct SharedSection {
  /// Says when a MASTER passes the section to the store; changes follow one by one.
  enum class Given : std::uint8_t {
    before_tables,  // when the first sweep has what it decides with
    after_sweep,    // at the end of each sweep
  };
  /// Puts in force what was read. `complete`: no record of any section is missing.
  using Apply = std::function<void(bool complete)>;
  using Rejected = std::vector<std::string>;  // records by key and defect

  std::string_view name;
  Given given = Given::after_sweep;
  /// Returns the records of this manager; nothing if it leaves those of the store as they are.
  std::function<std::optional<Records>()> own;
  /// Reads what a predecessor left, before the first tables are written. Null: it is not taken.
  std::function<Apply(const FoundState& found, Rejected& rejected)> take = {};
  /// Puts in force what another MASTER changed in this section before the two met. Null: own
  /// records win.
  std::function<void(const MergedRecords& records, Rejected& rejected)> merge = {};
};

/// The parts of a manager that have what is shared; not owned.
struct SharedParts {
  sa::Administrator& administrator;
  Sweeper& sweeper;
  PartitionStore& partitions;
  Orders& orders;
};
/// Returns the sections in the order in which they are put in force.
std::vector<SharedSection> shared_sections(const SharedParts& parts);

}  // namespace sm
