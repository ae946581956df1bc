// heddle_layers [--map | --exceptions] [TOP]: checks the includes of the source tree at TOP (this
// one), or prints the map of includes, or exceptions.txt as it is now. Exits 1 if an include leads
// upwards.

#include <fmt/core.h>

#include <cstdio>
#include <string_view>

#include "layers/includes.h"
#include "layers/rules.h"
#include "layers/tree.h"

int main(int argc, char** argv) {
  bool map = false, exceptions = false;
  std::filesystem::path top = HEDDLE_SOURCE_DIR;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--map") {
      map = true;
    } else if (std::string_view(argv[i]) == "--exceptions") {
      exceptions = true;
    } else {
      top = argv[i];
    }
  }
  const auto table = layers::parse_table(layers::content(HEDDLE_LAYERS_TABLE));
  if (!table) {
    fmt::print(stderr, "{}: {}\n", HEDDLE_LAYERS_TABLE, table.error());
    return 2;
  }
  const std::vector<layers::Source> sources = layers::read_tree(top, *table);
  if (exceptions) {
    const auto words = layers::parse_words(layers::content(top / "tests/layers/words.txt"));
    fmt::print("{}", layers::exceptions_text(layers::find_exceptions(sources, words)));
    return 0;
  }
  const layers::Report report = layers::check(*table, sources);
  if (map) fmt::print("{}", layers::map_text(*table, report));
  for (const std::string& finding : report.findings) fmt::print(stderr, "{}\n", finding);
  return report.findings.empty() ? 0 : 1;
}
