#include "soak/clients.h"

#include <algorithm>
#include <array>
#include <set>

#include "mad/format.h"
#include "mad/records/inform_info.h"
#include "mad/records/path_records.h"
#include "support/check/checks.h"

namespace soak {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr std::array kWhat{"join", "leave", "subscription", "path"};  // by Clients::What

constexpr mad::Duration kTick = 100ms;
constexpr mad::Duration kAnswerIn = 2s;  // then the request is repeated
/// A delayed copy of a join may arrive after the leave that follows it: clients wait longer than
/// any MAD is in flight.
constexpr mad::Duration kBetweenChanges = 3s;

std::uint64_t mask(std::initializer_list<unsigned> numbers) {
  std::uint64_t bits = 0;
  for (const unsigned number : numbers) bits |= std::uint64_t{1} << number;
  return bits;
}
template <class Record>
std::vector<std::uint8_t> get_bytes(const Record& record) {
  return {record.bytes().begin(), record.bytes().end()};
}

}  // namespace

Clients::Clients(sim::VirtualRuntime& runtime, sim::World& world,
                 const std::vector<sim::PortIndex>& ports, std::uint64_t seed)
    : runtime_(runtime), world_(world), dice_(seed) {
  for (const sim::PortIndex port : ports) {
    clients_.push_back(std::make_unique<Client>(runtime, world, port));
    for (Membership& of : clients_.back()->groups) of.wanted = dice_.percent(60);
  }
  world_.on_client_reregister = [this](sim::PortIndex port) {
    for (const auto& client : clients_)
      if (client->program.port() == port) forget_registrations(*client);
  };
  tick();
}

Clients::~Clients() {
  *alive_ = false;
  world_.on_client_reregister = nullptr;
}

std::string Clients::name(const Client& client) const {
  return world_.model.name(client.program.port());
}

void Clients::tick() {
  for (const auto& client : clients_) {
    notice_events(*client);
    take_answer(*client);
    if (!client->active) continue;
    if (busy_ && dice_.percent(2)) change_mind(*client);
    if (!client->pending) ask_next(*client);
  }
  runtime_.after(kTick, [this, alive = std::weak_ptr(alive_)] {
    if (const auto still = alive.lock(); still && *still) tick();
  });
}

/// Linux registers again after IB_EVENT_PORT_ACTIVE, LID_CHANGE and SM_CHANGE (and
/// CLIENT_REREGISTER, which the world reports).
void Clients::notice_events(Client& client) {
  const mad::PortInfo& info = world_.model.ports[client.program.port()].info;
  const bool active = info.port_state() == mad::PortState::active;
  if ((active && !client.active) || info.lid() != client.lid ||
      info.master_sm_lid() != client.master)
    forget_registrations(client);
  client.active = active;
  client.lid = info.lid();
  client.master = info.master_sm_lid();
}

void Clients::forget_registrations(Client& client) {
  world_.log("client {}: registers again", name(client));
  for (Membership& of : client.groups) of.has.reset();
  client.subscribed = false;
  client.pending.reset();  // an answer in flight belongs to the earlier state
}

void Clients::register_again() {
  for (const auto& client : clients_) forget_registrations(*client);
}

void Clients::take_answer(Client& client) {
  if (!client.pending) return;
  const Pending pending = *client.pending;
  const auto reply = client.program.replies().find(pending.transaction);
  if (reply == client.program.replies().end()) {
    if (runtime_.now() - pending.sent > kAnswerIn) client.pending.reset();
    return;
  }
  client.pending.reset();
  const auto wanted =
      pending.what == What::leave ? mad::Method::delete_resp : mad::Method::get_resp;
  if (reply->second.method() != wanted) return;  // to a request that was corrupted
  const std::uint16_t status = reply->second.status();
  world_.log("client {}: {} of group {} is answered with status {:#x}", name(client),
             kWhat[static_cast<std::size_t>(pending.what)], pending.group, status);
  if (pending.what == What::subscribe) client.subscribed = status == 0;
  if (pending.what == What::join && status == 0 &&
      reply->second.records.size() >= mad::McMemberRecord::kBytes) {
    client.groups[pending.group].has =
        mad::McMemberRecord(std::span<const std::uint8_t, mad::McMemberRecord::kBytes>(
            reply->second.records.data(), mad::McMemberRecord::kBytes));
  }
  if (pending.what != What::leave) return;
  // A refusal means that it was no member any more, or that its LID has changed and the subnet with
  // the new one is not published yet: only the second refusal counts.
  Membership& of = client.groups[pending.group];
  const bool refused = status == mad::sa_status::kReqInvalid;
  if (status == 0 || (refused && of.refused)) of.maybe_known = false;
  of.refused = refused;
}

void Clients::change_mind(Client& client) {
  Membership& of = client.groups[dice_.below(kGroups)];
  of.wanted = !of.wanted;
}

sim::SaRequest Clients::membership_request(const Client& client, mad::Gid group,
                                           mad::Method method) const {
  mad::McMemberRecord record;
  record.set_mgid(group);
  record.set_port_gid(client.program.gid());
  record.set_join_state(1);
  record.set_p_key(mad::kDefaultPKeyFull);
  record.set_q_key(0x0b1b);
  using M = mad::McMemberRecord;
  std::uint64_t components = mask({M::kMgid, M::kPortGid, M::kJoinState});
  if (method == mad::Method::set)  // also creates the group if it does not exist
    components |= mask({M::kPKey, M::kQKey, M::kTClass, M::kFlowLabel, M::kSl});
  return {.method = method,
          .attribute = mad::SaAttributeId::mc_member_record,
          .component_mask = components,
          .record = get_bytes(record)};
}

void Clients::post(Client& client, What what, std::size_t group, const sim::SaRequest& request) {
  client.pending = {what, group, client.program.post(request), runtime_.now()};
  world_.log("client {}: requests {} of group {}", name(client),
             kWhat[static_cast<std::size_t>(what)], group);
}

void Clients::ask_next(Client& client) {
  for (std::size_t group = 0; group < kGroups; ++group) {
    Membership& of = client.groups[group];
    const bool join = of.wanted && !of.has, leave = !of.wanted && of.maybe_known;
    if ((!join && !leave) || runtime_.now() - of.changed < kBetweenChanges) continue;
    of.changed = runtime_.now();
    of.has.reset();
    of.maybe_known = true;
    if (join) of.refused = false;
    return post(
        client, join ? What::join : What::leave, group,
        membership_request(client, mgid(group), join ? mad::Method::set : mad::Method::delete_));
  }
  if (!client.subscribed) {
    mad::InformInfo info;
    info.set_lid_range_begin(mad::kPermissiveLid);
    info.set_is_generic(1);
    info.set_subscribe(1);
    info.set_type(mad::InformInfo::kAll);
    info.set_trap_number(mad::InformInfo::kAll);
    info.set_producer_type(mad::InformInfo::kAllProducers);
    return post(client, What::subscribe, 0,
                {.method = mad::Method::set,
                 .attribute = mad::SaAttributeId::inform_info,
                 .record = get_bytes(info)});
  }
  if (!busy_ || !dice_.percent(10)) return;
  const Client& to = *clients_[dice_.below(clients_.size())];
  mad::PathRecord record;
  record.set<"SGID.prefix">(client.program.gid().prefix);
  record.set<"SGID.guid">(client.program.gid().guid);
  record.set<"DGID.prefix">(to.program.gid().prefix);
  record.set<"DGID.guid">(to.program.gid().guid);
  record.set<"NumbPath">(1);
  using P = mad::PathRecordFields;
  post(client, What::path, 0,
       {.method = mad::Method::get,
        .attribute = mad::SaAttributeId::path_record,
        .component_mask = mask({P::kSgid, P::kDgid, P::kNumbPath}),
        .record = get_bytes(record)});
}

std::string Clients::complaint() const {
  std::array<std::map<sim::PortIndex, mad::McMemberRecord>, kGroups> groups;
  for (const auto& client : clients_) {
    for (std::size_t group = 0; group < kGroups; ++group) {
      const Membership& of = client->groups[group];
      if (of.wanted && !of.has)
        return fmt::format("client: {} has not joined group {}", name(*client), group);
      if (!of.wanted && of.maybe_known)
        return fmt::format("client: {} has not left group {}", name(*client), group);
      if (of.has) groups[group].emplace(client->program.port(), *of.has);
    }
    if (!client->subscribed) return fmt::format("client: {} has not subscribed", name(*client));
  }
  for (const auto& members : groups) {
    std::set<sim::PortIndex> ports;
    for (const auto& [port, record] : members) ports.insert(port);
    for (const auto& [port, record] : members) {
      if (record.mlid() != members.begin()->second.mlid())
        return fmt::format("client: {} has MLID {} for a group, {} has MLID {}",
                           world_.model.name(port), record.mlid(),
                           world_.model.name(members.begin()->first),
                           members.begin()->second.mlid());
    }
    if (members.empty()) continue;
    // One record is enough: its checks cover the whole group.
    const auto& [port, record] = *members.begin();
    const std::string wrong =
        sim::first_complaint(sim::check_member_record(world_.model, port, record, ports));
    if (!wrong.empty()) return "group: " + wrong;
  }
  return "";
}

std::string Clients::reports_complaint() {
  if (clients_.empty()) return "";
  const mad::Gid fresh = mgid(0x100 + ++fresh_groups_);
  const auto reported = [&](const Client& client) {
    return std::ranges::any_of(client.program.reports, [&](const sim::SaClient::Report& report) {
      // Notice: trap number in bytes 4 and 5; of traps 64 to 67 the GID is in bytes 16 to 31.
      std::uint64_t guid = 0;
      for (unsigned i = 24; i < 32; ++i) guid = guid << 8 | report.notice[i];
      return (report.notice[4] << 8 | report.notice[5]) == 66 && guid == fresh.guid.value;
    });
  };
  Client& creator = *clients_.front();
  for (const mad::Method method : {mad::Method::set, mad::Method::delete_}) {
    const auto reply = creator.program.query(membership_request(creator, fresh, method));
    if (!reply) return fmt::format("client: {} gets no answer about a new group", name(creator));
    if (reply->status() != 0)
      return fmt::format("client: {} gets status {:#x} for {} a new group", name(creator),
                         reply->status(), method == mad::Method::set ? "creating" : "leaving");
  }
  const auto all = [&] {
    return std::ranges::all_of(clients_, [&](const auto& client) { return reported(*client); });
  };
  if (runtime_.run_until(all, 5s)) {
    for (const auto& client : clients_) client->program.reports.clear();
    return "";
  }
  const auto missing =
      std::ranges::find_if(clients_, [&](const auto& client) { return !reported(*client); });
  return fmt::format("report: {} has no report of a new group", name(**missing));
}

}  // namespace soak
