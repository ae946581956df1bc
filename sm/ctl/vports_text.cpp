#include "sm/ctl/vports_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// One line of the table; the header is one, too.
struct Row {
  std::string index, guid, vnode_guid, state, lid, p_keys, rest;
};

Row row_of(const nlohmann::ordered_json& vport) {
  const auto index = vport.at("index").get<unsigned>();
  const auto lid = vport.at("lid").get<unsigned>();
  Row row{.index = std::to_string(index),
          .guid = text_of(vport, "guid"),
          .vnode_guid = text_of(vport, "vnode_guid"),
          .state = text_of(vport, "state"),
          .lid = lid == 0 ? "-" : std::to_string(lid),
          .p_keys =
              fmt::format("{}", fmt::join(vport.at("p_keys").get<std::vector<std::string>>(), ",")),
          .rest = text_of(vport, "why")};
  if (lid != 0 && index != 0) row.lid += vport.at("own_lid").get<bool>() ? " own" : " shared";
  if (row.p_keys.empty()) row.p_keys = "-";
  if (const std::string description = text_of(vport, "description"); !description.empty())
    row.rest += fmt::format("{}\"{}\"", row.rest.empty() ? "" : "  ", description);
  return row;
}

void put_table(std::string& out, const nlohmann::ordered_json& vports) {
  std::vector<Row> rows{{.index = "index",
                         .guid = "GUID",
                         .vnode_guid = "VNodeGUID",
                         .state = "state",
                         .lid = "LID",
                         .p_keys = "P_Keys",
                         .rest = "why it is not Active"}};
  std::size_t p_keys_width = 0;
  for (const nlohmann::ordered_json& vport : vports) rows.push_back(row_of(vport));
  for (const Row& row : rows) p_keys_width = std::max(p_keys_width, row.p_keys.size());
  if (std::all_of(rows.begin() + 1, rows.end(), [](const Row& row) { return row.rest.empty(); }))
    rows.front().rest.clear();
  for (const Row& row : rows) {
    std::string line =
        fmt::format("  {:>5}  {:18}  {:18}  {:6}  {:12}  {:{}}  {}", row.index, row.guid,
                    row.vnode_guid, row.state, row.lid, row.p_keys, p_keys_width, row.rest);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
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
    if (!list.empty()) put_table(out, list);
  }
  if (out.empty()) out = "no port can have vports\n";
  return out;
}

}  // namespace sm::ctl
