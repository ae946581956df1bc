#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sim/umad/device.h"

namespace sim::umad {

/// The class of a path.
struct OurPath {
  enum class Kind { none, sysfs, umad, issm };
  Kind kind = Kind::none;
  unsigned number = 0;  // of umadN or issmN
};

/// Classifies a path. Every path below /sys/class/infiniband* and /dev/infiniband is simulated; the
/// simulated tree has those other than umadN and issmN. Relative paths are not simulated. Fast for
/// paths that are not simulated.
OurPath classify(const char* path);

/// Returns a path in the normal form that the classification needs: no double slashes, no "."
/// between slashes, no slash at the end.
std::string tidy(std::string_view path);

/// The device and port that a path in the simulated sysfs names, if it does:
/// /sys/class/infiniband/<device>/ports/<port>/<file>.
struct SysfsPort {
  std::string_view device;
  unsigned port = 0;
  std::string_view file;  // "state", "pkeys", "pkeys/3"; empty: the directory
  bool named = false;     // false: the path is not that of a port
};
SysfsPort port_of(std::string_view tidy_path);

/// A directory in memory, or below /tmp, with the layout of the kernel's /sys/class/infiniband,
/// /sys/class/infiniband_mad and /dev/infiniband, for the devices of one process. It is removed
/// with the object; the next process removes directories of killed ones.
class SysfsTree {
 public:
  SysfsTree();
  ~SysfsTree();
  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;

  /// False if the directory could not be created; errno is then set.
  bool good() const { return !root_.empty(); }
  /// Writes all files; changing attributes get the current state of the ports.
  void build(std::span<const Device> devices, const QuerySmp& query);
  /// Reads the attribute of `tidy_path` from the port before a program opens the path, and writes
  /// what has changed. Skips an attribute that was read within the last milliseconds, unless the
  /// program has since exchanged a MAD, which may have changed it; `exchanged` counts MADs.
  void refresh(std::span<const Device> devices, const std::string& tidy_path,
               std::uint64_t exchanged, const QuerySmp& query);
  /// Returns the real path of a path in the kernel's layout.
  std::string path(const std::string& tidy_path) const { return root_ + tidy_path; }
  /// While this descriptor is open, the directory is in use.
  int lock_descriptor() const { return lock_; }

 private:
  void write(const std::string& path, const std::string& text);
  void write_entry(const std::string& path, const std::string& text);
  static bool create(const std::string& file, const std::string& text);
  void write_port(const Device& device, const DevicePort& port, const mad::PortInfo& info);
  void write_p_keys(const Device& device, const DevicePort& port, unsigned block,
                    const mad::PKeyTable& table);

  using Clock = std::chrono::steady_clock;
  struct Read {
    Clock::time_point at;
    std::uint64_t exchanged = 0;
  };
  bool is_current(const DevicePort& port, int part, std::uint64_t exchanged) const;

  std::string root_;
  int lock_ = -1;
  std::map<std::string, std::string> written_;      // path -> content
  std::map<std::string, std::string> entry_with_;   // content -> path of an entry of a table
  std::map<std::pair<unsigned, int>, Read> reads_;  // (umad, part of the port) -> last read
};

}  // namespace sim::umad
