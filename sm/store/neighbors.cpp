#include "sm/store/neighbors.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <vector>

#include "mad/format.h"
#include "sm/store/atomic_file.h"

namespace sm {
namespace {

struct End {
  mad::Guid guid;
  mad::PortNum port;
  auto operator<=>(const End&) const = default;
};

/// Port 0 stands for all ports of a switch. GUID 0: a port that was not read.
End end_of(const Fabric& fabric, PortIndex port) {
  const Node& node = fabric.node_of(port);
  return {node.is_switch() ? fabric.ports[node.first_port].guid : fabric.ports[port].guid,
          fabric.ports[port].number};
}

}  // namespace

std::string neighbors_text(const Fabric& fabric) {
  std::vector<std::pair<End, End>> rows;
  for (const PortIndex port : fabric.ports.indices()) {
    const PortIndex peer = fabric.ports[port].peer;
    if (peer == kNoIndex) continue;
    const std::pair row(end_of(fabric, port), end_of(fabric, peer));
    if (row.first.guid != mad::Guid{} && row.second.guid != mad::Guid{}) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  std::string out;
  out.reserve(rows.size() * 46);
  for (const auto& [from, to] : rows)
    fmt::format_to(std::back_inserter(out), "0x{:016x}:{} 0x{:016x}:{}\n\n", from.guid.value,
                   from.port.value, to.guid.value, to.port.value);
  return out;
}

std::set<mad::Guid> neighbor_guids(std::string_view text) {
  constexpr std::size_t kDigits = 16;
  std::set<mad::Guid> guids;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with("0x") || line.size() < 2 + kDigits) continue;
    std::uint64_t value = 0;
    const char* const end = line.data() + 2 + kDigits;
    const auto [stop, error] = std::from_chars(line.data() + 2, end, value, 16);
    if (error == std::errc() && stop == end) guids.insert(mad::Guid{value});
  }
  return guids;
}

tl::expected<void, std::string> save_neighbors(const std::filesystem::path& dir,
                                               const Fabric& fabric, bool fsync) {
  return ensure_directory(dir).and_then(
      [&] { return write_file_atomically(dir / kNeighborsFile, neighbors_text(fabric), fsync); });
}

std::optional<std::set<mad::Guid>> load_neighbor_guids(const std::filesystem::path& dir) {
  constexpr std::size_t kBytesMax = 64u << 20;  // 40,000 hosts need some 10 MB
  const auto text = read_file(dir / kNeighborsFile, kBytesMax);
  if (!text || !*text) return std::nullopt;
  return neighbor_guids(**text);
}

}  // namespace sm
