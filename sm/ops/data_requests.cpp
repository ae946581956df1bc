#include "sm/ops/data_requests.h"

#include "config/value.h"
#include "sm/ops/data_json.h"
#include "sm/ops/options_json.h"
#include "sm/ops/target.h"
#include "sm/ops/vports_json.h"

namespace sm {

namespace {

/// What is behind "/groups/"; nothing if the target does not begin so.
std::optional<std::string> name_in(std::string_view target, std::string_view list) {
  if (!target.starts_with(list)) return std::nullopt;
  return std::string(target.substr(list.size()));
}

std::optional<DataJob> partition_request(const std::string& key, const DataSources& sources) {
  const auto value = config::parse_number(key);
  auto subnet = sources.status().subnet;
  if (!value || *value > 0xFFFF || !subnet) return std::nullopt;
  const mad::PKey of{static_cast<std::uint16_t>(*value)};
  if (subnet->partitions.find(of) == nullptr) return std::nullopt;
  return [subnet = std::move(subnet), of] { return partition_json(*subnet, of).value_or(""); };
}

std::optional<DataJob> group_request(const std::string& mgid, const DataSources& sources) {
  const std::optional<mad::Gid> gid = read_gid(mgid);
  const sa::Group* const group = gid ? sources.groups().find(*gid) : nullptr;
  if (group == nullptr) return std::nullopt;
  return [group = *group, subnet = sources.status().subnet] {
    return group_json(group, subnet.get());
  };
}

}  // namespace

std::optional<DataJob> data_request(std::string_view target, const DataSources& sources) {
  const auto of_status = [&](std::string (*text)(const ManagerStatus&)) -> DataJob {
    return [text, status = sources.status()] { return text(status); };
  };
  const auto of_subnet = [&](std::string (*text)(const Subnet*)) -> DataJob {
    return [text, subnet = sources.status().subnet] { return text(subnet.get()); };
  };
  if (target == "/status") return of_status(status_json);
  if (target == "/vports") return of_status(vports_json);
  if (target == "/managers") return of_status(managers_json);
  if (target == "/conditions") return of_status(conditions_json);
  if (target == "/nodes") return of_subnet(nodes_json);
  if (target == "/links") return of_subnet(links_json);
  if (target == "/lids") return of_subnet(lids_json);
  if (target == "/partitions") return of_subnet(partitions_json);
  if (target == "/options")
    return [context = sources.context()] { return options_json(context->options); };
  if (target == "/groups")
    return [groups = summaries(sources.groups())] { return groups_json(groups); };
  if (const auto key = name_in(target, "/partitions/")) return partition_request(*key, sources);
  if (const auto mgid = name_in(target, "/groups/")) return group_request(*mgid, sources);
  return std::nullopt;
}

}  // namespace sm
