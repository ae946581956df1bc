// LinkRecord: one for each direction of each link between two ports that have LIDs (IBTA Vol 1,
// 15.2.5.13).

#include "mad/records/fabric_records.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"

namespace sa {
namespace {

/// The end port whose LID a port's records have: itself, or port 0 of its switch.
sm::PortIndex end_port_of(const sm::Fabric& fabric, sm::PortIndex port) {
  const sm::Node& node = fabric.node_of(port);
  return node.is_switch() ? node.first_port : port;
}

std::uint16_t produce_link(const View& view, const Query& query, RecordSink& sink) {
  const sm::Subnet& subnet = view.subnet;
  const sm::Fabric& fabric = subnet.fabric;
  const mad::LinkRecord request(query.record.first<mad::LinkRecord::kBytes>());
  const auto requested_from = request.get<mad::PortNum, "FromPort">();
  const sm::PortIndex requested_to =
      query.has(3) ? subnet.lids.owner(request.get<mad::Lid, "ToLID">()) : sm::kNoIndex;
  if (query.has(3) && requested_to == sm::kNoIndex) return mad::status::kOk;

  for_end_ports(view, query, [&](sm::PortIndex end_port, sm::LidMap::Range range) {
    const auto [first, last] = ports_behind(fabric, end_port);
    sm::PortIndex checked = sm::kNoIndex;
    bool is_visible = false;
    for (sm::PortIndex index = first; index < last; ++index) {
      const sm::Port& port = fabric.ports[index];
      if (port.peer == sm::kNoIndex || (query.has(1) && port.number != requested_from)) continue;
      const sm::PortIndex far = end_port_of(fabric, port.peer);
      const mad::Lid to = subnet.lids_of(far).base;
      if (to == mad::Lid{} || (query.has(3) && far != requested_to)) continue;
      if (checked != far) {  // both ends must be visible; the sink checks the near one
        checked = far;
        is_visible = may_talk(subnet, query.from.port, far);
      }
      if (!is_visible) continue;
      mad::LinkRecord record;
      record.set<"FromLID">(range.base);
      record.set<"FromPort">(port.number);
      record.set<"ToPort">(fabric.ports[port.peer].number);
      record.set<"ToLID">(to);
      if (!sink.add(record.bytes(), end_port)) return false;
    }
    return true;
  });
  return mad::status::kOk;
}

constexpr auto kLinkComponents =
    components_by_name<2>(mad::LinkRecordFields::kFields, 1, {"FromPort", "ToPort"});

}  // namespace

const RecordType kLinkRecord{.attribute = mad::SaAttributeId::link_record,
                             .bytes = mad::LinkRecord::kBytes,
                             .components = kLinkComponents,
                             .produce = produce_link};

}  // namespace sa
