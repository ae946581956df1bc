#include "sm/ctl/describe_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "mad/path_units.h"
#include "sm/ctl/adaptive_text.h"
#include "sm/ctl/lists_text.h"
#include "sm/ops/rows.h"

namespace sm::ctl {

namespace {

using Json = nlohmann::ordered_json;

std::string rate_text(const Json& port) {
  if (!port.contains("link_width_active")) return "-";
  return fmt::format("{} {}{}", field_text(port, "link_width_active"),
                     field_text(port, "link_speed_active"),
                     port.value("degraded", false) ? " (degraded)" : "");
}

/// Returns the number with its unit; a port shows 0 while the value is not known.
std::string known_or(const Json& port, const char* field, const char* what, const char* unit) {
  return port.at(field) == 0 ? std::string(what) + " not known" : field_text(port, field) + unit;
}

std::string peer_text(const Json& port) {
  return port.contains("peer") ? end_text(port.at("peer")) : "-";
}

/// Returns "Active, LinkUp" or "Down, Polling".
std::string state_text(const Json& port) {
  std::string text = port.at("port_state").is_null() ? "state not known"
                                                     : port.at("port_state").get<std::string>();
  if (port.at("port_physical_state").is_string())
    text += ", " + port.at("port_physical_state").get<std::string>();
  return text + (port.value("isolated", false) ? ", kept out of use" : "");
}

/// Counts the paths over a link between switches, seen from one end.
struct LinkPaths {
  std::string out, in;
};

/// Returns nothing for a port of another link.
std::optional<LinkPaths> link_paths(const Json& loads, const std::string& node_guid,
                                    const std::string& port) {
  for (const Json& link : loads) {
    const auto is_end = [&](const char* end) {
      return field_text(link.at(end), "node_guid") == node_guid &&
             field_text(link.at(end), "port") == port;
    };
    if (is_end("a")) return LinkPaths{field_text(link, "load_ab"), field_text(link, "load_ba")};
    if (is_end("b")) return LinkPaths{field_text(link, "load_ba"), field_text(link, "load_ab")};
  }
  return std::nullopt;
}

std::string line(std::string_view title, const std::string& value) {
  return fmt::format("  {:<16}{}\n", title, printable(value));
}

/// Returns "read 12 s ago", or why the latest poll did not read them.
std::string reading_text(const Json& counters) {
  const std::string reading = counters.value("reading", "read");
  const std::string why = reading == "silent"    ? "the port does not answer"
                          : reading == "down"    ? "the port has no link"
                          : reading == "refused" ? "its agent rejects the request"
                                                 : "";
  if (counters.at("age_s").is_null()) return "not read: " + why;
  const std::string age = fmt::format("read {} s ago", field_text(counters, "age_s"));
  return why.empty() ? age : fmt::format("{}; not since: {}", age, why);
}

std::string port_counters_text(const Json& port) {
  const Json& counters = port.at("counters");
  if (!counters.is_object())
    return line("counters", "not read: " + port.value("counters_reason", "reason not known"));
  std::string text = line("counters", reading_text(counters));
  if (counters.at("age_s").is_null()) return text;
  std::vector<std::vector<std::string>> rows{{"", "counter", "total", "per second"}};
  for (const auto& [name, total] : counters.at("totals").items()) {
    if (total == 0) continue;
    const auto rate = counters.at("per_second").find(name);
    rows.push_back({"   ", name, total.dump(),
                    rate == counters.at("per_second").end()
                        ? "-"
                        : fmt::format("{:.1f}", rate->get<double>())});
  }
  return text + (rows.size() == 1 ? line("", "all are 0") : table(rows));
}

}  // namespace

std::string node_text(const Json& node) {
  std::string text = fmt::format("{} ({}), {}, {} of {} ports with a link\n",
                                 printable(field_text(node, "description")),
                                 field_text(node, "node_guid"), field_text(node, "node_type"),
                                 field_text(node, "ports_up"), field_text(node, "num_ports"));
  if (node.contains("node_description"))
    text += line("NodeDescription", field_text(node, "node_description"));
  std::vector<std::string> lids;
  for (const Json& port : node.at("ports"))
    lids.push_back(fmt::format("{} (port {}{})", field_text(port, "lid"), field_text(port, "port"),
                               port.at("lmc") == 0 ? "" : ", LMC " + field_text(port, "lmc")));
  text += line("LID", fmt::format("{}", fmt::join(lids, ", ")));
  text += line("device",
               fmt::format("vendor {}, device {}, system image {}", field_text(node, "vendor_id"),
                           field_text(node, "device_id"), field_text(node, "system_image_guid")));
  if (node.contains("switch_info")) {
    const Json& info = node.at("switch_info");
    text += line("tables",
                 fmt::format("LinearFDBCap {}, LinearFDBTop {}, MulticastFDBCap {}",
                             field_text(info, "linear_fdb_cap"), field_text(info, "linear_fdb_top"),
                             field_text(info, "multicast_fdb_cap")));
  }
  if (node.contains("adaptive_routing"))
    text += line("adaptive", adaptive_state_text(node.at("adaptive_routing")));
  const bool has_loads = !node.at("loads").empty();
  std::vector<std::vector<std::string>> rows{{"", "port", "state", "rate", "MTU"}};
  if (has_loads) rows[0].insert(rows[0].end(), {"paths out", "in"});
  rows[0].emplace_back("linked to");
  for (const Json& port : node.at("physical_ports")) {
    if (port.at("port") == 0) continue;
    auto& row = rows.emplace_back(std::vector<std::string>{
        " ", field_text(port, "port"), state_text(port), rate_text(port),
        port.value("neighbor_mtu", 0) == 0 ? "-" : field_text(port, "neighbor_mtu")});
    if (has_loads) {
      const auto paths = link_paths(node.at("loads"), field_text(node, "node_guid"), row[1]);
      row.push_back(paths ? paths->out : "-");
      row.push_back(paths ? paths->in : "-");
    }
    row.push_back(peer_text(port));
  }
  return text + table(rows);
}

std::string lost_node_text(const Json& lost) {
  std::string text = fmt::format("{} ({}), a {} that was lost {} ago\n",
                                 printable(field_text(lost, "name")), field_text(lost, "node_guid"),
                                 lost.at("is_switch").get<bool>() ? "switch" : "host",
                                 elapsed_text(lost.at("for_s").get<std::int64_t>()));
  if (lost.contains("peer"))
    text +=
        line("was at", fmt::format("{} ({}) port {}", field_text(lost, "peer"),
                                   field_text(lost, "peer_guid"), field_text(lost, "peer_port")));
  if (lost.contains("caused_by"))
    text += line("cut off by", "the loss of switch " + field_text(lost, "caused_by"));
  return text;
}

std::string port_text(const Json& port) {
  std::string text = fmt::format("{} ({}), {}\n", printable(end_text(port)),
                                 field_text(port, "node_guid"), field_text(port, "node_type"));
  text += line("state", state_text(port));
  text += line("linked to", peer_text(port));
  if (port.contains("link_width_active")) {
    text += line("rate", rate_text(port));
    text += line("MTU, VLs", fmt::format("{}, {}", known_or(port, "neighbor_mtu", "MTU", " bytes"),
                                         known_or(port, "operational_vls", "VLs", " data VLs")));
  } else if (port.contains("peer")) {
    text += line("rate", "not known") + line("MTU, VLs", "not known");
  }
  if (const auto paths =
          link_paths(port.at("loads"), field_text(port, "node_guid"), field_text(port, "port")))
    text +=
        line("paths", fmt::format("{} out, {} in; of links between switches the mean is {:.1f}, "
                                  "the most {}",
                                  paths->out, paths->in, port.at("load").at("mean").get<double>(),
                                  field_text(port.at("load"), "worst")));
  if (port.contains("lid")) {
    text += line("LID", fmt::format("{}, LMC {}, port GUID {}", field_text(port, "lid"),
                                    field_text(port, "lmc"), field_text(port, "port_guid")));
    std::vector<std::string> keys;
    for (const Json& key : port.at("p_keys")) keys.push_back(key.get<std::string>());
    text += line("P_Keys", fmt::format("{}", fmt::join(keys, " ")));
  }
  return text + port_counters_text(port);
}

std::string path_text(const Json& trace) {
  if (trace.contains("adaptive_hops")) return adaptive_path_text(trace);
  std::string text;
  std::size_t cables = 0;
  for (const Json& hop : trace.at("hops")) {
    text += fmt::format("  \"{}\" ({})", printable(field_text(hop, "description")),
                        field_text(hop, "node_guid"));
    if (!hop.at("in_port").is_null()) text += " in " + field_text(hop, "in_port");
    if (!hop.at("out_port").is_null()) {
      ++cables;
      text += " out " + field_text(hop, "out_port");
      if (!hop.at("vl").is_null()) text += " on VL " + field_text(hop, "vl");
      text += fmt::format(", {} {}, MTU {}", field_text(hop, "link_width_active"),
                          field_text(hop, "link_speed_active"), field_text(hop, "neighbor_mtu"));
    }
    text += '\n';
  }
  if (!trace.at("arrives").get<bool>())
    return text + fmt::format("  LID {} is not reached: {}\n", field_text(trace, "dlid"),
                              printable(field_text(trace, "detail")));
  return text + fmt::format("  LID {} by {} with SL {}\n", field_text(trace, "dlid"),
                            counted(cables, "cable"), field_text(trace, "sl"));
}

nlohmann::ordered_json trace_json(const Trace& trace, const Fabric& fabric) {
  const auto number = [](mad::PortNum port) { return port.value == 0 ? Json() : Json(port.value); };
  Json hops = Json::array();
  for (const Hop& hop : trace.hops) {
    Json row{{"node_guid", fmt::format("{}", fabric.nodes[hop.node].guid)},
             {"description", fabric.description(hop.node)},
             {"node_type", mad::name(fabric.nodes[hop.node].type)},
             {"in_port", number(hop.in)},
             {"out_port", number(hop.out)},
             {"vl", hop.vl ? Json(*hop.vl) : Json()}};
    if (hop.out.value != 0) {
      const mad::PortInfo& out = fabric.ports[fabric.port(hop.node, hop.out)].info;
      row["link_width_active"] = mad::width_name(mad::active_rate(out).lanes);
      row["link_speed_active"] = mad::name(mad::active_rate(out).speed);
      row["neighbor_mtu"] = mad::mtu_bytes(static_cast<std::uint8_t>(out.neighbor_mtu()));
    }
    hops.push_back(std::move(row));
  }
  return {{"dlid", trace.to.value},
          {"sl", trace.sl.value},
          {"arrives", trace.trouble.empty()},
          {"detail", trace.trouble.empty() ? Json() : Json(trace.trouble)},
          {"hops", std::move(hops)}};
}

std::string conditions_section(const Json& conditions, bool colour) {
  if (conditions.empty()) return line("conditions", "none");
  std::string text = "  conditions\n";
  for (const Json& condition : conditions) text += "    " + condition_line(condition, colour);
  return text;
}

std::string occurrences_section(const Json& occurrences) {
  if (occurrences.empty()) return "";
  std::string text = "  occurred within ten minutes (times in UTC)\n";
  for (const Json& occurrence : occurrences) text += "    " + occurrence_line(occurrence);
  return text;
}

std::string event_line(const Json& event, bool with_date) {
  const std::string time = field_text(event, "time");  // 2026-11-24T10:03:11.123Z
  const std::size_t clock = time.find('T');
  const bool is_known = clock != std::string::npos && time.size() >= clock + 9;
  const std::string date = is_known ? time.substr(0, clock) + " " : "";
  return fmt::format("{}{} {:<9} {}\n", with_date ? date : "",
                     is_known ? time.substr(clock + 1, 8) : time, field_text(event, "severity"),
                     printable(field_text(event, "text")));
}

bool is_about(const Json& event, const std::string& node_guid) {
  return field_text(event, "node_guid") == node_guid ||
         field_text(event, "peer_node_guid") == node_guid;
}

}  // namespace sm::ctl
