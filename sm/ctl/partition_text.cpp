#include "sm/ctl/partition_text.h"

#include <fmt/format.h>

#include "sm/ctl/lists_text.h"
#include "sm/ops/api/partitions/partition_rows.h"

namespace sm::ctl {

using Answer = nlohmann::ordered_json;

std::string stored_partitions_text(const Answer& answer) {
  return table(api::partition_info(), answer.at("partitions"));
}

std::string stored_partition_text(const Answer& answer) {
  return table(api::partition_info(), Answer::array({answer})) +
         table(api::partition_member_info(), answer.at("members"));
}

std::string changed_text(const Answer& answer) {
  return fmt::format("revision {}: {}\n", field_text(answer, "revision"),
                     answer.value("applied", false) ? "the fabric has it"
                                                    : "stored; the fabric does not have it yet");
}

}  // namespace sm::ctl
