// For any file: no crash, findings have line and column, and the result is within its limits.
#include "config/torus_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {
void require(bool condition) {
  if (!condition) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const config::Source source{"fuzz", {reinterpret_cast<const char*>(data), size}};
  const auto line_count = std::ranges::count(source.text, '\n') + 1;
  config::Diagnostics found;
  const config::TorusFile file = config::parse_torus_file(source, found);
  std::uint64_t cells = 1;
  for (const auto& dimension : file.dimensions) {
    require(dimension.radix <= config::TorusFile::kRadixMax);
    cells *= dimension.radix;
  }
  require(cells <= 0xBFFF && file.port_order.size() <= 254);
  for (const auto& seed : file.seeds) {
    require(seed.links.size() <= 6);
    for (const auto& link : seed.links)
      require(link.dimension < 3 && link.from == seed.links.front().from && link.from != link.to);
  }
  for (const auto& d : found)
    require(d.line >= 1 && d.line <= line_count && d.column >= 1 &&
            d.text().find('\n') == std::string::npos);
  return 0;
}
