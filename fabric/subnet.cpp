#include "fabric/subnet.h"

#include <algorithm>

#include "fabric/at_once.h"
#include "fabric/parallel.h"
#include "mad/path_units.h"

namespace fabric {
namespace {

/// Returns the MTU of one end of a link. An invalid code does not limit the MTU: switches leave the
/// codes of port 0 unset. Port 0 has no link, so its NeighborMTU is not used.
std::uint8_t find_mtu(const Port& port, bool has_link) {
  std::uint8_t mtu = mad::kMtuMax;
  const auto narrow = [&](mad::Mtu code) {
    if (mad::is_mtu(static_cast<std::uint8_t>(code)))
      mtu = std::min(mtu, static_cast<std::uint8_t>(code));
  };
  narrow(port.info.mtu_cap());
  if (has_link) narrow(port.info.neighbor_mtu());
  return mtu;
}

std::uint16_t rate_of(const Port& port) {
  const unsigned gbps = mad::rate_gbps(mad::link_rate(port.info));
  return gbps == 0 ? Exit::kNoRateGbps : static_cast<std::uint16_t>(gbps);
}

/// One end of a link, in less memory than its Port.
struct End {
  NodeIndex node = kNoIndex;
  std::uint16_t rate_gbps = 0;
  std::uint8_t mtu = 0;
  bool is_up = false;
};

class ExitBuilder {
 public:
  explicit ExitBuilder(const Fabric& fabric) : fabric_(fabric) {
    ends_.resize(fabric.ports.size());
    in_parallel(fabric.ports.size(), kPortsWorthAThread, [&](std::size_t begin, std::size_t end) {
      for (auto index = PortIndex(begin); index < end; ++index) {
        const Port& port = fabric.ports[index];
        ends_[index] = {.node = port.node,
                        .rate_gbps = rate_of(port),
                        .mtu = find_mtu(port, !is_port_0(port)),
                        .is_up = port.is_up()};
      }
    });
  }

  Exit of(PortIndex port) const {
    const Port& own = fabric_.ports[port];
    const End& here = ends_[port];
    if (is_port_0(own))
      return {.far = port,
              .next = fabric_.nodes[own.node].switch_index,
              .rate_gbps = here.rate_gbps,
              .mtu = here.mtu};
    Exit exit{.rate_gbps = here.rate_gbps, .mtu = here.mtu};
    if (own.peer == kNoIndex || !here.is_up) return exit;
    const End& there = ends_[own.peer];
    if (!there.is_up || there.node == here.node) return exit;  // as Fabric::is_link_up() has it
    return {.far = own.peer,
            .next = fabric_.nodes[there.node].switch_index,
            .rate_gbps = std::min(here.rate_gbps, there.rate_gbps),
            .mtu = std::min(here.mtu, there.mtu)};
  }

 private:
  /// Only switches have a port 0; other nodes count their ports from 1.
  static bool is_port_0(const Port& port) { return port.number.value == 0; }

  const Fabric& fabric_;
  IndexVector<PortIndex, End> ends_;
};

}  // namespace

Exit Exits::loopback(const Fabric& fabric, PortIndex port) {
  const Port& own = fabric.ports[port];
  return {.far = port, .rate_gbps = rate_of(own), .mtu = find_mtu(own, own.number.value != 0)};
}

Exits::Exits(const Fabric& fabric) {
  first_.reserve(fabric.switches.size() + 1);
  std::uint32_t exits = 0;
  for (const Switch& sw : fabric.switches) {
    first_.push_back(exits);
    exits += fabric.nodes[sw.node].num_ports + 1u;
  }
  first_.push_back(exits);
  of_switch_port_.resize(exits);
  of_end_port_.resize(fabric.end_ports.size());
  const ExitBuilder maker(fabric);
  constexpr std::size_t kSwitchesWorthAThread = 200;
  in_parallel(fabric.switches.size(), kSwitchesWorthAThread,
              [&](std::size_t begin, std::size_t end) {
                for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
                  const Node& node = fabric.nodes[fabric.switches[sw].node];
                  for (unsigned number = 0; number <= node.num_ports; ++number)
                    of_switch_port_[first_[sw] + number] = maker.of(node.first_port + number);
                }
              });
  in_parallel(fabric.end_ports.size(), kPortsWorthAThread, [&](std::size_t begin, std::size_t end) {
    for (auto at = EndPortIndex(begin); at < end; ++at)
      of_end_port_[at] = maker.of(fabric.end_ports[at]);
  });
}

void Subnet::index() {
  end_port_index.assign(fabric.ports.size(), kNoIndex);
  for (const EndPortIndex end_port : fabric.end_ports.indices())
    end_port_index[fabric.end_ports[end_port]] = end_port;
  index_links();
}

void Subnet::index_links() { exits = std::make_shared<const Exits>(fabric); }

EndPoint Subnet::find(mad::Guid guid) const {
  if (const auto port = fabric.port_of_guid.find(guid); port != fabric.port_of_guid.end())
    return {.port = port->second};
  const VPortIndex vport = vports ? vports->find(guid) : VPortIndex(kNoIndex);
  if (vport == kNoIndex) return {};
  return {.port = vports->vports[vport].port, .vport = vport};
}

EndPoint Subnet::owner(mad::Lid lid) const {
  const VPortIndex vport = vports ? vports->owner(lid) : VPortIndex(kNoIndex);
  if (vport != kNoIndex) return {.port = vports->vports[vport].port, .vport = vport};
  return {.port = lids.owner(lid)};
}

}  // namespace fabric
