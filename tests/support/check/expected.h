#pragma once
// The operator's configuration, as far as the hardware shows it.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/world/ca_vports.h"
#include "sim/world/world.h"

namespace sim {

/// Keys of end ports by port GUID, in any order and at any index; ports that are not named are not
/// compared.
using ExpectedPKeys = std::map<mad::Guid, std::set<std::uint16_t>>;

/// A group and the end ports that shall receive its packets; senders are all of them.
struct ExpectedGroup {
  mad::Mlid mlid;
  mad::PKey p_key = mad::kDefaultPKeyFull;
  mad::Sl sl{};
  std::set<PortIndex> members;
};

/// A group with vports as members; index 0 is a port itself.
struct ExpectedVPortGroup {
  mad::Mlid mlid;
  mad::PKey p_key = mad::kDefaultPKeyFull;
  mad::Sl sl{};
  std::set<VPortPlace> members;
};

/// The VL of each SL before it is brought into the range of a port's OperationalVLs; 15 drops.
using ExpectedSlToVl = std::array<std::uint8_t, 16>;
/// The mapping that OpenSM writes by default and that simulated hardware applies before the first
/// Set, as long as no port has more than 8 VLs.
inline constexpr ExpectedSlToVl kIdentitySlToVl{0, 1, 2,  3,  4,  5,  6,  7,
                                                8, 9, 10, 11, 12, 13, 14, 7};

/// Written by hand or from options, never taken from a manager's decision, which would be compared
/// with itself. The defaults are those of opensm.conf.
struct Expected {
  PortIndex master = kNone;  // the end port that all name as their master; kNone: one with IsSM
  mad::MKey m_key{};
  std::function<mad::MKey(mad::Guid port)> m_key_of{};  // if set, in place of m_key
  std::uint8_t m_key_protect_bits = 0;
  std::uint16_t m_key_lease_period_s = 0;
  std::uint64_t gid_prefix = 0xfe80000000000000;
  std::uint8_t lmc = 0;
  bool lmc_of_enhanced_port_0 = false;   // lmc_esp0
  std::uint8_t operational_vls_max = 5;  // code
  bool enforce_inbound = true;           // part_enforce
  bool enforce_outbound = true;
  /// Routing engines that exclude credit loops may leave switches without a path to other switches;
  /// hosts have paths to all hosts.
  bool switch_lids_may_be_withheld = false;
  /// Ports of links that run with another MTU or other VLs than configured, and keep these until
  /// they train again.
  std::set<PortIndex> settings_wait{};
  std::optional<ExpectedSlToVl> sl_to_vl{};  // nullopt: the routing decides, not compared
  ExpectedPKeys p_keys{};                    // of vports, too
  std::vector<ExpectedGroup> groups{};
  std::optional<bool> vports_enabled{};     // virt_enabled 2 or 1; nullopt: vports are not compared
  std::set<mad::Guid> vports_left_alone{};  // whose faults keep them in Init
};

}  // namespace sim
