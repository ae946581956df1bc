#pragma once
// Represents partitions.conf or the partitions of heddle.yaml as written, independent of a fabric.

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/partition_map.h"

namespace partitions {

/// The membership type of a port in a partition. Two limited members cannot communicate (IBTA Vol
/// 1, 10.9.3).
enum class Membership : std::uint8_t { limited = 1, full = 2, both = 3 };

/// One entry of a list of members.
struct Member {
  enum class Kind : std::uint8_t {
    guids,  // end ports whose port GUID is in first..last
    all,    // every end port: CA and router ports, port 0 of switches
    cas,
    switches,
    routers,
    virtual_cas,  // virtual ports of CAs: no physical port
    self,         // the port that the SM runs on
  };
  Kind kind = Kind::guids;
  std::uint64_t first = 0, last = 0;  // port GUIDs
  Membership membership = Membership::limited;
  bool operator==(const Member&) const = default;
};

/// A definition is the text from a name to its `;`. A partition may have several definitions;
/// members of later definitions override members of earlier ones.
struct Definition {
  std::uint16_t key = 0;  // low 15 bits, never 0
  std::string name;
  bool index0 = false;  // its members have the key at index 0 of their tables
  mad::Sl sl{};
  std::vector<Member> members;                 // in order: the last one that names a port decides
  std::vector<fabric::WellKnownGroup> groups;  // in order of creation
  bool operator==(const Definition&) const = default;
};

struct Configuration {
  std::vector<Definition> definitions;  // in the order of the file, after the default partition's
  bool operator==(const Configuration&) const = default;
};

/// Returns the configuration that applies without a file: every port is a full member of the
/// default partition, which has its IPoIB broadcast group.
Configuration default_configuration();

}  // namespace partitions
