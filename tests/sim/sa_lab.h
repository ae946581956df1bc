#pragma once
// A subnet with Heddle as manager, and hosts on it that are clients of its subnet administration.

#include <map>

#include "mad/records/fabric_records.h"
#include "mad/records/inform_info.h"
#include "mad/records/mc_member_record.h"
#include "mad/records/path_records.h"
#include "mad/records/service_record.h"
#include "sim/laboratory.h"
#include "support/client/sa_client.h"

namespace laboratory {

inline constexpr mad::Gid kBroadcast{0xff12401bffff0000, mad::Guid{0x00000000ffffffff}};

class SaLab : public Solo {
 public:
  using Solo::Solo;

  /// A program at port 1 of this host; always the same one.
  sim::SaClient& host(const std::string& name) {
    const auto [place, fresh] = clients_.try_emplace(name);
    if (fresh) place->second = std::make_unique<sim::SaClient>(runtime, world, port(name));
    return *place->second;
  }
  const mad::Guid& guid(const std::string& name) { return model.ports[port(name)].guid; }

  template <class Record>
  static sim::SaRequest request(mad::Method method, const Record& record, std::uint64_t mask,
                                std::uint64_t sm_key = 0) {
    return {.method = method,
            .attribute = Record::kId,
            .component_mask = mask,
            .record = {record.bytes().begin(), record.bytes().end()},
            .modifier = 0,
            .sm_key = sm_key,
            .grh = {}};
  }
  static constexpr std::uint64_t bits(std::initializer_list<unsigned> numbers) {
    std::uint64_t mask = 0;
    for (const unsigned number : numbers) mask |= std::uint64_t{1} << number;
    return mask;
  }

  // ---- The requests of IPoIB at the start of an interface.
  sim::SaRequest join_request(const std::string& name, mad::Gid mgid = kBroadcast,
                              std::uint8_t join_state = 1, mad::Method method = mad::Method::set) {
    mad::McMemberRecord record;
    record.set_mgid(mgid);
    record.set_port_gid(host(name).gid());
    record.set_join_state(join_state);
    return request(method, record,
                   bits({mad::McMemberRecord::kMgid, mad::McMemberRecord::kPortGid,
                         mad::McMemberRecord::kJoinState}));
  }
  /// With all fields that the creation of a group requires.
  sim::SaRequest create_request(const std::string& name, mad::Gid mgid,
                                std::uint8_t join_state = 1) {
    mad::McMemberRecord record;
    record.set_mgid(mgid);
    record.set_port_gid(host(name).gid());
    record.set_join_state(join_state);
    record.set_p_key(mad::kDefaultPKeyFull);
    record.set_q_key(0x0b1b);
    using M = mad::McMemberRecord;
    return request(mad::Method::set, record,
                   bits({M::kMgid, M::kPortGid, M::kJoinState, M::kPKey, M::kQKey, M::kTClass,
                         M::kFlowLabel, M::kSl}));
  }
  /// For reports of generic traps with this number; 0xFFFF: of all.
  static sim::SaRequest subscribe_request(std::uint16_t trap = 0xFFFF) {
    mad::InformInfo info;
    info.set_lid_range_begin(mad::kPermissiveLid);
    info.set_is_generic(1);
    info.set_subscribe(1);
    info.set_type(0xFFFF);
    info.set_trap_number(trap);
    info.set_producer_type(0xFFFFFF);
    sim::SaRequest subscribe = request(mad::Method::set, info, 0);
    subscribe.attribute = mad::SaAttributeId::inform_info;
    return subscribe;
  }
  std::uint16_t read_status(const std::string& name, const sim::SaRequest& what) {
    const auto reply = host(name).query(what);
    return reply ? reply->status() : kNoAnswer;
  }
  static constexpr std::uint16_t kNoAnswer = 0xFFFF;
  /// The current record; nullopt if the request was refused.
  std::optional<mad::McMemberRecord> join(const std::string& name, mad::Gid mgid = kBroadcast,
                                          std::uint8_t join_state = 1) {
    const auto reply = host(name).query(join_request(name, mgid, join_state));
    if (!reply || reply->status() != 0) return std::nullopt;
    return mad::McMemberRecord(std::span<const std::uint8_t, mad::McMemberRecord::kBytes>(
        reply->records.data(), mad::McMemberRecord::kBytes));
  }
  bool leave(const std::string& name, mad::Gid mgid = kBroadcast, std::uint8_t join_state = 1) {
    return read_status(name, join_request(name, mgid, join_state, mad::Method::delete_)) == 0;
  }
  struct Path {
    mad::Lid slid, dlid;
    mad::PKey p_key;
    mad::Sl sl;
    bool reversible;
  };
  sim::SaRequest path_request(const std::string& from, mad::Gid to) {
    mad::PathRecord record;
    record.set<"SGID.prefix">(host(from).gid().prefix);
    record.set<"SGID.guid">(host(from).gid().guid);
    record.set<"DGID.prefix">(to.prefix);
    record.set<"DGID.guid">(to.guid);
    record.set<"NumbPath">(1);
    using P = mad::PathRecordFields;
    sim::SaRequest request{.method = mad::Method::get,
                           .attribute = mad::SaAttributeId::path_record,
                           .component_mask = bits({P::kSgid, P::kDgid, P::kNumbPath})};
    request.record.assign(record.bytes().begin(), record.bytes().end());
    return request;
  }
  std::optional<Path> path(const std::string& from, mad::Gid to) {
    const auto reply = host(from).query(path_request(from, to));
    if (!reply || reply->status() != 0) return std::nullopt;
    const mad::PathRecord got(std::span<const std::uint8_t, mad::PathRecord::kBytes>(
        reply->records.data(), mad::PathRecord::kBytes));
    return Path{.slid = got.get<mad::Lid, "SLID">(),
                .dlid = got.get<mad::Lid, "DLID">(),
                .p_key = got.get<mad::PKey, "P_Key">(),
                .sl = got.get<mad::Sl, "SL">(),
                .reversible = got.get<bool, "Reversible">()};
  }

  /// Violations of a group with these receivers; "" if packets from each reach all others once and
  /// no other port.
  std::string group_complaint(mad::Mlid mlid, const std::vector<std::string>& members,
                              mad::PKey p_key = mad::kDefaultPKeyFull) {
    sim::ExpectedGroup group{.mlid = mlid, .p_key = p_key, .sl = {}, .members = {}};
    for (const std::string& name : members) group.members.insert(port(name));
    return sim::first_complaint(sim::check_multicast(model, {&group, 1}));
  }
  /// Runs until the group has no violation.
  bool group_settles(mad::Mlid mlid, const std::vector<std::string>& members,
                     mad::Duration limit = 10s) {
    return runtime.run_until([&] { return group_complaint(mlid, members).empty(); }, limit);
  }
  const sa::Administrator& administrator() { return heddle().manager().administrator(); }

 private:
  std::map<std::string, std::unique_ptr<sim::SaClient>> clients_;
};

}  // namespace laboratory
