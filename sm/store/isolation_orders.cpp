#include "sm/store/isolation_orders.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "config/common_command_line.h"
#include "mad/format.h"
#include "sm/store/atomic_file.h"
#include "sm/store/file_version.h"

namespace sm {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kIsolationsFormat = "# heddle-isolated-links";
constexpr FileVersion kIsolationsVersion{1};
constexpr std::size_t kIsolationsBytesMax = 16 << 20;
constexpr std::int64_t kSecondsMax = 1LL << 34;  // the year 2514

std::optional<std::string> read_text(const Json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_string()) return std::nullopt;
  if (found->get_ref<const std::string&>().size() > kIsolationTextBytesMax) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::int64_t> read_integer(const Json& line, const char* name, std::int64_t max) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto value = found->get<std::uint64_t>();
  if (value > static_cast<std::uint64_t>(max)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::string to_line(const StoredIsolation& order) {
  Json line{{"by", order.by},
            {"node_guid", fmt::format("{}", order.node)},
            {"port", order.port.value},
            {"reason", order.reason},
            {"since", order.since.time_since_epoch().count()}};
  if (order.is_shared) line["shared"] = true;
  if (order.until) line["until"] = order.until->time_since_epoch().count();
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<StoredIsolation> parse_isolation(const std::string& text) {
  const Json line = Json::parse(text, nullptr, false);
  if (!line.is_object()) return std::nullopt;
  const auto guid = read_text(line, "node_guid"), by = read_text(line, "by"),
             reason = read_text(line, "reason");
  const auto port = read_integer(line, "port", 254),
             since = read_integer(line, "since", kSecondsMax);
  std::uint64_t node = 0;
  if (!guid || !by || !reason || !port || !since || !config::read_number(*guid, node))
    return std::nullopt;
  StoredIsolation order{.node = mad::Guid{node},
                        .port = mad::PortNum{static_cast<std::uint8_t>(*port)},
                        .by = *by,
                        .reason = *reason,
                        .since = StoredIsolation::UnixTime(std::chrono::seconds(*since))};
  if (const auto shared = line.find("shared"); shared != line.end()) {
    if (!shared->is_boolean()) return std::nullopt;
    order.is_shared = shared->get<bool>();
  }
  if (line.contains("until")) {
    const auto until = read_integer(line, "until", kSecondsMax);
    if (!until) return std::nullopt;
    order.until = StoredIsolation::UnixTime(std::chrono::seconds(*until));
  }
  return order;
}

LoadedIsolations load_isolations(const std::filesystem::path& folder) {
  LoadedIsolations loaded;
  const auto text = read_file(folder / kIsolationsFile, kIsolationsBytesMax);
  if (!text) {
    loaded.messages.push_back(text.error());
    return loaded;
  }
  if (!*text) return loaded;
  const std::optional<FileVersion> version = file_version_after(kIsolationsFormat, **text);
  if (!version || version->number != kIsolationsVersion.number) {
    loaded.messages.push_back(fmt::format("{}:1: the version must be {}; no order of it is used",
                                          kIsolationsFile, kIsolationsVersion.text()));
    return loaded;
  }
  std::istringstream lines{**text};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (++number == 1 || line.empty()) continue;
    if (auto order = parse_isolation(line))
      loaded.orders.push_back(*std::move(order));
    else
      loaded.messages.push_back(fmt::format(
          "{}:{}: this is no order to isolate a link; it is left out", kIsolationsFile, number));
  }
  return loaded;
}

tl::expected<void, std::string> save_isolations(const std::filesystem::path& folder,
                                                std::span<const StoredIsolation> orders,
                                                bool fsync) {
  std::string text = fmt::format("{} {}: links that operators have isolated\n", kIsolationsFormat,
                                 kIsolationsVersion.text());
  for (const StoredIsolation& order : orders) text += to_line(order) + '\n';
  return write_file_atomically(folder / kIsolationsFile, text, fsync);
}

}  // namespace sm
