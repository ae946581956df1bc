#include "sm/store/peers/seen_managers.h"

#include <algorithm>

#include "mad/format.h"
#include "mad/number.h"

namespace sm::peers {

SeenManagers SeenManagers::parse(std::string_view text) {
  SeenManagers out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto port = mad::parse_number(text.substr(0, end), 16);
    if (port && *port != 0) out.add({mad::Guid{*port}});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string SeenManagers::text() const {
  std::string out;
  for (const mad::Guid port : ports_) out += fmt::format("{:016x}\n", port.value);
  return out;
}

bool SeenManagers::add(const std::set<mad::Guid>& ports) {
  bool has_new = false;
  for (const mad::Guid port : ports) {
    if (has(port)) continue;
    ports_.push_back(port);
    if (ports_.size() > kMax) ports_.pop_front();
    has_new = true;
  }
  return has_new;
}

bool SeenManagers::has(mad::Guid port) const {
  return std::ranges::find(ports_, port) != ports_.end();
}

std::filesystem::path seen_managers_file(const std::filesystem::path& copy) {
  return copy.string() + ".managers";
}

}  // namespace sm::peers
