#include "sim/umad/paths.h"

#include <charconv>
#include <cstring>

namespace sim::umad {
namespace {

constexpr std::string_view kSysfsRoot = "/sys/class/infiniband";
constexpr std::string_view kDev = "/dev/infiniband";

bool to_number(std::string_view text, unsigned& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string tidy(std::string_view path) {
  std::string out;
  std::size_t at = 0;
  while (at < path.size()) {
    while (at < path.size() && path[at] == '/') ++at;
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (!part.empty() && part != ".") (out += '/') += part;
    at = end;
  }
  return out.empty() ? "/" : out;
}

OurPath classify(const char* path) {
  // Paths such as "//sys" are rare: the test must be fast for all other paths of the program.
  if (path == nullptr || path[0] != '/') return {};
  const char* begin = path;
  while (begin[1] == '/') ++begin;
  if (begin[1] != 's' && begin[1] != 'd') return {};
  if (std::strstr(begin, "infiniband") == nullptr) return {};
  const std::string clean = tidy(begin);
  const std::string_view view = clean;
  if (view.starts_with(kSysfsRoot)) {
    // The simulated tree replaces infiniband and infiniband_mad, which need not exist on this host.
    return {.kind = OurPath::Kind::sysfs};
  }
  if (!view.starts_with(kDev)) return {};
  const std::string_view rest = view.substr(kDev.size());
  if (rest.empty()) return {.kind = OurPath::Kind::sysfs};
  if (rest.front() != '/') return {};
  OurPath out;
  if (rest.starts_with("/umad") && to_number(rest.substr(5), out.number))
    out.kind = OurPath::Kind::umad;
  else if (rest.starts_with("/issm") && to_number(rest.substr(5), out.number))
    out.kind = OurPath::Kind::issm;
  else
    out.kind = OurPath::Kind::sysfs;
  return out;
}

SysfsPort port_of(std::string_view path) {
  constexpr std::string_view kDevices = "/sys/class/infiniband/", kPorts = "/ports/";
  SysfsPort out;
  if (!path.starts_with(kDevices)) return out;
  path.remove_prefix(kDevices.size());
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || !path.substr(slash).starts_with(kPorts)) return out;
  out.device = path.substr(0, slash);
  path.remove_prefix(slash + kPorts.size());
  const std::size_t end = std::min(path.find('/'), path.size());
  if (!to_number(path.substr(0, end), out.port)) return out;
  out.named = true;
  if (end < path.size()) out.file = path.substr(end + 1);
  return out;
}

}  // namespace sim::umad
