#pragma once
// Stores which VNICs this Ethernet Manager has created, so that it removes them when the
// configuration no longer has them, even after a crash.

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <tl/expected.hpp>

#include "mad/ids.h"
#include "virt/vnic/vnic_configuration.h"

namespace vnic {

struct CreatedVnic {
  mad::Guid port;
  VeswKey key;
  unsigned vnic = 0;  // its number on the port
  auto operator<=>(const CreatedVnic&) const = default;
};

struct StoredSwitch {
  unsigned vnic = 0;  // the number of its VNIC on each port
  mad::PKey group;    // the partition of its multicast group; 0: it has none
  bool operator==(const StoredSwitch&) const = default;
};
struct Stored {
  std::map<VeswKey, StoredSwitch> switches;
  std::set<CreatedVnic> created;
  bool operator==(const Stored&) const = default;
};

/// The first line of the file has the version (sm/store/file_version.h); each other line is `switch
/// FABRIC ID VNIC P_KEY` or `port PORTGUID FABRIC ID VNIC`.
inline constexpr std::string_view kStoreFile = "vnics";

/// Reads the store; empty if there is no file. Errors: one line with file, line and reason.
tl::expected<Stored, std::string> load_store(const std::filesystem::path& folder);
std::string to_text(const Stored& stored);
/// Returns after the content is on disk. Errors: one line with file and reason.
tl::expected<void, std::string> save_store(const std::filesystem::path& folder,
                                           const Stored& stored);

}  // namespace vnic
