// NodeRecord: one for each port of a CA or router that has LIDs, one for each switch (IBTA Vol
// 1, 15.2.5.2).

#include "mad/records/fabric_records.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"

namespace sa {
namespace {

std::uint16_t produce_node(const View& view, const Query& query, RecordSink& sink) {
  const sm::Fabric& fabric = view.subnet.fabric;
  for_end_ports(view, query, [&](sm::PortIndex port, sm::LidMap::Range range) {
    const sm::Node& node = fabric.node_of(port);
    mad::NodeInfo info =
        node.info;  // as read through one of its ports; the record is about this one
    info.set_port_guid(fabric.ports[port].guid);
    info.set_local_port_num(fabric.ports[port].number);
    mad::NodeRecord record;
    record.set_attribute<mad::NodeRecordFields::kInfoByte>(info.bytes());
    record.set_attribute<mad::NodeRecordFields::kDescriptionByte>(node.description.bytes());
    record.set<"LID">(range.base);
    return sink.add(record.bytes(), port);
  });
  return mad::status::kOk;
}

constexpr auto kInfo = components_by_name<12>(
    mad::NodeRecordFields::kFields, 2,
    {"BaseVersion", "ClassVersion", "NodeType", "NumPorts", "SystemImageGUID", "NodeGUID",
     "PortGUID", "PartitionCap", "DeviceID", "Revision", "LocalPortNum", "VendorID"});
constexpr auto kNodeComponents = [] {
  std::array<Component, kInfo.size() + 1> out{};
  std::copy(kInfo.begin(), kInfo.end(), out.begin());
  out.back() = {14, 8 * mad::NodeRecordFields::kDescriptionByte, 512};
  return out;
}();

}  // namespace

const RecordType kNodeRecord{.attribute = mad::SaAttributeId::node_record,
                             .bytes = mad::NodeRecord::kBytes,
                             .components = kNodeComponents,
                             .produce = produce_node};

}  // namespace sa
