#pragma once
// The partitions of a subnet: the members of each, and the multicast groups that they define.
// partitions/ decides them, all other modules read them.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/index.h"
#include "mad/ids.h"

namespace fabric {

struct Partition {
  std::uint16_t key = 0;  // the low 15 bits
  std::string name;
  mad::Sl sl{};  // of paths inside it
  bool operator==(const Partition&) const = default;
};

/// A multicast group that the partition configuration creates, with or without members.
struct WellKnownGroup {
  mad::Gid mgid;
  mad::PKey p_key;        // full
  std::uint8_t mtu = 4;   // code
  std::uint8_t rate = 3;  // code
  mad::Sl sl{};
  std::uint32_t q_key = 0;
  std::uint8_t t_class = 0;
  std::uint32_t flow_label = 0;
  std::uint8_t hop_limit = 0;
  bool operator==(const WellKnownGroup&) const = default;
};

struct PartitionMap {
  std::vector<Partition> partitions;  // by ascending key, the default partition (0x7fff) among them
  // Ordered by end port, and then by vport, as partition_map() received the vports.
  IndexVector<EndPortIndex, std::uint32_t> offsets;  // end ports + vports + 1, into keys
  std::vector<mad::PKey>
      keys;  // of each end port in turn: ascending by partition, limited before full
  IndexVector<EndPortIndex, mad::PKey>
      first_keys;  // of each end port: the key that belongs at index 0 of its table; 0: none does
  std::vector<WellKnownGroup> groups;  // in the order of the file
  std::vector<mad::Guid> vports;       // those that follow the end ports, in their order

  /// Returns the keys of an end port.
  std::span<const mad::PKey> get_keys(EndPortIndex end_port) const {
    return {keys.data() + offsets[end_port], offsets[end_port + 1] - offsets[end_port]};
  }
  const Partition* find(mad::PKey key) const {
    const auto found =
        std::ranges::lower_bound(partitions, mad::p_key_base(key), {}, &Partition::key);
    return found == partitions.end() || found->key != mad::p_key_base(key) ? nullptr : &*found;
  }
};

/// True if two ports with these P_Keys may communicate: same partition, and at least one of them is
/// a full member (IBTA Vol 1, 10.9.3).
constexpr bool may_communicate(mad::PKey a, mad::PKey b) {
  return mad::p_key_base(a) == mad::p_key_base(b) && mad::p_key_base(a) != 0 &&
         (mad::is_full_member(a) || mad::is_full_member(b));
}

}  // namespace fabric
