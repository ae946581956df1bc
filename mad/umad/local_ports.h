#pragma once
// The InfiniBand ports of this machine, and which of them the subnet manager binds to.

#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "mad/ids.h"

namespace mad::umad {

struct LocalPort {
  std::string device;  // "mlx5_0"
  unsigned number = 0;
  Guid guid;
  unsigned state = 0;      // PortState as sysfs gives it: 1 Down ... 4 Active
  bool infiniband = true;  // false: Ethernet (RoCE), no subnet manager there

  std::string text() const;  // "mlx5_0 port 1, GUID 0x..., Active"
};

/// All ports that libibumad knows, in its order: devices by name, ports by number. Empty when there
/// is no device or no driver.
std::vector<LocalPort> list_local_ports();

/// The port with that GUID; without a GUID the only InfiniBand port, else the first one whose link
/// is above Down, else the first one. Errors: a message for the operator that lists what there is.
/// Pure.
tl::expected<LocalPort, std::string> choose_port(std::span<const LocalPort> ports,
                                                 std::optional<Guid> wanted);

}  // namespace mad::umad
