// Manager: partitions of the API.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "mad/format.h"
#include "sm/manager/manager.h"
#include "sm/manager/partition_service.h"

namespace sm {
namespace asio = boost::asio;

/// Between what the loop does: what was stored counts from now on.
void Manager::take_partitions() {
  if (context_->runtime == partitions_.current()) return;
  context_ = with_runtime(*context_, partitions_.current());
  sweeper_.set_context(context_);
  if (state_ == mad::SmState::master && sweeper_.subnet()) scheduler_.request_members();
}

void Manager::applied(const PassResult& result, const SweepContext& context) {
  if (result.end == SweepEnd::subnet_up && context.runtime)
    applied_.reached(context.runtime->revision());
}

std::string Manager::refuses_partitions() const {
  if (stopping_) return "the manager ends";
  if (state_ == mad::SmState::master) return {};
  std::string text = fmt::format("the manager on port {} is not MASTER", self_.guid);
  for (const KnownManager& other : known_.list())
    if (other.state == mad::SmState::master)
      return fmt::format("{}; the MASTER is {} on port {}", text, other.name, other.guid);
  return text;
}

asio::awaitable<PartitionSnapshot> Manager::partition_snapshot() {
  co_await partitions_.opened();
  co_return PartitionSnapshot{.stored = partitions_.current(),
                              .applied = applied_.value(),
                              .changed_at = partitions_.changed_at(),
                              .context = context_,
                              .subnet = sweeper_.subnet(),
                              .refuses = refuses_partitions()};
}

asio::awaitable<ChangeResult> Manager::change_partitions(partitions::Change change,
                                                         std::string by) {
  return partitions_.change(std::move(change), std::move(by));
}

asio::awaitable<bool> Manager::partitions_applied(std::uint64_t revision, mad::Duration limit) {
  return applied_.wait(revision, runtime_.now() + limit);
}

PartitionService partition_service(Manager& manager, const asio::any_io_executor& control) {
  // Each part runs on the control thread, and its result comes back.
  return {.snapshot = [&manager, control]() -> asio::awaitable<PartitionSnapshot> {
            return asio::co_spawn(control, manager.partition_snapshot(), asio::use_awaitable);
          },
          .change = [&manager, control](partitions::Change change,
                                        std::string by) -> asio::awaitable<ChangeResult> {
            return asio::co_spawn(control,
                                  manager.change_partitions(std::move(change), std::move(by)),
                                  asio::use_awaitable);
          },
          .applied = [&manager, control](std::uint64_t revision,
                                         mad::Duration limit) -> asio::awaitable<bool> {
            return asio::co_spawn(
                control,
                [&manager, revision, limit]() -> asio::awaitable<bool> {
                  return manager.partitions_applied(revision, limit);
                },
                asio::use_awaitable);
          },
          .log =
              [&manager, control](std::string line) {
                asio::post(control, [&manager, line = std::move(line)] { manager.note(line); });
              }};
}

}  // namespace sm
