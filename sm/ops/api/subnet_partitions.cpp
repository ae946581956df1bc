// /v1/subnet/partitions: partitions of the published subnet, resolved to ports. /v1/partitions has
// the configured ones.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

constexpr std::array<FieldInfo, 1> kOfOnePartition{{
    {"members", "SubnetPartitionMember[]"},
}};

web::Response list_subnet_partitions(const SharedReading& reading) {
  const Subnet* const subnet = reading->subnet();
  if (subnet == nullptr) return list_all(reading, "partitions", 0, {}, true);
  const auto& partitions = subnet->partitions.partitions;
  const auto row = [subnet, &partitions](std::size_t i) -> std::optional<nlohmann::json> {
    return subnet_partition_row(*subnet, partitions[i]);
  };
  return list_all(reading, "partitions", partitions.size(), row, true);
}

web::Response subnet_partition_detail(const SharedReading& reading) {
  const std::string_view text = reading->request.parameter("p_key");
  const auto key = read_number(text, 0xFFFF);
  if (!key)
    return web::problem(400, fmt::format("'{}' is no P_Key", text.substr(0, 100)),
                        "a number such as 0x7fff");
  const Subnet* const subnet = reading->subnet();
  const mad::PKey p_key{static_cast<std::uint16_t>(*key)};
  const Partition* const partition = subnet == nullptr ? nullptr : subnet->partitions.find(p_key);
  if (partition == nullptr)
    return not_found(fmt::format("partition {} in the subnet", p_key),
                     "a p_key that /v1/subnet/partitions lists");
  nlohmann::json body = envelope(*reading->snapshot);
  body.update(subnet_partition_row(*subnet, *partition));
  body["members"] = subnet_partition_members(*subnet, *partition);
  return answer(*reading, body);
}

}  // namespace

void add_subnet_partitions(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/subnet/partitions", "listSubnetPartitions",
          "Partitions as the subnet has them now, with the number of their members",
          "SubnetPartitionList", list_parameters({})),
      reading_snapshot(core, list_subnet_partitions));
  add(to,
      get("/v1/subnet/partitions/{p_key}", "getSubnetPartition",
          "A partition as the subnet has it now, with the ports that are members",
          "SubnetPartitionDetail", {in_path("p_key", value::kText, "P_Key")}),
      reading_snapshot(core, subnet_partition_detail));
  add_schemas(to, subnet_partition_info(), "partitions");
  to.schemas.emplace_back("SubnetPartitionMember",
                          object_schema(subnet_partition_member_info().fields));
  to.schemas.emplace_back("SubnetPartitionDetail",
                          answer_schema(subnet_partition_info(), kOfOnePartition));
}

}  // namespace sm::api
