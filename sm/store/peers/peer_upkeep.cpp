// Every second a PeerStore checks its connections and leases here.

#include <algorithm>
#include <utility>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/peers/peer_store.h"

namespace sm::peers {
namespace asio = boost::asio;

namespace {

constexpr mad::Duration kRefusalShown = std::chrono::minutes(1);
constexpr std::string_view kLeaseWord = "lease=";

struct LeaseWords {
  StoreLease lease = 0;
  mad::Guid owner{};
  std::chrono::seconds life{};
};

std::optional<LeaseWords> parse_lease(std::string_view words) {
  std::string_view word = take_word(words);
  if (!word.starts_with(kLeaseWord)) return std::nullopt;
  word.remove_prefix(kLeaseWord.size());
  constexpr std::uint64_t kLifeMax = 86400;
  const auto lease = mad::take_number(word, 16);
  if (!lease || !word.starts_with(':')) return std::nullopt;
  word.remove_prefix(1);
  const auto life = mad::take_number(word, 16);
  if (!life || *life > kLifeMax || !word.starts_with(':')) return std::nullopt;
  const auto owner = mad::parse_number(word.substr(1), 16);
  if (!owner) return std::nullopt;
  return LeaseWords{.lease = static_cast<StoreLease>(*lease),
                    .owner = {*owner},
                    .life = std::chrono::seconds(*life)};
}

}  // namespace

asio::awaitable<void> PeerStore::upkeep(Self self) {
  PeerStore& store = *self;
  while (!store.stopped_) {
    store.ran_at_ = store.runtime_.now();
    store.check_links();
    store.check_leases();
    store.merge_if_possible();
    std::erase_if(store.refused_, [&](const auto& refusal) {
      return store.runtime_.now() - refusal.second.at > kRefusalShown;
    });
    co_await store.upkeep_wake_.wait_until(store.runtime_.now() + kHeartbeat);
  }
}

void PeerStore::check_links() {
  at_heartbeat_ = copy_.head().revision;
  for (const auto& link : links()) {
    if (runtime_.now() - link->heard_at >= kSilence) {
      end(*link, "it has been silent for 3 s");
    } else {
      link->must_send_status = true;
      link->wake.signal();
    }
  }
}

std::vector<std::shared_ptr<PeerStore::Link>> PeerStore::links() const {
  std::vector<std::shared_ptr<Link>> out;
  for (const auto& reader : readers_)
    if (reader->link) out.push_back(reader->link);
  for (const auto& session : sessions_) out.push_back(session->link);
  return out;
}

mad::Guid PeerStore::leader() const {
  if (leading_) return settings_.port_guid;
  for (const auto& link : links())
    if (link->port != mad::Guid{} && link->leader == link->port) return link->leader;
  return {};
}

Hello PeerStore::make_hello() const {
  return {.versions = versions_,
          .subnet_prefix = settings_.subnet_prefix,
          .port = settings_.port_guid,
          .leader = leader(),
          .lost = file_->is_lost(),
          .history = copy_.history};
}

std::string PeerStore::fault(const Hello& hello) const {
  if (!agree(versions_, hello.versions))
    return fmt::format("it uses versions {} to {} of the protocol, this manager {} to {}",
                       hello.versions.oldest, hello.versions.newest, versions_.oldest,
                       versions_.newest);
  if (hello.port == settings_.port_guid) return "the address is this manager's own";
  if (hello.port == mad::Guid{}) return "it does not say its port GUID";
  if (hello.subnet_prefix != settings_.subnet_prefix)
    return fmt::format("it manages the subnet {:#x}, this manager {:#x}", hello.subnet_prefix,
                       settings_.subnet_prefix);
  return why_foreign(hello.port);
}

std::string PeerStore::why_foreign(mad::Guid port) const {
  if (!settings_.only_seen || seen_.has(port)) return "";
  if (seen_.is_empty())
    return fmt::format(
        "it is the manager of the port {}, and this manager has not found another "
        "one in its subnet yet",
        port);
  return fmt::format(
      "the port {} was never found to have a subnet manager in this subnet; if it is "
      "in another one, give the subnets prefixes that differ",
      port);
}

/// Data that waited in the socket of a process that was suspended says nothing about now.
void PeerStore::heard(Link& link, mad::Guid port) {
  if (runtime_.now() - ran_at_ >= kStall) return end(link, "this manager was suspended");
  link.heard_at = runtime_.now();
  if (port != mad::Guid{}) heard_[port] = link.heard_at;
}

void PeerStore::end(Link& link, std::string why) {
  if (std::exchange(link.has_ended, true)) return;
  link.why = std::move(why);
  link.stream->close();
  link.wake.signal();
  commit_wake_.signal();
}

// ------------------------------------------------------------------------------------------
// Leases

asio::awaitable<StoreResult<StoreLease>> PeerStore::grant(std::chrono::seconds life) {
  StoreLease lease = 0;
  do lease = static_cast<StoreLease>(runtime_.random() >> 1);
  while (lease == 0 || leases_.contains(lease));
  leases_[lease] = {.owner = settings_.port_guid, .life = life, .ends = runtime_.now() + life};
  co_return lease;
}

asio::awaitable<StoreResult<bool>> PeerStore::keep_alive(StoreLease lease) {
  const auto found = leases_.find(lease);
  if (found == leases_.end() || found->second.ends <= runtime_.now()) co_return false;
  found->second.ends = runtime_.now() + found->second.life;
  co_return true;
}

void PeerStore::note_lease(const Record& record) {
  if (record.words.empty() && leased_.empty()) return;
  const auto words = record.is_known && record.value ? parse_lease(record.words) : std::nullopt;
  ended_.erase(record.key);
  if (!words) {
    leased_.erase(record.key);
    return;
  }
  leased_.insert_or_assign(
      record.key, std::pair(words->lease, Lease{.owner = words->owner, .life = words->life}));
}

void PeerStore::check_leases() {
  const mad::TimePoint now = runtime_.now();
  std::erase_if(leases_, [&](const auto& lease) { return lease.second.ends <= now; });
  std::vector<std::string> over;
  for (const auto& [key, given] : leased_) {
    const auto& [lease, terms] = given;
    const auto heard = heard_.find(terms.owner);
    const bool is_over = terms.owner == settings_.port_guid
                             ? !leases_.contains(lease)
                             : heard == heard_.end() || now - heard->second >= terms.life;
    const StoreCopy::Entry* const entry = copy_.find(key);
    if (entry == nullptr) continue;
    if (is_over && is_writer()) {
      over.push_back(key);
    } else if (is_over && ended_.insert(key).second) {
      lease_events_.push_back({.key = key, .value = {}, .revision = entry->revision});
    } else if (!is_over && ended_.erase(key) > 0) {
      lease_events_.push_back({.key = key, .value = entry->value, .revision = entry->revision});
    }
  }
  for (const std::string& key : over) stamp({.key = key});
  if (!over.empty()) changed(true);
  if (!lease_events_.empty()) watch_wake_.signal();
}

}  // namespace sm::peers
