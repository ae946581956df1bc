#pragma once
// All other subnet managers of the fabric, for the operator.

#include <string>
#include <vector>

#include "mad/attributes/sm_info.h"

namespace sm {

struct KnownManager {
  mad::Guid guid;    // of its port
  std::string name;  // description, GUID and port
  std::uint8_t priority = 0;
  mad::SmState state{};
  bool counts = true;  // false: treated as absent; a condition says why

  bool operator==(const KnownManager&) const = default;
};

/// As they were when SMInfo was read latest.
class KnownManagers {
 public:
  /// At most this many are listed: any host can say that it is one.
  static constexpr std::size_t kMax = 64;

  /// Lines for the log: which appeared, changed or disappeared.
  std::vector<std::string> replace(std::vector<KnownManager> now);
  /// A poll: state and priority of one of them. A line if they changed, else "".
  std::string update(const mad::SmInfo& info);
  const std::vector<KnownManager>& list() const { return list_; }

 private:
  std::vector<KnownManager> list_;
};

}  // namespace sm
