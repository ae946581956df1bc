// TraceRecord: the nodes of one path in order, including its two ends (IBTA Vol 1, 15.2.5.19). The
// request is a PathRecord that names both ends.

#include "mad/records/path_records.h"

#include "sm/sa/paths/ends.h"
#include "sm/sa/paths/gateways.h"
#include "sm/sa/paths/path_finder.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/query/visibility.h"

namespace sa {
namespace {

/// A node of the path, its entry and exit port; kNoIndex if the path begins or ends there.
struct Step {
  fabric::NodeIndex node;
  fabric::PortIndex entry = fabric::kNoIndex, exit = fabric::kNoIndex;
};

/// Returns the GUID of a port. External ports of switches have none and use port 0's.
mad::Guid find_guid(const fabric::Fabric& fabric, fabric::PortIndex port) {
  if (port == fabric::kNoIndex) return {};
  const fabric::Node& node = fabric.owning_node(port);
  return fabric.ports[node.is_switch() ? node.first_port : port].guid;
}

bool add(const View& view, const Step& step, fabric::EndPoint about, RecordSink& sink) {
  const fabric::Fabric& fabric = view.subnet.fabric;
  const fabric::Node& node = fabric.nodes[step.node];
  const auto number = [&](fabric::PortIndex port) {
    return port == fabric::kNoIndex ? mad::PortNum{0} : fabric.ports[port].number;
  };
  mad::TraceRecord record;
  record.set<"GIDPrefix">(std::uint64_t{view.options.subnet_prefix});
  record.set<"NodeType">(node.type);
  record.set<"NodeID">(node.guid);
  record.set<"ChassisID">(node.info.system_image_guid());
  record.set<"EntryPortID">(find_guid(fabric, step.entry));
  record.set<"ExitPortID">(find_guid(fabric, step.exit));
  record.set<"EntryPort">(number(step.entry));
  record.set<"ExitPort">(number(step.exit));
  return sink.add(record.bytes(), about);
}

std::uint16_t produce_trace(const View& view, const Query& query, RecordSink& sink) {
  const PathNames names =
      path_names(mad::PathRecord(query.record.first<mad::PathRecord::kBytes>()), query);
  const Ends from_ends = find_ends(view, names.from), to_ends = find_far_ends(view, names.to);
  if (from_ends.contradiction || to_ends.contradiction) return mad::sa_status::kReqInvalid;
  if (from_ends.recent || to_ends.recent) return mad::status::kBusy;
  if (from_ends.kind == Ends::Kind::all || to_ends.kind == Ends::Kind::all)
    return mad::sa_status::kReqInsufficientComponents;
  if (from_ends.kind != Ends::Kind::one || to_ends.kind != Ends::Kind::one) return mad::status::kOk;
  const PathEnd& from = from_ends.one;
  PathEnd to = to_ends.one;
  if (to.is_beyond) {  // the part of the path in this subnet
    const std::optional<PathEnd> gateway = choose_gateway(view, from, to, std::nullopt);
    if (!gateway) return mad::status::kOk;
    to = *gateway;
  }
  const fabric::Subnet& subnet = view.subnet;
  const fabric::Fabric& fabric = subnet.fabric;
  const fabric::EndPoint own = query.from.end();
  if (!may_communicate(subnet, own, from.end) || !may_communicate(subnet, own, to.end))
    return mad::status::kOk;
  if (!common_p_key(subnet.find_p_keys(from.end), subnet.find_p_keys(to.end), std::nullopt))
    return mad::status::kOk;
  const fabric::PortIndex from_port = from.end.port, to_port = to.end.port;
  if (view.paths == nullptr || !view.paths->walk(from_port, to_port, to.first_lid))
    return mad::status::kOk;

  // The path exists, so every exit below has a link. A switch that is the source or destination has
  // no entry or no exit port.
  const bool starts_in_switch = fabric.owning_node(from_port).is_switch();
  Step step{.node = fabric.ports[from_port].node};
  if (!starts_in_switch && from_port != to_port) step.exit = from_port;
  bool more = true;
  const auto cross = [&](fabric::PortIndex exit) {  // over the link to the next node
    step.exit = exit;
    const fabric::Node& node = fabric.nodes[step.node];
    const fabric::EndPoint about =
        exit == from_port ? from.end
                          : fabric::EndPoint{.port = node.is_switch() ? node.first_port : exit};
    more = more && add(view, step, about, sink);
    const fabric::PortIndex entry = fabric.ports[exit].peer;
    step = {.node = fabric.ports[entry].node, .entry = entry, .exit = fabric::kNoIndex};
  };
  if (step.exit != fabric::kNoIndex) cross(step.exit);
  view.paths->walk(from_port, to_port, to.first_lid, [&](fabric::SwitchIndex sw, mad::PortNum out) {
    if (out != mad::PortNum{0}) cross(fabric.port(fabric.switches[sw].node, out));
  });
  if (more) add(view, step, to.end, sink);
  return mad::status::kOk;
}

}  // namespace

const RecordType kTraceRecord{
    .attribute = mad::SaAttributeId::trace_record,
    .bytes = mad::TraceRecord::kBytes,
    .produce = produce_trace,
    .request_bytes = mad::PathRecord::kBytes,
    .methods = {mad::Method::get_trace_table, mad::Method::get_trace_table}};

}  // namespace sa
