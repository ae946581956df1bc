#pragma once
// MADs that a program sent, as counted by the preload library smp_count.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace harness {

struct SmpCounts {
  /// (method, attribute) -> packets of the two subnet management classes, LID and directed route
  /// together.
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> by_method_and_attribute;
  std::uint64_t total = 0, gets = 0, sets = 0;
};

/// Pass these to a program (RunOptions::env, SmOptions::env) and read the file after it has exited
/// normally.
std::vector<std::pair<std::string, std::string>> count_smps_into(const std::filesystem::path& file);
SmpCounts read_smp_counts(const std::filesystem::path& file);

/// "SubnSet(LinearForwardingTable)"
std::string smp_name(unsigned method, unsigned attribute);

}  // namespace harness
