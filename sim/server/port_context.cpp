#include "sim/server/port_context.h"

#include <algorithm>

#include "sim/server/wire_records.h"

namespace sim::server {

bool answer_from_port_context(const Model& model, PortIndex at, wire::Control& record) {
  const PortModel& port = model.ports[at];
  const NodeModel& node = model.nodes[port.node];
  switch (record.type) {
    case wire::ControlType::get_port:
      put(record, wire::LidAndState{.lid = port.info.lid().value,
                                    .state = static_cast<std::uint8_t>(port.info.port_state())});
      return true;
    case wire::ControlType::get_vendor:
      put(record, wire::Vendor{.vendor_id = node.info.vendor_id(),
                               .device_id = node.info.device_id(),
                               .revision = node.info.revision(),
                               .firmware = 1});
      return true;
    case wire::ControlType::get_gid:
      put_gid(record, {port.info.gid_prefix(), port.guid});
      return true;
    case wire::ControlType::get_guid:
      put(record, port.guid.value);
      return true;
    case wire::ControlType::get_node_info: {
      mad::NodeInfo info = node.info;
      info.set_port_guid(port.guid);
      info.set_local_port_num({port.number});
      std::ranges::copy(info.bytes(), record.data.begin());
      return true;
    }
    case wire::ControlType::get_port_info: {
      const PortIndex other = record.data[0] == 0 ? at : model.port(port.node, record.data[0]);
      std::ranges::copy(model.ports[other == kNone ? at : other].info.bytes(), record.data.begin());
      return true;
    }
    case wire::ControlType::get_p_keys:
      std::ranges::copy(model.p_keys(at, 0).bytes(), record.data.begin());
      return true;
    default:
      return false;
  }
}

}  // namespace sim::server
