#pragma once
// Decides settings for ports of virtual Ethernet switches. Pure functions: no I/O, no clock.

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "mad/attributes/vnic.h"
#include "virt/vnic/vnic_configuration.h"

namespace vnic {

/// Maps the PortGUID of each member to indices into Configuration::switches.
using Members = std::map<mad::Guid, std::vector<std::size_t>>;
/// Returns the members among the ports that have a LID.
Members find_members(const Configuration& configuration, std::span<const EndPort> ports);

/// Returns the PortGUIDs that a switch names and the fabric does not have, each once per switch.
std::vector<std::pair<std::size_t, mad::Guid>> find_missing(const Configuration& configuration,
                                                            std::span<const EndPort> ports);

/// Returns the VNIC number of each switch, which is the same on all ports: the configured number,
/// otherwise the previous one, otherwise the lowest free number.
std::map<VeswKey, unsigned> choose_numbers(const Configuration& configuration,
                                           const std::map<VeswKey, unsigned>& before);

/// Returns the base MAC address of a member: the configured one, otherwise 02, two octets of the
/// switch's id, and the LID in three octets, lowest first. A sender derives the DLID from these
/// octets without an entry in its table.
mad::Mac base_mac(const SwitchConfiguration& of, const EndPort& port);

/// Returns VESWPortInfo of a member. Frames to many receivers use `multicast_lid`.
mad::VeswPortInfo make_port_info(const SwitchConfiguration& of, const EndPort& port,
                                 std::span<const EndPort> ports, std::uint32_t multicast_lid,
                                 mad::VnicState state);
/// True if all fields are equal that an Ethernet Manager sets; the node sets the other fields.
bool is_set(const mad::VeswPortInfo& read, const mad::VeswPortInfo& desired);

// ---- MAC tables

struct MacEntry {
  mad::Mac mac;
  std::uint32_t dlid = 0;
  bool operator==(const MacEntry&) const = default;
};
/// The table that all ports of a switch share. `digest` differs from the two constants below.
struct MacTable {
  std::vector<MacEntry> entries;
  std::uint32_t digest = 0;
  bool operator==(const MacTable&) const = default;
};
inline constexpr std::uint32_t kDigestEmpty = 0;    // a VNIC that was just created has no table
inline constexpr std::uint32_t kDigestPartial = 1;  // some parts of a table are written

/// MAC addresses of one port of a switch.
struct PortMacs {
  mad::Guid port;
  mad::Lid lid;
  mad::Mac base;
  std::vector<mad::Mac> others;  // as the node reports them
};
struct Duplicate {
  mad::Mac mac;
  mad::Guid kept, refused;  // ports
  auto operator<=>(const Duplicate&) const = default;
};
struct BuiltTable {
  MacTable table;
  std::map<mad::Mac, mad::Guid> owners;  // of the addresses that nodes report
  std::set<Duplicate> duplicates;
  std::size_t left_out = 0;  // addresses beyond the capacity
};
/// Builds a table: first the base MAC addresses, then the addresses that nodes report, both in the
/// order of addresses. If several ports report an address, the port that had it before (`owners`)
/// keeps it, otherwise the lowest PortGUID. Addresses that no interface can have are left out.
BuiltTable build_table(std::span<const PortMacs> ports, const std::map<mad::Mac, mad::Guid>& owners,
                       std::size_t entries_max);
/// Returns the first entries of a table, for a node with a smaller capacity.
MacTable truncated(const MacTable& table, std::size_t entries_max);

/// A MAD with a part of a table.
struct TablePart {
  std::uint16_t offset = 0;
  std::vector<MacEntry> entries;  // MAC 0: removed
  std::uint32_t digest = 0;       // of the last part: that of the table
  bool operator==(const TablePart&) const = default;
};
/// Returns the parts, in order, that turn one table into another. A null `at_node` means that the
/// node's table is not known; then all of its `entries_max` entries are written. A node that loses
/// its connection between parts shows kDigestPartial.
std::vector<TablePart> plan_table(const MacTable* at_node, const MacTable& wanted,
                                  std::size_t entries_max);

}  // namespace vnic
