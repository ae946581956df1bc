#pragma once
// Which pairs (input port, output port) of switches packets can use: only these need a
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

/// The pairs of ports that forwarding tables lead packets through, by the tables alone and not by
/// who sends: a packet to a LID (or MLID) enters a switch by a link only if the switch at the other
/// end has an entry that leads over this link; from end ports and from port 0 any packet enters.
/// So every SL, LMC, kept LID, LID of a vport and sender that is no member of a group counts, and a
/// pair that is not in use may have any table, VL 15 included.
///
/// Between two updates of tables any mixture of both may be in the switches. Therefore entries that
/// differ from what switches hold count with both contents, on both ends of a link. Pairs stay in
/// use until forget(): what was acknowledged by some switches only, or is still on its path, has
/// its tables.
///
/// An update costs one comparison of the tables, and work for entries that differ only.
class PairsInUse {
 public:
  using Ports = std::bitset<256>;

  /// All pairs count as in use until the next add().
  void forget() { *this = {}; }
  bool is_empty() const { return unicast_ == nullptr; }

  /// `lfts`: what switches are to hold; `held_lfts`: what they hold now, as far as it is known
  /// (null: nothing is). `mfts` and `held_mfts` are MulticastForwardingTables; null: there are
  /// none. Shape: a row for each of fabric.switches.
  void add(const fabric::Fabric& fabric, std::shared_ptr<const fabric::ForwardingTables> lfts,
           const fabric::ForwardingTables* held_lfts,
           std::shared_ptr<const fabric::MulticastTables> mfts,
           const fabric::MulticastTables* held_mfts);
  /// Adds multicast alone, after an add() on the same switches; without one nothing changes.
  void add_multicast(const fabric::Fabric& fabric,
                     std::shared_ptr<const fabric::MulticastTables> mfts,
                     const fabric::MulticastTables* held_mfts);

  bool contains(fabric::SwitchIndex sw, mad::PortNum in, mad::PortNum out) const {
    if (is_empty()) return true;
    const Place entry = first_[sw] + in.value;
    return (links_[entry].is_link ? exits_of_[entry] : exits_[sw]).test(out.value);
  }
  /// The switches of which pairs have come into use since this was called last, ascending.
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

  /// Links of this fabric. Forgets everything if it has other switches.
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
