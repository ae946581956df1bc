#pragma once
// One row for each attribute of subnet management that Heddle reads from nodes or shows: its
// places, its blocks, what announces it, what of it stays the same, its text. Recordings, lists of
// `heddlectl show` and the audit are loops over the rows.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mad/attributes/node_info.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/switch_info.h"

namespace mad {

using AttributeBytes = std::array<std::uint8_t, kAttributeBytes>;
using ConstAttributeBytes = std::span<const std::uint8_t, kAttributeBytes>;

/// Holds what is known of a port, by which the blocks of its attributes are counted.
struct PortFacts {
  NodeInfo node = {};
  SwitchInfo switch_info = {};  // of a switch
  PortInfo info = {};           // of the port
  PortNum number = {};          // as in modifiers: an external port of a switch; 0: the end port
  PortNum entry = {};           // the end port's number by which requests enter the node
  std::vector<PortNum> inputs = {};  // of a switch: ports from which packets reach the port

  bool is_switch() const { return node.node_type() == NodeType::switch_; }
  bool is_external() const { return is_switch() && number.value != 0; }
};

/// The steps of a recording: each needs what the earlier ones have read. `none`: the attribute is
/// not recorded.
enum class ReadStep : std::uint8_t { none, discovery, tables, forwarding, vendor, adaptive };

/// Flags of the places where an attribute is.
namespace place {
inline constexpr std::uint8_t kHost = 1;        // a port of a CA or router
inline constexpr std::uint8_t kSwitch = 2;      // a switch, or its port 0
inline constexpr std::uint8_t kSwitchPort = 4;  // an external port of a switch
inline constexpr std::uint8_t kNode = kHost | kSwitch, kLinkPort = kHost | kSwitchPort,
                              kEveryPort = kNode | kSwitchPort;
}  // namespace place

/// Holds the conditions on which an attribute is read from a node; those that are 0 do not count.
struct Announcement {
  std::uint32_t capability = 0;   // CapabilityMask of the end port
  std::uint16_t capability2 = 0;  // CapabilityMask2
  std::uint32_t vendor_id = 0;    // NodeInfo
  AttributeId answered_before{};  // the node has answered this attribute

  bool is_made(const NodeInfo& node, const PortInfo& end_port) const;
};

struct AttributeRow {
  AttributeId id{};
  std::span<const Field> fields = {};
  ReadStep step = ReadStep::none;
  std::uint8_t places = 0;
  Announcement announced = {};
  /// Returns the modifier of each block of a port, in the order in which blocks are read.
  std::vector<std::uint32_t> (*modifiers)(const PortFacts& port) = nullptr;
  std::array<std::string_view, 2> lists = {};  // of `heddlectl show`
  /// Masks the bits that no device changes by itself and that are the same at every queried port.
  AttributeBytes constant = {};
  bool names_fields = false;  // differences name the fields
  /// Describes a block: a format with {block}, {first_port}, {port}, {vport}.
  std::string_view block_name = "";
  /// Returns lines of text about a block; null: a line a field.
  std::string (*text)(ConstAttributeBytes bytes, std::uint32_t modifier) = nullptr;

  /// True if each port of a switch has content of its own, by its number in the modifier.
  bool is_of_port() const { return (places & place::kSwitchPort) != 0; }
  /// True if hosts and switches have it, so that it belongs to one of their end ports at least.
  bool is_of_end_port() const { return (places & place::kNode) == place::kNode; }
};

/// Describes a list of `heddlectl show`, whose attributes are those with its name in `lists`.
struct AttributeList {
  std::string_view name;
  std::string_view smpquery_name, short_name;  // other words for it
  std::string_view title;                      // of its text
  bool is_of_switches = false;                 // and not of hosts
};
std::span<const AttributeList> attribute_lists();

/// Returns all rows, in the order in which a recording reads them.
std::span<const AttributeRow> attribute_rows();
/// Returns an empty row for an attribute without one.
const AttributeRow& attribute_row(AttributeId id);

/// True if both have the same bits wherever `constant` says that they stay.
bool same_constant(const AttributeRow& row, ConstAttributeBytes a, ConstAttributeBytes b);

/// Returns the fields that differ where `constant` says that they stay.
std::vector<FieldChange> constant_changes(const AttributeRow& row, ConstAttributeBytes before,
                                          ConstAttributeBytes after);
/// Returns "MTUCap 1, not 5" for changes from 5 to 1.
std::string difference_text(std::span<const FieldChange> changes);

/// Sets keys (M_Key, SM_Key) to 0. Returns true if one was not.
bool clear_keys(AttributeId id, std::span<std::uint8_t, kAttributeBytes> bytes);

/// Returns a block as lines.
std::string block_text(AttributeId id, ConstAttributeBytes bytes, std::uint32_t modifier);

}  // namespace mad
