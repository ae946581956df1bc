#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "layers/includes.h"

namespace layers {

inline std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// All .h, .cpp and .c files below these directories, by path.
inline std::vector<Source> read_directories(const std::filesystem::path& top,
                                            const std::set<std::filesystem::path>& directories) {
  std::vector<Source> sources;
  for (const std::filesystem::path& directory : directories)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / directory)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() == ".h" || path.extension() == ".cpp" || path.extension() == ".c")
        sources.push_back({path.lexically_relative(top).generic_string(), content(path)});
    }
  std::ranges::sort(sources, {}, &Source::path);
  return sources;
}

/// The sources of all modules.
inline std::vector<Source> read_tree(const std::filesystem::path& top, const Table& table) {
  std::set<std::filesystem::path> directories;
  for (const Module& module : table)
    if (std::filesystem::is_directory(top / module.path))
      directories.insert(*std::filesystem::path(module.path).begin());
  return read_directories(top, directories);
}

}  // namespace layers
