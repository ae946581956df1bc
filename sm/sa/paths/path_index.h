#pragma once
// Follows paths through the forwarding tables of a snapshot.

#include <cstdint>
#include <optional>

#include "fabric/subnet.h"

namespace sa {

/// Limits the length of a path, as in directed-route SMPs (IBTA Vol 1, 14.2.1.2); more hops mean a
/// forwarding loop.
inline constexpr unsigned kHopsMax = 64;

/// The lowest MTU and rate of a path's links, and its length.
struct PathProperties {
  std::uint8_t mtu = 0;  // code
  std::uint16_t rate_gbps = 0;
  unsigned hops = 0;  // switches on the path

  bool has_rate() const { return rate_gbps != fabric::Exit::kNoRateGbps; }
  /// Returns the code for the rate.
  std::uint8_t rate() const;
};

/// Finds paths in a subnet, which must be indexed, outlive this, and not change. Costs nothing.
class PathIndex {
 public:
  explicit PathIndex(const fabric::Subnet& subnet);

  /// Returns the path from one end port to another by the forwarding tables for `dlid`. Returns
  /// nullopt if packets do not arrive: a table drops them, a link is down, there is a forwarding
  /// loop, or another port receives them. No allocation. `visit(switch, output port)` is called at
  /// every switch; at output port 0 the path ends.
  template <class Visit>
  std::optional<PathProperties> walk(fabric::PortIndex from, fabric::PortIndex to, mad::Lid dlid,
                                     Visit&& visit) const;
  std::optional<PathProperties> walk(fabric::PortIndex from, fabric::PortIndex to,
                                     mad::Lid dlid) const {
    return walk(from, to, dlid, [](fabric::SwitchIndex, mad::PortNum) {});
  }

  /// Returns bounds that no path from one end port to another exceeds: the MTU and rate of the
  /// links of both. Returns nullopt if there is no path, since one of these links is down.
  std::optional<PathProperties> limits(fabric::PortIndex from, fabric::PortIndex to) const;

  /// True if some SL-to-VL mapping table on this path drops packets of the SL. The path must exist.
  bool drops(fabric::PortIndex from, fabric::PortIndex to, mad::Lid dlid, mad::Sl sl) const;

 private:
  static PathProperties properties_of(const fabric::Exit& exit) {
    return {.mtu = exit.mtu, .rate_gbps = exit.rate_gbps};
  }
  static void narrow(PathProperties& properties, const fabric::Exit& exit) {
    if (exit.mtu < properties.mtu) properties.mtu = exit.mtu;
    if (exit.rate_gbps < properties.rate_gbps) properties.rate_gbps = exit.rate_gbps;
  }

  const fabric::Subnet& subnet_;
  const fabric::Exits& exits_;
  std::uint16_t dropped_sls_ = 0;  // SLs that some table of the fabric drops
};

template <class Visit>
std::optional<PathProperties> PathIndex::walk(fabric::PortIndex from, fabric::PortIndex to,
                                              mad::Lid dlid, Visit&& visit) const {
  if (from == to) return properties_of(fabric::Exits::loopback(subnet_.fabric, from));
  const fabric::Exit& entry = exits_.of_end_port(subnet_.end_port_index[from]);
  PathProperties properties = properties_of(entry);
  if (entry.far == to) return properties;
  const fabric::ForwardingTables* tables = subnet_.lfts.get();
  if (tables == nullptr) return std::nullopt;
  for (fabric::SwitchIndex sw = entry.next; sw != fabric::kNoIndex && properties.hops < kHopsMax;) {
    ++properties.hops;
    const mad::PortNum out = tables->at(sw, dlid);
    const fabric::Exit* const exit = exits_.of_switch_port(sw, out);
    if (exit == nullptr || exit->far == fabric::kNoIndex) return std::nullopt;
    narrow(properties, *exit);
    visit(sw, out);
    if (exit->far == to) return properties;
    sw = out.value == 0 ? fabric::SwitchIndex(fabric::kNoIndex) : exit->next;
  }
  return std::nullopt;
}

}  // namespace sa
