#include "sm/ctl/vports_text.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "sm/ctl/lists_text.h"
#include "sm/ops/rows.h"

namespace sm::ctl {

namespace {

using Text = std::back_insert_iterator<std::string>;

std::string text_of(const nlohmann::ordered_json& object, const char* key) {
  return object.value(key, std::string());
}

bool is_of_host(const nlohmann::ordered_json& port, std::string_view host) {
  const std::string name = text_of(port, "host");
  if (name == host || name.substr(0, name.find(' ')) == host || text_of(port, "guid") == host)
    return true;
  return std::ranges::any_of(port.at("vports"), [&](const nlohmann::ordered_json& vport) {
    return text_of(vport, "guid") == host;
  });
}

}  // namespace

nlohmann::ordered_json vports_of_host(nlohmann::ordered_json vports, std::string_view host) {
  if (host.empty()) return vports;
  nlohmann::ordered_json ports = nlohmann::ordered_json::array();
  for (nlohmann::ordered_json& port : vports.at("ports"))
    if (is_of_host(port, host)) ports.push_back(std::move(port));
  vports["ports"] = std::move(ports);
  return vports;
}

std::string vports_text(const nlohmann::ordered_json& vports) {
  std::string out;
  for (const nlohmann::ordered_json& port : vports.at("ports")) {
    const nlohmann::ordered_json& list = port.at("vports");
    fmt::format_to(Text(out), "\"{}\" ({}) port {}, LID {}: ", text_of(port, "host"),
                   text_of(port, "guid"), port.at("port").get<unsigned>(),
                   port.at("lid").get<unsigned>());
    if (const std::string why = text_of(port, "why"); !why.empty())
      fmt::format_to(Text(out), "no vports are managed: {}\n", why);
    else
      fmt::format_to(Text(out), "{} of {} vports\n", list.size(),
                     port.at("vport_cap").get<unsigned>());
    if (list.empty()) continue;
    std::istringstream lines(table(vport_info(), list));
    for (std::string line; std::getline(lines, line);) out += "  " + line + '\n';
  }
  if (out.empty()) out = "no port can have vports\n";
  return out;
}

}  // namespace sm::ctl
