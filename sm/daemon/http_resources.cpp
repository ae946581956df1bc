#include "sm/daemon/http_resources.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ranges>

#include "config/build/build.h"
#include "mad/format.h"
#include "sm/ops/api/api.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/ops/live_read.h"
#include "sm/ops/map/map.h"
#include "sm/ops/metrics/metrics_resource.h"
#include "sm/ops/ufm/ufm_resources.h"

namespace sm {
namespace asio = boost::asio;
namespace {

void append(web::Resources& all, web::Resources part) {
  std::ranges::move(part.routes, std::back_inserter(all.routes));
  std::ranges::move(part.schemas, std::back_inserter(all.schemas));
}

/// Runs `work` on the control thread and returns its result.
template <class Work>
asio::awaitable<std::invoke_result_t<Work>> on(asio::any_io_executor control, Work work) {
  // The task has a name because GCC 12 destroys temporaries of a co_await twice.
  auto task = [work]() -> asio::awaitable<std::invoke_result_t<Work>> { co_return work(); };
  co_return co_await asio::co_spawn(control, std::move(task), asio::use_awaitable);
}

/// Runs on the control thread.
asio::awaitable<tl::expected<nlohmann::json, std::string>> read_in_turn(Manager& manager,
                                                                        LiveReadRequest what) {
  std::shared_ptr<const Subnet> subnet = manager.status().subnet;
  co_return co_await read_attributes(manager.client(), std::move(subnet), std::move(what));
}

/// Carries out a command on the control thread. An order is answered when it is in force, so that
/// the next request sees it.
asio::awaitable<OperatorCommands::Done> carry_out(Instance& instance, api::CommandCall call) {
  Orders& orders = instance.manager().orders();
  const std::uint64_t before = orders.progress().made;
  OperatorCommands::Done done = call(instance.commands());
  if (orders.progress().made != before) co_await orders.in_force();
  co_return done;
}

api::Sources sources_of(Instance& instance, const asio::any_io_executor& control,
                        const Views& views) {
  const auto registrations = [&instance]() -> const sa::Registrations& {
    return instance.manager().administrator().registrations();
  };
  const auto start = std::chrono::system_clock::now().time_since_epoch();
  return {.views = views,
          .group =
              [control, registrations](mad::Gid mgid) {
                return on(control, [registrations, mgid] {
                  const sa::Group* const group = registrations().groups.find(mgid);
                  return group == nullptr ? std::nullopt : std::optional(*group);
                });
              },
          .join_states =
              [control, registrations](mad::Guid guid) {
                return on(control, [registrations, guid] {
                  return registrations().groups.join_states(guid);
                });
              },
          .services =
              [control, registrations] {
                return on(control, [registrations] {
                  const auto all = registrations().services.all() | std::views::values;
                  return std::vector<sa::Service>(all.begin(), all.end());
                });
              },
          .routed_groups =
              [control, registrations](const std::shared_ptr<const Subnet>& subnet) {
                return on(control, [registrations, subnet] {
                  return registrations().groups.for_routing(*subnet, registrations().alias_guids);
                });
              },
          .command =
              [control, &instance](const api::CommandCall& call) {
                return asio::co_spawn(control, carry_out(instance, call), asio::use_awaitable);
              },
          .attributes =
              [control, &instance](LiveReadRequest what) {
                Manager& manager = instance.manager();
                return asio::co_spawn(control, read_in_turn(manager, std::move(what)),
                                      asio::use_awaitable);
              },
          .start = fmt::format(
              "{:x}", std::chrono::duration_cast<std::chrono::milliseconds>(start).count())};
}

}  // namespace

HttpResources http_resources(Instance& instance, const asio::any_io_executor& control,
                             const Views& views) {
  const auto api = std::make_shared<Api>(sources_of(instance, control, views));
  web::Resources all = api->resources();
  const PartitionService partitions = instance.manager().partitions().service(control);
  append(all, partition_resources(partitions));
  append(all, ufm_resources(partitions));
  MetricsResources metrics = metrics_resources(views);
  append(all, std::move(metrics.resources));
  append(all, api::support_bundle(all, config::short_version()));
  append(all, map_resources());
  append(all, web::document_resources(all, api::document_info(config::short_version())));
  return {.resources = std::move(all),
          .observe =
              [api, observe = std::move(metrics.observe)](std::shared_ptr<const View> view) {
                observe(*view);
                api->observe(std::move(view));
              },
          .events = api->events()};
}

}  // namespace sm
