#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>

#include "layers/includes.h"

namespace layers {

inline std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// All .h, .cpp and .c files below the directories of modules, by path.
inline std::vector<Source> read_tree(const std::filesystem::path& top, const Table& table) {
  std::map<std::string, std::string> files;
  for (const Module& module : table) {
    if (!std::filesystem::is_directory(top / module.path)) continue;
    const std::filesystem::path first = top / *std::filesystem::path(module.path).begin();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(first)) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp" && path.extension() != ".c")
        continue;
      const std::string name = path.lexically_relative(top).generic_string();
      if (!files.contains(name)) files.emplace(name, content(path));
    }
  }
  std::vector<Source> sources;
  for (auto& [name, text] : files) sources.push_back({name, std::move(text)});
  return sources;
}

}  // namespace layers
