#include "sm/sa/transfers.h"

#include <algorithm>

namespace sa {
namespace {

constexpr mad::Field kTransactionId =
    mad::find_field(mad::MadHeaderFields::kFields, "TransactionID");
constexpr std::size_t kSpareBytesMax =
    std::size_t{4} << 20;  // a spare transfer that sent more than this does not keep its memory
/// A stream that has more than this takes nothing: its requester may acknowledge only at the end of
/// its window.
constexpr std::size_t kEnoughBytes = mad::RmppSender::kWindowMax * mad::kRmppPayloadBytes;
static_assert(kEnoughBytes < Transfers::kAheadBytes);
/// A segment has left the port's buffers after this time, whether or not it is acknowledged:
/// receivers acknowledge only the last segment of a window, and some receivers are dead.
constexpr mad::Duration kSegmentLeaves = std::chrono::milliseconds(5);

}  // namespace

bool Assemblies::Assembly::has_ended() const {
  return rmpp.state() == mad::RmppReceiver::State::complete ||
         rmpp.state() == mad::RmppReceiver::State::failed;
}

/// Makes room for one more request, or returns false.
bool Assemblies::make_room(const Client& requester, mad::TimePoint now) {
  InUse in_use;
  std::size_t of_port = 0;  // including those that have ended
  auto ended = all_.end(), ended_of_port = all_.end();
  const auto keep_older = [this](All::iterator& oldest, All::iterator at) {
    if (oldest == all_.end() || at->second.began < oldest->second.began) oldest = at;
  };
  for (auto at = all_.begin(); at != all_.end(); ++at) {
    const bool is_of_port = at->second.requester.port == requester.port;
    of_port += is_of_port ? 1u : 0u;
    if (at->second.has_ended()) {
      keep_older(ended, at);
      if (is_of_port) keep_older(ended_of_port, at);
      continue;
    }
    ++in_use.all;
    in_use.port += is_of_port ? 1u : 0u;
    in_use.own += at->second.requester == requester ? 1u : 0u;
  }
  const Admission decision = admission(kLimits, requester, in_use);
  if (decision == Admission::refused) return false;
  if (decision == Admission::full) return displace(requester, now);
  if (of_port >= kLimits.per_port)
    all_.erase(ended_of_port);
  else if (all_.size() >= kLimits.total)
    all_.erase(ended);
  return true;
}

/// Drops an unfinished request of a port that has more. Returns false if there is none.
bool Assemblies::displace(const Client& requester, mad::TimePoint now) {
  std::vector<Holding> holdings;
  std::vector<All::iterator> places;
  for (auto at = all_.begin(); at != all_.end(); ++at) {
    if (at->second.has_ended()) continue;
    const mad::TimePoint began = at->second.began;
    holdings.push_back(
        {.port = at->second.requester.port, .since = began, .due = began + time_for(0)});
    places.push_back(at);
  }
  const std::vector<std::size_t> displaced = find_displaced(holdings, requester.port, 1, now);
  for (const std::size_t number : displaced) all_.erase(places[number]);
  return !displaced.empty();
}

Assemblies::Taken Assemblies::take(const mad::ReceivedMad& segment, const Client& by,
                                   mad::TimePoint now) {
  std::erase_if(all_, [&](const auto& entry) { return now - entry.second.began > kLife; });
  const mad::ConstSaView mad{std::span<const std::uint8_t, mad::kMadBytes>(segment.bytes)};
  const Key key{EndAddress(segment.from), mad.transaction_id()};
  if (!all_.contains(key) && !make_room(by, now))
    return {.has_room = false, .answer = {}, .message = {}};
  const auto [place, fresh] = all_.try_emplace(key);
  Assembly& assembly = place->second;
  if (fresh) {
    assembly.requester = by;
    assembly.began = now;
    assembly.rmpp.reset({.message_bytes_max = kBytesMax});
  }
  Taken taken;
  const bool was_complete = assembly.rmpp.state() == mad::RmppReceiver::State::complete;
  mad::MadBytes answer;
  if (assembly.rmpp.on_mad(mad, now, answer)) taken.answer = answer;
  if (!was_complete && assembly.rmpp.state() == mad::RmppReceiver::State::complete) {
    const std::span<const std::uint8_t> message = assembly.rmpp.message();
    taken.message.emplace(message.begin(), message.end());
  }
  return taken;
}

Transfers::Transfers(mad::Runtime& runtime, mad::MadTransport& transport,
                     std::function<void()> on_stream)
    : runtime_(runtime),
      transport_(transport),
      on_stream_(std::move(on_stream)),
      timer_(runtime.make_timer([this] { on_timer(); })) {}

bool Transfers::has_room(const Client& requester, std::size_t pending,
                         std::size_t pending_own) const {
  InUse places{.port = pending, .own = pending_own, .all = running_.size() + pending};
  for (const auto& transfer : running_) {
    places.port += transfer->requester.port == requester.port ? 1u : 0u;
    places.own += transfer->requester == requester ? 1u : 0u;
  }
  const Admission decision = admission(kPlaces, requester, places);
  return decision == Admission::admitted ||
         (decision == Admission::full && !find_displaced_by(requester, 1).empty());
}

std::vector<std::size_t> Transfers::find_displaced_by(const Client& requester,
                                                      std::size_t bytes) const {
  std::vector<Holding> holdings;
  holdings.reserve(running_.size());
  for (const auto& transfer : running_)
    holdings.push_back({.port = transfer->requester.port,
                        .amount = transfer->bytes,
                        .since = transfer->began,
                        .due = transfer->due});
  return find_displaced(holdings, requester.port, bytes, runtime_.now());
}

/// Ends messages of others if the requester may have room for `bytes` and there is none. Returns
/// false if there is no room.
bool Transfers::make_room(std::size_t bytes, const Client& requester) {
  if (!has_room(requester)) return false;
  InUse memory{.all = bytes_};
  for (const auto& transfer : running_)
    memory.port += transfer->requester.port == requester.port ? transfer->bytes : 0;
  const Admission decision = admission(kMemory, requester, memory, bytes);
  if (decision == Admission::refused) return false;
  const bool has_memory = decision == Admission::admitted;
  if (has_memory && running_.size() < kPlaces.total) return true;
  const std::size_t missing = has_memory ? 1 : bytes_ + bytes - kMemory.total;
  const std::vector<std::size_t> displaced = find_displaced_by(requester, missing);
  for (const std::size_t number : displaced) send_abort(*running_[number]);
  retire();
  return !displaced.empty();
}

std::unique_ptr<Transfers::Transfer> Transfers::admit(std::size_t bytes, std::size_t length,
                                                      const mad::MadAddress& to,
                                                      const Client& requester,
                                                      std::uint64_t transaction_id) {
  if (!make_room(bytes, requester)) return nullptr;
  std::unique_ptr<Transfer> transfer;
  if (spare_.empty()) {
    transfer = std::make_unique<Transfer>();
  } else {
    transfer = std::move(spare_.back());
    spare_.pop_back();
  }
  transfer->to = to;
  transfer->requester = requester;
  transfer->bytes = bytes;
  transfer->began = runtime_.now();
  transfer->due = transfer->began + time_for(length);
  transfer->stream = 0;
  transfer->has_more = true;
  transfer->transaction_id = transaction_id;
  return transfer;
}

void Transfers::run(std::unique_ptr<Transfer> transfer) {
  bytes_ += transfer->bytes;
  ++of_port_[transfer->requester.port];
  running_.push_back(std::move(transfer));
  send_windows();
  arm();
}

bool Transfers::start(std::span<const std::uint8_t> message, const mad::MadAddress& to,
                      const Client& requester) {
  // A message may be shorter than a MAD.
  std::unique_ptr<Transfer> transfer =
      admit(message.size(), message.size(), to, requester, mad::read(message, kTransactionId));
  if (!transfer || !transfer->rmpp.start(message, {}, runtime_.now())) return false;
  run(std::move(transfer));
  return true;
}

std::optional<Transfers::StreamId> Transfers::start_stream(std::span<const std::uint8_t> headers,
                                                           std::size_t data_bytes,
                                                           const mad::MadAddress& to,
                                                           const Client& requester) {
  std::unique_ptr<Transfer> transfer =
      admit(2 * kAheadBytes, data_bytes, to, requester, mad::read(headers, kTransactionId));
  if (!transfer || !transfer->rmpp.start(headers, data_bytes, {}, runtime_.now()))
    return std::nullopt;
  transfer->stream = ++streams_;
  run(std::move(transfer));
  return streams_;
}

Transfers::Transfer* Transfers::find(StreamId id) const {
  const auto found =
      std::ranges::find_if(running_, [&](const auto& transfer) { return transfer->stream == id; });
  return found == running_.end() ? nullptr : found->get();
}

std::optional<std::size_t> Transfers::takes(StreamId id) const {
  const Transfer* transfer = find(id);
  if (transfer == nullptr) return std::nullopt;
  const std::size_t held = transfer->rmpp.held_bytes();
  return held > kEnoughBytes ? 0 : std::min(kAheadBytes - held, transfer->rmpp.missing_bytes());
}

mad::TimePoint Transfers::due(StreamId id) const {
  const Transfer* transfer = find(id);
  return transfer == nullptr ? mad::TimePoint::min() : transfer->due;
}

void Transfers::supply(StreamId id, std::span<const std::uint8_t> data) {
  Transfer* transfer = find(id);
  if (transfer == nullptr) return;
  transfer->rmpp.supply(data.first(std::min(data.size(), transfer->rmpp.missing_bytes())));
  transfer->has_more = true;
  send_windows();
  arm();
}

void Transfers::abort(StreamId id) {
  Transfer* transfer = find(id);
  if (transfer == nullptr) return;
  send_abort(*transfer);
  retire();
  arm();
}

void Transfers::send_abort(Transfer& transfer) {
  mad::MadBytes answer;
  transfer.rmpp.abort(answer);
  transport_.send(answer, transfer.to, 0);
}

bool Transfers::is_running(const mad::MadAddress& requester, std::uint64_t transaction_id) const {
  return std::ranges::any_of(running_, [&](const auto& transfer) {
    return transfer->transaction_id == transaction_id &&
           EndAddress(transfer->to) == EndAddress(requester);
  });
}

bool Transfers::on_mad(const mad::ReceivedMad& received) {
  const mad::ConstRmppView mad{std::span<const std::uint8_t, mad::kMadBytes>(received.bytes)};
  const auto found = std::ranges::find_if(running_, [&](const auto& transfer) {
    return transfer->transaction_id == mad.transaction_id() &&
           EndAddress(transfer->to) == EndAddress(received.from);
  });
  if (found == running_.end()) return false;
  mad::MadBytes answer;
  if ((*found)->rmpp.on_mad(mad, runtime_.now(), answer)) transport_.send(answer, (*found)->to, 0);
  const bool is_stream = (*found)->stream != 0;
  leave_budget(**found, (*found)->rmpp.unacknowledged());
  (*found)->has_more = true;
  send_windows();
  retire();
  arm();
  if (is_stream && on_stream_) on_stream_();
  return true;
}

/// Lets the transfers send in turn while the port's budget has room. The one that the budget stops
/// is the next to continue: its requester may acknowledge only a whole window, and until then its
/// segments stay in the budget.
void Transfers::send_windows() {
  const std::size_t count = running_.size();
  first_ %= std::max<std::size_t>(count, 1);
  for (std::size_t turn = 0; turn < count; ++turn) {
    Transfer& transfer = *running_[first_];
    if (transfer.has_more && !send_window(transfer)) return;
    first_ = (first_ + 1) % count;
  }
}

/// Sends what the window admits, up to its part of kSegmentsAtATime: a port with several messages
/// sends no more than others. Returns false if the port's budget does not admit it.
bool Transfers::send_window(Transfer& transfer) {
  const unsigned at_a_time = std::max(kSegmentsAtATime / of_port_.at(transfer.requester.port), 1u);
  mad::MadBytes segment;
  unsigned sent = 0;
  bool admitted = transport_.budget().admits(mad::PortBudget::Use::segments);
  while (admitted && sent < at_a_time && transfer.rmpp.next_segment(segment, runtime_.now())) {
    transport_.send(segment, transfer.to, 0);
    ++sent;
    ++transfer.counted;
    transport_.budget().take(mad::PortBudget::Use::segments);
    admitted = transport_.budget().admits(mad::PortBudget::Use::segments);
  }
  if (sent > 0) transfer.sent = runtime_.now();
  transfer.has_more = !admitted || sent == at_a_time;
  return admitted;
}

/// Keeps at most `kept` segments of the transfer in the port's budget.
void Transfers::leave_budget(Transfer& transfer, unsigned kept) {
  if (transfer.counted <= kept) return;
  transport_.budget().give_back(mad::PortBudget::Use::segments, transfer.counted - kept);
  transfer.counted = kept;
}

bool Transfers::has_left(const Transfer& transfer) const {
  return runtime_.now() - transfer.sent >= kSegmentLeaves;
}

/// Returns when the port's budget admits another segment: now, or when sent ones have left.
mad::TimePoint Transfers::next_room() const {
  if (transport_.budget().admits(mad::PortBudget::Use::segments)) return runtime_.now();
  mad::TimePoint first = mad::TimePoint::max();
  for (const auto& transfer : running_)
    if (transfer->counted > 0) first = std::min(first, transfer->sent + kSegmentLeaves);
  return first;
}

void Transfers::retire() {
  std::erase_if(running_, [this](std::unique_ptr<Transfer>& transfer) {
    if (transfer->rmpp.state() == mad::RmppSender::State::sending) return false;
    leave_budget(*transfer, 0);
    ++(transfer->rmpp.state() == mad::RmppSender::State::done ? finished_ : failed_);
    bytes_ -= transfer->bytes;
    if (const auto of_port = of_port_.find(transfer->requester.port); --of_port->second == 0)
      of_port_.erase(of_port);
    if (transfer->stream != 0 && on_stream_) on_stream_();
    if (transfer->bytes <= kSpareBytesMax) spare_.push_back(std::move(transfer));
    return true;
  });
}

void Transfers::on_timer() {
  for (const auto& transfer : running_)
    if (has_left(*transfer)) leave_budget(*transfer, 0);
  for (const auto& transfer : running_) {
    transfer->rmpp.on_timer(runtime_.now());
    transfer->has_more = true;
  }
  send_windows();
  retire();
  arm();
}

void Transfers::arm() {
  if (running_.empty()) return timer_->cancel();
  mad::TimePoint first = mad::TimePoint::max();
  bool has_more = false;
  for (const auto& transfer : running_) {
    has_more |= transfer->has_more;
    first = std::min(first, transfer->rmpp.deadline().value_or(mad::TimePoint::max()));
  }
  if (has_more) first = std::min(first, next_room());
  timer_->arm(first);
}

}  // namespace sa
