#include "sm/sweep/devices/m_keys.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "mad/format.h"

namespace sm {
namespace {

bool has(const std::vector<mad::MKey>& keys, mad::MKey key) {
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace

std::vector<std::string> MKeys::configure(const config::Options& options) {
  policy_ = MKeyPolicy(options, version_.current);
  period_ = std::chrono::minutes(options.derives_keys() ? options.periodic_key_update : 0);
  derived_.clear();
  directory_ = options.cache_files_dir;
  fsync_ = options.fsync_high_avail_files;
  lookup_ = options.m_key_lookup;
  protection_ = options.m_key_protection_level;
  for (auto& [port, known] : known_) known.refuted.clear();

  LoadedGuid2MKey stored = load_guid2mkey(directory_), next = load_guid2mkey(directory_, kNextFile);
  stored_ = std::move(stored.value);
  next_ = std::move(next.value);
  ++contents_;
  unseen_keys_.clear();
  for (const auto& [port, key] : stored_) {
    const auto known = known_.find(port);
    if (known == known_.end() || !known->second.confirmed) ++unseen_keys_[key];
  }
  std::ranges::move(next.messages, std::back_inserter(stored.messages));
  if (const auto version = load_key_version(directory_)) {
    version_on_disk_ = *version;
    take_version(*version);
  } else {
    stored.messages.push_back(version.error());
  }
  if (!std::exchange(configured_once_, true) && lookup_) {
    // An earlier note is newer than the file.
    std::map<std::pair<mad::Guid, mad::PortNum>, mad::Guid> noted;
    noted.swap(behind_);
    note_links(load_neighbor_links(directory_));
    for (const auto& [place, peer] : noted) behind_[place] = peer;
  }
  return std::move(stored.messages);
}

void MKeys::adopt(const Guid2MKey& keys) {
  ++contents_;
  for (const auto& [port, key] : keys) {
    const auto known = known_.find(port);
    if (known != known_.end() && known->second.confirmed) continue;
    const auto [entry, fresh] = stored_.try_emplace(port, key);
    if (!fresh) {
      forget_unmet(entry->second);
      entry->second = key;
    }
    ++unseen_keys_[key];
    unsaved_ = true;
  }
}

// ------------------------------------------------------------------------------------------
// versions of keys

namespace {

std::uint64_t begin_of_period(std::chrono::sys_seconds time, std::chrono::minutes period) {
  const auto minute = std::chrono::floor<std::chrono::minutes>(time.time_since_epoch());
  return minute < period ? 0 : static_cast<std::uint64_t>((minute / period) * period.count());
}

}  // namespace

std::chrono::sys_seconds MKeys::now() const {
  return clock_ ? clock_() : std::chrono::sys_seconds{};
}

void MKeys::set_leads(bool leads) {
  if (leads && !leads_) take_version(version_of_ports());
  leads_ = leads;
}

/// Returns the version of the keys that ports have. If some port has a key of the version that
/// begins soon, the previous MASTER had a clock that is ahead of the own one.
KeyVersion MKeys::version_of_ports() const {
  const KeyVersion version = version_now();
  const std::optional<std::uint64_t> soon = version_soon();
  if (!soon || !has_versions()) return version;
  const MKeyPolicy next = policy_.with_version(*soon);
  const bool has_begun = std::ranges::any_of(known_, [&](const auto& port) {
    return port.second.confirmed && *port.second.confirmed != mad::MKey{} &&
           *port.second.confirmed == next.key(port.first);
  });
  return has_begun ? KeyVersion{.current = *soon, .previous = version.current} : version;
}

void MKeys::take_version(const KeyVersion& version) {
  if (version.current < version_.current) return;
  version_ = version;
  policy_ = policy_.with_version(version.current);
}

void MKeys::give_up_version() {
  version_ = version_on_disk_;
  policy_ = policy_.with_version(version_.current);
}

KeyVersion MKeys::version_now() const {
  if (leads_ || period_ == std::chrono::minutes::zero()) return version_;
  const std::uint64_t by_clock = begin_of_period(now() - kChangeTime, period_);
  if (by_clock <= version_.current) return version_;
  const auto period = static_cast<std::uint64_t>(period_.count());
  return {.current = by_clock,
          .previous = by_clock < period ? 0 : std::max(version_.current, by_clock - period)};
}

/// Returns the version that a manager whose clock is ahead may use already.
std::optional<std::uint64_t> MKeys::version_soon() const {
  if (period_ == std::chrono::minutes::zero()) return std::nullopt;
  const std::uint64_t soon = begin_of_period(now() + kClockSkew, period_);
  return soon > version_now().current ? std::optional(soon) : std::nullopt;
}

std::optional<std::chrono::sys_seconds> MKeys::next_change() const {
  if (period_ == std::chrono::minutes::zero()) return std::nullopt;
  const std::uint64_t begun = begin_of_period(now(), period_);
  if (begun < version_.current) return std::nullopt;  // the clock was ahead
  const auto begin = std::chrono::sys_seconds(std::chrono::minutes(begun));
  return begun > version_.current ? begin : begin + period_;
}

KeyVersion MKeys::next_version() const {
  return {.current = std::max(begin_of_period(now(), period_), version_.current + 1),
          .previous = version_.current};
}

MKeys::PolicyKeys MKeys::policy_keys(mad::Guid port) const {
  if (!policy_.derives()) return {.key = policy_.key(port), .previous = {}, .former = {}};
  if (const KeyVersion version = version_now(); derived_version_ != version) {
    derived_.clear();
    derived_version_ = version;
  }
  const auto known = derived_.find(port);
  if (known != derived_.end()) return known->second;
  if (derived_.size() >= kPortsMax) derived_.clear();
  const MKeyPolicy current = policy_.with_version(derived_version_.current),
                   previous = policy_.with_version(derived_version_.previous);
  const PolicyKeys keys{
      .key = current.key(port),
      .previous = current.has_versions() && current != previous ? previous.key(port) : mad::MKey{},
      .former = current.former_key(port)};
  derived_.emplace(port, keys);
  return keys;
}

mad::MKeyCandidates MKeys::m_keys(mad::Guid port) const {
  mad::MKeyCandidates keys;
  const auto found = known_.find(port);
  const Known* const known = found == known_.end() ? nullptr : &found->second;
  const auto add = [&](mad::MKey key) {
    if (known == nullptr || !has(known->refuted, key)) keys.add(key);
  };
  const auto add_of = [&](const Guid2MKey& file) {
    const auto entry = file.find(port);
    if (lookup_ && entry != file.end()) add(entry->second);
  };
  const PolicyKeys by_policy = policy_keys(port);
  const auto add_if_any = [&](mad::MKey key) {
    if (key != mad::MKey{}) add(key);
  };
  if (known != nullptr && known->confirmed) {
    // The MASTER has changed a key of the previous version since.
    const bool is_past =
        by_policy.previous != mad::MKey{} && known->confirmed == by_policy.previous;
    if (!leads_ && is_past) add_if_any(by_policy.key);
    add(*known->confirmed);
  }
  add_of(stored_);
  add_of(next_);
  add(by_policy.key);
  add_if_any(by_policy.previous);
  if (const auto soon = leads_ ? std::nullopt : version_soon())
    add_if_any(policy_.with_version(*soon).key(port));
  add_if_any(by_policy.former);
  if (port == mad::Guid{} && lookup_ && unseen_keys_.size() <= kUnseenKeysMax) {
    for (const auto& [key, ports] : unseen_keys_) add(key);
  }
  if (keys.keys().empty()) keys.add(by_policy.key);
  return keys;
}

mad::MKeyCandidates MKeys::m_keys_of(const mad::SmpRequest& request) const {
  const mad::MKeyCandidates keys = m_keys(request.port);
  if (request.method != mad::Method::get) return keys;
  const auto known = known_.find(request.port);
  const bool answers_to_another = known != known_.end() && known->second.answers_to;
  mad::MKey first = answers_to_another ? *known->second.answers_to : keys.of_attempt(0);
  const bool proves_key = request.attribute == mad::AttributeId::sm_info;
  if (proves_key && first == mad::MKey{}) first = policy_keys(request.port).key;
  mad::MKeyCandidates ordered;
  ordered.add(first);
  for (const mad::MKey key : keys.keys())
    if (!proves_key || key != mad::MKey{}) ordered.add(key);
  return ordered;
}

/// Learns the key that a port answers to. One answer may be to the second attempt because the first
/// was lost; a few in a row are not.
void MKeys::note_answer(mad::Guid port, mad::MKey carried) {
  constexpr unsigned kInARow = 3;
  const auto found = known_.find(port);
  if (found == known_.end()) return;
  Known& known = found->second;
  const mad::MKey first = known.answers_to ? *known.answers_to : key(port);
  known.answers = carried == first ? 0 : known.answers + 1;
  if (known.answers < kInARow) return;
  known.answers = 0;
  known.answers_to = carried;
}

bool MKeys::proves(mad::Guid port, mad::MKey key) const {
  const PolicyKeys by_policy = policy_keys(port);
  const bool is_to_have_one = by_policy.key != mad::MKey{};
  if (key == mad::MKey{} && is_to_have_one) return false;
  if (shows_version_of_another_clock(port, key)) return true;
  // Every host may know the key that all ports had before, and some host that of the previous
  // version. These keys count only while the port still has them.
  const bool is_past = key == by_policy.former || key == by_policy.previous;
  if (is_past && key != by_policy.key && key != mad::MKey{}) {
    const auto known = known_.find(port);
    return known != known_.end() && known->second.confirmed == key;
  }
  const mad::MKeyCandidates candidates = m_keys(port);
  // Without M_Keys in the subnet, a manager that uses one is accepted.
  if (!is_to_have_one && candidates.of_attempt(0) == mad::MKey{}) return true;
  return std::ranges::find(candidates.keys(), key) != candidates.keys().end();
}

/// True for a key of the next version (the manager's clock is ahead) or the previous one (its clock
/// is behind).
bool MKeys::shows_version_of_another_clock(mad::Guid port, mad::MKey key) const {
  if (!has_versions() || period_ == std::chrono::minutes::zero() || key == mad::MKey{})
    return false;
  if (const auto soon = version_soon(); soon && key == policy_.with_version(*soon).key(port))
    return true;
  const auto begin = std::chrono::sys_seconds(
      std::chrono::minutes(static_cast<std::int64_t>(version_now().current)));
  return key == policy_keys(port).previous && now() < begin + kClockSkew;
}

void MKeys::forget_unmet(mad::MKey key) {
  const auto unmet = unseen_keys_.find(key);
  if (unmet != unseen_keys_.end() && --unmet->second == 0) unseen_keys_.erase(unmet);
}

void MKeys::confirm(mad::Guid port, mad::MKey key) {
  Known& known = known_[port];
  if (const auto stored = stored_.find(port); !known.confirmed && stored != stored_.end())
    forget_unmet(stored->second);
  if (known.confirmed != key) known.answers_to.reset();
  known.confirmed = key;
  any_key_ = any_key_ || key != mad::MKey{};
  known.unconfirmed.reset();
  known.refuted.clear();
}

void MKeys::answered(const mad::SmpRequest& request, mad::MKey carried,
                     const mad::SmpReply& reply) {
  if (request.port == mad::Guid{}) return;
  if (const auto known = known_.find(request.port); known != known_.end())
    known->second.refuses = false;
  // The key is that of port 0 of a switch, or of the CA port by which the request entered.
  constexpr std::uint32_t kPortMask = 0xFF;
  const bool has_key = request.attribute == mad::AttributeId::port_info &&
                       (request.is_of_entry || (request.modifier & kPortMask) == 0);
  if (request.method == mad::Method::set) {
    if (has_key && reply.ok()) return confirm(request.port, mad::PortInfo(request.data).m_key());
    // A Set needs the key, whatever the status says.
    if (standing(request.port) != Standing::confirmed) confirm(request.port, carried);
    return;
  }
  if (request.attribute != mad::AttributeId::sm_info) note_answer(request.port, carried);
  if (has_key && reply.ok()) on_port_info(request.port, carried, mad::PortInfo(reply.data));
}

void MKeys::on_port_info(mad::Guid port, mad::MKey carried, const mad::PortInfo& info) {
  // A port at level 0 shows its key; at levels 2 and 3 it answers only to its key; at level 1 it
  // shows the key to that key, else 0. A protected port that shows another key than that of the
  // request contradicts itself: the key counts if the port shows it again.
  if (info.m_key_protect_bits() != 0 && info.m_key() != mad::MKey{} && info.m_key() != carried) {
    Known& known = known_[port];
    if (known.confirmed == info.m_key()) return;
    if (std::exchange(known.unconfirmed, info.m_key()) == info.m_key()) confirm(port, info.m_key());
    return;
  }
  if (info.m_key() != mad::MKey{} || info.m_key_protect_bits() != 1)
    return confirm(port, info.m_key());
  Known& known = known_[port];
  // Only a Set can show that a protected port has no key.
  if (known.confirmed == mad::MKey{}) return;
  if (const auto stored = stored_.find(port); known.confirmed && stored != stored_.end())
    ++unseen_keys_[stored->second];
  known.confirmed.reset();
  if (!has(known.refuted, carried)) known.refuted.push_back(carried);
  any_refuted_ = true;
}

MKeys::Standing MKeys::standing(mad::Guid port) const {
  const auto known = known_.find(port);
  if (known == known_.end()) return Standing::open;
  if (known->second.confirmed) return Standing::confirmed;
  return has(known->second.refuted, key(port)) ? Standing::hidden : Standing::open;
}

bool MKeys::is_unconfirmed(mad::Guid port, mad::MKey key) const {
  const auto known = known_.find(port);
  return known != known_.end() && known->second.unconfirmed == key;
}

void MKeys::note_refusal(mad::Guid port) {
  if (const auto known = known_.find(port); known != known_.end()) known->second.refuses = true;
}

bool MKeys::refuses(mad::Guid port) const {
  const auto known = known_.find(port);
  return known != known_.end() && known->second.refuses;
}

bool MKeys::in_use() const {
  return policy_.uses_keys() || !stored_.empty() || any_key_ || any_refuted_;
}

mad::Guid MKeys::behind(mad::Guid port, mad::PortNum number) const {
  const auto found = behind_.find({port, number});
  return found == behind_.end() ? mad::Guid{} : found->second;
}

void MKeys::note_behind(mad::Guid port, mad::PortNum number, mad::Guid peer) {
  behind_[{port, number}] = peer;
}

bool MKeys::note_links(std::span<const NeighborLink> links) {
  if (behind_.size() > kLinkEndsMax) behind_.clear();
  bool is_new = false;
  const auto note = [&](mad::Guid port, mad::PortNum number, mad::Guid peer) {
    mad::Guid& known = behind_[{port, number}];
    is_new = is_new || known != peer;
    known = peer;
  };
  for (const NeighborLink& link : links.first(std::min(links.size(), kLinkEndsMax))) {
    if (link.guid == mad::Guid{} || link.peer == mad::Guid{}) continue;
    note(link.guid, link.port, link.peer);
    note(link.peer, link.peer_port, link.guid);
  }
  return is_new;
}

void MKeys::note_links_of(const MKeys& other) {
  for (const auto& [place, peer] : other.behind_) behind_[place] = peer;
}

std::vector<mad::Guid> MKeys::missing(const std::unordered_set<mad::Guid>& found) const {
  std::map<mad::Guid, std::uint64_t> seen;  // the latest sweep that had the port
  for (const auto& [place, port] : behind_)
    if (!found.contains(port)) seen.try_emplace(port, 0);
  for (const auto& [port, known] : known_) {
    const bool has_key = known.confirmed && *known.confirmed != mad::MKey{};
    if (has_key && !found.contains(port)) seen[port] = known.seen;
  }
  std::vector<mad::Guid> ports;
  ports.reserve(seen.size());
  for (const auto& [port, sweep] : seen) ports.push_back(port);
  std::ranges::sort(ports, [&](mad::Guid a, mad::Guid b) {
    return std::pair(seen.at(b), a) < std::pair(seen.at(a), b);
  });
  return ports;
}

std::vector<mad::Guid> MKeys::guesses(mad::Guid node, mad::Guid expected,
                                      std::span<const mad::Guid> missing) const {
  std::vector<mad::Guid> result;
  const auto add = [&](mad::Guid port) {
    const bool is_new = port != expected && std::ranges::find(result, port) == result.end();
    if (is_new && result.size() < mad::MKeyCandidates::kMax) result.push_back(port);
  };
  for (auto place = behind_.lower_bound({node, mad::PortNum{0}});
       place != behind_.end() && place->first.first == node; ++place)
    if (std::ranges::find(missing, place->second) != missing.end()) add(place->second);
  for (const mad::Guid port :
       missing.first(std::min(missing.size(), mad::MKeyCandidates::kMax + 1)))
    add(port);
  return result;
}

std::string MKeys::explain_own_silence() const {
  constexpr std::string_view kSilent = "does not answer SubnGet(NodeInfo)";
  constexpr std::string_view kOther = "is another program using its management queue pairs";
  const bool had_key = standing(own_port_) == Standing::confirmed;
  const bool changes = period_ != std::chrono::minutes::zero();
  if (!in_use() || protection_ < 2 || (had_key && !changes))
    return fmt::format("{}: {}{}?", kSilent, kOther,
                       in_use() && !had_key ? ", or has it an M_Key that guid2mkey lacks" : "");
  if (!changes)
    return fmt::format(
        "{} with the M_Keys that are known for it: configure the m_key or key_mgr_seed of the "
        "manager that set its key, or copy that manager's guid2mkey to {}",
        kSilent, directory_);
  return fmt::format(
      "{} with the M_Keys that follow from the clock and the files in {}, and keys change every {} "
      "minutes: {}; correct the clock, or copy key-version and guid2mkey of the manager that set "
      "its key{}",
      kSilent, directory_, period_.count(), compare_with_clock(version_on_disk_, now(), period_),
      had_key ? fmt::format("; or {}?", kOther) : std::string());
}

std::string MKeys::remedy_by_clock() const {
  if (period_ == std::chrono::minutes::zero() || !has_versions()) return {};
  return fmt::format(
      "; keys change every {} minutes: correct the clock if it is wrong, or copy "
      "key-version of the manager that set the key",
      period_.count());
}

tl::expected<void, std::string> MKeys::Files::write() const {
  if (version) {
    if (auto saved = save_key_version(directory, *version, fsync); !saved) return saved;
  }
  if (stored) {
    if (auto saved = save_guid2mkey(directory, *stored, fsync); !saved) return saved;
  }
  return next ? save_guid2mkey(directory, *next, fsync, kNextFile)
              : tl::expected<void, std::string>();
}

MKeys::Files MKeys::files() const {
  return {.directory = directory_, .fsync = fsync_, .of = contents_};
}

void MKeys::keep(Files written) {
  if (written.version) version_on_disk_ = *written.version;
  if (written.of != contents_) return;
  if (written.stored) {
    stored_ = *std::move(written.stored);
    unsaved_ = false;
  }
  if (written.next) next_ = *std::move(written.next);
}

MKeys::Files MKeys::expected(const Fabric& fabric) {
  const MKeyPolicy policy = this->policy();
  // Without M_Keys no port is looked up, which would cost a millisecond for each 7,000 ports.
  if (!policy.uses_keys() && stored_.empty() && next_.empty() && known_.size() <= kPortsMax) {
    ++sweep_;
    Files result = files();
    if (version_ != version_on_disk_) result.version = version_;
    return result;
  }
  // The number is bounded, since devices may invent GUIDs.
  if (known_.size() > kPortsMax)
    std::erase_if(known_,
                  [&](const auto& port) { return !fabric.port_of_guid.contains(port.first); });
  Guid2MKey next = next_;
  if (next.size() > kPortsMax)
    std::erase_if(next,
                  [&](const auto& port) { return !fabric.port_of_guid.contains(port.first); });
  ++sweep_;
  for (const PortIndex index : fabric.end_ports) {
    const mad::Guid port = fabric.ports[index].guid;
    const mad::MKey key = policy.key(port);
    const auto known = known_.find(port);
    if (known != known_.end()) known->second.seen = sweep_;
    const bool has_it = known != known_.end() && known->second.confirmed == key;
    if (has_it) {
      next.erase(port);
    } else if (key != mad::MKey{}) {
      next[port] = key;
    }
  }
  Files result = files();
  if (next != next_) result.next = std::move(next);
  if (version_ != version_on_disk_) result.version = version_;
  return result;
}

/// Removes entries once the file is full, and not before: this manager cannot reach a port at level
/// 2 without its key. Ports that no sweep has seen since the start come first, then those that were
/// seen least recently.
void MKeys::drop_oldest(Guid2MKey& stored, std::size_t count) {
  std::vector<std::pair<std::uint64_t, mad::Guid>> by_age;
  by_age.reserve(stored.size());
  for (const auto& [port, key] : stored) {
    const auto known = known_.find(port);
    by_age.emplace_back(known == known_.end() ? 0 : known->second.seen, port);
  }
  std::ranges::nth_element(by_age, by_age.begin() + static_cast<std::ptrdiff_t>(count));
  for (const auto& [seen, port] : std::span(by_age).first(count)) {
    const auto known = known_.find(port);
    if (known == known_.end() || !known->second.confirmed) forget_unmet(stored.at(port));
    stored.erase(port);
  }
}

Guid2MKey MKeys::stored_beyond_policy() const {
  if (!has_versions()) return stored_;
  Guid2MKey keys;
  const KeyVersion version = version_now();
  for (const auto& [port, key] : stored_) {
    const bool follows = key == policy_.with_version(version.current).key(port) ||
                         key == policy_.with_version(version.previous).key(port);
    if (!follows) keys.emplace(port, key);
  }
  return keys;
}

/// True if no port has acknowledged another key than the files have for it.
bool MKeys::all_stored() const {
  if (unsaved_ || stored_.size() > kPortsMax) return false;
  return std::ranges::none_of(known_, [&](const auto& entry) {
    const auto& [port, known] = entry;
    if (!known.confirmed) return false;
    const auto expected = next_.find(port);
    if (expected != next_.end() && expected->second == *known.confirmed) return true;
    const auto stored = stored_.find(port);
    return *known.confirmed == mad::MKey{}
               ? stored != stored_.end()
               : stored == stored_.end() || stored->second != *known.confirmed;
  });
}

MKeys::Files MKeys::acknowledged() {
  Files result = files();
  if ((!any_key_ && stored_.empty() && next_.empty() && !unsaved_) || all_stored()) return result;
  Guid2MKey stored = stored_, next = next_;
  for (const auto& [port, known] : known_) {
    if (!known.confirmed) continue;
    if (*known.confirmed == mad::MKey{}) {
      stored.erase(port);
    } else {
      stored[port] = *known.confirmed;
    }
    const auto expected = next.find(port);
    if (expected != next.end() && expected->second == *known.confirmed) next.erase(expected);
  }
  if (stored.size() > kPortsMax) drop_oldest(stored, stored.size() - kPortsMax);
  if (stored != stored_ || unsaved_) result.stored = std::move(stored);
  if (next != next_) result.next = std::move(next);
  return result;
}

}  // namespace sm
