#include "sm/vnic/ethernet_manager.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "mad/format.h"

namespace vnic {
namespace asio = boost::asio;

namespace {

/// Traps come in bursts, so the manager collects them for this time. A node that sends traps
/// continuously costs at most one pass of its own port in this time.
constexpr mad::Duration kBetweenPasses = std::chrono::milliseconds(100);
/// After this many passes, all members join again, in case subnet administration has lost them.
constexpr unsigned kPassesUntilJoin = 10;
/// A port that has sent no trap for this long is read at once when it sends one.
constexpr mad::Duration kTrapQuietTime = std::chrono::seconds(20);
constexpr unsigned kLinesPerPass = 200;  // about VNICs; nodes that change all the time fill no log
constexpr std::size_t kTableEntriesMax = 2048;

}  // namespace

struct Manager::Batch {
  explicit Batch(mad::Runtime& runtime) : done(runtime) {}
  std::vector<mad::Guid> ports;
  std::size_t next = 0, running = 0;
  std::exception_ptr error;
  mad::WakeUp done;
};

Manager::Manager(mad::Runtime& runtime, mad::GsiTransport& transport, spdlog::logger& log,
                 Configuration configuration, Stored stored, ManagerOptions options)
    : runtime_(runtime),
      transport_(transport),
      log_(log),
      configuration_(std::move(configuration)),
      stored_(std::move(stored)),
      options_(std::move(options)),
      client_(runtime, transport),
      agents_(client_, transport),
      administration_(client_, transport),
      conditions_([&runtime] { return runtime.now(); }, log),
      wake_(runtime),
      paused_(runtime) {}

asio::awaitable<void> Manager::run() {
  transport_.set_receiver([this](const mad::GsiMad& mad) { on_mad(mad); });
  mad::TimePoint next_pass{};
  while (!stopping_) {
    const bool full = std::exchange(full_wanted_, false) || runtime_.now() >= next_pass;
    if (full) next_pass = runtime_.now() + configuration_.interval;
    co_await pass(full);
    co_await paused_.wait_until(runtime_.now() + kBetweenPasses);
    co_await wait(next_pass);
  }
  transport_.set_receiver(nullptr);
}

/// Returns when the next pass is due: at `next_pass`, or earlier for ports that sent traps.
asio::awaitable<void> Manager::wait(mad::TimePoint next_pass) {
  while (!stopping_ && !full_wanted_) {
    mad::TimePoint next = next_pass;
    for (const auto& [guid, port] : ports_)
      if (port.attention) next = std::min(next, port.attention_at);
    if (runtime_.now() >= next) co_return;
    co_await wake_.wait_until(next);
  }
}

void Manager::stop() {
  stopping_ = true;
  client_.abandon();
  wake_.signal();
  paused_.signal();
}

void Manager::reload(Configuration configuration) {
  next_configuration_ = std::move(configuration);
  full_wanted_ = true;
  wake_.signal();
}

void Manager::set_conditions(std::vector<fabric::Condition> active) {
  of_process_ = std::move(active);
  report();
}

// ------------------------------------------------------------------------------------------
// A pass

asio::awaitable<void> Manager::pass(bool full) {
  ++(full ? totals_.passes : totals_.passes_of_ports);
  if (full) {
    const bool known = co_await read_ports();
    take_configuration();
    plan_members();
    if (!known) co_return report();
  }
  std::vector<mad::Guid> queried;
  for (const auto& [guid, port] : ports_)
    if (full || (port.attention && port.attention_at <= runtime_.now())) queried.push_back(guid);
  co_await at_each(queried, &Manager::find_agent);
  std::erase_if(queried, [this](mad::Guid guid) { return !ports_.at(guid).has_agent; });
  if (stopping_) co_return;
  co_await store_created();
  if (full) co_await leave_groups();
  co_await join_groups();
  co_await at_each(queried, &Manager::survey);
  build_tables();
  std::vector<mad::Guid> all;
  all.reserve(ports_.size());
  for (const auto& [guid, port] : ports_) all.push_back(guid);
  co_await at_each(std::move(all), &Manager::program);
  if (full) co_await remove_old();
  if (!stopping_) report();
}

asio::awaitable<bool> Manager::read_ports() {
  const Configuration& next = next_configuration_ ? *next_configuration_ : configuration_;
  if (!next.ports.empty()) {
    ends_ = next.ports;
    administration_fault_.clear();
    co_return true;
  }
  auto read = co_await administration_.read_ports();
  administration_fault_ = read ? std::string() : read.error();
  if (read) ends_ = std::move(*read);
  co_return read.has_value();
}

/// Applies a new configuration before a pass computes members and tables from it.
void Manager::take_configuration() {
  lines_left_ = kLinesPerPass;
  if (!next_configuration_) return;
  configuration_ = *std::exchange(next_configuration_, std::nullopt);
  log_.info("the configuration was read again; virtual switches: {}",
            configuration_.switches.size());
}

asio::awaitable<void> Manager::work(std::shared_ptr<Batch> batch, Step step) {
  while (batch->next < batch->ports.size() && !stopping_) {
    const mad::Guid port = batch->ports[batch->next++];
    co_await (this->*step)(port);
  }
}

asio::awaitable<void> Manager::at_each(std::vector<mad::Guid> ports, Step step) {
  if (ports.empty()) co_return;
  const auto batch = std::make_shared<Batch>(runtime_);
  batch->ports = std::move(ports);
  batch->running = std::min(options_.window, batch->ports.size());
  for (std::size_t i = batch->running; i > 0; --i)
    asio::co_spawn(runtime_.executor(), work(batch, step), [batch](std::exception_ptr error) {
      if (error) batch->error = std::move(error);
      if (--batch->running == 0) batch->done.signal();
    });
  co_await batch->done.wait_until(mad::TimePoint::max());
  if (batch->error) std::rethrow_exception(batch->error);
}

// ------------------------------------------------------------------------------------------
// Traps

void Manager::on_mad(const mad::GsiMad& mad) {
  if (client_.on_mad(mad) || mad.send_errno != 0 || !mad::is_ethernet_management(mad.bytes)) return;
  const mad::ConstMadView header(std::span(mad.bytes).first<mad::kMadBytes>());
  if (header.method() == mad::Method::trap) on_trap(mad);
}

/// A trap says only that something has changed at its sender; the next pass reads the change there.
/// Agents do not repeat traps and do not accept TrapRepress.
void Manager::on_trap(const mad::GsiMad& mad) {
  ++totals_.traps;
  const auto from = by_lid_.find(mad.from.lid);
  const mad::ConstMadView header(std::span(mad.bytes).first<mad::kMadBytes>());
  if (from == by_lid_.end() ||
      header.attribute_id() != static_cast<mad::AttributeId>(mad::EthernetAttribute::notice)) {
    ++totals_.traps_ignored;
    return;
  }
  Port& port = ports_.at(from->second);
  if (std::exchange(port.attention, true)) return;
  // A port that continues to send traps is read less and less often, because each of its changes is
  // written to all members.
  if (runtime_.now() - port.attention_at > kTrapQuietTime) port.trap_pause.reset();
  port.attention_at = std::max(runtime_.now(), port.attention_at + port.trap_pause.next());
  wake_.signal();
}

// ------------------------------------------------------------------------------------------
// Members

void Manager::plan_members() {
  const Members members = find_members(configuration_, ends_);
  std::map<VeswKey, unsigned> before;
  for (const auto& [key, one] : stored_.switches) before.emplace(key, one.vnic);
  numbers_ = choose_numbers(configuration_, before);
  plan_switches();
  std::erase_if(ports_, [&](const auto& one) { return !members.contains(one.first); });
  by_lid_.clear();
  for (const EndPort& end : ends_)
    if (const auto found = members.find(end.guid); found != members.end())
      plan_port(end, found->second);
}

void Manager::plan_port(const EndPort& end, const std::vector<std::size_t>& switches) {
  Port& port = ports_[end.guid];
  port.end = end;
  by_lid_[end.lid] = end.guid;
  std::map<unsigned, Vnic> vnics;
  for (const std::size_t index : switches) {
    const SwitchConfiguration& of = configuration_.switches[index];
    const auto number = numbers_.find(of.key);
    if (number == numbers_.end()) continue;
    const auto had = port.vnics.find(number->second);
    Vnic& vnic = vnics[number->second];
    if (had != port.vnics.end() && had->second.key == of.key) vnic = std::move(had->second);
    vnic.key = of.key;
    vnic.of = index;
  }
  port.vnics = std::move(vnics);
}

/// Leaves the groups of switches that no longer exist or now have another partition.
void Manager::plan_switches() {
  std::map<VeswKey, Group> groups;
  for (const SwitchConfiguration& of : configuration_.switches) {
    Group& group = groups[of.key];
    group.p_key = of.multicast_lid == 0 ? of.p_key : mad::PKey{};
    if (const auto had = groups_.find(of.key);
        had != groups_.end() && had->second.p_key == group.p_key)
      group = std::move(had->second);
    if (of.multicast_lid != 0) group.multicast_lid = of.multicast_lid;
  }
  groups_ = std::move(groups);
  std::erase_if(tables_, [&](const auto& one) { return !groups_.contains(one.first); });
  for (const CreatedVnic& one : stored_.created) {
    const auto stored = stored_.switches.find(one.key);
    if (stored == stored_.switches.end() || stored->second.group == mad::PKey{}) continue;
    const auto group = groups_.find(one.key);
    const bool stays = group != groups_.end() && group->second.p_key == stored->second.group;
    if (!stays) leaves_.push_back({one.key, stored->second.group, one.port});
  }
}

/// Stores VNICs before they are created.
asio::awaitable<void> Manager::store_created() {
  Stored next = stored_;
  for (const auto& [guid, port] : ports_) {
    if (!port.has_agent) continue;
    for (const auto& [number, vnic] : port.vnics) {
      next.created.insert({guid, vnic.key, number});
      next.switches[vnic.key] = {number, groups_.at(vnic.key).p_key};
    }
  }
  if (next == stored_) co_return;
  stored_ = std::move(next);
  co_await save();
}

asio::awaitable<void> Manager::save() {
  mad::WakeUp done(runtime_);
  tl::expected<void, std::string> saved;
  const Stored stored = stored_;
  runtime_.run_aside(
      mad::Runtime::Lane::journal, [&] { saved = save_store(options_.folder, stored); },
      [&] { done.signal(); });
  co_await done.wait_until(mad::TimePoint::max());
  store_fault_ = saved ? std::string() : saved.error();
}

// ------------------------------------------------------------------------------------------
// Groups

/// New members join at once. All members join again after the subnet manager has changed, and
/// periodically.
asio::awaitable<void> Manager::join_groups() {
  const mad::Lid sm_lid = transport_.state().sm_lid;
  if (sm_lid != std::exchange(sm_lid_, sm_lid) || passes_until_join_ == 0) {
    for (auto& [key, group] : groups_) group.joined.clear();
    passes_until_join_ = kPassesUntilJoin;
  }
  --passes_until_join_;
  for (auto& [key, group] : groups_) group.fault.clear();
  std::vector<mad::Guid> joining;
  for (const auto& [guid, port] : ports_) {
    const bool is_new = std::ranges::any_of(port.vnics, [&, id = guid](const auto& one) {
      const Group& group = groups_.at(one.second.key);
      return group.p_key != mad::PKey{} && !group.joined.contains(id);
    });
    if (port.has_agent && is_new) joining.push_back(guid);
  }
  co_await at_each(std::move(joining), &Manager::join);
}

asio::awaitable<void> Manager::join(mad::Guid guid) {
  for (const auto& [number, vnic] : ports_.at(guid).vnics) {
    Group& group = groups_.at(vnic.key);
    // If subnet administration has refused or not responded, this pass sends no further request.
    if (group.p_key == mad::PKey{} || group.joined.contains(guid) || !group.fault.empty()) continue;
    const auto lid = co_await administration_.join(vnic.key, group.p_key, guid);
    if (!lid) {
      if (!stopping_) group.fault = fmt::format("{}: {}", guid, lid.error());
      continue;
    }
    group.multicast_lid = *lid;
    group.joined.insert(guid);
  }
}

/// If leaving a group fails, the membership ends when the port leaves the fabric.
asio::awaitable<void> Manager::leave_groups() {
  for (const Leave& one : std::exchange(leaves_, {})) {
    const auto left = co_await administration_.leave(one.key, one.p_key, one.port);
    if (!left)
      log_.warn("{} stays in the multicast group of switch {}: {}", one.port, one.key.vesw_id,
                left.error());
  }
}

void Manager::build_tables() {
  for (const SwitchConfiguration& of : configuration_.switches) {
    std::vector<PortMacs> members;
    for (const auto& [guid, port] : ports_)
      for (const auto& [number, vnic] : port.vnics)
        if (vnic.key == of.key && (vnic.read || stored_.created.contains({guid, vnic.key, number})))
          members.push_back({guid, port.end.lid, base_mac(of, port.end), vnic.macs.macs});
    Table& table = tables_[of.key];
    BuiltTable built = build_table(members, table.owners, kTableEntriesMax);
    table.owners = std::move(built.owners);
    table.duplicates = std::move(built.duplicates);
    table.left_out = built.left_out;
    if (built.table != *table.table)
      table.table = std::make_shared<const MacTable>(std::move(built.table));
  }
}

}  // namespace vnic
