#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "sim/umad/device.h"

namespace sim::umad {

/// A directory in memory, or below /tmp, with the layout of the kernel's /sys/class/infiniband,
/// /sys/class/infiniband_mad and /dev/infiniband, for the devices of one process. Removed with the
/// object; directories of killed processes are removed by the next one.
class SysfsTree {
 public:
  SysfsTree();
  ~SysfsTree();
  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;

  /// False: the directory could not be created; errno is set.
  bool good() const { return !root_.empty(); }
  /// Writes all files, those that can change with the current state of the ports.
  void build(std::span<const Device> devices, const QuerySmp& query);
  /// Before a program opens `tidy_path`: reads the path's attribute from the port, and writes what
  /// has changed. An attribute that was read within the last milliseconds is not read again, unless
  /// the program has sent or received a MAD since, which may have changed it: `exchanged` counts
  /// them.
  void refresh(std::span<const Device> devices, const std::string& tidy_path,
               std::uint64_t exchanged, const QuerySmp& query);
  /// The real path of a path in the kernel's layout.
  std::string path(const std::string& tidy_path) const { return root_ + tidy_path; }
  /// While it is open, the directory is in use.
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
