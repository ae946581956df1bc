#include "sm/ctl/opensm_service.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "config/value.h"

namespace sm::ctl {

namespace {

constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
    {"OSM_HOSTS",
     "sldd copied guid2lid between these hosts; Heddle's managers share LIDs by state_store etcd, "
     "or each finds them in the fabric"},
    {"OPTIONS", "flags of OpenSM's own init script: write them into HEDDLE_OPTIONS"},
    {"SLDD_DEBUG", "of sldd, which Heddle has no use for"},
    {"CACHE_OPTIONS", "of sldd: honor_guid2lid_file in opensm.conf says the same"},
    {"ONBOOT", "systemctl enable says whether it starts"},
};

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::string_view find_value(std::string_view text) {
  if (!text.empty() && (text[0] == '"' || text[0] == '\''))
    return text.substr(1, text.find(text[0], 1) - 1);
  return text.substr(0, text.find_first_of(" \t#;"));
}

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "-_./:=,@+%";
  const bool plain = !word.empty() && std::ranges::all_of(word, [&](unsigned char c) {
    return std::isalnum(c) || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

std::map<std::string, std::string> shell_settings(std::string_view text) {
  std::map<std::string, std::string> settings;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = config::trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("export ")) line = config::trim(line.substr(7));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_name(line.substr(0, equals))) continue;
    settings[std::string(line.substr(0, equals))] = find_value(line.substr(equals + 1));
  }
  return settings;
}

std::vector<std::string> unread_settings(std::string_view file,
                                         const std::map<std::string, std::string>& settings,
                                         const std::vector<std::string_view>& read) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : settings) {
    if (value.empty() || std::ranges::find(read, name) != read.end()) continue;
    const auto* const known =
        std::ranges::find(kReasons, name, &std::pair<std::string_view, std::string_view>::first);
    lines.push_back(fmt::format(
        "{}: {}: {}", file, name,
        known != std::end(kReasons)
            ? known->second
            : "Heddle's launcher does not read it: opensm.conf has a key for it, or HEDDLE_OPTIONS "
              "of /etc/default/heddle takes a flag"));
  }
  return lines;
}

std::string find_service(std::string_view unit) {
  if (unit.starts_with("opensm@") && unit.ends_with(".service")) return "opensm.service";
  if (unit == "opensm.service" || unit == "opensmd.service") return std::string(unit);
  return "";
}

std::vector<std::pair<std::string, std::vector<std::string>>> launcher_ports(
    std::string_view text) {
  std::vector<std::pair<std::string, std::vector<std::string>>> ports;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string guid;
    if (!(words >> guid) || !guid.starts_with("0x")) continue;
    auto& [port, flags] = ports.emplace_back(guid, std::vector<std::string>{});
    for (std::string flag; words >> flag;) flags.push_back(std::move(flag));
  }
  return ports;
}

std::string shell_command(const std::vector<std::string>& argv,
                          const std::vector<std::pair<std::string, std::string>>& environment,
                          const std::string& directory) {
  std::string out;
  if (!directory.empty()) out += fmt::format("cd {} && ", quoted(directory));
  for (const auto& [name, value] : environment) out += fmt::format("{}={} ", name, quoted(value));
  for (std::size_t i = 0; i < argv.size(); ++i) out += (i == 0 ? "" : " ") + quoted(argv[i]);
  return out;
}

}  // namespace sm::ctl
