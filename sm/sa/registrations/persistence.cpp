#include "sm/sa/registrations/persistence.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "mad/format.h"
#include "mad/number.h"
#include "mad/path_units.h"
#include "sm/store/atomic_file.h"

namespace sa {
namespace {

constexpr std::size_t kMessagesMax = 20;
constexpr std::string_view kNoneAcknowledged = "no-acknowledged 0\n";

// ---- Writing

using Text = std::back_insert_iterator<std::string>;

void put_bytes(std::string& out, std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const std::uint8_t byte : bytes) (out += digits[byte >> 4]) += digits[byte & 0xF];
}

/// `at` is the physical port of a vport that registered the entry. Lines of ports have the format
/// from before vports.
void end_line(std::string& out, mad::Guid at) {
  if (at != mad::Guid{}) fmt::format_to(Text(out), " {:x}", at.value);
  out += '\n';
}

void put(std::string& out, const Group& g) {
  fmt::format_to(Text(out),
                 "group {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x} {:x}\n",
                 g.mgid.prefix, g.mgid.guid.value, g.mlid.value, g.p_key.value, g.q_key, g.mtu,
                 g.rate, g.packet_life, g.sl.value, g.t_class, g.flow_label, g.hop_limit,
                 g.well_known ? 1 : 0, g.created_by.value);
}
void put(std::string& out, mad::Gid mgid, const Member& m) {
  fmt::format_to(Text(out), "member {:x} {:x} {:x} {:x} {:x} {:x} {:x}", mgid.prefix,
                 mgid.guid.value, m.port_gid.prefix, m.port_gid.guid.value, m.join_state,
                 m.proxy_join ? 1 : 0, m.registered_by.value);
  end_line(out, m.registered_at);
}
void put(std::string& out, const Service& s) {
  fmt::format_to(Text(out), "service {:x} {:x} ", s.registered_by.value,
                 s.expires ? s.expires->time_since_epoch().count() : 0);
  put_bytes(out, s.record.bytes());
  end_line(out, s.registered_at);
}
void put(std::string& out, SubscriptionId id, const Subscription& s) {
  fmt::format_to(Text(out), "subscription {:x} {:x} {:x} ", id.subscriber.value, id.number,
                 s.trusted ? 1 : 0);
  put_bytes(out, s.inform_info.bytes());
  end_line(out, s.registered_at);
}
void put(std::string& out, AliasPlace place, mad::Guid alias) {
  fmt::format_to(Text(out), "alias {:x} {:x} {:x}\n", place.port_guid.value, place.index,
                 alias.value);
}

void put_acknowledged(std::string& out, mad::Guid port) {
  fmt::format_to(Text(out), "acknowledged {:x}\n", port.value);
}
void put_counters(std::string& out, const Registrations& r) {
  fmt::format_to(Text(out), "next {:x} {:x}\n", r.groups.next_mgid, r.alias_guids.next_assigned);
}
std::pair<std::uint32_t, std::uint32_t> counters_of(const Registrations& r) {
  return {r.groups.next_mgid, r.alias_guids.next_assigned};
}

// ---- Reading

/// Reads the words of a line in order. The first error is kept; all words after it are read as 0.
class Words {
 public:
  /// `newer` means a line of a higher revision, where more words may follow.
  Words(std::string_view line, bool newer) : line_(line), newer_(newer) {}

  std::string_view word() {
    const std::size_t begin = at_, end = std::min(line_.find(' ', at_), line_.size());
    at_ = std::min(end + 1, line_.size() + 1);
    column_ = static_cast<int>(begin) + 1;
    return begin > line_.size() ? std::string_view() : line_.substr(begin, end - begin);
  }
  std::uint64_t number(std::uint64_t max = ~std::uint64_t{0}, std::uint64_t min = 0) {
    const std::string_view text = word();
    const auto value = mad::parse_number(text, 16);
    if (value && text.size() <= 16 && *value <= max && *value >= min) return *value;
    fail(fmt::format("'{}' should be a hexadecimal number from {:x} to {:x}", sm::in_quotes(text),
                     min, max));
    return min;
  }
  template <class T>
  T number_as(std::uint64_t max = std::numeric_limits<T>::max(), std::uint64_t min = 0) {
    return static_cast<T>(number(max, min));
  }
  mad::Guid guid() { return {number(~std::uint64_t{0}, 1)}; }
  mad::Gid gid() {
    const std::uint64_t prefix = number();
    return {prefix, {number()}};
  }
  template <std::size_t size>
  std::array<std::uint8_t, size> bytes() {
    const std::string_view text = word();
    std::array<std::uint8_t, size> out{};
    const auto read = mad::parse_bytes(text);
    if (read && read->size() == size)
      std::ranges::transform(*read, out.begin(),
                             [](char c) { return static_cast<std::uint8_t>(c); });
    else
      fail(fmt::format("'{}' should be {} bytes as hexadecimal digits", sm::in_quotes(text), size));
    return out;
  }
  void fail(std::string what) {
    if (!error_) error_ = LineError{column_, std::move(what)};
  }
  bool has_more() const { return at_ <= line_.size(); }
  /// True if there was no error and the line ends here; a line of a newer version may continue.
  bool is_good() {
    if (has_more() && !newer_) {
      column_ = static_cast<int>(at_) + 1;
      fail(fmt::format("'{}' is too much", sm::in_quotes(line_.substr(at_))));
    }
    return !error_;
  }
  LineError error() const { return *error_; }

 private:
  std::string_view line_;
  bool newer_;
  std::size_t at_ = 0;
  int column_ = 1;
  std::optional<LineError> error_;
};

void apply_group(Registrations& r, Words& words) {
  Group group;
  group.mgid = words.gid();
  if (!is_multicast(group.mgid)) words.fail("this is no multicast GID: it should begin with ff");
  group.mlid = {words.number_as<std::uint16_t>(mad::kMlidMax.value, mad::kMlidMin.value)};
  group.p_key = {words.number_as<std::uint16_t>(0xFFFF, 1)};
  if (mad::p_key_base(group.p_key) == 0) words.fail("this is no P_Key of a partition");
  group.q_key = words.number_as<std::uint32_t>();
  group.mtu = words.number_as<std::uint8_t>(mad::kMtuMax, mad::kMtuMin);
  group.rate = words.number_as<std::uint8_t>();
  if (!mad::is_rate(group.rate)) words.fail("this is no rate code");
  group.packet_life = words.number_as<std::uint8_t>(mad::kPacketLifeMax);
  group.sl = {words.number_as<std::uint8_t>(15)};
  group.t_class = words.number_as<std::uint8_t>();
  group.flow_label = words.number_as<std::uint32_t>(0xFFFFF);
  group.hop_limit = words.number_as<std::uint8_t>();
  group.well_known = words.number(1) != 0;
  if (words.has_more()) group.created_by = {words.number()};
  if (!words.is_good()) return;
  const Group* known = r.groups.find(group.mgid);
  if (known == nullptr) {
    r.groups.create(group);
  } else if (known->mlid == group.mlid) {
    r.groups.set_values(group);
  } else {  // it was deleted and created again between two commits; lines about its members follow
    const auto members = known->members;
    r.groups.erase(group.mgid);
    r.groups.create(group);
    for (const auto& [gid, member] : members) r.groups.join(group.mgid, member);
  }
}

void apply_member(Registrations& r, Words& words) {
  const mad::Gid mgid = words.gid();
  Member member;
  member.port_gid = words.gid();
  member.join_state = words.number_as<std::uint8_t>(15, 1);
  member.proxy_join = words.number(1) != 0;
  member.registered_by = words.guid();
  if (words.has_more()) member.registered_at = {words.number()};
  if (r.groups.find(mgid) == nullptr) words.fail("no line before this one has its group");
  if (!words.is_good()) return;
  if (r.groups.find(mgid, member.port_gid) != nullptr) r.groups.leave(mgid, member.port_gid, 0xF);
  r.groups.join(mgid, member);
}

void apply_service(Registrations& r, Words& words) {
  Service service;
  service.registered_by = words.guid();
  const auto expires = words.number_as<std::int64_t>(
      static_cast<std::uint64_t>(kLastExpiry.time_since_epoch().count()));
  service.record = mad::ServiceRecord(words.bytes<mad::ServiceRecord::kBytes>());
  if (words.has_more()) service.registered_at = {words.number()};
  if (!words.is_good()) return;
  if (expires != 0) service.expires = UnixTime(std::chrono::seconds(expires));
  r.services.set(service);
}

void apply_subscription(Registrations& r, Words& words) {
  SubscriptionId id;
  id.subscriber = words.guid();
  id.number = words.number_as<std::uint16_t>();
  Subscription subscription;
  subscription.trusted = words.number(1) != 0;
  subscription.inform_info = mad::InformInfo(words.bytes<mad::InformInfo::kBytes>());
  if (words.has_more()) subscription.registered_at = {words.number()};
  if (words.is_good()) r.subscriptions.set(id, subscription);
}

void apply_alias(Registrations& r, Words& words) {
  AliasPlace place;
  place.port_guid = words.guid();
  place.index = words.number_as<unsigned>(255, 1);
  const mad::Guid alias = words.guid();
  if (r.alias_guids.owner(alias) != mad::Guid{} && r.alias_guids.at(place) != alias)
    words.fail("another line before this one has this alias");
  if (words.is_good()) r.alias_guids.set(place, alias);
}

void apply_acknowledged(Registrations& r, Words& words) {
  const mad::Guid port = words.guid();
  if (words.is_good()) r.acknowledged.add(port);
}

void apply_next(Registrations& r, Words& words) {
  const auto mgid = words.number_as<std::uint32_t>(), alias = words.number_as<std::uint32_t>();
  if (!words.is_good()) return;
  r.groups.next_mgid = mgid;
  r.alias_guids.next_assigned = alias;
}

// An absent entry is no error: a batch has only the final state of each.
void apply_no_group(Registrations& r, Words& words) {
  const mad::Gid mgid = words.gid();
  if (words.is_good() && r.groups.find(mgid) != nullptr) r.groups.erase(mgid);
}
void apply_no_member(Registrations& r, Words& words) {
  const mad::Gid mgid = words.gid(), port_gid = words.gid();
  if (words.is_good() && r.groups.find(mgid, port_gid) != nullptr)
    r.groups.leave(mgid, port_gid, 0xF);
}
void apply_no_service(Registrations& r, Words& words) {
  const std::uint64_t id = words.number();
  const mad::Gid gid = words.gid();
  const mad::PKey p_key{words.number_as<std::uint16_t>()};
  if (words.is_good()) r.services.erase({id, gid, p_key});
}
void apply_no_subscription(Registrations& r, Words& words) {
  const mad::Guid subscriber = words.guid();
  const auto number = words.number_as<std::uint16_t>();
  if (words.is_good()) r.subscriptions.erase({subscriber, number});
}
void apply_no_alias(Registrations& r, Words& words) {
  const mad::Guid port = words.guid();
  const auto index = words.number_as<unsigned>(255, 1);
  if (words.is_good()) r.alias_guids.set({port, index}, {});
}
void apply_no_acknowledged(Registrations& r, Words& words) {
  const mad::Guid port{words.number()};
  if (!words.is_good()) return;
  if (port == mad::Guid{})
    r.acknowledged.clear();
  else
    r.acknowledged.erase(port);
}

struct Kind {
  std::string_view word;
  void (*apply)(Registrations&, Words&);
};
constexpr std::array kKinds{
    Kind{"member", apply_member},
    Kind{"group", apply_group},
    Kind{"service", apply_service},
    Kind{"subscription", apply_subscription},
    Kind{"alias", apply_alias},
    Kind{"next", apply_next},
    Kind{"no-member", apply_no_member},
    Kind{"no-group", apply_no_group},
    Kind{"no-service", apply_no_service},
    Kind{"no-subscription", apply_no_subscription},
    Kind{"no-alias", apply_no_alias},
    Kind{"acknowledged", apply_acknowledged},
    Kind{"no-acknowledged", apply_no_acknowledged},
};

/// Applies a line. Returns false if unknown parts of a `newer` line are left out.
tl::expected<bool, LineError> apply(Registrations& registrations, std::string_view line,
                                    bool newer) {
  Words words(line, newer);
  const std::string_view first = words.word();
  for (const Kind& kind : kKinds) {
    if (kind.word != first) continue;
    kind.apply(registrations, words);
    if (words.is_good()) return !words.has_more();
    return tl::unexpected(words.error());
  }
  if (newer) return false;
  return tl::unexpected(
      LineError{1, fmt::format("'{}' is not a line type: group, member, service, subscription, "
                               "alias, next, acknowledged, or one of them with no-",
                               sm::in_quotes(first))});
}

}  // namespace

std::string take_changes(Registrations& r) {
  std::string out;
  const Groups::Touched groups = r.groups.take_touched();
  for (const mad::Gid mgid : groups.groups) {
    if (const Group* group = r.groups.find(mgid))
      put(out, *group);
    else
      fmt::format_to(Text(out), "no-group {:x} {:x}\n", mgid.prefix, mgid.guid.value);
  }
  for (const auto& [mgid, gid] : groups.members) {
    const Member* const member = r.groups.find(mgid, gid);
    if (member != nullptr && !r.groups.stale_members().contains({mgid, gid}))
      put(out, mgid, *member);
    else
      fmt::format_to(Text(out), "no-member {:x} {:x} {:x} {:x}\n", mgid.prefix, mgid.guid.value,
                     gid.prefix, gid.guid.value);
  }
  for (const ServiceRid& rid : r.services.take_touched()) {
    if (const Service* service = r.services.find(rid))
      put(out, *service);
    else
      fmt::format_to(Text(out), "no-service {:x} {:x} {:x} {:x}\n", rid.id, rid.gid.prefix,
                     rid.gid.guid.value, rid.p_key.value);
  }
  for (const SubscriptionId id : r.subscriptions.take_touched()) {
    if (const auto found = r.subscriptions.all().find(id); found != r.subscriptions.all().end())
      put(out, id, found->second);
    else
      fmt::format_to(Text(out), "no-subscription {:x} {:x}\n", id.subscriber.value, id.number);
  }
  // Lines clear all changed entries first, since aliases may have moved from one to another.
  const AliasGuids::Touched places = r.alias_guids.take_touched();
  for (const AliasPlace place : places)
    fmt::format_to(Text(out), "no-alias {:x} {:x}\n", place.port_guid.value, place.index);
  for (const AliasPlace place : places)
    if (const mad::Guid alias = r.alias_guids.at(place); alias != mad::Guid{})
      put(out, place, alias);
  for (const mad::Guid port : r.acknowledged.take_touched()) {
    if (!r.acknowledged.contains(port)) out += "no-";
    put_acknowledged(out, port);
  }
  return out;
}

std::string all_lines(const Registrations& r) {
  std::string out;
  put_counters(out, r);
  for (const auto& [mgid, group] : r.groups.all()) {
    put(out, group);
    for (const auto& [gid, member] : group.members)
      if (!r.groups.stale_members().contains({mgid, gid})) put(out, mgid, member);
  }
  for (const auto& [rid, service] : r.services.all()) put(out, service);
  for (const auto& [id, subscription] : r.subscriptions.all()) put(out, id, subscription);
  for (const auto& [place, alias] : r.alias_guids.all()) put(out, place, alias);
  for (const mad::Guid port : r.acknowledged.all()) put_acknowledged(out, port);
  return out;
}

tl::expected<void, LineError> apply_line(Registrations& registrations, std::string_view line) {
  auto applied = apply(registrations, line, false);
  if (!applied) return tl::unexpected(std::move(applied.error()));
  return {};
}

ReadRegistrations read_registrations(std::string_view text, const std::string& path) {
  ReadRegistrations out;
  std::size_t wrong = 0, unknown = 0;
  const sm::JournalText journal = sm::parse_journal(text);
  const bool newer = journal.version > sm::kJournalVersion;
  for (const sm::JournalLine& line : journal.lines) {
    const auto applied = apply(out.registrations, line.text, newer);
    if (applied && !*applied) ++unknown;
    if (applied || ++wrong > kMessagesMax) continue;
    const int column = applied.error().column + 9;  // after the checksum
    out.messages.push_back(
        sm::FileError{line.line, column, applied.error().what + "; the line is left out"}.text(
            path));
  }
  if (wrong > kMessagesMax)
    out.messages.push_back(fmt::format("{}: {} more like these", path, wrong - kMessagesMax));
  if (unknown > 0)
    out.messages.push_back(
        fmt::format("{} is of a newer version of Heddle (format {}, this one writes {}): {} lines "
                    "have what is not known here, and that is left out",
                    path, journal.version.text(), sm::kJournalVersion.text(), unknown));
  take_changes(out.registrations);  // all of it is in the journal already
  return out;
}

tl::expected<RegistrationStore::Loaded, std::string> RegistrationStore::load(
    const std::filesystem::path& dir, bool fsync) {
  if (auto made = sm::ensure_directory(dir); !made) return tl::unexpected(std::move(made.error()));
  auto opened = sm::Journal::open(dir / kRegistrationsFile, fsync, kNoneAcknowledged);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  Loaded out{RegistrationStore(std::move(opened->journal)), {}, std::move(opened->messages)};
  ReadRegistrations read = read_registrations(opened->text, out.store.journal_.path().string());
  out.registrations = std::move(read.registrations);
  std::error_code unreadable;
  if (std::filesystem::exists(out.store.mark(), unreadable)) {
    out.store.is_marked_ = true;
    out.messages.push_back(fmt::format(
        "{}: the disk did not take all registrations before this start; all ports are asked to "
        "register again",
        out.store.mark().string()));
  }
  // The next commit rewrites the journal without the damaged lines, and with no acknowledged port.
  out.store.stale_ = !read.messages.empty() || out.store.is_marked_;
  std::ranges::move(read.messages, std::back_inserter(out.messages));
  // Something that clients have registered may be missing.
  if (!out.messages.empty()) out.registrations.acknowledged.clear();
  out.store.counters_ = counters_of(out.registrations);
  return out;
}

std::optional<Written> RegistrationStore::take(Registrations& registrations) {
  std::string lines = std::exchange(pending_, {});
  lines += take_new(registrations);
  if (std::exchange(stale_, false) || lost_)
    return Written{.lines = all_lines(registrations), .everything = true};
  if (lines.empty()) return std::nullopt;
  return Written{.lines = std::move(lines), .everything = false};
}

std::string RegistrationStore::take_new(Registrations& registrations) {
  std::string lines = take_changes(registrations);
  if (const auto counters = counters_of(registrations); counters != counters_) {
    put_counters(lines, registrations);
    counters_ = counters;
  }
  return lines;
}

Written RegistrationStore::keep(Registrations& registrations) {
  Written kept{.lines = take_new(registrations), .everything = false};
  if (stale_) return kept;
  pending_ += kept.lines;
  if (pending_.size() > kPendingBytesMax) {
    stale_ = true;  // the next commit writes everything
    pending_.clear();
  }
  return kept;
}

tl::expected<void, std::string> RegistrationStore::write(const Written& batch) {
  auto written = write_journal(batch);
  std::error_code error;
  if (!written) {
    is_marked_ = is_marked_ || std::ofstream(mark()).is_open();
  } else if (is_marked_) {
    std::filesystem::remove(mark(), error);
    is_marked_ = bool(error);
  }
  return written;
}

tl::expected<void, std::string> RegistrationStore::write_journal(const Written& batch) {
  if (batch.everything) {
    auto replaced = journal_.replace(batch.lines);
    if (replaced) lost_ = false;
    return replaced;
  }
  if (journal_.needs_replacing()) return rewrite(batch.lines);
  auto appended = journal_.append(batch.lines);
  return appended || !journal_.is_broken() ? appended : rewrite(batch.lines);
}

/// Rewrites the journal from the text on disk, since another thread changes the registrations.
tl::expected<void, std::string> RegistrationStore::rewrite(std::string_view lines) {
  const auto text = journal_.read();
  if (!text) {
    lost_ = true;
    return tl::unexpected(text.error());
  }
  Registrations whole = read_registrations(*text, journal_.path().string()).registrations;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const auto applied = apply_line(whole, lines.substr(0, end));
    if (!applied) lost_ = true;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  if (lost_)
    return tl::unexpected(
        fmt::format("{} does not have what was written to it", journal_.path().string()));
  return journal_.replace(all_lines(whole));
}

void RegistrationStore::wrote(Written batch, bool taken) {
  if (taken) return;
  if (batch.everything || batch.lines.size() > kPendingBytesMax) {
    stale_ = true;
  } else {
    pending_ = std::move(batch.lines);
  }
}

tl::expected<Written, std::string> RegistrationStore::commit(Registrations& registrations) {
  std::optional<Written> batch = take(registrations);
  if (!batch) return Written{};
  auto written = write(*batch);
  wrote(*batch, written.has_value());
  if (!written) return tl::unexpected(std::move(written.error()));
  return std::move(*batch);
}

}  // namespace sa
