#include "sm/ctl/running_opensm.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include "mad/number.h"

namespace sm::ctl {

namespace {

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
