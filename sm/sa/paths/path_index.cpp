#include "sm/sa/paths/path_index.h"

#include <algorithm>
#include <limits>

#include "fabric/parallel.h"
#include "mad/attributes/port_tables.h"
#include "mad/path_units.h"

namespace sa {
namespace {

constexpr std::uint16_t kNoRateGbps = std::numeric_limits<std::uint16_t>::max();

/// The MTU of one end of a link. A value that is no code does not limit: switches leave those of
/// port 0 unset. Port 0 has no link, so that its NeighborMTU is not used.
std::uint8_t mtu_of(const sm::Port& port, bool has_link) {
  std::uint8_t mtu = mad::kMtuMax;
  const auto narrow = [&](mad::Mtu code) {
    if (mad::is_mtu(static_cast<std::uint8_t>(code)))
      mtu = std::min(mtu, static_cast<std::uint8_t>(code));
  };
  narrow(port.info.mtu_cap());
  if (has_link) narrow(port.info.neighbor_mtu());
  return mtu;
}

std::uint16_t rate_of(const sm::Port& port) {
  const unsigned gbps = mad::rate_gbps(mad::link_rate(port.info));
  return gbps == 0 ? kNoRateGbps : static_cast<std::uint16_t>(gbps);
}

}  // namespace

std::uint8_t PathProperties::rate() const {
  constexpr std::uint8_t kUnknown = 3;  // 10 Gb/s, as OpenSM answers for links of unknown rate
  return rate_gbps == kNoRateGbps ? kUnknown : mad::rate_code(rate_gbps).value_or(kUnknown);
}

PathProperties PathIndex::loopback(sm::PortIndex port) const {
  const sm::Port& own = subnet_.fabric.ports[port];
  return {.mtu = mtu_of(own, own.number != mad::PortNum{0}), .rate_gbps = rate_of(own)};
}

PathIndex::Exit PathIndex::make_exit(const sm::Fabric& fabric, sm::PortIndex port) {
  const sm::Port& own = fabric.ports[port];
  const sm::Node& node = fabric.nodes[own.node];
  if (node.is_switch() && own.number == mad::PortNum{0})
    return {.far = port,
            .next = node.switch_index,
            .rate_gbps = rate_of(own),
            .mtu = mtu_of(own, false)};
  if (!fabric.is_link_up(port)) return {.rate_gbps = rate_of(own), .mtu = mtu_of(own, true)};
  const sm::Port& far = fabric.ports[own.peer];
  return {.far = own.peer,
          .next = fabric.nodes[far.node].switch_index,
          .rate_gbps = std::min(rate_of(own), rate_of(far)),
          .mtu = std::min(mtu_of(own, true), mtu_of(far, true))};
}

bool PathIndex::drops(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid, mad::Sl sl) const {
  if ((dropped_sls_ >> sl.value & 1u) == 0 || from == to) return false;
  const sm::Fabric& fabric = subnet_.fabric;
  const auto drops_at = [&](sm::PortIndex out, mad::PortNum in) {
    const auto bits = subnet_.vl_tables->sl_to_vl(out, in);
    return bits && sm::vl_of(*bits, sl.value) == mad::SlToVlMappingTable::kDrop.value;
  };
  const bool starts_in_switch = fabric.node_of(from).is_switch();
  bool dropped = !starts_in_switch && drops_at(from, {});
  mad::PortNum in =
      starts_in_switch ? mad::PortNum{0} : fabric.ports[fabric.ports[from].peer].number;
  walk(from, to, dlid, [&](sm::SwitchIndex sw, mad::PortNum out) {
    if (out == mad::PortNum{0}) return;
    const sm::PortIndex exit = fabric.port(fabric.switches[sw].node, out);
    dropped = dropped || drops_at(exit, in);
    in = fabric.ports[fabric.ports[exit].peer].number;
  });
  return dropped;
}

PathIndex::PathIndex(const sm::Subnet& subnet)
    : subnet_(subnet),
      dropped_sls_(subnet.vl_tables ? subnet.vl_tables->dropped_sls() : std::uint16_t{0}) {
  const sm::Fabric& fabric = subnet.fabric;
  first_exit_.reserve(fabric.switches.size() + 1);
  std::uint32_t exits = 0;
  for (const sm::Switch& sw : fabric.switches) {
    first_exit_.push_back(exits);
    exits += fabric.nodes[sw.node].num_ports + 1u;
  }
  first_exit_.push_back(exits);
  of_switch_port_.resize(exits);
  of_end_port_.resize(fabric.end_ports.size());
  constexpr std::size_t kSwitchesWorthAThread = 200, kEndPortsWorthAThread = 4000;
  sm::in_parallel(
      fabric.switches.size(), kSwitchesWorthAThread, [&](std::size_t begin, std::size_t end) {
        for (auto sw = sm::SwitchIndex(begin); sw < end; ++sw) {
          const sm::Node& node = fabric.nodes[fabric.switches[sw].node];
          for (unsigned number = 0; number <= node.num_ports; ++number)
            of_switch_port_[first_exit_[sw] + number] = make_exit(fabric, node.first_port + number);
        }
      });
  sm::in_parallel(fabric.end_ports.size(), kEndPortsWorthAThread,
                  [&](std::size_t begin, std::size_t end) {
                    for (auto at = sm::EndPortIndex(begin); at < end; ++at)
                      of_end_port_[at] = make_exit(fabric, fabric.end_ports[at]);
                  });
}

}  // namespace sa
