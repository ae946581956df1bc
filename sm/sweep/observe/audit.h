#pragma once
// The audit reads back, slowly, what devices are known to hold, and compares.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/subnet.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// One attribute whose content is known.
struct AuditItem {
  mad::AttributeId attribute{};
  std::uint32_t modifier = 0;
  PortIndex port = kNoIndex;   // by which it is read
  PortIndex about = kNoIndex;  // whose PortInfo, P_Keys or VL tables it is
  std::uint16_t part = 0;      // block; SLtoVLMappingTable: input port
  std::uint8_t position = 0;   // MulticastForwardingTable
  std::uint16_t vport = 0;     // index, of attributes of a vport
};

/// All attributes of a node that are known: NodeInfo, NodeDescription, PortInfo and P_KeyTable of
/// its ports, SLtoVLMapping and VLArbitration tables, of a switch SwitchInfo, LinearForwarding and
/// MulticastForwarding tables, and of ports with vports VirtualizationInfo, VPortInfo, VNodeInfo
/// and VPortP_KeyTable. Pure.
std::vector<AuditItem> audit_items(const Subnet& subnet, const DeviceState& devices,
                                   NodeIndex node);

/// True if the node's response is what is known, but for fields that change by themselves.
/// Attributes that are only read are compared, too: a node may have answered wrongly for some time.
/// Pure.
bool matches_known(const Subnet& subnet, const DeviceState& devices, const AuditItem& item,
                   std::span<const std::uint8_t, 64> data);

/// Describes the difference: "LinearForwardingTable block 3", "PortInfo of port 4: MTUCap 1, not
/// 5".
std::string describe(const Subnet& subnet, const AuditItem& item,
                     std::span<const std::uint8_t, 64> data);

/// The order of an audit: pass after pass over all nodes, by NodeGUID, whatever is published
/// while it runs.
class AuditCursor {
 public:
  /// The next item; nullopt at the end of a pass, and then the first one of the next pass.
  std::optional<AuditItem> next(const std::shared_ptr<const Subnet>& subnet,
                                const DeviceState& devices);
  /// The rest of the current node is left out of this pass: it does not answer.
  void skip_node() { items_.clear(); }

 private:
  std::shared_ptr<const Subnet> subnet_;  // of items_
  std::vector<mad::Guid> nodes_;          // of this pass, the next one last
  mad::Guid node_;                        // whose items they are
  std::vector<AuditItem> items_;          // the next one last
};

/// How many attributes a pass reads.
std::size_t audit_size(const Subnet& subnet, const DeviceState& devices);

}  // namespace sm
