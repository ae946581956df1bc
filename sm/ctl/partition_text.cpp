#include "sm/ctl/partition_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sm/ctl/lists_text.h"
#include "sm/ops/partition_rows.h"

namespace sm::ctl {

using Answer = nlohmann::ordered_json;

std::string stored_partitions_text(const Answer& answer) {
  return table(api::partition_info(), answer.at("partitions"));
}

std::string stored_partition_text(const Answer& answer) {
  return table(api::partition_info(), Answer::array({answer})) +
         table(api::partition_member_info(), answer.at("members"));
}

namespace {

/// Returns a line for each member that does not have its P_Key.
std::string not_applied_text(const Answer& members) {
  std::string text;
  for (const Answer& member : members)
    if (member.at("state") != "applied")
      text += fmt::format("{} {}: {}\n", field_text(member, "guid"), field_text(member, "state"),
                          printable(field_text(member, "reason")));
  return text;
}

}  // namespace

std::string changed_text(const Answer& answer) {
  const std::string revision = fmt::format("revision {}: ", field_text(answer, "revision"));
  if (answer.value("applied", false)) return revision + "the fabric has it\n";
  const Answer members = answer.value("members", Answer::array());
  const auto applied = std::ranges::count_if(
      members, [](const Answer& member) { return member.at("state") == "applied"; });
  if (answer.at("applied_revision") < answer.at("revision") || members.empty())
    return revision + "stored; the fabric does not have it yet\n" + not_applied_text(members);
  return revision +
         fmt::format("stored; {} of {} applied\n", applied, counted(members.size(), "member")) +
         not_applied_text(members);
}

}  // namespace sm::ctl
