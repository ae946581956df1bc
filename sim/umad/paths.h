#pragma once

#include <string>
#include <string_view>

namespace sim::umad {

/// Classification of paths.
struct OurPath {
  enum class Kind { none, sysfs, umad, issm };
  Kind kind = Kind::none;
  unsigned number = 0;  // of umadN or issmN
};

/// Every path below /sys/class/infiniband* and /dev/infiniband is simulated; those other than umadN
/// and issmN are looked up in the simulated tree. Relative paths are not simulated. Fast for paths
/// that are not.
OurPath classify(const char* path);

/// A path in the normal form that the classification needs: no double slashes, no "." between
/// slashes, no slash at the end.
std::string tidy(std::string_view path);

/// Device and port of a path in the simulated sysfs, as far as it names them:
/// /sys/class/infiniband/<device>/ports/<port>/<file>.
struct SysfsPort {
  std::string_view device;
  unsigned port = 0;
  std::string_view file;  // "state", "pkeys", "pkeys/3"; empty: the directory
  bool named = false;     // false: the path is not that of a port
};
SysfsPort port_of(std::string_view tidy_path);

}  // namespace sim::umad
