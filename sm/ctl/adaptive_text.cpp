#include "sm/ctl/adaptive_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "mad/path_units.h"
#include "sm/ctl/lists_text.h"
#include "sm/ops/rows.h"

namespace sm::ctl {

namespace {

using Json = nlohmann::ordered_json;

/// Returns ascending numbers as "0-7, 9".
std::string ranges_text(const Json& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() &&
           numbers.at(last + 1).get<int>() == numbers.at(last).get<int>() + 1)
      ++last;
    ranges.push_back(first == last ? numbers.at(first).dump()
                                   : numbers.at(first).dump() + "-" + numbers.at(last).dump());
    first = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

/// Returns "SLs 0-7" or "SL 3".
std::string sls_text(const Json& sls) {
  return (sls.size() == 1 ? "SL " : "SLs ") + ranges_text(sls);
}

/// Returns "RC and DC".
std::string words_text(const Json& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words.at(i).get<std::string>();
  return text;
}

std::string switches_line(const Json& summary) {
  const auto all = summary.at("switches").get<std::size_t>(),
             active = summary.at("states").at("active").get<std::size_t>();
  std::string line = fmt::format("adaptive routing: on {} of {} {}", active, all,
                                 all == 1 ? "switch" : "switches");
  std::size_t others = all - active;
  for (const Json& sw : summary.at("not_active")) {
    line += fmt::format("; \"{}\" ({}): {}", printable(field_text(sw, "description")),
                        field_text(sw, "node_guid"), printable(field_text(sw, "reason")));
    --others;
  }
  return others == 0 ? line : line + fmt::format("; {} more: heddlectl adaptive", others);
}

std::string sls_line(const Json& summary) {
  const Json& sls = summary.at("sls");
  const Json& fixed = summary.at("static_sls");
  if (sls.empty())
    return "no SL is adaptive: packets stay in order, and groups serve fast recovery only";
  std::string line = sls_text(sls) + (sls.size() == 1 ? " is adaptive" : " are adaptive");
  if (const std::string transports = words_text(summary.at("transports")); !transports.empty())
    line += " for " + transports;
  if (!fixed.empty()) line += fmt::format("; packets of {} stay in order", sls_text(fixed));
  return line;
}

/// Returns a line such as "applications: UCX_IB_SL=0, NCCL_IB_SL=0, NCCL_IB_ADAPTIVE_ROUTING=1".
std::string environment_line(const Json& environment) {
  std::string line = "applications:";
  for (const auto& [name, value] : environment.items())
    line += fmt::format(" {}={}", name, value.get<std::string>());
  return line;
}

std::string percent_text(const Json& share) {
  return fmt::format("{:.1f} %", 100 * share.get<double>());
}

/// Returns "out 3 on VL 0, 4X NDR, MTU 4096".
std::string exit_text(const Json& exit) {
  std::string text = "out " + field_text(exit, "port");
  if (!exit.at("vl").is_null()) text += " on VL " + field_text(exit, "vl");
  return text + fmt::format(", {} {}, MTU {}", field_text(exit, "link_width_active"),
                            field_text(exit, "link_speed_active"),
                            field_text(exit, "neighbor_mtu"));
}

std::string hop_text(const Json& hop) {
  std::string text = fmt::format("  \"{}\" ({})", printable(field_text(hop, "description")),
                                 field_text(hop, "node_guid"));
  if (!hop.at("in_ports").empty()) text += " in " + ranges_text(hop.at("in_ports"));
  const Json& exits = hop.at("out_ports");
  if (exits.size() == 1 && hop.at("group").is_null()) text += " " + exit_text(exits.at(0));
  if (!hop.at("group").is_null()) text += ", group " + field_text(hop, "group");
  if (hop.at("share").get<double>() < 1)
    text += fmt::format(", {} of the packets", percent_text(hop.at("share")));
  text += '\n';
  if (hop.at("group").is_null()) return text;
  for (const Json& exit : exits)
    text += fmt::format("    {:>7}  {}, to \"{}\"{}\n", percent_text(exit.at("share")),
                        exit_text(exit), printable(field_text(exit.at("to"), "description")),
                        exit.at("static").get<bool>() ? "; static" : "");
  return text;
}

/// Returns the number of paths to the nodes where packets end. Large numbers are approximate.
double count_paths(const Json& hops) {
  std::map<std::pair<unsigned, std::string>, double> paths;
  double ended = 0;
  for (const Json& hop : hops) {
    const auto links = hop.at("links").get<unsigned>();
    const double here = links == 0 ? 1 : paths[{links, hop.at("node_guid").get<std::string>()}];
    if (hop.at("out_ports").empty()) ended += here;
    for (const Json& exit : hop.at("out_ports"))
      paths[{links + 1, exit.at("to").at("node_guid").get<std::string>()}] += here;
  }
  return ended;
}

Json exit_json(const AdaptiveHop& hop, const AdaptiveExit& exit, const Fabric& fabric) {
  const mad::PortInfo& info = fabric.ports[fabric.port(hop.node, exit.out)].info;
  return {{"port", exit.out.value},
          {"share", exit.share},
          {"static", exit.is_static},
          {"vl", exit.vl ? Json(*exit.vl) : Json()},
          {"to", Json(end_row(fabric, exit.next))},
          {"link_width_active", mad::width_name(mad::active_rate(info).lanes)},
          {"link_speed_active", mad::name(mad::active_rate(info).speed)},
          {"neighbor_mtu", mad::mtu_bytes(static_cast<std::uint8_t>(info.neighbor_mtu()))}};
}

}  // namespace

std::vector<std::string> adaptive_lines(const Json& summary) {
  std::vector<std::string> lines{switches_line(summary), sls_line(summary)};
  if (summary.at("environment").is_object())
    lines.push_back(environment_line(summary.at("environment")));
  return lines;
}

std::string adaptive_text(const Json& answer) {
  const Json& switches = answer.at("switches");
  if (!answer.at("adaptive_routing").is_object())
    return "no routing engine of the configuration asks for adaptive routing; routing_engine "
           "ar_updn does\n";
  std::string text =
      switches.empty() ? std::string() : table(adaptive_switch_info(), switches) + '\n';
  for (const std::string& line : adaptive_lines(answer.at("adaptive_routing"))) text += line + '\n';
  return text;
}

std::string adaptive_groups_text(const Json& answer) {
  const Json& groups = answer.at("groups");
  return groups.empty() ? std::string("no groups\n") : table(adaptive_group_info(), groups);
}

std::string adaptive_state_text(const Json& row) {
  std::string text = field_text(row, "state");
  if (row.contains("reason")) return text + ": " + field_text(row, "reason");
  text +=
      fmt::format(", {} {}", field_text(row, "groups"), row.at("groups") == 1 ? "group" : "groups");
  if (row.at("fast_recovery").get<bool>()) text += ", fast recovery";
  if (row.at("pfrn").get<bool>()) text += ", pFRN";
  return text;
}

std::string adaptive_path_text(const Json& trace) {
  const Json& hops = trace.at("adaptive_hops");
  std::string text;
  std::size_t links = 0;
  for (const Json& hop : hops) {
    text += hop_text(hop);
    links = std::max(links, hop.at("links").get<std::size_t>());
  }
  if (trace.at("adaptive_detail").is_string())
    return text + fmt::format("  LID {} is not reached by all packets: {}\n",
                              field_text(trace, "dlid"),
                              printable(field_text(trace, "adaptive_detail")));
  const double paths = count_paths(hops);
  return text + fmt::format(
                    "  LID {} by {} with SL {}; {:.0f} {}; ports marked static are "
                    "those of packets that are not routed adaptively\n",
                    field_text(trace, "dlid"), counted(links, "cable"), field_text(trace, "sl"),
                    paths, paths == 1 ? "path" : "paths");
}

Json adaptive_hops_json(const AdaptiveTrace& trace, const Fabric& fabric) {
  Json hops = Json::array();
  for (const AdaptiveHop& hop : trace.hops) {
    Json ins = Json::array(), exits = Json::array();
    for (const mad::PortNum in : hop.ins) ins.push_back(in.value);
    for (const AdaptiveExit& exit : hop.exits) exits.push_back(exit_json(hop, exit, fabric));
    hops.push_back({{"links", hop.links},
                    {"node_guid", fmt::format("{}", fabric.nodes[hop.node].guid)},
                    {"description", fabric.description(hop.node)},
                    {"node_type", mad::name(fabric.nodes[hop.node].type)},
                    {"share", hop.share},
                    {"in_ports", std::move(ins)},
                    {"group", hop.group == 0 ? Json() : Json(hop.group)},
                    {"out_ports", std::move(exits)}});
  }
  return hops;
}

}  // namespace sm::ctl
