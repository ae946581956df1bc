#include "sm/sa/registrations/sa_db.h"

#include <algorithm>
#include <optional>

#include "mad/field.h"
#include "mad/format.h"
#include "mad/number.h"
#include "mad/path_units.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/requests.h"
#include "sm/store/guid2lid.h"

namespace sa {
namespace {

using Text = std::back_insert_iterator<std::string>;

constexpr std::string_view kAliasMark = "GUIDInfo Record:", kGroupMark = "MC Group 0x",
                           kMemberMark = "mcm_port:", kSubscriptionMark = "InformInfo Record:",
                           kServiceMark = "Service Record:", kWellKnown = "(well known)";

// The dump shows these fields as whole bytes with their selectors, or as one word.
constexpr mad::Field kMtu{304, 8, "MTU with selector"}, kRate{336, 8, "Rate with selector"},
    kLife{344, 8, "PacketLifeTime with selector"},
    kSlFlowHop{352, 32, "SL, FlowLabel and HopLimit"}, kScopeState{384, 8, "Scope and JoinState"},
    kQpnRespTime{224, 32, "QPN and RespTimeValue"};
constexpr std::size_t kKeyBit = 256, kDataBit = 896;
constexpr std::array<std::string_view, 4> kDataNames{"data8", "data16", "data32", "data64"};

// ---- Reading

/// Reads the values of a line in order, each after the previous one. Keeps the first error.
class Values {
 public:
  Values(std::string_view line, std::size_t from) : line_(line), at_(from) {}

  std::uint64_t number(std::string_view name, std::uint64_t max = ~std::uint64_t{0}) {
    const std::string mark = fmt::format(" {}=0x", name);
    if (!seek(mark)) return 0;
    return digits(name, max);
  }
  template <class T>
  T number_as(std::string_view name, std::uint64_t max = std::numeric_limits<T>::max()) {
    return static_cast<T>(number(name, max));
  }
  /// 0x<16 digits>:0x<16 digits>
  mad::Gid pair(std::string_view name) {
    const std::uint64_t high = number(name);
    if (error_) return {};
    if (line_.substr(at_, 3) != ":0x") {
      fail(fmt::format("{} should be followed by ':0x' and its lower 64 bits", name));
      return {};
    }
    at_ += 3;
    return {high, {digits(name, ~std::uint64_t{0})}};
  }
  /// Returns the text between ' and the ' before `next`.
  std::string_view quoted_text(std::string_view name, std::string_view next) {
    if (!seek(fmt::format(" {}='", name))) return {};
    const std::size_t end = line_.find(fmt::format("' {}=", next), at_);
    if (end == std::string_view::npos) {
      fail(fmt::format("{} should end with ' in front of {}=", name, next));
      return {};
    }
    const std::string_view out = line_.substr(at_, end - at_);
    at_ = end + 1;
    return out;
  }
  void fail(std::string what) {
    if (!error_) error_ = {static_cast<int>(std::min(at_, line_.size())) + 1, std::move(what)};
  }
  const std::optional<std::pair<int, std::string>>& error() const { return error_; }

 private:
  bool seek(std::string_view mark) {
    if (error_) return false;
    const std::size_t found = line_.find(mark, at_);
    if (found == std::string_view::npos) {
      fail(fmt::format("'{}' should follow", mark.substr(1)));
      return false;
    }
    at_ = found + mark.size();
    return true;
  }
  std::uint64_t digits(std::string_view name, std::uint64_t max) {
    std::string_view after = line_.substr(at_);
    const auto value = mad::take_number(after, 16);
    if (!value || *value > max ||
        (!after.empty() && std::string_view(" :\r").find(after[0]) == std::string_view::npos)) {
      fail(fmt::format("{} should be a hexadecimal number up to {:#x}", name, max));
      return 0;
    }
    at_ = line_.size() - after.size();
    return *value;
  }
  std::string_view line_;
  std::size_t at_;
  std::optional<std::pair<int, std::string>> error_;
};

/// Reads a value into its bits of a record.
template <class Record>
void take(Values& values, std::string_view name, Record& record, const mad::Field& field) {
  mad::write(record.bytes(), field,
             values.number(name, field.width == 64 ? ~std::uint64_t{0}
                                                   : (std::uint64_t{1} << field.width) - 1));
}

void put_pair(std::span<std::uint8_t> bytes, unsigned bit, mad::Gid pair) {
  mad::write(bytes, {bit, 64, ""}, pair.prefix);
  mad::write(bytes, {bit + 64, 64, ""}, pair.guid.value);
}
mad::Gid get_pair(std::span<const std::uint8_t> bytes, unsigned bit) {
  return {mad::read(bytes, {bit, 64, ""}), {mad::read(bytes, {bit + 64, 64, ""})}};
}

SaDb::Aliases parse_aliases(Values& values) {
  SaDb::Aliases out;
  out.port_guid = {values.number("base_guid")};
  out.lid = {values.number_as<std::uint16_t>("lid")};
  out.block = values.number_as<std::uint8_t>("block_num");
  for (unsigned i = 0; i < mad::GuidInfo::kEntries; ++i)
    out.guid_info.set_guid(i, {values.number(fmt::format("guid{}", i))});
  return out;
}

SaDb::Group parse_group(Values& values, std::string_view head) {
  SaDb::Group out;
  std::string_view after = head.substr(kGroupMark.size());
  const auto mlid = mad::take_number<std::uint16_t>(after, 16);
  if (!mlid) values.fail("an MLID should follow, such as 0xc000");
  out.mlid = {mlid.value_or(0)};
  out.well_known = head.find(kWellKnown) != std::string_view::npos;
  mad::McMemberRecord& record = out.record;
  record.set_mgid(values.pair("mgid"));
  record.set_port_gid(values.pair("port_gid"));
  record.set_q_key(values.number_as<std::uint32_t>("qkey"));
  record.set_mlid({values.number_as<std::uint16_t>("mlid")});
  take(values, "mtu", record, kMtu);
  record.set_t_class(values.number_as<std::uint8_t>("tclass"));
  record.set_p_key({values.number_as<std::uint16_t>("pkey")});
  take(values, "rate", record, kRate);
  take(values, "pkt_life", record, kLife);
  take(values, "sl_flow_hop", record, kSlFlowHop);
  take(values, "scope_state", record, kScopeState);
  record.set_proxy_join(values.number("proxy_join", 1) != 0);
  if (!mad::is_mtu(record.mtu()))
    values.fail("mtu should be a code from 1 to 5 after its selector");
  if (!mad::is_rate(record.rate())) values.fail("rate should be a rate code after its selector");
  if (mad::p_key_base(record.p_key()) == 0) values.fail("pkey should be a P_Key of a partition");
  return out;
}

SaDb::Member parse_member(Values& values) {
  SaDb::Member out;
  out.port_gid = values.pair("port_gid");
  out.scope_state = values.number_as<std::uint8_t>("scope_state");
  out.proxy_join = values.number_as<std::uint8_t>("proxy_join");
  return out;
}

SaDb::Subscription parse_subscription(Values& values) {
  SaDb::Subscription out;
  out.record.set_subscriber_gid(values.pair("subscriber_gid"));
  out.record.set_enumeration(values.number_as<std::uint16_t>("subscriber_enum"));
  mad::InformInfo inform_info;
  inform_info.set_gid(values.pair("gid"));
  inform_info.set_lid_range_begin({values.number_as<std::uint16_t>("lid_range_begin")});
  inform_info.set_lid_range_end({values.number_as<std::uint16_t>("lid_range_end")});
  inform_info.set_is_generic(values.number_as<std::uint8_t>("is_generic"));
  inform_info.set_subscribe(values.number_as<std::uint8_t>("subscribe"));
  inform_info.set_type(values.number_as<std::uint16_t>("trap_type"));
  inform_info.set_trap_number(values.number_as<std::uint16_t>("trap_num"));
  take(values, "qpn_resp_time_val", inform_info, kQpnRespTime);
  inform_info.set_producer_type(values.number_as<std::uint32_t>("node_type", 0xFFFFFF));
  out.record.set_inform_info(inform_info);
  out.lid = {values.number_as<std::uint16_t>("lid")};
  out.path_bits = values.number_as<std::uint8_t>("path_bits");
  out.static_rate = values.number_as<std::uint8_t>("static_rate");
  out.qpn = values.number_as<std::uint32_t>("remote_qp");
  out.q_key = values.number_as<std::uint32_t>("remote_qkey");
  out.p_key_index = values.number_as<std::uint16_t>("pkey_ix");
  out.sl = values.number_as<std::uint8_t>("sl");
  return out;
}

SaDb::Service parse_service(Values& values) {
  SaDb::Service out;
  mad::ServiceRecord& record = out.record;
  record.set_service_id(values.number("id"));
  record.set_service_gid(values.pair("gid"));
  record.set_p_key({values.number_as<std::uint16_t>("pkey")});
  record.set_lease(values.number_as<std::uint32_t>("lease"));
  put_pair(record.bytes(), kKeyBit, values.pair("key"));
  const std::string_view name = values.quoted_text("name", kDataNames[0]);
  if (name.size() > mad::ServiceRecord::kNameBytes)
    values.fail("name should have 64 bytes at most");
  else
    std::copy(name.begin(), name.end(), record.name().begin());
  for (unsigned i = 0; i < kDataNames.size(); ++i)
    put_pair(record.bytes(), kDataBit + 128 * i, values.pair(kDataNames[i]));
  out.modified_time = values.number_as<std::uint32_t>("modified_time");
  out.lease_period = values.number_as<std::uint32_t>("lease_period");
  return out;
}

// ---- Writing

void put(std::string& out, const SaDb::Aliases& a) {
  fmt::format_to(Text(out), "{} base_guid=0x{:016x} lid=0x{:04x} block_num=0x{:x}", kAliasMark,
                 a.port_guid.value, a.lid.value, a.block);
  for (unsigned i = 0; i < mad::GuidInfo::kEntries; ++i)
    fmt::format_to(Text(out), " guid{}=0x{:016x}", i, a.guid_info.guid(i).value);
  out += "\n\n";
}

void put(std::string& out, const SaDb::Group& g) {
  const mad::McMemberRecord& r = g.record;
  fmt::format_to(Text(out),
                 "{}{:04x} {}: mgid=0x{:016x}:0x{:016x} port_gid=0x{:016x}:0x{:016x} qkey=0x{:08x} "
                 "mlid=0x{:04x} mtu=0x{:02x} tclass=0x{:02x} ",
                 kGroupMark, g.mlid.value, g.well_known ? " (well known)" : "", r.mgid().prefix,
                 r.mgid().guid.value, r.port_gid().prefix, r.port_gid().guid.value, r.q_key(),
                 r.mlid().value, mad::read(r.bytes(), kMtu), r.t_class());
  fmt::format_to(Text(out),
                 "pkey=0x{:04x} rate=0x{:02x} pkt_life=0x{:02x} sl_flow_hop=0x{:08x} "
                 "scope_state=0x{:02x} proxy_join=0x{:x}\n\n",
                 r.p_key().value, mad::read(r.bytes(), kRate), mad::read(r.bytes(), kLife),
                 mad::read(r.bytes(), kSlFlowHop), mad::read(r.bytes(), kScopeState),
                 r.proxy_join() ? 1 : 0);
  for (const SaDb::Member& m : g.members)
    fmt::format_to(
        Text(out), "{} port_gid=0x{:016x}:0x{:016x} scope_state=0x{:02x} proxy_join=0x{:x}\n\n",
        kMemberMark, m.port_gid.prefix, m.port_gid.guid.value, m.scope_state, m.proxy_join);
}

void put(std::string& out, const SaDb::Subscription& s) {
  const mad::InformInfo inform_info = s.record.inform_info();
  const mad::Gid subscriber = s.record.subscriber_gid();
  fmt::format_to(Text(out),
                 "{} subscriber_gid=0x{:016x}:0x{:016x} subscriber_enum=0x{:x} InformInfo: "
                 "gid=0x{:016x}:0x{:016x} ",
                 kSubscriptionMark, subscriber.prefix, subscriber.guid.value,
                 s.record.enumeration(), inform_info.gid().prefix, inform_info.gid().guid.value);
  fmt::format_to(Text(out),
                 "lid_range_begin=0x{:x} lid_range_end=0x{:x} is_generic=0x{:x} subscribe=0x{:x} "
                 "trap_type=0x{:x} trap_num=0x{:x} ",
                 inform_info.lid_range_begin().value, inform_info.lid_range_end().value,
                 inform_info.is_generic(), inform_info.subscribe(), inform_info.type(),
                 inform_info.trap_number());
  fmt::format_to(Text(out),
                 "qpn_resp_time_val=0x{:x} node_type=0x{:06x} rep_addr: lid=0x{:04x} "
                 "path_bits=0x{:02x} static_rate=0x{:02x} ",
                 mad::read(inform_info.bytes(), kQpnRespTime), inform_info.producer_type(),
                 s.lid.value, s.path_bits, s.static_rate);
  fmt::format_to(Text(out),
                 "remote_qp=0x{:08x} remote_qkey=0x{:08x} pkey_ix=0x{:04x} sl=0x{:02x}\n\n", s.qpn,
                 s.q_key, s.p_key_index, s.sl);
}

std::string printable_name(const mad::ServiceRecord& record) {
  std::string out;
  for (const std::uint8_t byte : record.name()) {
    if (byte == 0) break;
    out += byte >= 0x20 && byte != 0x7F ? static_cast<char>(byte) : '?';
  }
  // A reader finds the end of a name by the text after it.
  for (std::size_t at = out.find("' data8="); at != std::string::npos; at = out.find("' data8="))
    out[at] = '?';
  return out;
}

void put(std::string& out, const SaDb::Service& s) {
  const mad::ServiceRecord& r = s.record;
  const auto put_pair_of = [&](std::string_view name, unsigned bit) {
    const mad::Gid pair = get_pair(r.bytes(), bit);
    fmt::format_to(Text(out), " {}=0x{:016x}:0x{:016x}", name, pair.prefix, pair.guid.value);
  };
  fmt::format_to(Text(out), "{} id=0x{:016x} gid=0x{:016x}:0x{:016x} pkey=0x{:x} lease=0x{:x}",
                 kServiceMark, r.service_id(), r.service_gid().prefix, r.service_gid().guid.value,
                 r.p_key().value, r.lease());
  put_pair_of("key", kKeyBit);
  fmt::format_to(Text(out), " name='{}'", printable_name(r));
  for (unsigned i = 0; i < kDataNames.size(); ++i) put_pair_of(kDataNames[i], kDataBit + 128 * i);
  fmt::format_to(Text(out), " modified_time=0x{:x} lease_period=0x{:x}\n\n", s.modified_time,
                 s.lease_period);
}

}  // namespace

ParsedSaDb parse_sa_db(std::string_view text) {
  ParsedSaDb out;
  bool has_group = false;  // the last group line was valid
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.empty() || line[0] == '#' || line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    const auto keep = [&](Values& values, auto value, auto& list) {
      if (values.error())
        out.errors.push_back({number, values.error()->first, values.error()->second});
      else
        list.push_back(std::move(value));
      return !values.error();
    };
    if (line.starts_with(kAliasMark)) {
      Values values(line, kAliasMark.size());
      keep(values, parse_aliases(values), out.value.aliases);
    } else if (line.starts_with(kGroupMark)) {
      const std::size_t colon = std::min(line.find(':'), line.size());
      Values values(line, std::min(colon + 1, line.size()));
      SaDb::Group group = parse_group(values, line.substr(0, colon));
      has_group = keep(values, std::move(group), out.value.groups);
    } else if (line.starts_with(kMemberMark)) {
      Values values(line, kMemberMark.size());
      const SaDb::Member member = parse_member(values);
      if (!has_group) values.fail("a member should follow its 'MC Group' line");
      std::vector<SaDb::Member> none;
      keep(values, member, has_group ? out.value.groups.back().members : none);
    } else if (line.starts_with(kSubscriptionMark)) {
      Values values(line, kSubscriptionMark.size());
      keep(values, parse_subscription(values), out.value.subscriptions);
    } else if (line.starts_with(kServiceMark)) {
      Values values(line, kServiceMark.size());
      keep(values, parse_service(values), out.value.services);
    } else {
      out.errors.push_back({number, 1,
                            fmt::format("'{}' begins no record: 'GUIDInfo Record:', 'MC Group 0x', "
                                        "'mcm_port:', 'InformInfo Record:' or "
                                        "'Service Record:'",
                                        sm::in_quotes(line))});
    }
  }
  return out;
}

std::string to_text(const SaDb& db) {
  std::string out;
  for (const SaDb::Aliases& aliases : db.aliases) put(out, aliases);
  for (const SaDb::Group& group : db.groups) put(out, group);
  for (const SaDb::Subscription& subscription : db.subscriptions) put(out, subscription);
  for (const SaDb::Service& service : db.services) put(out, service);
  return out;
}

SaDb sa_db_of(const Registrations& registrations, const fabric::Subnet& subnet,
              const config::Options& options) {
  SaDb out;
  const auto find_lid = [&](mad::Guid guid) {
    const fabric::EndPoint end = subnet.find(guid);
    return end.port == fabric::kNoIndex ? mad::Lid{} : subnet.lid_range(end).base;
  };
  for (const auto& [place, alias] : registrations.alias_guids.all()) {
    const auto block = static_cast<std::uint8_t>(place.index / mad::GuidInfo::kEntries);
    if (!out.aliases.empty() && out.aliases.back().port_guid == place.port_guid &&
        out.aliases.back().block == block)
      continue;
    out.aliases.push_back({place.port_guid, find_lid(place.port_guid), block,
                           registrations.alias_guids.block(place.port_guid, block)});
  }
  for (const auto& [mgid, group] : registrations.groups.all()) {
    SaDb::Group& entry =
        out.groups.emplace_back(SaDb::Group{group.mlid, group.well_known, group_record(group)});
    entry.record.set_join_state(join_state::kFull);  // as a group is created
    for (const auto& [gid, member] : group.members) {
      const unsigned scope_state = unsigned{group.scope()} << 4 | member.join_state;
      entry.members.push_back({gid, static_cast<std::uint8_t>(scope_state),
                               static_cast<std::uint8_t>(member.proxy_join ? 1 : 0)});
    }
  }
  for (const auto& [id, subscription] : registrations.subscriptions.all()) {
    SaDb::Subscription& entry = out.subscriptions.emplace_back();
    entry.record.set_subscriber_gid({options.subnet_prefix, id.subscriber});
    entry.record.set_enumeration(id.number);
    entry.record.set_inform_info(subscription.inform_info);
    entry.lid = find_lid(id.subscriber);
    entry.qpn = subscription.inform_info.qpn();
  }
  const UnixTime now = registrations.services.as_of();
  for (const auto& [rid, service] : registrations.services.all()) {
    const std::int64_t lease = service.record.lease();
    const auto left = service.expires
                          ? std::clamp<std::int64_t>((*service.expires - now).count(), 0, lease)
                          : std::int64_t{mad::ServiceRecord::kForever};
    out.services.push_back({service.record,
                            static_cast<std::uint32_t>(now.time_since_epoch().count()),
                            static_cast<std::uint32_t>(left)});
  }
  return out;
}

namespace {

/// Adds a dump's entries to the registrations, within the bounds of clients.
class Restoration {
 public:
  Restoration(Registrations& registrations, const fabric::Subnet& subnet,
              const sm::Guid2Lid* guid2lid)
      : registrations_(registrations),
        subnet_(subnet),
        guid2lid_(guid2lid),
        last_(last_mlid(subnet.fabric)) {}

  void add(const SaDb::Aliases& entry) {
    for (unsigned index = 0; index < mad::GuidInfo::kEntries; ++index) {
      const AliasPlace place{entry.port_guid, entry.block * mad::GuidInfo::kEntries + index};
      const mad::Guid alias = entry.guid_info.guid(index);
      if (alias == mad::Guid{} || place.index == 0 || place.index > 255 ||
          alias == registrations_.alias_guids.at(place))
        continue;
      if (!registrations_.alias_guids.is_free(alias) || is_port(alias) ||
          entry.port_guid == mad::Guid{} || registrations_.alias_guids.all().size() >= kAliases)
        log_.push_back(fmt::format("alias GUID {} of port GUID {} is not restored: it is in use",
                                   alias, entry.port_guid));
      else
        registrations_.alias_guids.set(place, alias);
    }
  }

  void add(const SaDb::Group& entry) {
    if (registrations_.groups.find(entry.record.mgid()) == nullptr && !create(entry)) return;
    for (const SaDb::Member& member : entry.members) join(entry.record.mgid(), member);
  }

  void add(const SaDb::Subscription& entry) {
    const mad::Guid subscriber = entry.record.subscriber_gid().guid;
    mad::InformInfo inform_info = entry.record.inform_info();
    inform_info.set_qpn(entry.qpn & 0xFFFFFF);
    Subscriptions& subscriptions = registrations_.subscriptions;
    const Client by = client(subscriber);
    if (subscriber != mad::Guid{} && subscriptions.find(subscriber, inform_info) == nullptr &&
        !is_full(subscriptions.quota(), by, kSubscriptionsPerPort, kSubscriptions))
      subscriptions.add(subscriber, {inform_info, false, registered_at(by)});
  }

  void add(const SaDb::Service& entry, UnixTime now) {
    const Client by = client(entry.record.service_gid().guid);
    Service service{
        .record = entry.record, .registered_by = by.end, .registered_at = registered_at(by)};
    if (entry.record.lease() != mad::ServiceRecord::kForever)
      service.expires = now + std::chrono::seconds(entry.lease_period);
    if (service.registered_by != mad::Guid{} &&
        !is_full(registrations_.services.quota(), by, kServicesPerPort, kServices))
      registrations_.services.set(std::move(service));
  }

  std::vector<std::string> take_log() { return std::move(log_); }

 private:
  bool is_port(mad::Guid guid) const {
    return subnet_.find(guid).port != fabric::kNoIndex ||
           (guid2lid_ != nullptr && guid2lid_->find(guid) != nullptr);
  }
  Client client(mad::Guid guid) const {
    const fabric::EndPoint end = subnet_.find(guid);
    return end.port == fabric::kNoIndex ? Client(guid) : make_client(subnet_, end);
  }
  static bool is_full(const PortQuota& quota, const Client& of, unsigned port, unsigned all) {
    return quota.is_full(of, bounds_of(of, {}, port, all, 0));
  }

  /// Returns false if no member keeps the group, or there is no room for it.
  bool create(const SaDb::Group& entry) {
    Groups& groups = registrations_.groups;
    const mad::McMemberRecord& record = entry.record;
    const mad::Gid mgid = record.mgid();
    const bool is_kept = std::ranges::any_of(entry.members, [](const SaDb::Member& member) {
      return (member.scope_state & join_state::kKeepsAlive) != 0;
    });
    if (!is_kept) return false;
    std::optional<mad::Mlid> mlid = entry.mlid;
    if (!is_multicast(entry.mlid) || entry.mlid > last_ || !groups.mlids().is_free(entry.mlid))
      mlid = groups.mlids().lowest_free(last_);
    if (!mlid || !is_multicast(mgid) || groups.all().size() >= kGroups) {
      log_.push_back(fmt::format(
          "group {} is not restored: {}", gid_text(mgid),
          mlid ? "it is no multicast GID, or there are too many" : "there is no MLID left"));
      return false;
    }
    groups.create({.mgid = mgid,
                   .mlid = *mlid,
                   .p_key = record.p_key(),
                   .q_key = record.q_key(),
                   .mtu = record.mtu(),
                   .rate = record.rate(),
                   .packet_life = record.packet_life(),
                   .sl = record.sl(),
                   .t_class = record.t_class(),
                   .flow_label = record.flow_label(),
                   .hop_limit = record.hop_limit()});
    return true;
  }

  void join(mad::Gid mgid, const SaDb::Member& member) {
    Groups& groups = registrations_.groups;
    const std::uint8_t state = member.scope_state & 0xF;
    const Client by = client(member.port_gid.guid);
    if (state == 0 || by.end == mad::Guid{} ||
        is_full(groups.quota(), by, joins_per_port(groups.quota().total()), kJoins))
      return;
    groups.join(mgid, {.port_gid = member.port_gid,
                       .join_state = state,
                       .proxy_join = member.proxy_join != 0,
                       .registered_by = by.end,
                       .registered_at = registered_at(by)});
  }

  Registrations& registrations_;
  const fabric::Subnet& subnet_;
  const sm::Guid2Lid* guid2lid_;
  const mad::Mlid last_;
  std::vector<std::string> log_;
};

}  // namespace

std::vector<std::string> restore(const SaDb& db, Registrations& registrations,
                                 const fabric::Subnet& subnet, UnixTime now,
                                 const sm::Guid2Lid* guid2lid) {
  Restoration restoration(registrations, subnet, guid2lid);
  for (const SaDb::Aliases& entry : db.aliases) restoration.add(entry);
  for (const SaDb::Group& entry : db.groups) restoration.add(entry);
  for (const SaDb::Subscription& entry : db.subscriptions) restoration.add(entry);
  for (const SaDb::Service& entry : db.services) restoration.add(entry, now);
  return restoration.take_log();
}

}  // namespace sa
