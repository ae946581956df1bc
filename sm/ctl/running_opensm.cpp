#include "sm/ctl/running_opensm.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

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

bool is_opensm(const fs::path& process, const std::vector<std::string>& arguments) {
  if (arguments.empty() || fs::path(arguments[0]).filename() != "opensm") return false;
  std::error_code error;
  const fs::path program = fs::read_symlink(process / "exe", error);
  return error || program.filename() != "heddle";
}

bool is_heddle(const fs::path& process, const std::vector<std::string>& arguments) {
  std::error_code error;
  const fs::path program = fs::read_symlink(process / "exe", error);
  if (!error) return program.filename() == "heddle";
  // The program of another user's process is known only by its name.
  return !arguments.empty() && fs::path(arguments[0]).filename() == "heddle";
}

std::vector<RunningOpenSm> running(const fs::path& proc,
                                   bool (*counts)(const fs::path&,
                                                  const std::vector<std::string>&)) {
  std::vector<RunningOpenSm> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(proc, error)) {
    const std::string name = entry.path().filename().string();
    RunningOpenSm opensm;
    const char* const end = name.data() + name.size();
    if (std::from_chars(name.data(), end, opensm.pid) != std::from_chars_result{end, std::errc()})
      continue;
    opensm.arguments = list_words(text_of_file(entry.path() / "cmdline"));
    if (!counts(entry.path(), opensm.arguments)) continue;
    std::error_code unreadable;
    opensm.directory = fs::read_symlink(entry.path() / "cwd", unreadable).string();
    opensm.unit = unit_of(text_of_file(entry.path() / "cgroup"));
    for (const std::string& setting : list_words(text_of_file(entry.path() / "environ"))) {
      constexpr std::string_view kTemporary = "OSM_TMP_DIR=", kCache = "OSM_CACHE_DIR=";
      if (setting.starts_with(kTemporary)) opensm.temporary = setting.substr(kTemporary.size());
      if (setting.starts_with(kCache)) opensm.cache = setting.substr(kCache.size());
    }
    found.push_back(std::move(opensm));
  }
  std::ranges::sort(found, {}, &RunningOpenSm::pid);
  return found;
}

}  // namespace

std::vector<RunningOpenSm> running_opensms(const fs::path& proc) {
  return running(proc, is_opensm);
}

std::vector<RunningOpenSm> running_heddles(const fs::path& proc) {
  return running(proc, is_heddle);
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
