#pragma once
#include "mad/attribute.h"

namespace mad {

/// The kind of a node. The wire may have any byte: compare it, do not use it as an index.
enum class NodeType : std::uint8_t { ca = 1, switch_ = 2, router = 3 };

constexpr std::string_view name(NodeType type) {
  switch (type) {
    case NodeType::ca:
      return "CA";
    case NodeType::switch_:
      return "Switch";
    case NodeType::router:
      return "Router";
  }
  return "";
}

/// Type and GUIDs of a node, as read through one of its ports. Read only; modifier 0.
/// Units:  num_ports counts external ports; partition_cap counts P_Keys of a CA or router port, or
/// of a switch's port 0; port_guid and local_port_num belong to the port that received the request.
/// Source: IBTA Vol 1, 14.2.5.3.
class NodeInfo : public Attribute<NodeInfo, AttributeId::node_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 8, "BaseVersion"}, Field{8, 8, "ClassVersion"},      Field{16, 8, "NodeType"},
      Field{24, 8, "NumPorts"},   Field{32, 64, "SystemImageGUID"}, Field{96, 64, "NodeGUID"},
      Field{160, 64, "PortGUID"}, Field{224, 16, "PartitionCap"},   Field{240, 16, "DeviceID"},
      Field{256, 32, "Revision"}, Field{288, 8, "LocalPortNum"},    Field{296, 24, "VendorID"},
  };
  using WireRecord::WireRecord;

  constexpr std::uint8_t base_version() const { return get<std::uint8_t, "BaseVersion">(); }
  constexpr void set_base_version(std::uint8_t value) { set<"BaseVersion">(value); }
  constexpr std::uint8_t class_version() const { return get<std::uint8_t, "ClassVersion">(); }
  constexpr void set_class_version(std::uint8_t value) { set<"ClassVersion">(value); }
  constexpr NodeType node_type() const { return get<NodeType, "NodeType">(); }
  constexpr void set_node_type(NodeType value) { set<"NodeType">(value); }
  constexpr std::uint8_t num_ports() const { return get<std::uint8_t, "NumPorts">(); }
  constexpr void set_num_ports(std::uint8_t value) { set<"NumPorts">(value); }
  constexpr Guid system_image_guid() const { return get<Guid, "SystemImageGUID">(); }
  constexpr void set_system_image_guid(Guid value) { set<"SystemImageGUID">(value); }
  constexpr Guid node_guid() const { return get<Guid, "NodeGUID">(); }
  constexpr void set_node_guid(Guid value) { set<"NodeGUID">(value); }
  constexpr Guid port_guid() const { return get<Guid, "PortGUID">(); }
  constexpr void set_port_guid(Guid value) { set<"PortGUID">(value); }
  constexpr std::uint16_t partition_cap() const { return get<std::uint16_t, "PartitionCap">(); }
  constexpr void set_partition_cap(std::uint16_t value) { set<"PartitionCap">(value); }
  constexpr std::uint16_t device_id() const { return get<std::uint16_t, "DeviceID">(); }
  constexpr void set_device_id(std::uint16_t value) { set<"DeviceID">(value); }
  constexpr std::uint32_t revision() const { return get<std::uint32_t, "Revision">(); }
  constexpr void set_revision(std::uint32_t value) { set<"Revision">(value); }
  constexpr PortNum local_port_num() const { return get<PortNum, "LocalPortNum">(); }
  constexpr void set_local_port_num(PortNum value) { set<"LocalPortNum">(value); }
  constexpr std::uint32_t vendor_id() const { return get<std::uint32_t, "VendorID">(); }
  constexpr void set_vendor_id(std::uint32_t value) { set<"VendorID">(value); }
  /// Returns NodeType as on the wire, for messages about undefined values.
  constexpr std::uint8_t node_type_raw() const { return get<std::uint8_t, "NodeType">(); }
};

/// The description of a node: 64 bytes, not necessarily terminated by a NUL. Modifier 0; nodes with
/// capability2::kSetNodeDescription accept a Set. Source: IBTA Vol 1, 14.2.5.2.
class NodeDescription : public Attribute<NodeDescription, AttributeId::node_description> {
 public:
  static constexpr auto kFields = repeated<kAttributeBytes>(0, 8, "NodeString");
  using WireRecord::WireRecord;

  /// Returns the text up to the first NUL, at most 64 characters, safe to print. Characters other
  /// than printable ASCII become spaces, as in the tools of infiniband-diags. (A newline would
  /// forge log lines; a broken UTF-8 sequence would break JSON.)
  std::string text() const {
    std::string out(wire_.begin(), std::find(wire_.begin(), wire_.end(), 0));
    std::replace_if(out.begin(), out.end(), [](char c) { return c < 0x20 || c > 0x7E; }, ' ');
    return out;
  }
  /// Stores the first 64 bytes of `text`, padded by NUL.
  constexpr void set_text(std::string_view text) {
    wire_.fill(0);
    std::transform(text.begin(),
                   text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), wire_.size())),
                   wire_.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
  }
};

}  // namespace mad
