#include "sm/ctl/lists_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/control_characters.h"

namespace sm::ctl {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string word(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string port_of(const Json& end) {
  return fmt::format("{} port {}", word(end, "description"), word(end, "port"));
}

std::string rate(const Json& link, const char* width, const char* speed) {
  return fmt::format("{} {}", word(link, width), word(link, speed));
}

bool is_active(const Json& link) { return word(link, "port_state").starts_with("Active"); }

std::string remark(const Json& link) {
  if (link.value("isolated", false)) return "isolated: no path uses it";
  if (!link.at("degraded").get<bool>()) return "";
  return "degraded: both ends can " + rate(link, "link_width_max", "link_speed_max");
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

/// That no shell does anything with.
bool is_plain_word(std::string_view text) {
  constexpr std::string_view kMarks = "-_.:/@%+,";
  return !text.empty() && text[0] != '-' && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

/// The code of a colour for a severity.
const char* colour_of(std::string_view severity) {
  if (severity == "critical" || severity == "error") return "\x1b[31m";
  if (severity == "warning") return "\x1b[33m";
  return "\x1b[36m";
}

}  // namespace

std::string printable(std::string_view text) { return config::without_control_characters(text); }

std::string table(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{}{:{}}", i == 0 ? "" : "  ", printable(row[i]), widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string nodes_text(const Json& answer) {
  Rows rows{{"NodeGUID", "type", "ports up", "LID", "description"}};
  for (const Json& node : answer.at("nodes")) {
    std::vector<std::string> lids;
    for (const Json& port : node.at("ports")) lids.push_back(word(port, "lid"));
    rows.push_back({word(node, "node_guid"), word(node, "node_type"),
                    fmt::format("{} of {}", word(node, "ports_up"), word(node, "num_ports")),
                    fmt::format("{}", fmt::join(lids, ",")), word(node, "description")});
  }
  return table(rows);
}

std::string node_names_text(const Json& answer) {
  std::map<std::string, unsigned> times;
  for (const Json& node : answer.at("nodes")) ++times[first_word(word(node, "description"))];
  std::string out;
  for (const Json& node : answer.at("nodes")) {
    const std::string name = first_word(word(node, "description"));
    const std::string guid = word(node, "node_guid");
    const bool good = times[name] == 1 && is_plain_word(name);
    ((out += good ? name : guid) += '\t') += guid + '\n';
  }
  return out;
}

std::string links_text(const Json& answer, LinkChoice choice) {
  std::size_t degraded = 0, inactive = 0;
  Rows rows{{"link", "", "rate", "state", ""}};
  for (const Json& link : answer.at("links")) {
    const bool bad = link.at("degraded").get<bool>();
    degraded += bad;
    inactive += !is_active(link);
    if (choice == LinkChoice::down || (choice == LinkChoice::degraded && !bad && is_active(link)))
      continue;
    rows.push_back({port_of(link.at("a")), port_of(link.at("b")),
                    rate(link, "link_width_active", "link_speed_active"), word(link, "port_state"),
                    remark(link)});
  }
  const Json& unlinked = answer.at("ports_without_link");
  if (choice == LinkChoice::down) {
    rows = {{"port without a link", "physical state"}};
    for (const Json& port : unlinked)
      rows.push_back({port_of(port),
                      word(port, "port_physical_state") +
                          (port.value("isolated", false) ? ", the host there is isolated" : "")});
  }
  return (rows.size() > 1 ? table(rows) : std::string()) +
         fmt::format(
             "{} links, {} of them degraded, {} not Active; {} switch ports without a link\n",
             answer.at("links").size(), degraded, inactive, unlinked.size());
}

std::string lids_text(const Json& answer) {
  Rows rows{{"LID", "LMC", "PortGUID", "type", "port"}};
  for (const Json& lid : answer.at("lids")) {
    std::string port = port_of(lid);
    if (lid.contains("vport")) port += fmt::format(" vport {}", word(lid, "vport"));
    rows.push_back({word(lid, "lid"), word(lid, "lmc"), word(lid, "port_guid"),
                    word(lid, "node_type"), std::move(port)});
  }
  return table(rows);
}

std::string groups_text(const Json& answer) {
  const bool one = !answer.contains("groups");
  Rows rows{{"MGID", "MLID", "P_Key", "MTU", "Gb/s", "SL", "members", "full", ""}};
  const auto add = [&](const Json& group) {
    rows.push_back({word(group, "mgid"), word(group, "mlid"), word(group, "p_key"),
                    word(group, "mtu"), word(group, "rate_gbps"), word(group, "sl"),
                    word(group, "member_count"), word(group, "full_members"),
                    group.at("well_known").get<bool>() ? "of partitions.conf" : ""});
  };
  if (one) {
    add(answer);
  } else {
    for (const Json& group : answer.at("groups")) add(group);
  }
  std::string out = table(rows);
  if (!one) return out;
  Rows members{{"PortGID", "JoinState", "node"}};
  for (const Json& member : answer.at("members"))
    members.push_back(
        {word(member, "port_gid"),
         fmt::format("{}", fmt::join(member.at("join_state").get<std::vector<std::string>>(), ",")),
         member.contains("description") ? word(member, "description") : "not in the subnet"});
  return out + table(members);
}

std::string partitions_text(const Json& answer) {
  const bool one = !answer.contains("partitions");
  Rows rows{{"P_Key", "name", "SL", "full", "limited", "groups"}};
  const auto add = [&](const Json& partition) {
    rows.push_back({word(partition, "p_key"), word(partition, "name"), word(partition, "sl"),
                    word(partition, "full_members"), word(partition, "limited_members"),
                    word(partition, "groups")});
  };
  if (one) {
    add(answer);
  } else {
    for (const Json& partition : answer.at("partitions")) add(partition);
  }
  std::string out = table(rows);
  if (!one) return out;
  Rows members{{"PortGUID", "membership", "port"}};
  for (const Json& member : answer.at("members"))
    members.push_back({word(member, "port_guid"), word(member, "membership"), port_of(member)});
  return out + table(members);
}

std::string managers_text(const Json& answer) {
  Rows rows{{"PortGUID", "state", "priority", "", "port"}};
  for (const Json& sm : answer.at("managers"))
    rows.push_back({word(sm, "guid"), word(sm, "state"), word(sm, "priority"),
                    sm.at("here").get<bool>()     ? "here"
                    : sm.at("counts").get<bool>() ? ""
                                                  : "treated as absent",
                    word(sm, "name")});
  return table(rows);
}

std::string condition_line(const Json& condition, bool colour) {
  const std::string severity = word(condition, "severity");
  return fmt::format("{}{:<13}{}{} [{}]\n", colour ? colour_of(severity) : "", severity,
                     colour ? "\x1b[0m" : "", printable(word(condition, "text")),
                     word(condition, "id"));
}

std::string conditions_text(const Json& answer, bool colour) {
  std::string out;
  for (const Json& condition : answer.at("conditions")) out += condition_line(condition, colour);
  return out.empty() ? "no conditions\n"
                     : out + "`heddlectl explain ID` says what one of them means\n";
}

}  // namespace sm::ctl
