// A PeerStore reads the copies of other managers here.

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "mad/format.h"
#include "sm/store/peers/peer_store.h"

namespace sm::peers {
namespace asio = boost::asio;

namespace {
/// Nothing listens at a port of a host that answers. Other reasons say more.
constexpr std::string_view kNotConnected = "connect: ";
constexpr mad::Duration kNoAnswer = std::chrono::seconds(1);
}  // namespace

asio::awaitable<void> PeerStore::read_from(Self self, std::shared_ptr<Reader> reader) {
  PeerStore& store = *self;
  while (!store.stopped_) {
    std::string why = co_await try_ports(self, reader);
    reader->why_not = std::move(why);
    reader->was_tried = true;
    store.read_wake_.signal();
    const mad::TimePoint next = store.runtime_.now() + reader->pause.next();
    while (!store.stopped_ && store.runtime_.now() < next &&
           !std::exchange(reader->must_connect, false))
      co_await reader->wake.wait_until(next);
  }
}

/// Tries the ports of the address in turn until a manager of this subnet answers, and reads until
/// the connection ends. Returns why it did, or the reason that says most. A host that does not
/// answer at one port is not asked at the others.
asio::awaitable<std::string> PeerStore::try_ports(Self self, std::shared_ptr<Reader> reader) {
  PeerStore& store = *self;
  std::string best;
  bool is_itself = false;
  for (unsigned tried = 0; tried < reader->address.ports && !store.stopped_; ++tried) {
    const mad::TimePoint began = store.runtime_.now();
    std::string why = co_await follow(self, reader);
    bool was_right = false;
    if (reader->link) {
      store.end(*reader->link, why);
      store.bytes_ended_ += reader->link->bytes;
      why = reader->link->why;
      was_right = reader->link->port != mad::Guid{};
      is_itself |= reader->link->is_own;
    }
    reader->link.reset();
    reader->branch.reset();
    reader->is_complete = reader->receives_all = false;
    if (was_right) co_return why;
    const bool was_refused = why.starts_with(kNotConnected);
    const bool is_away = was_refused && store.runtime_.now() - began >= kNoAnswer;
    if (best.empty() || (best.starts_with(kNotConnected) && !was_refused)) best = std::move(why);
    if (is_away) break;
    reader->place = (reader->place + 1) % reader->address.ports;
  }
  reader->is_itself = is_itself;
  co_return best;
}

/// Connects, and reads until the connection ends. Returns why it did.
asio::awaitable<std::string> PeerStore::follow(Self self, std::shared_ptr<Reader> reader) {
  PeerStore& store = *self;
  PeerAddress address = at_port(reader->address, reader->place);
  auto connected = co_await store.transport_->connect(std::move(address));
  if (!connected) co_return connected.error();
  const auto link = std::make_shared<Link>(store.runtime_, std::move(*connected));
  reader->link = link;
  reader->acknowledged = {};
  if (store.stopped_) co_return "stopped";
  asio::co_spawn(store.runtime_.executor(), send_from_reader(self, reader, link), asio::detached);
  for (;;) {
    auto bytes = co_await link->stream->read();
    if (!bytes) co_return bytes.error();
    if (link->has_ended || store.stopped_) co_return "stopped";
    link->bytes += bytes->size();
    store.heard(*link, link->port);
    link->frames.append(*bytes);
    for (unsigned count = 1;; ++count) {
      if (count % kFramesOfTurn == 0)
        co_await asio::post(store.runtime_.executor(), asio::use_awaitable);
      if (link->has_ended || store.stopped_) co_return "stopped";
      auto frame = link->frames.next();
      if (!frame) co_return frame.error();
      if (!*frame) break;
      auto message = parse_message(**frame);
      if (!message) co_return message.error();
      std::string why = store.take(*reader, std::move(*message));
      if (!why.empty()) co_return why;
    }
    co_await store.apply_branch(*reader);
    store.merge_if_possible();
    if (reader->is_complete && reader->link == link && !reader->branch)
      store.copied_[link->port] = store.runtime_.now();
  }
}

/// Takes the other branch, in slices, once the other manager has merged this one into it, or if
/// this one has changed nothing since.
asio::awaitable<void> PeerStore::apply_branch(Reader& reader) {
  const auto is_later = [&] {
    return reader.branch && !reader.receives_all && !is_merging_ &&
           reader.theirs.until(reader.at.revision).contains(copy_.head());
  };
  if ((leading_ && is_writer()) || !is_later()) co_return;
  if (reader.branch_is_full) {
    replace_copy(*std::exchange(reader.branch, std::nullopt),
                 reader.theirs.until(reader.at.revision));
    reader.why_not.clear();
    co_return;
  }
  for (StoreRevision cursor = 0; is_later();) {
    std::vector<Record> slice = reader.branch->after(cursor, kBatchRecords);
    if (slice.empty()) {
      apply(reader.theirs.until(reader.at.revision), {});
      reader.branch.reset();
      reader.why_not.clear();
      break;
    }
    cursor = slice.back().revision;
    for (Record& record : slice) store(std::move(record));
    co_await asio::post(runtime_.executor(), asio::use_awaitable);
  }
}

asio::awaitable<void> PeerStore::send_from_reader(Self self, std::shared_ptr<Reader> reader,
                                                  std::shared_ptr<Link> link) {
  PeerStore& store = *self;
  while (!link->has_ended) {
    std::string out;
    if (std::exchange(link->must_send_hello, false)) out += to_frame(store.make_hello());
    if (std::exchange(link->must_send_status, false)) out += to_frame(Status{store.leader()});
    const Position written = store.file_->written();
    if (link->port != mad::Guid{} && written != reader->acknowledged) {
      reader->acknowledged = written;
      out += to_frame(Acknowledgement{written});
    }
    if (out.empty()) {
      co_await link->wake.wait_until(mad::TimePoint::max());
      continue;
    }
    link->bytes += out.size();
    const bool was_sent = co_await link->stream->write(std::move(out));
    if (!was_sent) store.end(*link, "the connection ended");
  }
}

/// Returns why the connection must end; "" if it need not.
std::string PeerStore::take(Reader& reader, Message message) {
  Link& link = *reader.link;
  if (auto* const hello = std::get_if<Hello>(&message)) {
    if (link.port != mad::Guid{}) return "a second hello";
    reader.is_itself = link.is_own = hello->port == settings_.port_guid;
    if (std::string why = fault(*hello); !why.empty()) return why;
    link.port = reader.port = hello->port;
    link.leader = hello->leader;
    reader.theirs = {};
    reader.at = {};
    reader.has_batch = reader.begins_copy = false;
    heard(link, link.port);
    link.wake.signal();
  } else if (const auto* const refusal = std::get_if<Refusal>(&message)) {
    return "it refuses: " + refusal->why;
  } else if (const auto* const status = std::get_if<Status>(&message)) {
    link.leader = status->leader;
  } else if (auto* const batch = std::get_if<Batch>(&message)) {
    if (link.port == mad::Guid{}) return "a batch before the hello";
    return take_batch(reader, std::move(*batch));
  }
  return "";
}

std::string PeerStore::take_batch(Reader& reader, Batch batch) {
  if (batch.history) reader.theirs = std::move(*batch.history);
  const TermHistory theirs = reader.theirs.until(batch.at);
  const Position at = theirs.head();
  if (at.revision != batch.at || batch.at < reader.at.revision)
    return "a batch does not follow the one before";
  reader.at = at;
  reader.is_complete = !batch.has_more;
  if (!std::exchange(reader.has_batch, true))
    reader.begins_copy = copy_.head().revision == 0 && at.revision > 0;
  if (batch.begins_full) {
    reader.branch.emplace();
    reader.branch_is_full = reader.receives_all = true;
  }
  // A manager that leads and has claimed the store takes no successors of its claim: those are of
  // another manager that leads, too, and are merged when one of both follows.
  const bool is_known = copy_.history.contains(at),
             is_later = theirs.contains(copy_.head()) && !(leading_ && is_writer());
  if (!reader.receives_all && is_known) {
    reader.branch.reset();
  } else if (!reader.receives_all && is_later && !reader.branch) {
    apply(theirs, std::move(batch.records));
  } else {
    if (!reader.branch) {
      reader.branch.emplace();
      reader.branch_is_full = false;
    }
    for (Record& record : batch.records) reader.branch->put(std::move(record));
    const bool is_whole =
        std::exchange(reader.receives_all, !reader.is_complete) && reader.is_complete;
    if (is_whole && is_known && !file_->is_lost())
      reader.branch.reset();
    else if (is_whole && is_later)
      replace_copy(*std::exchange(reader.branch, std::nullopt), theirs);
  }
  if (!reader.is_complete) return "";
  // Deletions that the server has forgotten are not known here either.
  if (std::exchange(reader.begins_copy, false) && copy_.history.contains(at))
    set_forgotten(at.revision);
  reader.was_tried = true;
  reader.pause.reset();
  reader.why_not.clear();
  if (reader.branch)
    reader.why_not = merge_fault_.empty()
                         ? "its changes and those of this manager differ since both led"
                         : merge_fault_;
  read_wake_.signal();
  return "";
}

void PeerStore::apply(const TermHistory& theirs, std::vector<Record> records) {
  for (Record& record : records) store(std::move(record));
  copy_.history = theirs;
  changed(false);
}

/// Copies that are older than this revision cannot be brought up to date by single records.
void PeerStore::set_forgotten(StoreRevision revision) {
  copy_.set_forgotten(revision);
  file_->add_forgotten();
  for (const auto& session : sessions_)
    if (const StoreRevision has = session->acknowledged.revision;
        has > 0 && !copy_.reaches_back_to(has))
      end(*session->link, "it needs a full copy");
}

void PeerStore::replace_copy(StoreCopy fresh, const TermHistory& theirs) {
  auto old = std::make_shared<StoreCopy>(std::exchange(copy_, std::move(fresh)));
  runtime_.run_aside([old]() mutable { old.reset(); }, [] {});
  old.reset();
  copy_.history = theirs;
  copy_.set_forgotten(theirs.head().revision);
  leased_.clear();
  ended_.clear();
  for (const auto& [key, entry] : copy_.entries())
    if (!entry.words.empty())
      note_lease({.revision = entry.revision,
                  .key = key,
                  .value = entry.value,
                  .words = entry.words,
                  .is_known = entry.is_known});
  watch_floor_ = copy_.head().revision;
  ++copies_replaced_;
  file_->replace();
  for (const auto& session : sessions_) end(*session->link, "the copy was replaced");
  changed(false);
}

}  // namespace sm::peers
