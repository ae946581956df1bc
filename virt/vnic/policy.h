#pragma once
// Decides what the ports of virtual Ethernet switches are set to. Pure functions: no I/O, no clock.

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "mad/attributes/vnic.h"
#include "virt/vnic/vnic_configuration.h"

namespace vnic {

/// Indices into Configuration::switches, by PortGUID of a member.
using Members = std::map<mad::Guid, std::vector<std::size_t>>;
/// Ports that have no LID are no members yet.
Members find_members(const Configuration& configuration, std::span<const EndPort> ports);

/// PortGUIDs that a switch names and the fabric does not have, each once a switch.
std::vector<std::pair<std::size_t, mad::Guid>> find_missing(const Configuration& configuration,
                                                            std::span<const EndPort> ports);

/// Numbers of the VNICs on all ports, by switch: those of the configuration, else those that the
/// switches have had, else the lowest free ones.
std::map<VeswKey, unsigned> choose_numbers(const Configuration& configuration,
                                           const std::map<VeswKey, unsigned>& before);

/// Returns the base MAC address of a member: the configured one, else 02, two octets of the
/// switch's id, and the LID in three octets, lowest first. A sender finds the DLID in the latter by
/// itself, without an entry in its table.
mad::Mac base_mac(const SwitchConfiguration& of, const EndPort& port);

/// Returns VESWPortInfo of a member. `multicast_lid`: for frames to many receivers.
mad::VeswPortInfo make_port_info(const SwitchConfiguration& of, const EndPort& port,
                                 std::span<const EndPort> ports, std::uint32_t multicast_lid,
                                 mad::VnicState state);
/// True if all that an Ethernet Manager sets is the same; the rest belongs to the node.
bool is_set(const mad::VeswPortInfo& read, const mad::VeswPortInfo& desired);

// ---- MAC tables

struct MacEntry {
  mad::Mac mac;
  std::uint32_t dlid = 0;
  bool operator==(const MacEntry&) const = default;
};
/// The table of all ports of a switch. `digest` is neither of the two below.
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
/// Base MAC addresses first, then what the nodes report; each in the order of addresses. An address
/// that several ports report belongs to the one that had it before (`owners`), else to the lowest
/// PortGUID. Addresses that no interface can have are left out.
BuiltTable build_table(std::span<const PortMacs> ports, const std::map<mad::Mac, mad::Guid>& owners,
                       std::size_t entries_max);
/// The first entries of a table, for a node that holds no more.
MacTable truncated(const MacTable& table, std::size_t entries_max);

/// A MAD with a part of a table.
struct TablePart {
  std::uint16_t offset = 0;
  std::vector<MacEntry> entries;  // MAC 0: removed
  std::uint32_t digest = 0;       // of the last part: that of the table
  bool operator==(const TablePart&) const = default;
};
/// The parts that turn one table into another, in order. `at_node` null: not known what the node
/// has; then all of its `entries_max` entries are written. A node that loses its connection in
/// between shows kDigestPartial.
std::vector<TablePart> plan_table(const MacTable* at_node, const MacTable& wanted,
                                  std::size_t entries_max);

}  // namespace vnic
