#pragma once
// The subnet managers that this one has seen in its subnet, by the GUIDs of their ports. Subnets
// may have the same prefix, and their managers the same secret: what separates them is the fabric.

#include <deque>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "mad/ids.h"

namespace sm::peers {

class SeenManagers {
 public:
  /// Any host may say that it is a subnet manager: the one that was seen first is forgotten.
  static constexpr std::size_t kMax = 64;

  /// Reads the text of the file; lines that are not a GUID are left out.
  static SeenManagers parse(std::string_view text);
  std::string text() const;
  /// Adds those that are new. Returns true if there are some.
  bool add(const std::set<mad::Guid>& ports);
  bool has(mad::Guid port) const;
  bool is_empty() const { return ports_.empty(); }

 private:
  std::deque<mad::Guid> ports_;  // in the order in which they were seen
};

/// Returns the name of the file beside that of the copy.
std::filesystem::path seen_managers_file(const std::filesystem::path& copy);

}  // namespace sm::peers
