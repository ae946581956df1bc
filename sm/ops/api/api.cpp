#include "sm/ops/api/api.h"

#include "sm/ops/api/resources.h"

namespace sm {

Api::Api(api::Sources sources) : core_(std::make_shared<api::Core>(std::move(sources))) {}

void Api::observe(std::shared_ptr<const View> view) { core_->feed.observe(std::move(view)); }

std::shared_ptr<api::EventLog> Api::events() const { return {core_, &core_->events}; }

web::Resources Api::resources() const {
  web::Resources all;
  api::add_health(all, core_);
  api::add_subnet(all, core_);
  api::add_nodes(all, core_);
  api::add_links(all, core_);
  api::add_lids(all, core_);
  api::add_groups(all, core_);
  api::add_conditions(all, core_);
  api::add_routing(all, core_);
  api::add_adaptive(all, core_);
  api::add_routers(all, core_);
  api::add_topology(all, core_);
  api::add_counters(all, core_);
  api::add_congestion(all, core_);
  api::add_plan(all, core_);
  api::add_commands(all, core_);
  api::add_events(all, core_);
  api::add_attributes(all, core_);
  api::add_subnet_partitions(all, core_);
  return all;
}

}  // namespace sm
