#include "sm/ctl/running_opensm.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "config/value.h"
#include "mad/number.h"

namespace sm::ctl {
namespace {

constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
    {"OSM_HOSTS",
     "sldd copied guid2lid between these hosts; Heddle's managers share LIDs by state_store peers, "
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

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Splits strings that each end with a zero byte, as cmdline and environ have them.
std::vector<std::string> list_words(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Returns the unit in "0::/system.slice/opensm@0x1.service"; a session's scope has none. Of
/// several hierarchies only some may name the unit.
std::string unit_of(const std::string& cgroups) {
  std::istringstream lines(cgroups);
  for (std::string path; std::getline(lines, path);) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.ends_with(".service") && !name.starts_with("user@")) return name;
  }
  return "";
}

/// Reads the line "Uid: real effective saved filesystem" of /proc/PID/status.
std::optional<ProcessFacts::Users> read_users(const std::string& status) {
  constexpr std::string_view kName = "Uid:";
  std::istringstream lines(status);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kName)) continue;
    std::istringstream numbers(line.substr(kName.size()));
    ProcessFacts::Users users;
    if (numbers >> users.real >> users.effective) return users;
  }
  return std::nullopt;
}

/// Returns the path of the program; "" if it is not readable. A program that was replaced since the
/// start has a mark behind its name.
std::string program_of(const fs::path& process) {
  constexpr std::string_view kReplaced = " (deleted)";
  std::error_code error;
  std::string program = fs::read_symlink(process / "exe", error).string();
  if (program.ends_with(kReplaced)) program.resize(program.size() - kReplaced.size());
  return program;
}

ProcessFacts facts_of(const fs::path& process) {
  ProcessFacts facts{.users = read_users(text_of_file(process / "status")), .program = {}};
  struct stat program{};
  // The link leads to the file that runs, also if its name belongs to another file now.
  if (::stat((process / "exe").c_str(), &program) == 0)
    facts.program = {.owner = program.st_uid, .mode = program.st_mode};
  return facts;
}

RunningOpenSm describe(const fs::path& process, pid_t pid, std::vector<std::string> arguments) {
  RunningOpenSm found;
  found.pid = pid;
  found.arguments = std::move(arguments);
  std::error_code unreadable;
  found.directory = fs::read_symlink(process / "cwd", unreadable).string();
  found.unit = unit_of(text_of_file(process / "cgroup"));
  for (const std::string& setting : list_words(text_of_file(process / "environ"))) {
    constexpr std::string_view kTemporary = "OSM_TMP_DIR=", kCache = "OSM_CACHE_DIR=";
    if (setting.starts_with(kTemporary)) found.temporary = setting.substr(kTemporary.size());
    if (setting.starts_with(kCache)) found.cache = setting.substr(kCache.size());
  }
  return found;
}

RunningProcesses running(const fs::path& proc, std::string_view name, uid_t caller) {
  RunningProcesses found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(proc, error)) {
    const auto number = mad::parse_number<pid_t>(entry.path().filename().string());
    if (!number) continue;
    const pid_t pid = *number;
    std::vector<std::string> arguments = list_words(text_of_file(entry.path() / "cmdline"));
    if (arguments.empty()) continue;
    const std::string program = program_of(entry.path());
    // Where the program is not readable, only what the process calls itself is known.
    if (fs::path(program.empty() ? arguments[0] : program).filename() != name) continue;
    std::string why = distrust(facts_of(entry.path()), caller);
    // The program may be started again by its path.
    if (why.empty()) why = config::trust_fault(program, caller);
    if (!why.empty()) {
      found.refused.push_back(
          {pid,
           fmt::format("process {} is not taken for the {} of this machine: {}", pid, name, why)});
      continue;
    }
    arguments[0] = program;
    found.trusted.push_back(describe(entry.path(), pid, std::move(arguments)));
  }
  std::ranges::sort(found.trusted, {}, &RunningOpenSm::pid);
  std::ranges::sort(found.refused, {}, &RefusedProcess::pid);
  return found;
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

std::string distrust(const ProcessFacts& process, uid_t caller) {
  if (!process.users) return "its users cannot be read";
  for (const uid_t user : {process.users->real, process.users->effective})
    if (!config::is_trusted_user(user, caller))
      return fmt::format("it runs as user {}; only those of root and of the caller count", user);
  if (!process.program) return "its program cannot be read; run heddlectl as root";
  const std::string fault = config::change_fault(*process.program, caller);
  return fault.empty() ? "" : "its program " + fault;
}

RunningProcesses running_opensms(const fs::path& proc, uid_t caller) {
  return running(proc, "opensm", caller);
}

RunningProcesses running_heddles(const fs::path& proc, uid_t caller) {
  return running(proc, "heddle", caller);
}

std::vector<std::string> flags_to_keep(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 6> kDropped{"-B", "--daemon", "-daemon",
                                                     "-o", "--once",   "-once"};
  std::vector<std::string> kept;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (std::ranges::find(kDropped, arguments[i]) == kDropped.end()) kept.push_back(arguments[i]);
  }
  return kept;
}

}  // namespace sm::ctl
