#pragma once
// The audit slowly reads back what devices are known to hold, and compares.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/subnet.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"
#include "sm/sweep/observe/single_reads.h"

namespace sm {

/// Identifies one attribute whose content is known.
struct AuditItem {
  mad::AttributeId attribute{};
  std::uint32_t modifier = 0;
  PortIndex port = kNoIndex;   // by which it is read
  PortIndex about = kNoIndex;  // whose PortInfo, P_Keys or VL tables it is
  std::uint16_t part = 0;      // block; SLtoVLMappingTable: input port
  std::uint8_t position = 0;   // MulticastForwardingTable
  std::uint16_t vport = 0;     // index, of attributes of a vport
};

/// Returns all known attributes of a node: NodeInfo, NodeDescription, PortInfo and P_KeyTable of
/// its ports, SLtoVLMapping and VLArbitration tables. A switch also has SwitchInfo,
/// LinearForwarding and MulticastForwarding tables, a port with vports VirtualizationInfo,
/// VPortInfo, VNodeInfo and VPortP_KeyTable. DeviceTable adds the rows that say so
/// (SweepRow::is_audited). Pure.
std::vector<AuditItem> audit_items(const Subnet& subnet, const DeviceState& devices,
                                   NodeIndex node);

/// Returns the P_Key tables that decide which packets the port receives and sends, as far as they
/// are known. Pure.
std::vector<AuditItem> p_key_items(const Subnet& subnet, const DeviceState& devices,
                                   const PKeyCheck& check);

/// True if the node's response is what is known, except for fields that change by themselves. This
/// also compares attributes that are only read: a node may have answered wrongly for some time.
/// Pure.
bool matches_known(const Subnet& subnet, const DeviceState& devices, const AuditItem& item,
                   std::span<const std::uint8_t, 64> data);

/// Describes the difference: "LinearForwardingTable block 3", "PortInfo of port 4: MTUCap 1, not
/// 5".
std::string describe(const Subnet& subnet, const DeviceState& devices, const AuditItem& item,
                     std::span<const std::uint8_t, 64> data);

/// Orders an audit: pass after pass over all nodes, by NodeGUID, whatever is published while it
/// runs.
class AuditCursor {
 public:
  /// Returns the next item; nullopt at the end of a pass, and then the first one of the next pass.
  std::optional<AuditItem> next(const std::shared_ptr<const Subnet>& subnet,
                                const DeviceState& devices);
  /// Leaves out the rest of the current node in this pass, because it does not answer.
  void skip_node() { items_.clear(); }

 private:
  std::shared_ptr<const Subnet> subnet_;  // of items_
  std::vector<mad::Guid> nodes_;          // of this pass, the next one last
  mad::Guid node_;                        // whose items they are
  std::vector<AuditItem> items_;          // the next one last
};

/// Returns how many attributes a pass reads.
std::size_t audit_size(const Subnet& subnet, const DeviceState& devices);

}  // namespace sm
