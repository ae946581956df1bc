#include "sm/ops/api/api.h"

#include "sm/ops/api/resources.h"

namespace sm {

web::Resources api_resources(api::Sources sources) {
  const auto core = std::make_shared<api::Core>(std::move(sources));
  web::Resources all;
  api::add_subnet(all, core);
  api::add_nodes(all, core);
  api::add_links(all, core);
  api::add_lids(all, core);
  api::add_groups(all, core);
  api::add_conditions(all, core);
  api::add_routing(all, core);
  api::add_topology(all, core);
  return all;
}

}  // namespace sm
