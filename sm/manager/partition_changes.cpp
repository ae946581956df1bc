#include "sm/manager/partition_changes.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "fabric/fabric_conditions.h"
#include "fabric/find_port.h"
#include "mad/format.h"

namespace sm {
namespace asio = boost::asio;
namespace {

/// Returns the hosts and routers with a cable whose ports cannot be read; `when` makes texts of
/// times.
template <class When>
std::vector<AbsentNode> silent_nodes(const Fabric& fabric, const ConditionLog& conditions,
                                     const When& when) {
  std::vector<AbsentNode> silent;
  const auto& found = fabric.conditions;  // usually none, and raised() copies all
  if (std::ranges::find(found, ConditionId(kFabricConditions.node_silent), &Condition::id) ==
      found.end())
    return silent;
  for (const ConditionLog::Raised& raised : conditions.raised()) {
    if (raised.condition.id != kFabricConditions.node_silent) continue;
    const auto node = fabric.node_of_guid.find(raised.condition.guid);
    if (node == fabric.node_of_guid.end()) continue;
    for (const PortIndex port : unread_ports(fabric, node->second))
      silent.push_back({.node = raised.condition.guid,
                        .port = fabric.ports[port].guid,
                        .name = fabric.description(node->second),
                        .why = fmt::format("does not answer subnet management packets since {}",
                                           when(raised.since)),
                        .is_silent = true});
  }
  return silent;
}

}  // namespace

PartitionChanges::PartitionChanges(const Parts& parts,
                                   std::function<partitions::UnixTime()> wall_clock)
    : log_(parts.log),
      conditions_(parts.conditions),
      loop_(parts.loop),
      sweeper_(parts.sweeper),
      mastership_(parts.mastership),
      wall_clock_(wall_clock),
      applied_(parts.runtime),
      store_(PartitionStore::start(
          parts.runtime, parts.conditions, parts.log,
          {.refuses = [this] { return refusal(); },
           .stored = [this](const PartitionsStored& stored) { on(stored); },
           .replicate = PartitionStore::replicate_to(parts.runtime, parts.replica),
           .wall_clock = std::move(wall_clock)})) {}

asio::awaitable<void> PartitionChanges::open(mad::Computation& computation) {
  const std::string folder = loop_.options().cache_files_dir;
  const bool fsync = loop_.options().fsync_high_avail_files;
  std::optional<PartitionStore::Stored> stored;
  const std::function<void()> read = [&] { stored = PartitionStore::read(folder, fsync); };
  co_await computation.run(read);
  store_->open(*std::move(stored));
  loop_.configure(with_runtime(*loop_.context(), store_->current()));
}

void PartitionChanges::on(const PartitionsStored& stored) {
  changes_.guids.insert(changes_.guids.end(), stored.guids.begin(), stored.guids.end());
  changes_.partitions |= stored.partitions_changed;
  loop_.wake();
}

void PartitionChanges::take() {
  if (!has_stored()) return;
  loop_.configure(with_runtime(*loop_.context(), store_->current()));
  sweeper_.set_context(loop_.context());
  if (mastership_.leads() && sweeper_.subnet()) loop_.scheduler().request_members();
}

void PartitionChanges::applied(const PassResult& result, const SweepContext& context) {
  if (result.end == SweepEnd::subnet_up && context.runtime)
    applied_.reached(context.runtime->revision());
}

/// Returns why changes are refused now; "" if they are accepted.
std::string PartitionChanges::refusal() const {
  if (loop_.is_stopping()) return "the manager ends";
  const auto master = mastership_.require_master();
  if (master) return {};
  for (const KnownManager& other : mastership_.others())
    if (other.state == mad::SmState::master)
      return fmt::format("{}; the MASTER is {} on port {}", master.error(), other.name, other.guid);
  return master.error();
}

PartitionService PartitionChanges::service(const asio::any_io_executor& control) {
  // Each function runs on the control thread, and its result returns to the caller's thread.
  return {.snapshot = [this, control]() -> asio::awaitable<PartitionSnapshot> {
            return asio::co_spawn(control, snapshot(), asio::use_awaitable);
          },
          .change = [this, control](partitions::Change change, std::string by,
                                    std::optional<mad::Duration> wait)
              -> asio::awaitable<tl::expected<Changed, ChangeFailure>> {
            return asio::co_spawn(control, this->change(std::move(change), std::move(by), wait),
                                  asio::use_awaitable);
          },
          .log =
              [this, control](std::string line) {
                asio::post(control, [this, line = std::move(line)] { log_.info("{}", line); });
              }};
}

asio::awaitable<PartitionSnapshot> PartitionChanges::snapshot() {
  co_await store_->opened();
  co_return PartitionSnapshot{.stored = store_->current(),
                              .applied = applied_.value(),
                              .changed_at = store_->changed_at(),
                              .context = loop_.context(),
                              .subnet = sweeper_.subnet(),
                              .refuses = refusal(),
                              .absent = find_absent()};
}

/// Says of nodes that do not answer, are isolated or were lost what they are, and since when.
PartitionChanges::SharedAbsent PartitionChanges::find_absent() const {
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  if (!subnet) return nullptr;
  const mad::TimePoint now = loop_.now();
  const auto when = [&, wall = wall_clock_()](mad::TimePoint since) {
    return time_text(wall - std::chrono::floor<std::chrono::seconds>(now - since));
  };
  std::vector<AbsentNode> absent = silent_nodes(subnet->fabric, conditions_, when);
  for (const Isolated& link : sweeper_.links().kept_out().isolated)
    if (link.peer_port != mad::Guid{})
      absent.push_back({.node = link.peer_node,
                        .port = link.peer_port,
                        .name = link.peer,
                        .why = fmt::format("is isolated since {} (`heddlectl conditions` says why)",
                                           when(link.since))});
  if (const auto& lost = sweeper_.links().lost())
    for (const LostThing& thing : *lost)
      if (!thing.port && !thing.is_switch)
        absent.push_back({.node = thing.node,
                          .port = thing.end_ports.size() == 1 ? thing.end_ports[0] : mad::Guid{},
                          .name = thing.name,
                          .why = fmt::format("was lost {}", when(thing.since))});
  if (absent.empty()) return nullptr;
  return std::make_shared<const std::vector<AbsentNode>>(std::move(absent));
}

asio::awaitable<tl::expected<Changed, ChangeFailure>> PartitionChanges::change(
    partitions::Change change, std::string by, std::optional<mad::Duration> wait) {
  const std::weak_ptr<PartitionStore> owner = store_;  // expires when this object ends
  const ChangeResult stored = co_await store_->change(std::move(change), std::move(by));
  if (!stored) co_return tl::unexpected(stored.error());
  if (wait && !owner.expired()) co_await applied_.wait(*stored, loop_.now() + *wait);
  if (owner.expired()) {
    ChangeFailure ended;
    ended.text = "the change is stored, and the manager ends";
    co_return tl::unexpected(std::move(ended));
  }
  Changed changed;
  changed.revision = *stored;
  changed.snapshot = co_await snapshot();
  co_return changed;
}

}  // namespace sm
