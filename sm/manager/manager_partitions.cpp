#include "sm/manager/manager_partitions.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace sm {
namespace asio = boost::asio;

PartitionService partition_service(Manager& manager, const asio::any_io_executor& control) {
  // Each part runs on the control thread, and its result comes back.
  return {.snapshot = [&manager, control]() -> asio::awaitable<PartitionSnapshot> {
            return asio::co_spawn(control, manager.partitions().snapshot(), asio::use_awaitable);
          },
          .change = [&manager, control](partitions::Change change,
                                        std::string by) -> asio::awaitable<ChangeResult> {
            return asio::co_spawn(control,
                                  manager.partitions().change(std::move(change), std::move(by)),
                                  asio::use_awaitable);
          },
          .applied = [&manager, control](std::uint64_t revision,
                                         mad::Duration limit) -> asio::awaitable<bool> {
            return asio::co_spawn(
                control,
                [&manager, revision, limit]() -> asio::awaitable<bool> {
                  return manager.partitions().applied(revision, limit);
                },
                asio::use_awaitable);
          },
          .log =
              [&manager, control](std::string line) {
                asio::post(control, [&manager, line = std::move(line)] { manager.note(line); });
              }};
}

}  // namespace sm
