#pragma once
// The InfiniBand ports of this machine, and the selection of the SM's port.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mad/ids.h"

namespace mad::umad {

/// What programs print on a machine without any.
inline constexpr std::string_view kNoPortsText =
    "No local ports detected! Is there an HCA, and are its driver and ib_umad loaded? "
    "/dev/infiniband has a umad device for each port";

struct LocalPort {
  std::string device;  // "mlx5_0"
  unsigned number = 0;
  Guid guid;
  unsigned state = 0;      // PortState from sysfs: 1 Down ... 4 Active
  bool infiniband = true;  // false: Ethernet (RoCE), without subnet management

  std::string_view state_text() const;  // "Active"
  std::string text() const;             // "mlx5_0 port 1, GUID 0x..., Active"
};

/// All ports that libibumad knows, in its order: devices by name, ports by number. Empty without a
/// device or driver.
std::vector<LocalPort> list_local_ports();

/// The port with that GUID; without a GUID the only InfiniBand port, else the first one whose link
/// is above Down, else the first one. Errors: a message for the operator with a list of the ports.
/// Pure.
tl::expected<LocalPort, std::string> choose_port(std::span<const LocalPort> ports,
                                                 std::optional<Guid> wanted);

}  // namespace mad::umad
