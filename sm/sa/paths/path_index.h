#pragma once
// What a walk through the forwarding tables looks up at every hop, packed once per snapshot.

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/subnet.h"

namespace sa {

/// The longest path, as that of directed-route SMPs (IBTA Vol 1, 14.2.1.2); more hops mean a
/// forwarding loop.
inline constexpr unsigned kHopsMax = 64;

/// The lowest MTU and rate of a path's links, and its length.
struct PathProperties {
  std::uint8_t mtu = 0;  // code
  std::uint16_t rate_gbps = 0;
  unsigned hops = 0;  // switches on the path

  /// The code for the rate.
  std::uint8_t rate() const;
};

class PathIndex {
 public:
  /// The subnet must outlive the index and not change.
  explicit PathIndex(const sm::Subnet& subnet);

  /// The path from one end port to another by the forwarding tables for `dlid`. Nothing if packets
  /// do not arrive: a table drops them, a link is down, there is a forwarding loop, or another port
  /// receives them. No allocation. `visit(switch, output port)` is called at every switch; at
  /// output port 0 the path ends.
  template <class Visit>
  std::optional<PathProperties> walk(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid,
                                     Visit&& visit) const;
  std::optional<PathProperties> walk(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid) const {
    return walk(from, to, dlid, [](sm::SwitchIndex, mad::PortNum) {});
  }

  /// Some SL-to-VL mapping table on this path drops packets of the SL. The path must exist.
  bool drops(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid, mad::Sl sl) const;

 private:
  /// One port and its link; kNoIndex where the link is not up.
  struct Exit {
    sm::PortIndex far = sm::kNoIndex;     // the peer port; for port 0 itself
    sm::SwitchIndex next = sm::kNoIndex;  // the peer's switch, if it is a switch
    std::uint16_t rate_gbps = 0;
    std::uint8_t mtu = 0;
  };
  /// Packets of a port to itself: the port's own limits, whatever its peer's are.
  PathProperties loopback(sm::PortIndex port) const;
  static Exit make_exit(const sm::Fabric& fabric, sm::PortIndex port);
  static void narrow(PathProperties& properties, const Exit& exit) {
    if (exit.mtu < properties.mtu) properties.mtu = exit.mtu;
    if (exit.rate_gbps < properties.rate_gbps) properties.rate_gbps = exit.rate_gbps;
  }

  const sm::Subnet& subnet_;
  std::uint16_t dropped_sls_ = 0;  // that some table of the fabric drops
  std::vector<Exit>
      of_end_port_;  // by end port number: a switch's port 0 leads into its own switch
  std::vector<std::uint32_t> first_exit_;  // switches + 1, into of_switch_port_
  std::vector<Exit> of_switch_port_;       // port 0..NumPorts of each switch
};

template <class Visit>
std::optional<PathProperties> PathIndex::walk(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid,
                                              Visit&& visit) const {
  if (from == to) return loopback(from);
  const Exit& entry = of_end_port_[subnet_.end_port_index[from]];
  PathProperties properties{.mtu = entry.mtu, .rate_gbps = entry.rate_gbps};
  if (entry.far == to) return properties;
  const sm::ForwardingTables* tables = subnet_.lfts.get();
  if (tables == nullptr) return std::nullopt;
  for (sm::SwitchIndex sw = entry.next; sw != sm::kNoIndex && properties.hops < kHopsMax;) {
    ++properties.hops;
    const mad::PortNum out = tables->at(sw, dlid);
    if (out.value >= first_exit_[sw + 1] - first_exit_[sw]) return std::nullopt;
    const Exit& exit = of_switch_port_[first_exit_[sw] + out.value];
    if (exit.far == sm::kNoIndex) return std::nullopt;
    narrow(properties, exit);
    visit(sw, out);
    if (exit.far == to) return properties;
    sw = out.value == 0 ? sm::kNoIndex : exit.next;
  }
  return std::nullopt;
}

}  // namespace sa
