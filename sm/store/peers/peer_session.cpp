// A PeerStore serves its copy to other managers here.

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
constexpr std::size_t kRefusedMax = 8;
constexpr mad::Duration kAcceptPause = std::chrono::milliseconds(10);
}  // namespace

asio::awaitable<void> PeerStore::accept(Self self) {
  PeerStore& store = *self;
  mad::WakeUp pause(store.runtime_);
  while (!store.stopped_) {
    auto stream = co_await store.transport_->accept();
    if (store.stopped_) break;
    if (!stream) {
      // The text begins with the other end's address.
      const std::size_t end = std::min(stream.error().find(": "), stream.error().size());
      store.refused(stream.error().substr(0, end),
                    stream.error().substr(std::min(end + 2, stream.error().size())));
      co_await pause.wait_until(store.runtime_.now() + kAcceptPause);
    } else if (store.sessions_.size() >= kSessionsMax) {
      auto session =
          std::make_shared<Session>(std::make_shared<Link>(store.runtime_, std::move(*stream)));
      session->refusal = "too many managers are connected";
      store.refused(session->link->stream->remote(), session->refusal);
      asio::co_spawn(store.runtime_.executor(), send_from_session(self, std::move(session)),
                     asio::detached);
    } else {
      auto session =
          std::make_shared<Session>(std::make_shared<Link>(store.runtime_, std::move(*stream)));
      session->link->must_send_hello = false;
      store.sessions_.push_back(session);
      asio::co_spawn(store.runtime_.executor(), serve(self, std::move(session)), asio::detached);
    }
  }
}

void PeerStore::refused(std::string who, std::string why) {
  if (refused_.size() >= kRefusedMax && !refused_.contains(who)) {
    refused_.erase(std::ranges::min_element(refused_, {},
                                            [](const auto& refusal) { return refusal.second.at; }));
  }
  refused_.insert_or_assign(std::move(who), Refused{std::move(why), runtime_.now()});
}

asio::awaitable<void> PeerStore::serve(Self self, std::shared_ptr<Session> session) {
  PeerStore& store = *self;
  const std::shared_ptr<Link> link = session->link;
  asio::co_spawn(store.runtime_.executor(), send_from_session(self, session), asio::detached);
  std::string why, ended;
  while (why.empty()) {
    auto bytes = co_await link->stream->read();
    if (!bytes) ended = bytes.error();
    if (!bytes || link->has_ended) break;
    link->bytes += bytes->size();
    store.heard(*link, link->port);
    link->frames.append(*bytes);
    for (unsigned count = 1; why.empty() && !link->has_ended; ++count) {
      if (count % kFramesOfTurn == 0)
        co_await asio::post(store.runtime_.executor(), asio::use_awaitable);
      auto frame = link->frames.next();
      if (!frame) why = frame.error();
      if (!frame || !*frame) break;
      auto message = parse_message(**frame);
      why = message ? store.take(*session, std::move(*message)) : message.error();
    }
  }
  // Readers say why a peer is not connected; here, only what it must not do is named.
  if (!why.empty() || (!link->has_ended && !session->is_served))
    store.refused(link->stream->remote(), why.empty() ? ended : why);
  store.end(*link, why.empty() ? ended : why);
  store.bytes_ended_ += link->bytes;
  std::erase(store.sessions_, session);
}

std::string PeerStore::take(Session& session, Message message) {
  Link& link = *session.link;
  if (auto* const hello = std::get_if<Hello>(&message)) {
    if (session.is_served) return "a second hello";
    link.must_send_hello = true;
    link.wake.signal();
    if (std::string why = fault(*hello); !why.empty()) {
      // A manager of another subnet that looks for its own one is not worth a condition.
      if (hello->port != settings_.port_guid && why_foreign(hello->port).empty())
        refused(link.stream->remote(), why);
      session.refusal = std::move(why);
      return "";
    }
    for (const auto& other : sessions_)
      if (other->link->port == hello->port) end(*other->link, "it has connected again");
    link.port = hello->port;
    link.leader = hello->leader;
    heard(link, link.port);
    session.is_served = true;
    session.cursor = copy_.history.common(hello->history).revision;
    const bool has_copy = hello->lost || !hello->history.terms().empty();
    if (has_copy && (hello->lost || !copy_.reaches_back_to(session.cursor))) {
      session.begins_full = session.sends_all = true;
      session.cursor = 0;
    }
    // It acknowledges what its file has.
    if (!is_current(session)) session.behind_since = runtime_.now();
    // This manager may have refused or missed the other one until now.
    for (const auto& reader : readers_)
      if (reader->port == hello->port) connect_again(*reader);
  } else if (const auto* const status = std::get_if<Status>(&message)) {
    // It applies what it has kept aside when it hears of this manager again.
    link.must_send_status |= link.leader != status->leader;
    link.leader = status->leader;
    if (link.must_send_status) link.wake.signal();
  } else if (const auto* const acknowledgement = std::get_if<Acknowledgement>(&message)) {
    session.acknowledged = acknowledgement->position;
    if (is_current(session)) {
      session.behind_since.reset();
      session.is_slow = false;
    } else if (session.acknowledged.revision >= at_heartbeat_ &&
               copy_.history.contains(session.acknowledged)) {
      // While changes go on without a pause, it is never at the latest one.
      session.behind_since = runtime_.now();
      session.is_slow = false;
    }
    commit_wake_.signal();
  }
  return "";
}

bool PeerStore::is_current(const Session& session) const {
  return session.is_served && session.acknowledged == copy_.head();
}

asio::awaitable<void> PeerStore::send_from_session(Self self, std::shared_ptr<Session> session) {
  PeerStore& store = *self;
  const std::shared_ptr<Link> link = session->link;
  while (!link->has_ended) {
    std::string out;
    if (std::exchange(link->must_send_hello, false)) out += to_frame(store.make_hello());
    if (std::exchange(link->must_send_status, false) && session->is_served)
      out += to_frame(Status{store.leader()});
    if (session->is_served) out += store.next_batch(*session);
    if (!session->refusal.empty()) {
      session->has_said_end = true;  // after the hello, by which the other manager knows, too
      out += to_frame(Refusal{.why = std::exchange(session->refusal, {})});
    }
    if (out.empty()) {
      co_await link->wake.wait_until(mad::TimePoint::max());
      continue;
    }
    link->bytes += out.size();
    const bool was_sent = co_await link->stream->write(std::move(out));
    if (!was_sent || session->has_said_end) store.end(*link, "the connection ended");
  }
}

/// Returns the frame of the next records that the reader lacks; "" if it lacks nothing.
std::string PeerStore::next_batch(Session& session) {
  const Position head = copy_.head();
  const auto pass_over = [&](const Position& known) {
    if (!session.sends_all && known.revision > session.cursor && copy_.history.contains(known))
      session.cursor = known.revision;
  };
  const bool is_first = !session.history_sent;
  if (!is_first) {
    pass_over(session.acknowledged);
    for (const auto& reader : readers_)
      if (reader->link && reader->link->port == session.link->port) pass_over(reader->at);
  }
  if (!is_first && session.cursor >= head.revision) return "";
  Batch batch{.begins_full = std::exchange(session.begins_full, false)};
  batch.records = copy_.after(session.cursor, kBatchRecords, kBatchBytes);
  // While another branch is taken, its records are ahead of the history.
  std::erase_if(batch.records, [&](const Record& r) { return r.revision > head.revision; });
  batch.at = batch.records.empty() ? head.revision : batch.records.back().revision;
  batch.has_more = batch.at < head.revision && copy_.count_after(batch.at, 1) > 0;
  if (!batch.has_more) batch.at = head.revision;
  if (session.history_sent != copy_.history) batch.history = session.history_sent = copy_.history;
  session.cursor = batch.at;
  session.sends_all &= batch.has_more;
  return to_frame(std::move(batch));
}

}  // namespace sm::peers
