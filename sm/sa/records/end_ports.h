#pragma once
// Selects end ports, vports, and a switch's ports by the components of a query. A query with a LID
// does not visit the rest of the fabric.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "mad/field.h"
#include "sm/sa/query/record_type.h"

namespace sa {

/// Calls `each(port, range of LIDs)` for the end port that has the LID of the query (mask bit 0;
/// any of its 2^LMC LIDs, as OpenSM), or for all that have LIDs, until it returns false or the
/// slice of the answer ends. Each end port is an element. The LID is the first field of every
/// record that uses this.
template <class Each>
void for_end_ports(const View& view, const Query& query, RecordSink& sink, Each&& each) {
  const fabric::Subnet& subnet = view.subnet;
  if (query.has(0)) {
    const mad::Lid lid{static_cast<std::uint16_t>(mad::read_bits<0, 16>(query.record))};
    const fabric::EndPoint owner = subnet.owner(lid);
    if (owner.port != fabric::kNoIndex && owner.vport == fabric::kNoIndex && !sink.pauses_before(0))
      each(owner.port, subnet.lid_range(owner.port));
    return;
  }
  for (std::size_t number = sink.first(); number < subnet.fabric.end_ports.size(); ++number) {
    if (sink.pauses_before(number)) return;
    const fabric::EndPortIndex end_port(number);
    const fabric::LidMap::Range range = subnet.lids.of_end_port[end_port];
    if (range.count() != 0 && !each(subnet.fabric.end_ports[end_port], range)) return;
  }
}

/// Calls `each(end, vport)` after for_end_ports(), for the vport whose own LID is in the query.
/// With `without_lid`, a query without a LID visits all vports that have their own LID.
template <class Each>
void for_vports(const View& view, const Query& query, RecordSink& sink, bool without_lid,
                Each&& each) {
  const fabric::Subnet& subnet = view.subnet;
  if (!subnet.vports || sink.is_paused()) return;
  const fabric::VPorts& vports = *subnet.vports;
  if (query.has(0)) {
    const mad::Lid lid{static_cast<std::uint16_t>(mad::read_bits<0, 16>(query.record))};
    const fabric::EndPoint owner = subnet.owner(lid);
    if (owner.vport != fabric::kNoIndex) each(owner, vports.vports[owner.vport]);
    return;
  }
  if (!without_lid) return;
  const std::size_t end_ports = subnet.fabric.end_ports.size();
  for (std::size_t number = std::max(sink.first(), end_ports);
       number < end_ports + vports.vports.size(); ++number) {
    if (sink.pauses_before(number)) return;
    const fabric::VPortIndex index(number - end_ports);
    const fabric::VPort& vport = vports.vports[index];
    if (vports.owner(vport.lid) == index &&
        !each(fabric::EndPoint{.port = vport.port, .vport = index}, vport))
      return;
  }
}

/// Visits switches only, as for_end_ports() does: `each(node, its port 0, range)`.
template <class Each>
void for_switches(const View& view, const Query& query, RecordSink& sink, Each&& each) {
  for_end_ports(view, query, sink, [&](fabric::PortIndex port, fabric::LidMap::Range range) {
    const fabric::Node& node = view.subnet.fabric.owning_node(port);
    return !node.is_switch() || each(node, port, range);
  });
}

/// Decides whether this slice produces part `part` of the end port, which is one or more records.
/// `stop` means that the slice has ended, and `each` of for_end_ports() returns false. A caller
/// with many parts begins near sink.first_part().
enum class PartTurn : std::uint8_t { produce, skip, stop };
inline PartTurn part_action(RecordSink& sink, std::size_t part) {
  if (part < sink.first_part()) return PartTurn::skip;
  return sink.pauses_before_part(part) ? PartTurn::stop : PartTurn::produce;
}

/// Returns the ports whose records have the LID of `end_port`: the port itself, or all ports of its
/// switch. The pair is the first port and one past the last.
inline std::pair<fabric::PortIndex, fabric::PortIndex> ports_behind(const fabric::Fabric& fabric,
                                                                    fabric::PortIndex end_port) {
  const fabric::Node& node = fabric.owning_node(end_port);
  if (!node.is_switch()) return {end_port, end_port + 1};
  return {node.first_port, node.first_port + node.num_ports + 1u};
}

/// Returns the first and last number to produce: `requested` if the query has component `mask_bit`,
/// else 0..`last`.
inline std::pair<unsigned, unsigned> numbers(const Query& query, unsigned mask_bit,
                                             unsigned requested, unsigned last) {
  if (!query.has(mask_bit)) return {0, last};
  return {requested, requested < last ? requested : last};
}

}  // namespace sa
