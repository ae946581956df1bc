#pragma once
// Where packets go: what a walk through the forwarding tables looks up at every hop, packed once a
// snapshot.

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/subnet.h"

namespace sa {

/// The longest path: subnet management knows no more hops (IBTA Vol 1, 14.2.1.2), and a path of
/// more is going in a circle.
inline constexpr unsigned kHopsMax = 64;

/// The least of a path's links.
struct Reach {
  std::uint8_t mtu = 0;  // code
  std::uint16_t rate_gbps = 0;
  unsigned hops = 0;  // switches on the way

  /// The code for the rate.
  std::uint8_t rate() const;
};

class PathIndex {
 public:
  /// The subnet must outlive the index and not change.
  explicit PathIndex(const sm::Subnet& subnet);

  /// The way from one end port to another by the tables, in packets to `dlid`. Nothing if the
  /// packets do not arrive: a table drops them, a cable is down, they go in a circle, or end up
  /// elsewhere. No allocation. `visit(switch, the port by which it is left)` is called at every
  /// switch; port 0 ends there.
  template <class Visit>
  std::optional<Reach> walk(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid,
                            Visit&& visit) const;
  std::optional<Reach> walk(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid) const {
    return walk(from, to, dlid, [](sm::SwitchIndex, mad::PortNum) {});
  }

  /// Some table of SL to VL on this way, which exists, drops packets of the SL.
  bool drops(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid, mad::Sl sl) const;

 private:
  /// One port and its cable; what is not up leads nowhere.
  struct Exit {
    sm::PortIndex far = sm::kNoIndex;     // the port at the other end; port 0 leads to itself
    sm::SwitchIndex next = sm::kNoIndex;  // its switch, if it is one that forwards
    std::uint16_t rate_gbps = 0;
    std::uint8_t mtu = 0;
  };
  /// Packets of a port to itself: what the port can do, whatever is at the other end of its cable.
  Reach loopback(sm::PortIndex port) const;
  static Exit make_exit(const sm::Fabric& fabric, sm::PortIndex port);
  static void narrow(Reach& reach, const Exit& exit) {
    if (exit.mtu < reach.mtu) reach.mtu = exit.mtu;
    if (exit.rate_gbps < reach.rate_gbps) reach.rate_gbps = exit.rate_gbps;
  }

  const sm::Subnet& subnet_;
  std::uint16_t dropped_sls_ = 0;  // that some table of the fabric drops
  std::vector<Exit>
      of_end_port_;  // by number of the end port: a switch's port 0 leads into its own switch
  std::vector<std::uint32_t> first_exit_;  // switches + 1, into of_switch_port_
  std::vector<Exit> of_switch_port_;       // port 0..NumPorts of each switch
};

template <class Visit>
std::optional<Reach> PathIndex::walk(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid,
                                     Visit&& visit) const {
  if (from == to) return loopback(from);
  const Exit& entry = of_end_port_[subnet_.end_port_number[from]];
  Reach reach{.mtu = entry.mtu, .rate_gbps = entry.rate_gbps};
  if (entry.far == to) return reach;
  const sm::ForwardingTables* tables = subnet_.lfts.get();
  if (tables == nullptr) return std::nullopt;
  for (sm::SwitchIndex sw = entry.next; sw != sm::kNoIndex && reach.hops < kHopsMax;) {
    ++reach.hops;
    const mad::PortNum out = tables->at(sw, dlid);
    if (out.value >= first_exit_[sw + 1] - first_exit_[sw]) return std::nullopt;
    const Exit& exit = of_switch_port_[first_exit_[sw] + out.value];
    if (exit.far == sm::kNoIndex) return std::nullopt;
    narrow(reach, exit);
    visit(sw, out);
    if (exit.far == to) return reach;
    sw = out.value == 0 ? sm::kNoIndex : exit.next;
  }
  return std::nullopt;
}

}  // namespace sa
