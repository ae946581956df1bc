#include "sm/ctl/partition_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sm/ctl/lists_text.h"

namespace sm::ctl {
namespace {

using Answer = nlohmann::ordered_json;

std::string value_text(const Answer& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  return found->is_string() ? printable(found->get<std::string>()) : found->dump();
}

/// "file", "api" or "file+api".
std::string sources_text(const Answer& object) {
  std::vector<std::string> sources;
  for (const Answer& source : object.at("sources")) sources.push_back(source.get<std::string>());
  return fmt::format("{}", fmt::join(sources, "+"));
}

std::vector<std::string> stored_row(const Answer& partition) {
  const std::string group =
      partition.value("ipoib", false)
          ? fmt::format("{} bytes, {} Gb/s, SL {}", value_text(partition, "mtu"),
                        value_text(partition, "rate_gbps"), value_text(partition, "sl"))
          : "-";
  return {value_text(partition, "p_key"),
          value_text(partition, "name"),
          sources_text(partition),
          value_text(partition, "full_members"),
          value_text(partition, "limited_members"),
          value_text(partition, "api_members"),
          group,
          partition.value("applied", true) ? "" : "not in the fabric yet"};
}

std::vector<std::vector<std::string>> stored_header() {
  return {{"P_Key", "name", "from", "full", "limited", "by API", "IPoIB group", ""}};
}

std::string remarks_of(const Answer& member) {
  std::vector<std::string> remarks;
  if (member.value("index0", false)) remarks.emplace_back("at index 0");
  if (!member.value("present", true)) remarks.emplace_back("not in the subnet");
  if (member.contains("expires_at")) remarks.push_back("until " + value_text(member, "expires_at"));
  return fmt::format("{}", fmt::join(remarks, ", "));
}

}  // namespace

std::string stored_partitions_text(const Answer& answer) {
  auto rows = stored_header();
  for (const Answer& partition : answer.at("partitions")) rows.push_back(stored_row(partition));
  return table(rows);
}

std::string stored_partition_text(const Answer& answer) {
  auto rows = stored_header();
  rows.push_back(stored_row(answer));
  std::vector<std::vector<std::string>> members{{"PortGUID", "membership", "from", "owner", ""}};
  for (const Answer& member : answer.at("members"))
    members.push_back({value_text(member, "guid"), value_text(member, "membership"),
                       sources_text(member), value_text(member, "owner"), remarks_of(member)});
  return table(rows) + table(members);
}

std::string changed_text(const Answer& answer) {
  return fmt::format("revision {}: {}\n", value_text(answer, "revision"),
                     answer.value("applied", false) ? "the fabric has it"
                                                    : "stored; the fabric does not have it yet");
}

}  // namespace sm::ctl
