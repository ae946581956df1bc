#include "sm/sa/transfers.h"

#include <algorithm>

namespace sa {

namespace {
constexpr mad::Field kTransactionId =
    mad::find_field(mad::MadHeaderFields::kFields, "TransactionID");
constexpr std::size_t kSpareBytesMax =
    std::size_t{4} << 20;  // a spare transfer that sent more than this does not keep its memory
}  // namespace

Transfers::Transfers(mad::Runtime& runtime, mad::MadTransport& transport)
    : runtime_(runtime),
      transport_(transport),
      timer_(runtime.make_timer([this] { on_timer(); })) {}

bool Transfers::has_room(const Client& requester) const {
  if (running_.size() >= kTransfersMax) return false;
  std::size_t of_port = 0, of_vport = 0;
  for (const auto& transfer : running_) {
    of_port += transfer->requester.port == requester.port ? 1u : 0u;
    of_vport += transfer->requester == requester ? 1u : 0u;
  }
  return of_port < kPerRequesterMax && (!requester.is_vport() || of_vport < kPerVPortMax);
}

bool Transfers::start(std::span<const std::uint8_t> message, const mad::MadAddress& to,
                      const Client& requester) {
  if (!has_room(requester) || bytes_ + message.size() > kBytesMax) return false;
  std::size_t of_requester = message.size();
  for (const auto& transfer : running_)
    if (transfer->requester.port == requester.port) of_requester += transfer->bytes;
  if (of_requester > kBytesPerRequesterMax) return false;
  std::unique_ptr<Transfer> transfer;
  if (spare_.empty()) {
    transfer = std::make_unique<Transfer>();
  } else {
    transfer = std::move(spare_.back());
    spare_.pop_back();
  }
  if (!transfer->rmpp.start(message, {}, runtime_.now())) return false;
  transfer->to = to;
  transfer->requester = requester;
  transfer->bytes = message.size();
  transfer->transaction_id =
      mad::read(message, kTransactionId);  // a message may be shorter than a MAD
  bytes_ += message.size();
  running_.push_back(std::move(transfer));
  send_window(*running_.back());
  arm();
  return true;
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
  send_window(**found);
  retire();
  arm();
  return true;
}

void Transfers::send_window(Transfer& transfer) {
  mad::MadBytes segment;
  unsigned sent = 0;
  while (sent < kSegmentsAtATime && transfer.rmpp.next_segment(segment, runtime_.now())) {
    transport_.send(segment, transfer.to, 0);
    ++sent;
  }
  transfer.has_more = sent == kSegmentsAtATime;
}

void Transfers::retire() {
  std::erase_if(running_, [this](std::unique_ptr<Transfer>& transfer) {
    if (transfer->rmpp.state() == mad::RmppSender::State::sending) return false;
    ++(transfer->rmpp.state() == mad::RmppSender::State::done ? finished_ : failed_);
    bytes_ -= transfer->bytes;
    if (transfer->bytes <= kSpareBytesMax) spare_.push_back(std::move(transfer));
    return true;
  });
}

void Transfers::on_timer() {
  for (const auto& transfer : running_) {
    transfer->rmpp.on_timer(runtime_.now());
    send_window(*transfer);
  }
  retire();
  arm();
}

void Transfers::arm() {
  if (running_.empty()) return timer_->cancel();
  mad::TimePoint first = mad::TimePoint::max();
  for (const auto& transfer : running_)
    first = std::min(first, transfer->has_more
                                ? runtime_.now()
                                : transfer->rmpp.deadline().value_or(mad::TimePoint::max()));
  timer_->arm(first);
}

}  // namespace sa
