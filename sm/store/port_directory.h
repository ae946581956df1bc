#pragma once
// Directories of OpenSM's files (cache, dumps) when several ports of one machine have a manager.

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "mad/ids.h"

namespace sm {

/// The directory in `directory` that has the files of this port, named by its GUID (0x and 16
/// digits).
std::string own_directory(const std::string& directory, mad::Guid port);

inline constexpr std::chrono::milliseconds kClaimWait{2000};

/// Where a process with this port alone keeps its files. `directory` itself, as OpenSM has it,
/// belongs to the first port that asked, by a file `.heddle-port` in it; any other port of this
/// machine has own_directory(), which is created, and begins with the LIDs and M_Keys of
/// `directory`. A port that has own_directory() already keeps it. What belonged to a port that is
/// not among `local` any more (the device was replaced) passes to the port that asks. `directory`
/// itself, too, when nothing can be written there: who writes its files reports that.
struct ClaimedDirectory {
  std::string path;
  std::string warning = {};  // another process held `.heddle-port` for all of `wait`; empty: none
};
/// The lock of `.heddle-port` is held for moments only, by ports that start at the same time. Where
/// a process does not release it, the claim goes on without.
ClaimedDirectory claim_directory(const std::string& directory, mad::Guid port,
                                 std::span<const mad::Guid> local,
                                 std::chrono::milliseconds wait = kClaimWait);

/// Finds the directory for a reader: claims and creates nothing.
std::string find_directory(const std::string& directory, mad::Guid port);

/// Copies what belongs to devices and not to a subnet (guid2lid, guid2mkey) where `to` does not
/// have it: the LIDs that ports had under an earlier manager stay. Best effort.
void inherit_cache(const std::string& from, const std::string& to);

}  // namespace sm
