#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/umad/device.h"

namespace sim::umad {

/// A directory below /tmp with the layout of the kernel's /sys/class/infiniband,
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
  /// has changed.
  void refresh(std::span<const Device> devices, const std::string& tidy_path,
               const QuerySmp& query);
  /// The real path of a path in the kernel's layout.
  std::string path(const std::string& tidy_path) const { return root_ + tidy_path; }
  /// While it is open, the directory is in use.
  int lock_descriptor() const { return lock_; }

 private:
  void write(const std::string& path, const std::string& text);
  void write_port(const Device& device, const DevicePort& port, const mad::PortInfo& info);
  void write_p_keys(const Device& device, const DevicePort& port, unsigned block,
                    const mad::PKeyTable& table);

  std::string root_;
  int lock_ = -1;
  std::map<std::string, std::string> written_;  // path -> content
};

}  // namespace sim::umad
