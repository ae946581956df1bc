#pragma once
// A published subnet with data that the API derives from it once: its name, the order of rows.

#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric_id.h"
#include "sm/ops/view.h"

namespace sm::api {

struct Snapshot {
  std::shared_ptr<const Subnet> subnet;  // null before the first sweep
  std::string id;                        // "5f3a1c00-17": this start of the daemon, a number
  std::optional<std::string> fabric_id;  // nothing before the first sweep
  std::vector<NodeIndex> nodes_by_guid;  // ascending
};

/// Returns {"fabric_id": ..., "snapshot": ...}, which the caller completes.
nlohmann::json envelope(const Snapshot& snapshot);

/// Numbers subnets in the order in which it sees them. Any thread.
class Snapshots {
 public:
  /// `start` identifies this start of the daemon; no earlier start had the same.
  explicit Snapshots(std::string start) : start_(std::move(start)) {}
  std::shared_ptr<const Snapshot> of(const View& view);
  const std::string& start() const { return start_; }

 private:
  struct Known {
    std::uint64_t subnet_prefix = 0;
    std::shared_ptr<const Snapshot> snapshot;
  };
  static constexpr std::size_t kKept = 2;  // a request may still have the previous one

  const std::string start_;
  std::mutex mutex_;
  std::uint64_t number_ = 0;
  std::vector<Known> known_;
};

}  // namespace sm::api
