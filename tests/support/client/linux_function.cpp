#include "support/client/linux_function.h"

#include <algorithm>
#include <utility>

namespace sim {

namespace {

using mad::PortState;

constexpr std::uint64_t bits(std::initializer_list<unsigned> numbers) {
  std::uint64_t mask = 0;
  for (const unsigned number : numbers) mask |= std::uint64_t{1} << number;
  return mask;
}

/// ib_find_pkey(): the partition's entry of full membership, else of limited; 0 if there is none.
std::uint16_t find_p_key(const std::vector<mad::PKey>& keys, mad::PKey partition) {
  std::optional<std::uint16_t> limited;
  for (std::uint16_t index = 0; index < keys.size(); ++index) {
    if (keys[index] == mad::PKey{} || mad::p_key_base(keys[index]) != mad::p_key_base(partition))
      continue;
    if (mad::is_full_member(keys[index])) return index;
    if (!limited) limited = index;
  }
  return limited.value_or(std::uint16_t{0});
}

template <class Record>
SaRequest request(mad::Method method, const Record& record, std::uint64_t components) {
  SaRequest out{.method = method, .attribute = Record::kId, .component_mask = components};
  out.record.assign(record.bytes().begin(), record.bytes().end());
  return out;
}

template <class Record>
std::optional<Record> first_record(const SaReply& reply) {
  if (reply.status() != 0 || reply.records.size() < Record::kBytes) return std::nullopt;
  return Record(
      std::span<const std::uint8_t, Record::kBytes>(reply.records.data(), Record::kBytes));
}

}  // namespace

LinuxFunction::LinuxFunction(VirtualRuntime& runtime, World& world, VPortPlace place)
    : runtime_(runtime), world_(world), program_(runtime, world, place.port, place.index) {
  update_manager();
}

FunctionAttributes LinuxFunction::attributes() const {
  const auto [port, index] = place();
  const PortModel& of = world_.model.ports[port];
  const bool physical = index == 0 && !has_vports(of);
  FunctionAttributes out{.state = physical ? of.info.port_state() : vport_state(of, index),
                         .lid = vport_lid(of, index),
                         .sm_lid = of.info.master_sm_lid(),
                         .sm_sl = mad::Sl{of.info.master_sm_sl()},
                         .grh_required = grh_required(of, index),
                         .gid = vport_gid(of, index),
                         .p_keys = {}};
  for (unsigned block = 0; block < vport_p_key_blocks(world_.model, port, index); ++block) {
    const mad::PKeyTable table = vport_p_keys(world_.model, port, index, block);
    for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry)
      out.p_keys.push_back(table.p_key(entry));
  }
  return out;
}

void LinuxFunction::poll() {
  notice_events();
  for (const FunctionEvent event : std::exchange(pending_, {})) handle(event);
  if (join_) take_join();
  for (auto& [to, destination] : destinations_)
    if (destination.request) take_path(to, destination);
  if (seen_.state != PortState::active) return;
  if (!broadcast_) {
    if (!join_) join_ = post(join_request());
    return;
  }
  for (auto& [to, destination] : destinations_)
    if (!destination.resolution.answered && !destination.request)
      destination.request = post(path_request(to));
}

/// handle_port_change() of mlx5_ib.
void LinuxFunction::notice_events() {
  FunctionAttributes now = attributes();
  const auto add = [this](bool happened, FunctionEvent event) {
    if (happened) pending_.push_back(event);
  };
  add(now.gid != seen_.gid, FunctionEvent::gid_change);
  add(now.p_keys != seen_.p_keys, FunctionEvent::p_key_change);
  add(now.lid != seen_.lid, FunctionEvent::lid_change);
  if (now.state != seen_.state)
    pending_.push_back(now.state == PortState::active ? FunctionEvent::port_active
                                                      : FunctionEvent::port_error);
  seen_ = std::move(now);
}

void LinuxFunction::handle(FunctionEvent event) {
  events_.push_back(event);
  if (event != FunctionEvent::gid_change) update_manager();
  flush();
}

/// update_sm_ah() of ib_core.
void LinuxFunction::update_manager() {
  const FunctionAttributes now = attributes();
  mad::MadAddress address{.lid = now.sm_lid,
                          .qpn = 1,
                          .qkey = mad::kQp1QKey,
                          .sl = now.sm_sl,
                          .pkey_index = find_p_key(now.p_keys, mad::kDefaultPKeyFull),
                          .grh = {}};
  if (now.grh_required) address.grh = mad::GlobalRoute{.peer = {now.gid.prefix, kSaWellKnownGuid}};
  program_.fixed_manager = address;
}

/// ipoib_ib_dev_flush(): memberships and paths are requested again.
void LinuxFunction::flush() {
  const mad::PKey first = seen_.p_keys.empty() ? mad::PKey{} : seen_.p_keys.front();
  partition_ = mad::full_member_key(mad::p_key_base(first));
  join_.reset();
  broadcast_.reset();
  join_status_.reset();
  for (auto& [to, destination] : destinations_) destination = {};
}

mad::Gid LinuxFunction::broadcast_mgid(mad::PKey partition) {
  // RFC 4391, section 4: signature 0x401b, then the P_Key with the bit of full membership.
  return {0xff12401b00000000 | std::uint64_t{partition.value} << 16, {0x00000000ffffffff}};
}

SaRequest LinuxFunction::join_request() const {
  using M = mad::McMemberRecord;
  mad::McMemberRecord record;
  record.set_mgid(broadcast_mgid(partition_));
  record.set_port_gid(seen_.gid);
  record.set_p_key(partition_);
  record.set_join_state(1);
  return request(mad::Method::set, record, bits({M::kMgid, M::kPortGid, M::kPKey, M::kJoinState}));
}

SaRequest LinuxFunction::path_request(mad::Gid to) const {
  using P = mad::PathRecordFields;
  mad::PathRecord record;
  record.set<"SGID.prefix">(seen_.gid.prefix);
  record.set<"SGID.guid">(seen_.gid.guid);
  record.set<"DGID.prefix">(to.prefix);
  record.set<"DGID.guid">(to.guid);
  record.set<"NumbPath">(1);
  record.set<"P_Key">(partition_);
  record.set<"TClass">(broadcast_->t_class());
  return request(mad::Method::get, record,
                 bits({P::kDgid, P::kSgid, P::kNumbPath, P::kTClass, P::kPKey}));
}

void LinuxFunction::take_join() {
  if (const auto reply = program_.take_reply(join_->transaction)) {
    join_status_ = reply->status();
    broadcast_ = first_record<mad::McMemberRecord>(*reply);
  }
  if (broadcast_ || runtime_.now() - join_->sent >= kRetry) join_.reset();
}

void LinuxFunction::take_path(mad::Gid to, Destination& destination) {
  const auto reply = program_.take_reply(destination.request->transaction);
  // ib_sa takes every status as final.
  if (reply)
    destination.resolution = {
        .answered = true, .status = reply->status(), .path = first_record<mad::PathRecord>(*reply)};
  // Without a path the next packet, here of the next second, requests one again.
  if (destination.resolution.path)
    destination.request.reset();
  else if (runtime_.now() - destination.request->sent >= kRetry)
    destination.request = post(path_request(to));
}

LinuxFunction::Resolution LinuxFunction::resolution(mad::Gid to) const {
  const auto found = destinations_.find(to);
  return found == destinations_.end() ? Resolution{} : found->second.resolution;
}

mad::PKey LinuxFunction::own_key() const {
  return seen_.p_keys.empty() ? mad::PKey{} : seen_.p_keys[find_p_key(seen_.p_keys, partition_)];
}

/// ib_init_ah_attr_from_path(): a GRH if HopLimit is above 0.
PacketHeader LinuxFunction::header(const mad::PathRecord& path) const {
  PacketHeader out;
  out.dlid = path.get<mad::Lid, "DLID">();
  out.sl = path.get<mad::Sl, "SL">();
  out.p_key = own_key();
  out.from_vport = place().index;
  if (path.get<std::uint8_t, "HopLimit">() > 0)
    out.dgid =
        mad::Gid{path.get<std::uint64_t, "DGID.prefix">(), path.get<mad::Guid, "DGID.guid">()};
  return out;
}

std::optional<Walk> LinuxFunction::send(mad::Gid to) const {
  const Resolution found = resolution(to);
  if (!found.path) return std::nullopt;
  return walk_unicast(world_.model, place().port, header(*found.path));
}

std::optional<Copies> LinuxFunction::send_broadcast() const {
  if (!broadcast_) return std::nullopt;
  PacketHeader packet;
  packet.dlid = mad::Lid{broadcast_->mlid().value};
  packet.sl = broadcast_->sl();
  packet.p_key = own_key();
  packet.dgid = broadcast_->mgid();
  packet.from_vport = place().index;
  return walk_multicast(world_.model, place().port, packet);
}

}  // namespace sim
