#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/umad/device.h"

namespace sim::umad {

/// A folder below /tmp that looks like the kernel's /sys/class/infiniband,
/// /sys/class/infiniband_mad and /dev/infiniband, for the devices of one process. Removed with the
/// object; folders that killed processes left behind are removed by the next one.
class SysfsTree {
 public:
  SysfsTree();
  ~SysfsTree();
  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;

  /// False: the folder could not be made; errno says why.
  bool good() const { return !root_.empty(); }
  /// All files, the changing ones with what the ports say now.
  void build(std::span<const Device> devices, const AskSmp& ask);
  /// Before a program looks at `tidy_path`: asks the port for what the path shows, and writes what
  /// has changed.
  void refresh(std::span<const Device> devices, const std::string& tidy_path, const AskSmp& ask);
  /// Where a path of the kernel is found.
  std::string path(const std::string& tidy_path) const { return root_ + tidy_path; }
  /// While it is open, the folder counts as in use.
  int lock_descriptor() const { return lock_; }

 private:
  void write(const std::string& path, const std::string& text);
  void write_port(const Device& device, const DevicePort& port, const mad::PortInfo& info);
  void write_p_keys(const Device& device, const DevicePort& port, unsigned block,
                    const mad::PKeyTable& table);

  std::string root_;
  int lock_ = -1;
  std::map<std::string, std::string> written_;  // path -> what it says
};

}  // namespace sim::umad
