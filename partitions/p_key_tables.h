#pragma once
// The P_Key tables that ports should have, from who is in which partition and what the tables hold.

#include <bitset>
#include <span>
#include <vector>

#include <tl/expected.hpp>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/partition_map.h"
#include "mad/attributes/p_key_table.h"

namespace partitions {

/// Keys that the port's table holds: NodeInfo PartitionCap for end ports, SwitchInfo
/// PartitionEnforcementCap for external switch ports.
unsigned p_key_capacity(const sm::Fabric& fabric, sm::PortIndex port);

/// In which directions a switch port checks P_Keys.
struct Enforcement {
  bool inbound = false;
  bool outbound = false;
  bool any() const { return inbound || outbound; }
  bool operator==(const Enforcement&) const = default;
};
/// Only ports that mirror their neighbour enforce, as far as the option asks for it and the switch
/// can. Between switches nothing is checked: packets were checked where they came in. The keys have
/// to be there before the bits are set. Source: IBTA Vol 1, 14.2.5.4 (InboundEnforcementCap,
/// OutboundEnforcementCap, PartitionEnforcementCap).
Enforcement enforcement(const sm::Fabric& fabric, sm::PortIndex port, config::PartEnforce wanted);

/// A switch port that has its neighbour's keys: it faces a CA or router, has room for keys, and
/// some enforcement is wanted. As with OpenSM, also where the switch does not say that it can
/// enforce.
bool mirrors_neighbour(const sm::Fabric& fabric, sm::PortIndex port, config::PartEnforce wanted);

/// How keys find their places in tables.
struct Placing {
  bool keep_indexes = true;  // keep_pkey_indexes
  bool both =
      false;  // allow_both_pkeys: the limited and the full key of one partition are two keys
};

/// Fills one table after another; keeps its working memory.
class TableFiller {
 public:
  explicit TableFiller(Placing placing) : placing_(placing) {}

  /// An end port's table. `first` is at index 0 (0: nobody's place); a key that the table holds
  /// keeps its index, keys that are not wanted leave a hole, new ones come behind the last one
  /// (ascending by the bytes of the partition, low byte first, as with OpenSM; limited before
  /// full), and into holes from the lowest when the end is reached. Shape:  `blocks` holds what was
  /// read and becomes what should be; `keys` are ascending by partition, limited before full, and
  /// name `first`.
  ///         Entries beyond the capacity in the last block stay as they are, so that a block
  ///         compares equal when nothing is to be done.
  /// Errors: the first key without a place; then `blocks` is untouched.
  /// Source: OpenSM 3.3.23; IBTA Vol 1, 14.2.5.7.
  tl::expected<void, mad::PKey> fill(std::span<mad::PKeyTable> blocks, unsigned capacity,
                                     std::span<const mad::PKey> keys, mad::PKey first);

  /// The table of the switch port in front of an end port: the keys of `neighbour` (zeros are
  /// skipped) from index 0 on without holes. A limited key is left out where the full one is there:
  /// whoever talks to a full member may be anybody. Shape and errors as above.
  tl::expected<void, mad::PKey> mirror(std::span<mad::PKeyTable> blocks, unsigned capacity,
                                       std::span<const mad::PKey> neighbour);

 private:
  bool same(mad::PKey a, mad::PKey b) const {
    return placing_.both ? a == b : mad::partition_of(a) == mad::partition_of(b);
  }
  std::size_t find(std::span<const mad::PKey> keys, mad::PKey key) const;
  void load(std::span<const mad::PKeyTable> blocks, unsigned capacity);
  void store(std::span<mad::PKeyTable> blocks) const;

  Placing placing_;
  std::vector<mad::PKey> old_, new_;   // entries 0..capacity-1
  std::vector<bool> placed_;           // parallel to the wanted keys
  std::vector<std::size_t> new_keys_;  // places among the wanted keys, in the order of placing
  std::bitset<0x8000>
      full_;  // partitions of which the neighbour is a full member; empty between calls
};

/// What the ports of a fabric should hold and do.
struct PKeyTargets {
  std::vector<mad::PKeyTable> blocks;    // parallel to Fabric::p_key_blocks
  std::vector<Enforcement> enforcement;  // by PortIndex
  std::vector<sm::Finding> findings;     // tables that are too small, by port and key: they stay as
                                         // they are, and a switch port does not enforce
};
PKeyTargets p_key_targets(const sm::Fabric& fabric, const sm::PartitionMap& map,
                          const config::Options& options);

}  // namespace partitions
