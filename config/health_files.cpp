#include "config/health_files.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "config/file_reader.h"
#include "config/words.h"

namespace config {
namespace {

constexpr Limits kPortOrAll{0, 255};
constexpr std::array<std::pair<std::string_view, HealthAction>, 4> kActionNames{
    {{"ignore", HealthAction::ignore},
     {"report", HealthAction::report},
     {"isolate", HealthAction::isolate},
     {"no_discover", HealthAction::no_discover}}};

PortHealth port_health_of(Words& words) {
  PortHealth entry{.guid = words.number("GUID", kGuidLimits), .port = {}, .action = {}};
  const auto port = static_cast<std::uint8_t>(words.number("port number", kPortOrAll));
  if (port != 0 && port != 255) entry.port = port;
  if (!words.ok()) return entry;
  const std::string_view state = words.word();
  if (state != "HEALTHY" && state != "UNHEALTHY") {
    words.error(state,
                state.empty() ? std::string("the line ends before HEALTHY or UNHEALTHY")
                              : fmt::format("{} is unknown", in_quotes(state)),
                "write HEALTHY or UNHEALTHY");
    return entry;
  }
  entry.healthy = state == "HEALTHY";
  if (entry.healthy || words.at_end()) return entry;
  const std::string_view action = words.word();
  entry.action = health_action(action);
  if (!entry.action)
    words.error(action, fmt::format("{} is no action", in_quotes(action)),
                fmt::format("write {}", kHealthActions));
  return entry;
}

}  // namespace

std::optional<HealthAction> health_action(std::string_view word) {
  for (const auto& [name, action] : kActionNames)
    if (name == word) return action;
  return std::nullopt;
}

std::vector<PortHealth> parse_port_health(const Source& source, Diagnostics& out) {
  std::vector<PortHealth> entries;
  std::set<std::pair<std::uint64_t, unsigned>> seen;
  for (const Line& line : content_lines(source.text)) {
    Words words(line, source.file, out);
    PortHealth entry = port_health_of(words);
    words.expect_end();
    if (!words.ok()) continue;
    if (!seen.emplace(entry.guid, entry.port.value_or(0)).second) {
      words.warn(line.text, "this port was listed before; the first entry is used");
    } else {
      entries.push_back(entry);
    }
  }
  return entries;
}

}  // namespace config
