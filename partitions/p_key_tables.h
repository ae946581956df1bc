#pragma once
// Computes the P_Key tables that ports should have, from the membership and the present tables.

#include <bitset>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/partition_map.h"
#include "mad/attributes/port_tables.h"
#include "partitions/runtime_partitions.h"

namespace partitions {

/// Returns the capacity of the port's table, in keys. End ports report it in NodeInfo PartitionCap
/// (at least one key, even if they report 0), external switch ports in SwitchInfo
/// PartitionEnforcementCap.
unsigned p_key_capacity(const fabric::Fabric& fabric, fabric::PortIndex port);

/// The directions in which a switch port checks P_Keys.
struct Enforcement {
  bool inbound = false;
  bool outbound = false;
  bool any() const { return inbound || outbound; }
  bool operator==(const Enforcement&) const = default;
};
/// Returns how a switch port should enforce. Only ports that mirror their neighbour enforce, as far
/// as the option requires it and the switch supports it. Links between switches do not enforce: the
/// port where packets entered has checked them. The table must hold the keys before the bits are
/// set. Source: IBTA Vol 1, 14.2.5.4 (InboundEnforcementCap, OutboundEnforcementCap,
/// PartitionEnforcementCap).
Enforcement enforcement(const fabric::Fabric& fabric, fabric::PortIndex port,
                        config::PartEnforce wanted);

/// True for a switch port that holds its neighbour's keys: its neighbour is a CA or router, it has
/// a P_Key table, and some enforcement is configured. As in OpenSM, the switch need not report that
/// it can enforce.
bool mirrors_neighbour(const fabric::Fabric& fabric, fabric::PortIndex port,
                       config::PartEnforce wanted);

/// Holds options for the indices of keys.
struct Placing {
  bool keep_indexes = true;  // keep_pkey_indexes
  bool both =
      false;  // allow_both_pkeys: the limited and the full key of one partition are two keys
};

/// Selects the keys that a table takes first if it is too small. The other keys follow by P_Key.
enum class Preference : std::uint8_t {
  first_key,  // the key at index 0, the default partition's, then those that the table holds
  held_keys,  // keys that the table holds, then the former: the port runs, and may use them
};

/// Fills one table after another and reuses its scratch memory.
class TableFiller {
 public:
  explicit TableFiller(Placing placing) : placing_(placing) {}

  /// Computes the table of an end port. `first` is at index 0 (if it is 0, index 0 stays empty). A
  /// key that the table holds keeps its index, and unwanted keys leave a hole. New keys follow the
  /// last key (ascending by the bytes of the partition, low byte first, as with OpenSM; limited
  /// before full); when the end is reached, they fill holes from the lowest index. A table that is
  /// too small takes as many keys as it has entries, by `preference`.
  /// Shape:  `blocks`: in: the table as read; out: the table to write. `keys` are ascending by
  ///         partition, limited before full, and contain `first`. Entries beyond the capacity in
  ///         the last block are not changed, so that a block compares equal when nothing changes.
  /// Returns the keys that do not fit, ascending; valid until the next call.
  /// Source: OpenSM 3.3.23; IBTA Vol 1, 14.2.5.7.
  std::span<const mad::PKey> fill(std::span<mad::PKeyTable> blocks, unsigned capacity,
                                  std::span<const mad::PKey> keys, mad::PKey first,
                                  Preference preference = Preference::first_key);

  /// Computes the table of the switch port that an end port is attached to: the keys of `neighbour`
  /// (zeros are skipped) from index 0 on without holes. A limited key is left out if the full key
  /// is in the table: members of either type may send to a full member. Shape: as for fill().
  /// Returns the keys that do not fit; if there are any, `blocks` is unchanged.
  std::span<const mad::PKey> mirror(std::span<mad::PKeyTable> blocks, unsigned capacity,
                                    std::span<const mad::PKey> neighbour);

 private:
  bool same(mad::PKey a, mad::PKey b) const {
    return placing_.both ? a == b : mad::p_key_base(a) == mad::p_key_base(b);
  }
  /// Caches the latest call and its result, because hosts of one kind have the same table.
  struct Latest {
    std::vector<mad::PKeyTable> before, after;
    unsigned capacity = 0;
    std::vector<mad::PKey> keys;
    mad::PKey first;
    Preference preference{};
    std::vector<mad::PKey> left_out;
    bool is(std::span<const mad::PKeyTable> blocks, unsigned its_capacity,
            std::span<const mad::PKey> its_keys, mad::PKey its_first,
            Preference its_preference) const;
  };
  void compute_fill(std::span<mad::PKeyTable> blocks, unsigned capacity,
                    std::span<const mad::PKey> keys, mad::PKey first, Preference preference);
  void choose(std::span<const mad::PKey> keys, mad::PKey first, Preference preference);
  void compute_mirror(std::span<mad::PKeyTable> blocks, unsigned capacity,
                      std::span<const mad::PKey> neighbour);
  std::size_t find(std::span<const mad::PKey> keys, mad::PKey key) const;
  void load(std::span<const mad::PKeyTable> blocks, unsigned capacity);
  void store(std::span<mad::PKeyTable> blocks) const;

  Placing placing_;
  Latest filled_, mirrored_;
  std::vector<mad::PKey> old_, new_;   // entries 0..capacity-1
  std::vector<bool> chosen_, placed_;  // parallel to the wanted keys
  std::vector<std::size_t> new_keys_;  // indices of the wanted keys, in the order of assignment
  std::bitset<0x8000>
      full_;  // partitions of which the neighbour is a full member; empty between calls
};

/// The P_Key tables and the enforcement that the ports of a fabric should have.
struct PKeyTargets {
  fabric::PKeyBlocks blocks;                  // parallel to Fabric::p_key_blocks
  std::vector<Enforcement> enforcement;       // by PortIndex
  std::vector<fabric::Condition> conditions;  // tables that are too small, by port: they have the
                                              // keys that fit; that of a switch port is not
                                              // changed, and the port does not enforce
  /// Keys of end ports for which their tables have no entry, ascending.
  std::map<fabric::EndPortIndex, std::vector<mad::PKey>> left_out = {};
  /// Switch ports whose tables stay as they are (KeptDecision::unread_fronts).
  std::set<fabric::PortIndex> held_back = {};
};
/// Removes from the map the keys for which end ports have no table entry: paths and records must
/// not promise these keys.
fabric::PartitionMap without_left_out(fabric::PartitionMap map, const PKeyTargets& targets);
/// A key of a vport, and whether the API names its membership.
struct VPortKey {
  mad::PKey key;
  bool by_api = false;
};
/// Maps each physical port to the keys of its vports; the switch port in front of it holds them,
/// too.
using VPortKeys = std::map<fabric::PortIndex, std::vector<VPortKey>>;
/// Adds the keys of the vport with this GUID. `runtime` may be null.
void add_vport_keys(VPortKeys& to, fabric::PortIndex port, mad::Guid vport,
                    std::span<const mad::PKey> keys, const RuntimePartitions* runtime);

/// Returns the targets of all ports. `runtime` holds the partitions of the API that `map` contains;
/// null means that there are none. A membership that the API names never ends the enforcement of a
/// switch port: if the port's table is too small for all keys behind it, keys of the API are left
/// out, first those that the table does not hold.
PKeyTargets p_key_targets(const fabric::Fabric& fabric, const fabric::PartitionMap& map,
                          const config::Options& options, const VPortKeys& vport_keys = {},
                          const RuntimePartitions* runtime = nullptr);

/// Returns the targets if only the membership of the end ports `changed` differs from what ports
/// hold. It decides only the tables of these end ports and of the switch ports in front of them.
/// `conditions` are about these end ports.
PKeyTargets updated_p_key_targets(const fabric::Fabric& fabric, const fabric::PartitionMap& map,
                                  const config::Options& options, const VPortKeys& vport_keys,
                                  std::span<const fabric::EndPortIndex> changed,
                                  const RuntimePartitions* runtime = nullptr);

/// Returns keys for which a table has no entry as text: "P_Key 0x8002", or "44 P_Keys (0x8002,
/// 0x8010-0x803a)"; it names the first ranges.
std::string text_of_keys(std::span<const mad::PKey> keys);

struct VPortPKeys {
  std::vector<mad::PKeyTable> table;
  std::vector<mad::PKey> left_out;  // keys that do not fit
};
/// Computes the table of a vport, of `capacity` keys, from what it holds; an unknown block is given
/// as an empty one.
VPortPKeys vport_p_keys(std::vector<mad::PKeyTable> held, unsigned capacity,
                        std::span<const mad::PKey> keys, mad::PKey first, Preference preference,
                        const config::Options& options);

}  // namespace partitions
