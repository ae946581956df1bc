#pragma once
// The #include lines of the product, checked against the layers of layers.txt.

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace layers {

struct Module {
  std::string path;  // from the top of the source tree, such as "routing/core"
  int layer = 0;     // kSide: a side module
  std::vector<std::string> namespaces;
};
inline constexpr int kSide = 0;
/// Side modules may include layers up to this one.
inline constexpr int kSideIncludesLayers = 2;

/// In the order of the file: a module may include those after it.
using Table = std::vector<Module>;

/// Errors: one line with the number of the line that is wrong.
tl::expected<Table, std::string> parse_table(std::string_view text);

/// One source file: its path from the top of the tree, and its content.
struct Source {
  std::string path;
  std::string text;
};

struct Report {
  std::vector<std::string> findings;  // "file:line: a (layer x) includes b (layer y)"
  /// How many includes lead from a module to another, by their positions in the table.
  std::map<std::pair<std::size_t, std::size_t>, unsigned> includes;
};

/// Checks each include in quotes, and each block that only declares types of another namespace:
/// such a declaration is an include that does not show. Files that include each other in a cycle
/// are findings, too; a header and its .cpp file are one file for this.
Report check(const Table& table, const std::vector<Source>& sources);

/// The includes: a line for each pair of modules with the number of includes and the direction.
std::string map_text(const Table& table, const Report& report);

}  // namespace layers
