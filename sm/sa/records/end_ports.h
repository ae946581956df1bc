#pragma once
// Selection of end ports, and of a switch's ports, by the components of a query. A query with a LID
// does not visit the rest of the fabric.

#include <utility>

#include "mad/field.h"
#include "sm/sa/query/record_type.h"

namespace sa {

/// Calls `each(port, range of LIDs)` for the end port that has the LID of the query (mask bit 0;
/// any of its 2^LMC LIDs, as OpenSM), or for all that have LIDs, until it returns false or the
/// slice of the answer ends. The LID is the first field of every record that uses this.
template <class Each>
void for_end_ports(const View& view, const Query& query, RecordSink& sink, Each&& each) {
  const sm::Subnet& subnet = view.subnet;
  if (query.has(0)) {
    const mad::Lid lid{static_cast<std::uint16_t>(mad::read_bits<0, 16>(query.record))};
    const sm::PortIndex port = subnet.lids.owner(lid);
    if (port != sm::kNoIndex) each(port, subnet.lids_of(port));
    return;
  }
  for (std::size_t number = sink.first(); number < subnet.fabric.end_ports.size(); ++number) {
    if (sink.pauses_before(number)) return;
    const sm::EndPortIndex end_port(number);
    const sm::LidMap::Range range = subnet.lids.of_end_port[end_port];
    if (range.count() != 0 && !each(subnet.fabric.end_ports[end_port], range)) return;
  }
}

/// The same, switches only: `each(node, its port 0, range)`.
template <class Each>
void for_switches(const View& view, const Query& query, RecordSink& sink, Each&& each) {
  for_end_ports(view, query, sink, [&](sm::PortIndex port, sm::LidMap::Range range) {
    const sm::Node& node = view.subnet.fabric.node_of(port);
    return !node.is_switch() || each(node, port, range);
  });
}

/// The ports whose records have the LID of `end_port`: itself, or all ports of its switch. First
/// and one past the last.
inline std::pair<sm::PortIndex, sm::PortIndex> ports_behind(const sm::Fabric& fabric,
                                                            sm::PortIndex end_port) {
  const sm::Node& node = fabric.node_of(end_port);
  if (!node.is_switch()) return {end_port, end_port + 1};
  return {node.first_port, node.first_port + node.num_ports + 1u};
}

/// First and last number to produce: `requested` if the query has component `mask_bit`, else
/// 0..`last`.
inline std::pair<unsigned, unsigned> numbers(const Query& query, unsigned mask_bit,
                                             unsigned requested, unsigned last) {
  if (!query.has(mask_bit)) return {0, last};
  return {requested, requested < last ? requested : last};
}

}  // namespace sa
