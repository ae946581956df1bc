#pragma once
// The subnet managers of this machine, OpenSM and Heddle, as /proc shows their processes.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace sm::ctl {

struct RunningOpenSm {
  pid_t pid = 0;
  std::vector<std::string> arguments;  // with the program's name in front
  std::string directory;               // where it runs; empty: not readable
  std::string unit;                    // of systemd; empty: none
  std::string temporary, cache;  // OSM_TMP_DIR and OSM_CACHE_DIR of its environment; may be empty
};

/// Returns the processes whose program is called opensm and is not Heddle under that name. What may
/// not be read is left empty.
std::vector<RunningOpenSm> running_opensms(const std::filesystem::path& proc = "/proc");

/// Finds Heddle likewise, under whatever name: processes whose program is the file heddle.
std::vector<RunningOpenSm> running_heddles(const std::filesystem::path& proc = "/proc");

/// The flags of a command line for another start of the same: without the program's name, and
/// without those that detach it or let it end after a sweep.
std::vector<std::string> flags_to_keep(const std::vector<std::string>& arguments);

}  // namespace sm::ctl
