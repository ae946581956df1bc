#include "sm/store/peers/peer_store.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "mad/format.h"
#include "sm/store/atomic_file.h"
#include "sm/store/peers/tls_transport.h"

namespace sm::peers {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kSliceEntries = 500;  // of a read: below 1 ms
constexpr std::size_t kEventsMax = 1000;    // of one answer of a watch
constexpr mad::Duration kWatchQuiet = std::chrono::seconds(5);
/// Each byte of a value may become three in a line.
constexpr std::size_t kValueBytesMax = kRecordBytesMax / 3 - 200;
/// The first read waits for so long for the copies of other managers.
constexpr mad::Duration kFirstContact = std::chrono::milliseconds(400);
/// The next commit waits for a manager that has lacked a change for less time.
constexpr mad::Duration kInStep = std::chrono::seconds(1);

constexpr std::size_t kSeenBytesMax = std::size_t{64} << 10;

tl::unexpected<StoreError> fail(StoreFault fault, std::string text) {
  return tl::unexpected(StoreError{fault, std::move(text)});
}

}  // namespace

tl::expected<std::shared_ptr<PeerStore>, std::string> PeerStore::create(mad::Runtime& runtime,
                                                                        PeerSettings settings) {
  auto transport = make_tls_transport(runtime, TlsSettings{.subnet_prefix = settings.subnet_prefix,
                                                           .secret = settings.secret,
                                                           .certificates = settings.certificates,
                                                           .listen = settings.listen});
  if (!transport) return tl::unexpected(std::move(transport.error()));
  return create(runtime, std::move(settings), std::move(*transport));
}

tl::expected<std::shared_ptr<PeerStore>, std::string> PeerStore::create(
    mad::Runtime& runtime, PeerSettings settings, std::unique_ptr<Transport> transport,
    ProtocolVersions versions) {
  auto opened = CopyFile::open(runtime, settings.file, settings.subnet_prefix, settings.fsync);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  std::string seen;
  if (settings.only_seen) {
    auto text = read_file(seen_managers_file(settings.file), kSeenBytesMax);
    if (text && *text) seen = **std::move(text);
  }
  const Self store(new PeerStore(runtime, std::move(settings), std::move(transport), versions,
                                 std::move(*opened)));
  store->seen_ = SeenManagers::parse(seen);
  store->file_->start(store, store->copy_, [raw = store.get()] {
    raw->commit_wake_.signal();
    for (const auto& reader : raw->readers_)
      if (reader->link) reader->link->wake.signal();
  });
  for (const auto& reader : store->readers_)
    asio::co_spawn(runtime.executor(), read_from(store, reader), asio::detached);
  asio::co_spawn(runtime.executor(), accept(store), asio::detached);
  store->ran_at_ = runtime.now();
  asio::co_spawn(runtime.executor(), upkeep(store), asio::detached);
  return store;
}

PeerStore::PeerStore(mad::Runtime& runtime, PeerSettings settings,
                     std::unique_ptr<Transport> transport, ProtocolVersions versions,
                     CopyFile::Opened opened)
    : runtime_(runtime),
      settings_(std::move(settings)),
      versions_(versions),
      transport_(std::move(transport)),
      file_(std::move(opened.file)),
      messages_(std::move(opened.messages)),
      copy_(std::move(opened.copy)),
      first_contact_by_(runtime.now() + kFirstContact),
      watch_wake_(runtime),
      commit_wake_(runtime),
      read_wake_(runtime),
      upkeep_wake_(runtime) {
  for (const PeerAddress& address : settings_.peers)
    readers_.push_back(std::make_shared<Reader>(runtime, address));
  for (const auto& [key, entry] : copy_.entries())
    if (!entry.words.empty())
      note_lease({.revision = entry.revision,
                  .key = key,
                  .value = entry.value,
                  .words = entry.words,
                  .is_known = entry.is_known});
  find_conflicts();
  // A lease that another process has granted is not kept here before its owner was heard.
  for (const auto& [key, lease] : leased_) ended_.insert(key);
}

PeerStore::~PeerStore() = default;

void PeerStore::stop() {
  if (std::exchange(stopped_, true)) return;
  transport_->close();
  for (const auto& link : links()) end(*link, "stopped");
  for (const auto& reader : readers_) reader->wake.signal();
  for (mad::WakeUp* const wake : {&watch_wake_, &commit_wake_, &read_wake_, &upkeep_wake_})
    wake->signal();
  file_->stop();
}

// ------------------------------------------------------------------------------------------
// The copy

std::uint32_t PeerStore::next_term() const {
  // A change with a revision below that of an earlier one would be left out.
  std::uint32_t latest = term_number(std::max(copy_.head().revision, copy_.latest()));
  for (const auto& reader : readers_)
    latest = std::max(latest, term_number(reader->theirs.head().revision));
  return latest + 1;
}

bool PeerStore::begin_term() {
  const std::uint32_t number = next_term();
  if (number > kTermMax) return false;
  do own_term_ = runtime_.random();
  while (own_term_ == 0);
  copy_.history.add({.number = number, .id = own_term_});
  return true;
}

void PeerStore::stamp(Record record) {
  Term term = copy_.history.terms().back();
  ++term.last;
  copy_.history.add(term);
  record.revision = make_revision(term.number, term.last);
  store(std::move(record));
}

void PeerStore::store(Record record) {
  note_lease(record);
  file_->add(record);
  copy_.put(std::move(record));
}

void PeerStore::changed(bool by_this_manager) {
  file_->changed();
  watch_wake_.signal();
  for (const auto& session : sessions_) {
    if (!session->behind_since && !is_current(*session)) session->behind_since = runtime_.now();
    // Another manager's changes reach most readers from itself; check_links() sends them to the
    // others.
    if (by_this_manager) session->link->wake.signal();
  }
}

StoreRevision PeerStore::guard_revision(const std::string& key) const {
  const StoreCopy::Entry* const entry = copy_.find(key);
  return entry == nullptr || (!entry->value && entry->is_known) || has_ended(key) ? 0
                                                                                  : entry->revision;
}

asio::awaitable<StoreResult<StoreRevision>> PeerStore::commit(StoreGuard guard,
                                                              std::vector<StoreChange> changes) {
  const Self self = shared_from_this();
  if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
  if (guard_revision(guard.key) != guard.revision)
    co_return fail(StoreFault::fenced, "another manager has claimed the store");
  std::vector<Record> records;
  bool claims = false;
  for (StoreChange& change : changes) {
    claims |= change.key == guard.key;
    Record record{.revision = make_revision(kTermMax, 1),
                  .key = std::move(change.key),
                  .value = std::move(change.value)};
    if (const auto lease = leases_.find(change.lease); lease != leases_.end()) {
      record.words = fmt::format("lease={:x}:{:x}:{:x}", lease->first, lease->second.life.count(),
                                 lease->second.owner.value);
    } else if (change.lease != 0) {
      co_return fail(StoreFault::malformed, "the lease of a change has ended");
    }
    const std::size_t bytes = record.key.size() + (record.value ? record.value->size() : 0);
    if (bytes > kValueBytesMax)
      co_return fail(StoreFault::refused, fmt::format("the value of {} is too long", record.key));
    records.push_back(std::move(record));
  }
  if ((claims || !is_writer() || sequence_number(copy_.head().revision) > 0xFFFF0000) &&
      !begin_term())
    co_return fail(StoreFault::refused, "the store has no more terms");
  for (const std::string& key : std::exchange(ended_, {})) stamp({.key = key});
  for (Record& record : records) stamp(std::move(record));
  const StoreRevision made = copy_.head().revision;
  std::vector<std::shared_ptr<Session>> waited_for;
  for (const auto& session : sessions_) {
    const bool is_in_step =
        !session->behind_since || runtime_.now() - *session->behind_since < kInStep;
    // A manager that leads, too, keeps these changes aside.
    const bool leads = leading_ && session->link->leader == session->link->port;
    if (session->is_served && is_in_step && !session->is_slow && !leads)
      waited_for.push_back(session);
  }
  changed(true);
  auto outcome = co_await wait_for_copies(made, std::move(waited_for));
  committed_ = made;
  co_return outcome;
}

asio::awaitable<StoreResult<StoreRevision>> PeerStore::wait_for_copies(
    StoreRevision made, std::vector<std::shared_ptr<Session>> sessions) {
  const mad::TimePoint deadline = runtime_.now() + kCommitWait;
  const auto is_pending = [made](const std::shared_ptr<Session>& session) {
    return !session->link->has_ended && session->acknowledged.revision < made;
  };
  while (!stopped_ && runtime_.now() < deadline && file_->fault().empty() &&
         (file_->written().revision < made || std::ranges::any_of(sessions, is_pending)))
    co_await commit_wake_.wait_until(deadline);
  if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
  for (const auto& session : sessions) session->is_slow |= is_pending(session);
  if (file_->written().revision >= made) co_return made;
  co_return file_->fault().empty()
      ? fail(StoreFault::unreachable, settings_.file.string() + ": the disk is slow")
      : fail(StoreFault::full, file_->fault());
}

asio::awaitable<StoreResult<StoreContent>> PeerStore::read(std::string prefix) {
  const Self self = shared_from_this();
  const auto is_known = [](const std::shared_ptr<Reader>& reader) { return reader->was_tried; };
  while (!stopped_ && runtime_.now() < first_contact_by_ &&
         !std::ranges::all_of(readers_, is_known))
    co_await read_wake_.wait_until(first_contact_by_);
  for (;;) {
    // Changes while the entries are collected have later revisions, which a watch returns.
    StoreContent content{.entries = {}, .revision = copy_.head().revision};
    const unsigned replaced = copies_replaced_;
    std::string first = prefix;
    bool has_more = true;
    while (has_more && !stopped_ && replaced == copies_replaced_) {
      std::size_t count = 0;
      auto at = copy_.entries().lower_bound(first);
      for (; at != copy_.entries().end() && at->first.starts_with(prefix); ++at) {
        if (++count > kSliceEntries) break;
        if (at->second.value && !has_ended(at->first))
          content.entries.push_back({at->first, *at->second.value, at->second.revision,
                                     merged_.contains(at->second.revision)});
      }
      has_more = count > kSliceEntries;
      if (has_more) first = at->first;
      if (has_more) co_await asio::post(runtime_.executor(), asio::use_awaitable);
    }
    if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
    if (replaced == copies_replaced_) co_return content;
  }
}

asio::awaitable<StoreResult<StoreEvents>> PeerStore::watch(std::string prefix,
                                                           StoreRevision after) {
  const Self self = shared_from_this();
  const mad::TimePoint end = runtime_.now() + kWatchQuiet;
  for (;;) {
    if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
    const StoreRevision now = copy_.head().revision;
    if (after < watch_floor_ || after > now || (after < now && !copy_.reaches_back_to(after)))
      co_return fail(StoreFault::compacted, "the copy of the store was replaced");
    StoreEvents out{.events = {}, .revision = after};
    for (StoreEvent& event : std::exchange(lease_events_, {}))
      if (event.key.starts_with(prefix) && event.revision <= after)
        out.events.push_back(std::move(event));
    if (!out.events.empty()) co_return note_more(std::move(out));
    std::vector<Record> records = copy_.after(after, kEventsMax);
    out.revision = copy_.head().revision;
    if (!records.empty() && copy_.count_after(records.back().revision, 1) > 0)
      out.revision = std::min(out.revision, records.back().revision);
    std::erase_if(records, [&](const Record& record) { return record.revision > out.revision; });
    for (Record& record : records) {
      if (!record.is_known || !record.key.starts_with(prefix)) continue;
      if (has_ended(record.key)) record.value.reset();
      out.events.push_back({.key = std::move(record.key),
                            .value = std::move(record.value),
                            .revision = record.revision,
                            .merged = merged_.contains(record.revision)});
    }
    const bool merge_has_ended = watch_has_more_ && !is_merging_;
    if (!records.empty() || out.revision > after || merge_has_ended || runtime_.now() >= end)
      co_return note_more(std::move(out));
    co_await watch_wake_.wait_until(end);
  }
}

StoreEvents PeerStore::note_more(StoreEvents events) {
  // Records above the head are not shown: they belong to a history that was lost, or to a branch
  // that is being taken.
  watch_has_more_ = is_merging_ || (events.revision < copy_.head().revision &&
                                    copy_.count_after(events.revision, 1) > 0);
  events.more = watch_has_more_;
  return events;
}

// ------------------------------------------------------------------------------------------
// Status

std::optional<StoreCopies> PeerStore::copies() const {
  StoreCopies out;
  out.configured = static_cast<unsigned>(std::ranges::count_if(
      readers_, [](const std::shared_ptr<Reader>& reader) { return !reader->is_itself; }));
  for (const auto& session : sessions_) {
    if (!session->is_served || session->link->has_ended) continue;
    ++out.connected;
    const Position& has = session->acknowledged;
    const bool has_commits =
        is_writer() && has.revision >= committed_ && copy_.history.contains(has);
    if (has_commits || is_current(*session)) ++out.current;
  }
  return out;
}

void PeerStore::set_leading(bool leading) {
  if (leading_ == leading) return;
  leading_ = leading;
  for (const auto& link : links()) {
    link->must_send_status = true;
    link->wake.signal();
  }
  merge_if_possible();
}

void PeerStore::set_known_managers(const std::set<mad::Guid>& ports) {
  if (!seen_.add(ports) || !settings_.only_seen) return;
  // A file that cannot be written is no more than a later start that waits for a survey.
  runtime_.run_aside(
      [path = seen_managers_file(settings_.file), text = seen_.text(), fsync = settings_.fsync] {
        static_cast<void>(write_file_atomically(path, text, fsync, 0600));
      },
      [] {});
  for (const auto& reader : readers_) connect_again(*reader);
}

void PeerStore::connect_again(Reader& reader) {
  if (reader.link && !reader.link->has_ended) return;
  reader.must_connect = true;
  reader.pause.reset();
  reader.wake.signal();
}

void PeerStore::add_behind(StorePeer& peer, const Session& session) const {
  constexpr std::size_t kCountMax = 10'000;
  if (!session.is_served || is_current(session)) return;
  peer.behind_records = copy_.count_after(
      copy_.history.contains(session.acknowledged) ? session.acknowledged.revision : 0, kCountMax);
  if (session.behind_since) peer.behind = runtime_.now() - *session.behind_since;
}

std::optional<mad::TimePoint> PeerStore::copied_at(mad::Guid port) const {
  const auto at = copied_.find(port);
  return at == copied_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<StorePeer> PeerStore::peers() const {
  std::vector<StorePeer> out;
  std::set<mad::Guid> known;
  for (const auto& reader : readers_) {
    if (reader->is_itself) continue;
    StorePeer peer{.address = to_text(reader->address),
                   .port_guid = reader->port,
                   .connected = reader->link && reader->link->port != mad::Guid{},
                   .why_not = reader->why_not};
    if (peer.port_guid != mad::Guid{}) {
      known.insert(peer.port_guid);
      for (const auto& session : sessions_)
        if (session->link->port == peer.port_guid) add_behind(peer, *session);
    }
    out.push_back(std::move(peer));
  }
  for (const auto& session : sessions_) {
    if (known.contains(session->link->port) || !session->is_served) continue;
    StorePeer peer{.address = session->link->stream->remote(),
                   .is_configured = false,
                   .port_guid = session->link->port,
                   .connected = true};
    add_behind(peer, *session);
    out.push_back(std::move(peer));
  }
  for (const auto& [who, refusal] : refused_)
    out.push_back({.address = who, .is_configured = false, .why_not = refusal.why});
  return out;
}

std::uint64_t PeerStore::bytes_moved() const {
  std::uint64_t bytes = bytes_ended_;
  for (const auto& link : links()) bytes += link->bytes;
  return bytes;
}

}  // namespace sm::peers
