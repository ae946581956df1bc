// For any file: no crash, findings have line and column, and the result is within its limits. The
// first byte chooses the parser.
#include "config/guid_files.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {
void require(bool condition) {
  if (!condition) std::abort();
}
bool is_port(std::uint8_t port) { return port >= 1 && port <= 254; }
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const config::Source source{"fuzz", {reinterpret_cast<const char*>(data) + 1, size - 1}};
  const auto line_count = std::ranges::count(source.text, '\n') + 1;
  config::Diagnostics found;
  switch (data[0] % 6) {
    case 0:
      for (const std::uint64_t guid : config::parse_guid_list(source, found)) require(guid != 0);
      break;
    case 1:
      for (const auto& entry : config::parse_node_ids(source, found)) require(entry.guid != 0);
      break;
    case 2:
      for (const auto& entry : config::parse_hop_weights(source, found))
        require(entry.switch_guid != 0 && is_port(entry.port) && entry.weight != 0);
      break;
    case 3:
      for (const auto& entry : config::parse_port_orders(source, found)) {
        require(entry.switch_guid != 0 && !entry.ports.empty() &&
                std::ranges::all_of(entry.ports, is_port));
      }
      break;
    case 4:
      config::parse_prefix_routes(source, found);
      break;
    default:
      for (const auto& entry : config::parse_ignored_ports(source, found))
        require(entry.switch_guid != 0 && is_port(entry.port));
  }
  for (const auto& d : found)
    require(d.line >= 1 && d.line <= line_count && d.column >= 1 &&
            d.text().find('\n') == std::string::npos);
  return 0;
}
