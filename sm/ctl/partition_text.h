#pragma once
// Answers of /v1/partitions (sm/ops/api/) as tables for people.

#include <nlohmann/json.hpp>
#include <string>

namespace sm::ctl {

/// `answer` is {"partitions": [...], "applied_revision"}.
std::string stored_partitions_text(const nlohmann::ordered_json& answer);
/// `answer` is one partition with "members".
std::string stored_partition_text(const nlohmann::ordered_json& answer);
/// "revision 7: the fabric has it"
std::string changed_text(const nlohmann::ordered_json& answer);

}  // namespace sm::ctl
