#pragma once
// Process life of heddle-vnic: port, log, signals, sockets. All else is in vnic::Manager.

#include <filesystem>
#include <string>

#include <tl/expected.hpp>

#include "config/diagnostic.h"
#include "mad/ids.h"
#include "virt/vnic/vnic_configuration.h"

namespace vnic {

struct DaemonOptions {
  std::string configuration = "/etc/heddle/vnic.yaml";
  std::filesystem::path state_dir = "/var/lib/heddle-vnic";
  std::string log_file = "stdout";
  std::string log_format = "human";
  std::string control_group;  // whose members may use the control socket, besides root
};

/// The file's configuration. Errors: all that is wrong.
tl::expected<Configuration, config::Diagnostics> load_configuration(const std::string& file);

/// Directory of control sockets, a file for each port GUID: run_dir() and "vnic".
std::filesystem::path socket_dir();

/// Runs until SIGINT or SIGTERM. Returns the process's exit code: 0; 1 for what can be repaired;
/// 2 for a configuration that is refused.
int run_daemon(const DaemonOptions& options);

/// Prints what GET `target` of the only daemon here answers. Returns the exit code.
int print_from_daemon(const std::string& target);

}  // namespace vnic
