#pragma once
// The InfiniBand ports of this machine, and the selection of the SM's port.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mad/ids.h"

namespace mad::umad {

/// Programs print this on a machine without local ports.
inline constexpr std::string_view kNoPortsText =
    "No local ports detected! Is there an HCA, and are its driver and ib_umad loaded? "
    "/dev/infiniband has a umad device for each port";

/// True if each RDMA device of this machine is visible in one network namespace only (`rdma system
/// set netns exclusive`). Source: drivers/infiniband/core/device.c, parameter netns_mode.
bool are_namespaces_exclusive(
    const std::string& file = "/sys/module/ib_core/parameters/netns_mode");
/// Returns the message for a machine without ports; `exclusive` is are_namespaces_exclusive().
std::string no_ports_text(bool exclusive);

struct LocalPort {
  std::string device;  // "mlx5_0"
  unsigned number = 0;
  Guid guid;
  unsigned state = 0;      // PortState from sysfs: 1 Down ... 4 Active
  bool infiniband = true;  // false: Ethernet (RoCE), without subnet management
  bool has_smi = true;     // false: IsSMdisabled is set, there is no QP0 to manage a subnet with
  bool omni_path = false;  // of the driver hfi1: its fabric has a manager of its own kind
  Guid node_guid = {};     // of the device
  // The device for management on QP1 (subnet administration, counters), if it differs from the one
  // for QP0; else empty.
  std::string gsi_device = {};
  unsigned gsi_number = 0;

  /// True if a subnet manager can run on this port and belongs there.
  bool is_manageable() const { return infiniband && has_guid() && has_smi && !omni_path; }
  /// False for a device that is not configured: GUID 0 identifies no port.
  bool has_guid() const { return guid != Guid{}; }
  /// Returns why no subnet manager can run on this InfiniBand port; "" if one can.
  std::string_view why_unusable() const;

  std::string_view state_text() const;  // "Active"
  std::string name() const;             // "mlx5_0 port 1, GUID 0x..."
  std::string text() const;             // the name, "Active", and what is special about it
};

/// The devices for QP0 and QP1 of one HCA, with a port of each, as newer versions of libibumad pair
/// them (umad_get_smi_gsi_pairs(3)).
struct DevicePair {
  std::string smi_device, gsi_device;
  unsigned smi_number = 0, gsi_number = 0;
};
/// Returns an empty list if libibumad does not know device pairs.
std::vector<DevicePair> list_device_pairs();
/// Fills in the devices for QP1. Pure.
void pair_ports(std::span<LocalPort> ports, std::span<const DevicePair> pairs);

/// Returns all ports that libibumad knows, in its order: devices by name, ports by number. Empty
/// without a device or driver.
std::vector<LocalPort> list_local_ports();

/// Returns the port with that GUID, preferably one with QP0. Without a GUID, returns the only port
/// that is_manageable(), else the first one whose link is above Down, else the first one. Errors: a
/// message for the operator with a list of the ports, and why a port cannot have a subnet manager.
/// Pure.
tl::expected<LocalPort, std::string> choose_port(std::span<const LocalPort> ports,
                                                 std::optional<Guid> wanted);

/// Explains an errno of opening a device or registering an agent, in parentheses and after a blank;
/// "" if the errno has no explanation.
std::string_view refusal_hint(int error);

/// Explains why libibumad did not open this device, as refusal_hint() does. libibumad lists all
/// devices and opens the first UMAD_MAX_PORTS of the kernel's: a later one is named as such.
/// `devices` has a directory for each umad device.
std::string opening_hint(int error, std::string_view device, unsigned number,
                         const std::filesystem::path& devices = "/sys/class/infiniband_mad");

}  // namespace mad::umad
