#pragma once

#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace support {

/// Where tests create their directories: $TMPDIR, or else memory, if there is room. Tests create
/// and remove files all the time, and ext4 does not use an inode again for some seconds after its
/// file was removed: the tests on ibsim spent most of their time with its search for a free one.
inline std::filesystem::path parent_of_scratch() {
  constexpr const char* kMemory = "/dev/shm";
  constexpr std::uint64_t kRoom = 2u << 30;
  struct statvfs memory{};
  if (std::getenv("TMPDIR") == nullptr && ::statvfs(kMemory, &memory) == 0 &&
      std::uint64_t{memory.f_bavail} * memory.f_frsize >= kRoom &&
      ::access(kMemory, W_OK | X_OK) == 0)
    return kMemory;
  return std::filesystem::temp_directory_path();
}

}  // namespace support
