// LinkRecord: one for each direction of each cable between two ports that have LIDs (IBTA Vol
// 1, 15.2.5.13).

#include "mad/records/fabric_records.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"

namespace sa {
namespace {

/// The end port that a port's records are filed under: itself, or port 0 of its switch.
sm::PortIndex filed_under(const sm::Fabric& fabric, sm::PortIndex port) {
  const sm::Node& node = fabric.node_of(port);
  return node.is_switch() ? node.first_port : port;
}

std::uint16_t produce_link(const View& view, const Query& query, RecordSink& sink) {
  const sm::Subnet& subnet = view.subnet;
  const sm::Fabric& fabric = subnet.fabric;
  const mad::LinkRecord asked(query.record.first<mad::LinkRecord::kBytes>());
  const auto asked_from = asked.get<mad::PortNum, "FromPort">();
  const sm::PortIndex asked_to =
      query.has(3) ? subnet.lids.owner(asked.get<mad::Lid, "ToLID">()) : sm::kNoIndex;
  if (query.has(3) && asked_to == sm::kNoIndex) return mad::status::kOk;

  for_end_ports(view, query, [&](sm::PortIndex end_port, sm::LidMap::Range range) {
    const auto [first, last] = ports_behind(fabric, end_port);
    sm::PortIndex judged = sm::kNoIndex;
    bool verdict = false;
    for (sm::PortIndex index = first; index < last; ++index) {
      const sm::Port& port = fabric.ports[index];
      if (port.peer == sm::kNoIndex || (query.has(1) && port.number != asked_from)) continue;
      const sm::PortIndex far = filed_under(fabric, port.peer);
      const mad::Lid to = subnet.lids_of(far).base;
      if (to == mad::Lid{} || (query.has(3) && far != asked_to)) continue;
      if (judged != far) {  // both ends must be visible; the near one is judged by the sink
        judged = far;
        verdict = may_talk(subnet, query.from.port, far);
      }
      if (!verdict) continue;
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
