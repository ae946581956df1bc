#pragma once
// Finds the pairs (input port, output port) of switches that packets can use: only these need a
// SLtoVLMappingTable.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/multicast_tables.h"

namespace routing {

/// Holds the pairs of ports through which forwarding tables lead packets. The tables alone decide,
/// not the senders. A packet to a LID (or MLID) enters a switch by a link only if the switch at the
/// other end has an entry that leads over this link; from end ports and from port 0 any packet
/// enters. So every SL, LMC, kept LID, LID of a vport and sender that is no member of a group
/// counts. A pair that is not in use may have any table, even one with VL 15.
///
/// Between two updates of tables, switches may hold any mixture of both. Entries that differ from
/// what switches hold therefore count with both contents, on both ends of a link. Pairs stay in use
/// until forget(): a packet on its path, or a switch that has not acknowledged, still finds its
/// tables.
///
/// An update costs one comparison of the tables, and further work only for entries that differ.
class PairsInUse {
 public:
  using Ports = std::bitset<256>;

  /// Makes all pairs count as in use until the next add().
  void forget() { *this = {}; }
  bool is_empty() const { return unicast_ == nullptr; }

  /// Adds the pairs of the given tables. `lfts`: the target tables; `held_lfts`: the tables that
  /// switches hold, as far as known (null: none is known). `mfts` and `held_mfts` are
  /// MulticastForwardingTables; null if there are none. Shape: a row for each of fabric.switches.
  void add(const fabric::Fabric& fabric, std::shared_ptr<const fabric::ForwardingTables> lfts,
           const fabric::ForwardingTables* held_lfts,
           std::shared_ptr<const fabric::MulticastTables> mfts,
           const fabric::MulticastTables* held_mfts);
  /// Adds only multicast, after an add() on the same switches; otherwise changes nothing.
  void add_multicast(const fabric::Fabric& fabric,
                     std::shared_ptr<const fabric::MulticastTables> mfts,
                     const fabric::MulticastTables* held_mfts);

  bool contains(fabric::SwitchIndex sw, mad::PortNum in, mad::PortNum out) const {
    if (is_empty()) return true;
    const Place entry = first_[sw] + in.value;
    return (links_[entry].is_link ? exits_of_[entry] : exits_[sw]).test(out.value);
  }
  /// Returns the switches with pairs that came into use since the last call, ascending.
  std::vector<fabric::SwitchIndex> take_grown();

 private:
  using Place = std::uint32_t;  // of a port of a switch, port 0 included
  struct Link {
    fabric::SwitchIndex far{0};
    std::uint8_t far_port = 0;
    bool is_link = false;  // a link to a switch
    bool operator==(const Link&) const = default;
  };
  class Unicast;
  class Multicast;

  /// Updates the links from this fabric. Forgets everything if the switches differ.
  void update_from(const fabric::Fabric& fabric);
  void use(fabric::SwitchIndex sw, std::uint8_t in, const Ports& outs);
  void use_from_end_ports(fabric::SwitchIndex sw, const Ports& outs);

  std::vector<mad::Guid> switches_;
  std::vector<Place> first_;     // by switch, one more at the end
  std::vector<Link> links_;      // by place
  std::vector<Ports> exits_of_;  // by place: outputs for packets that enter by this link
  std::vector<Ports> exits_;     // by switch: outputs for packets of end ports, and of port 0
  std::vector<Ports> relinked_;  // by switch: ports with another link than at the last add()
  std::vector<bool> grown_;      // by switch
  std::shared_ptr<const fabric::ForwardingTables> unicast_;  // of the last add()
  std::shared_ptr<const fabric::MulticastTables> multicast_;
};

}  // namespace routing
