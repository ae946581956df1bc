// heddle_layers [--map] [TOP]: checks the includes of the source tree at TOP (this one), or prints
// the map of includes. Exits 1 if an include leads upwards.

#include <fmt/core.h>

#include <cstdio>
#include <string_view>

#include "layers/includes.h"
#include "layers/tree.h"

int main(int argc, char** argv) {
  bool map = false;
  std::filesystem::path top = HEDDLE_SOURCE_DIR;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--map") {
      map = true;
    } else {
      top = argv[i];
    }
  }
  const auto table = layers::parse_table(layers::content(HEDDLE_LAYERS_TABLE));
  if (!table) {
    fmt::print(stderr, "{}: {}\n", HEDDLE_LAYERS_TABLE, table.error());
    return 2;
  }
  const layers::Report report = layers::check(*table, layers::read_tree(top, *table));
  if (map) fmt::print("{}", layers::map_text(*table, report));
  for (const std::string& finding : report.findings) fmt::print(stderr, "{}\n", finding);
  return report.findings.empty() ? 0 : 1;
}
