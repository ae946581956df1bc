#pragma once

#include <string>
#include <string_view>

namespace sim::umad {

/// What a path means to us.
struct OurPath {
  enum class Kind { none, sysfs, umad, issm };
  Kind kind = Kind::none;
  unsigned number = 0;  // of umadN or issmN
};

/// Everything below /sys/class/infiniband* and /dev/infiniband is ours; what is there and is
/// neither umadN nor issmN is looked for in our tree, too (and not found). Relative paths are not
/// ours. Fast for paths that are not.
OurPath classify(const char* path);

/// A path as the kernel would read it as far as we care: no double slashes, no "." between slashes,
/// no slash at the end.
std::string tidy(std::string_view path);

/// Device and port of a path into our sysfs, as far as it names them:
/// /sys/class/infiniband/<device>/ports/<port>/<file>.
struct SysfsPort {
  std::string_view device;
  unsigned port = 0;
  std::string_view file;  // "state", "pkeys", "pkeys/3"; empty: the folder
  bool named = false;     // false: the path is not that of a port
};
SysfsPort port_of(std::string_view tidy_path);

}  // namespace sim::umad
