#include "sm/manager/partition_changes.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iterator>
#include <map>
#include <utility>

#include "fabric/fabric_conditions.h"
#include "fabric/find_port.h"
#include "mad/format.h"
#include "sm/store/replica/replica_conditions.h"
#include "sm/sweep/devices/key_origins.h"

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

constexpr mad::Duration kResolvedMax = std::chrono::seconds(10);

/// Returns the kept P_Keys that a request means. Errors: no port keeps its key, or one of
/// its ports does not.
tl::expected<std::vector<partitions::KeptKey>, ChangeFailure> find_kept(
    const partitions::KeptKeys& all, const KeptRequest& request) {
  const auto is_meant = [&](const partitions::KeptKey& kept) {
    return !request.key || mad::p_key_base(kept.key) == *request.key;
  };
  const auto absent = [&](std::string at) {
    ChangeFailure failure{.kind = ChangeFailure::Kind::fault, .fault = {}, .text = {}};
    failure.text = failure.fault.text =
        fmt::format("no P_Key{} is kept{}",
                    request.key ? fmt::format(" {:#06x}", *request.key) : "", std::move(at));
    return tl::unexpected(std::move(failure));
  };
  std::vector<partitions::KeptKey> found;
  for (const mad::Guid guid : request.guids) {
    const std::size_t before = found.size();
    std::ranges::copy_if(partitions::kept_keys(all, guid), std::back_inserter(found), is_meant);
    if (found.size() == before) return absent(fmt::format(" at port {}", guid));
  }
  if (request.guids.empty()) std::ranges::copy_if(all, std::back_inserter(found), is_meant);
  if (found.empty() && request.key) return absent("");
  return found;
}

/// Returns the change that makes kept P_Keys memberships of the API.
partitions::Change adoption(std::span<const partitions::KeptKey> adopted,
                            const PartitionSnapshot& snapshot) {
  std::map<std::uint16_t, std::map<mad::Guid, partitions::step::Put>> members;
  for (const partitions::KeptKey& kept : adopted) {
    const std::uint16_t key = mad::p_key_base(kept.key);
    const auto [at, is_new] = members[key].try_emplace(
        kept.guid, partitions::step::Put{.key = key, .guid = kept.guid, .full = false});
    at->second.full = at->second.full || mad::is_full_member(kept.key);
    at->second.index0 = at->second.index0 || kept.index0;
  }
  partitions::Change change;
  for (const auto& [key, ports] : members) {
    if (!snapshot.has_partition(key)) {
      const bool has_group = std::ranges::any_of(
          snapshot.subnet ? snapshot.subnet->partitions.groups : std::vector<WellKnownGroup>(),
          [&](const WellKnownGroup& group) { return mad::p_key_base(group.p_key) == key; });
      change.steps.emplace_back(partitions::step::Define{.key = key, .ipoib = has_group});
    }
    for (const auto& [guid, put] : ports) change.steps.emplace_back(put);
  }
  return change;
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
      replica_(parts.replica),
      applied_(parts.runtime),
      resolved_applied_(parts.runtime),
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
  LoadedKeyOrigins origins;
  const std::function<void()> read = [&] {
    stored = PartitionStore::read(folder, fsync);
    origins = load_key_origins(folder, stored->partitions ? stored->partitions->revision() : 0);
  };
  co_await computation.run(read);
  sweeper_.take_key_origins(std::move(origins));
  if (!stored->journal || !stored->messages.empty()) sweeper_.note_lost_partitions();
  store_->open(*std::move(stored));
  loop_.configure(with_runtime(*loop_.context(), store_->current()));
}

void PartitionChanges::on(const PartitionsStored& stored) {
  changes_.guids.insert(changes_.guids.end(), stored.guids.begin(), stored.guids.end());
  changes_.partitions |= stored.partitions_changed;
  sweeper_.withdraw(stored.ended);
  loop_.wake();
}

void PartitionChanges::take() {
  report_standbys();
  const partitions::SharedKept& kept = sweeper_.state().p_keys.kept;
  if (!has_stored() && loop_.context()->kept == kept) return;
  const bool is_changed = has_stored();
  loop_.configure(with_runtime(*loop_.context(), store_->current(), kept));
  sweeper_.set_context(loop_.context());
  if (!is_changed) return;
  if (mastership_.leads() && sweeper_.subnet()) loop_.scheduler().request_members();
}

/// Returns the names of managers in the subnet that do not have the partitions of the API.
std::vector<std::string_view> PartitionChanges::managers_without_partitions(
    const StateReplica* replica) const {
  std::vector<std::string_view> names;
  const bool is_shared_by_server = replica != nullptr && !replica->copies();
  if (!mastership_.leads() || store_->current()->partitions().empty() || is_shared_by_server)
    return names;
  std::vector<StorePeer> peers;
  if (replica != nullptr && !mastership_.others().empty()) peers = replica->status().peers;
  for (const KnownManager& other : mastership_.others()) {
    const bool has_copy = std::ranges::any_of(peers, [&](const StorePeer& peer) {
      return peer.connected && peer.port_guid == other.guid;
    });
    if (other.counts && !has_copy) names.push_back(other.name);
  }
  return names;
}

void PartitionChanges::report_standbys() {
  constexpr std::size_t kNamed = 3;
  const std::shared_ptr<StateReplica> replica = replica_.lock();
  std::vector<std::string_view> names = managers_without_partitions(replica.get());
  std::vector<Condition> active;
  if (!names.empty()) {
    const std::size_t more = names.size() - std::min(names.size(), kNamed);
    names.resize(names.size() - more);
    const std::optional<StoreCopies> copies = replica ? replica->copies() : std::nullopt;
    const std::string_view where =
        !copies ? "in the journal of this manager alone, with state_store files"
        : copies->connected > 0
            ? "at this manager and connected ones of state_peers alone"
            : "in the journal of this manager alone, since no manager of state_peers is connected";
    active.push_back({.id = kReplicaConditions.standby_without_state,
                      .text = fmt::format("the partitions of the API are {}: {}{} would not have "
                                          "them after a takeover",
                                          where, fmt::join(names, ", "),
                                          more == 0 ? "" : fmt::format(" and {} more", more))});
  }
  conditions_.set_active(ConditionSource::standby_state, std::move(active));
}

void PartitionChanges::resolve(std::span<const partitions::MembershipKey> kept) {
  sweeper_.withdraw(kept);
  ++resolved_;
  loop_.scheduler().request_p_keys();
  loop_.wake();
}

void PartitionChanges::applied(const PassResult& result, const SweepContext& context) {
  if (result.end == SweepEnd::subnet_up) resolved_applied_.reached(resolved_begun_);
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
          .resolve_kept = [this, control](KeptRequest request, std::string by)
              -> asio::awaitable<tl::expected<KeptResolved, ChangeFailure>> {
            return asio::co_spawn(control, resolve_kept(std::move(request), std::move(by)),
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
                              .absent = find_absent(),
                              .changes = store_->changes()};
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

asio::awaitable<tl::expected<KeptResolved, ChangeFailure>> PartitionChanges::resolve_kept(
    KeptRequest request, std::string by) {
  const std::weak_ptr<PartitionStore> owner = store_;  // expires when this object ends
  ChangeFailure failure;
  const PartitionSnapshot before = co_await snapshot();
  failure.text = "the manager ends";
  if (owner.expired()) co_return tl::unexpected(failure);
  if (!before.refuses.empty()) {
    failure.kind = ChangeFailure::Kind::not_master;
    failure.text = before.refuses;
    co_return tl::unexpected(failure);
  }
  const partitions::KeptKeys none;
  const auto found = find_kept(before.context->kept ? *before.context->kept : none, request);
  if (!found) co_return tl::unexpected(found.error());
  KeptResolved done;
  if (request.adopts && !found->empty()) {
    partitions::Change change = adoption(*found, before);
    const ChangeResult stored = co_await store_->change(std::move(change), by);
    if (!stored) co_return tl::unexpected(stored.error());
    if (owner.expired()) co_return tl::unexpected(failure);
    done.replicated = stored->replicated;
  }
  for (const partitions::KeptKey& kept : *found)
    done.resolved.push_back({.key = mad::p_key_base(kept.key), .guid = kept.guid});
  log_.info("P_Keys of unknown origin: {} {} by {}", found->size(),
            request.adopts ? "adopted" : "discarded", by);
  if (!found->empty()) resolve(done.resolved);
  done.applied = co_await resolved_applied_.wait(resolved_, loop_.now() + kResolvedMax);
  if (owner.expired()) co_return tl::unexpected(failure);
  done.snapshot = co_await snapshot();
  done.revision = done.snapshot.stored->revision();
  co_return done;
}

asio::awaitable<tl::expected<Changed, ChangeFailure>> PartitionChanges::change(
    partitions::Change change, std::string by, std::optional<mad::Duration> wait) {
  const std::weak_ptr<PartitionStore> owner = store_;  // expires when this object ends
  const ChangeResult stored = co_await store_->change(std::move(change), std::move(by));
  if (!stored) co_return tl::unexpected(stored.error());
  if (wait && !owner.expired()) co_await applied_.wait(stored->revision, loop_.now() + *wait);
  if (owner.expired()) {
    ChangeFailure ended;
    ended.text = "the change is stored, and the manager ends";
    co_return tl::unexpected(std::move(ended));
  }
  Changed changed;
  changed.stored = *stored;
  changed.snapshot = co_await snapshot();
  co_return changed;
}

}  // namespace sm
