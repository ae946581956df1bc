// For any file: no crash, findings have line and column, and the result is within its limits. The
// first byte chooses the parser.
#include "config/table_files.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {
void require(bool condition) {
  if (!condition) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const config::Source source{"fuzz", {reinterpret_cast<const char*>(data) + 1, size - 1}};
  const auto line_count = std::ranges::count(source.text, '\n') + 1;
  config::Diagnostics found;
  if (data[0] % 2 == 0) {
    const auto dump = config::parse_forwarding_dump(source, found);
    require(dump.owner_of_lid.size() <= 0xC000);
    for (const auto& row : dump.rows) require(row.switch_guid != 0 && row.out.size() <= 0xC000);
  } else {
    for (const auto& row : config::parse_hop_dump(source, found).rows) {
      require(row.switch_guid != 0);
      for (const auto& to : row.destinations)
        require(to.lid > 0 && to.lid < 0xC000 && to.hops.size() <= 255);
    }
  }
  for (const auto& d : found)
    require(d.line >= 1 && d.line <= line_count && d.column >= 1 &&
            d.text().find('\n') == std::string::npos);
  return 0;
}
