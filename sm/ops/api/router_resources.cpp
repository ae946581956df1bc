// /v1/routers, /v1/subnets

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

web::Response list_routers(const SharedReading& reading) {
  const Subnet* const subnet = reading->subnet();
  if (subnet == nullptr || !subnet->routers) return list_all(reading, "routers", 0, {}, true);
  const auto row = [subnet](std::size_t i) -> std::optional<nlohmann::json> {
    return router_row(*subnet, subnet->routers->routers[i]);
  };
  return list_all(reading, "routers", subnet->routers->routers.size(), row, true);
}

web::Response list_subnets(const SharedReading& reading) {
  const Subnet* const subnet = reading->subnet();
  if (subnet == nullptr || !subnet->routers || !reading->view->context)
    return list_all(reading, "subnets", 0, {}, true);
  std::vector<std::uint64_t> prefixes = subnet->routers->unreachable();
  for (const OtherSubnet& other : subnet->routers->subnets) prefixes.push_back(other.prefix);
  std::ranges::sort(prefixes);
  const std::size_t count = prefixes.size();
  const auto row = [subnet, &context = *reading->view->context, prefixes = std::move(prefixes)](
                       std::size_t i) -> std::optional<nlohmann::json> {
    return other_subnet_row(*subnet, prefixes[i], context.options, context.files.router_policy);
  };
  return list_all(reading, "subnets", count, row);
}

}  // namespace

void add_routers(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/routers", "listRouters", "Routers with the subnets that they say they lead to",
          "RouterList", list_parameters({})),
      reading_snapshot(core, list_routers));
  add(to,
      get("/v1/subnets", "listSubnets", "Other subnets, with the routers that lead or led there",
          "OtherSubnetList", list_parameters({})),
      reading(core, list_subnets));
  add_schemas(to, router_info(), "routers");
  add_schemas(to, other_subnet_info(), "subnets");
}

}  // namespace sm::api
