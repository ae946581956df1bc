#include "sm/sa/paths/path_index.h"

#include "mad/attributes/port_tables.h"
#include "mad/path_units.h"

namespace sa {

std::uint8_t PathProperties::rate() const {
  constexpr std::uint8_t kUnknown = 3;  // 10 Gb/s, as OpenSM answers for links of unknown rate
  return has_rate() ? mad::rate_code(rate_gbps).value_or(kUnknown) : kUnknown;
}

bool PathIndex::drops(fabric::PortIndex from, fabric::PortIndex to, mad::Lid dlid,
                      mad::Sl sl) const {
  if ((dropped_sls_ >> sl.value & 1u) == 0 || from == to) return false;
  const fabric::Fabric& fabric = subnet_.fabric;
  const auto drops_at = [&](fabric::PortIndex out, mad::PortNum in) {
    const auto bits = subnet_.vl_tables->sl_to_vl(out, in);
    return bits && fabric::mapped_vl(*bits, sl.value) == mad::SlToVlMappingTable::kDrop.value;
  };
  const bool starts_in_switch = fabric.owning_node(from).is_switch();
  bool dropped = !starts_in_switch && drops_at(from, {});
  mad::PortNum in =
      starts_in_switch ? mad::PortNum{0} : fabric.ports[fabric.ports[from].peer].number;
  walk(from, to, dlid, [&](fabric::SwitchIndex sw, mad::PortNum out) {
    if (out == mad::PortNum{0}) return;
    const fabric::PortIndex exit = fabric.port(fabric.switches[sw].node, out);
    dropped = dropped || drops_at(exit, in);
    in = fabric.ports[fabric.ports[exit].peer].number;
  });
  return dropped;
}

std::optional<PathProperties> PathIndex::limits(fabric::PortIndex from,
                                                fabric::PortIndex to) const {
  if (from == to) return properties_of(fabric::Exits::loopback(subnet_.fabric, from));
  const fabric::Exit& first = exits_.of_end_port(subnet_.end_port_index[from]);
  const fabric::Exit& last = exits_.of_end_port(subnet_.end_port_index[to]);
  if (first.far == fabric::kNoIndex || last.far == fabric::kNoIndex) return std::nullopt;
  PathProperties limits = properties_of(first);
  narrow(limits, last);
  return limits;
}

PathIndex::PathIndex(const fabric::Subnet& subnet)
    : subnet_(subnet),
      exits_(*subnet.exits),
      dropped_sls_(subnet.vl_tables ? subnet.vl_tables->dropped_sls() : std::uint16_t{0}) {}

}  // namespace sa
