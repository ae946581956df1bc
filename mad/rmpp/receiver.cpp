#include "mad/rmpp/receiver.h"

#include <algorithm>

#include "mad/rmpp.h"

namespace mad {

void RmppReceiver::reset(const Options& options) {
  options_ = options;
  options_.window_segments = std::max<std::uint32_t>(1, options_.window_segments);
  state_ = State::idle;
  failed_with_ = rmpp_status::kOk;
  message_.clear();
  present_.assign(options_.window_segments, 0);
  header_bytes_ = 0;
  in_order_ = acknowledged_ = highest_ = last_ = 0;
  window_last_ = options_.window_segments;
  last_data_bytes_ = 0;
}

bool RmppReceiver::refuse(ConstRmppView mad, RmppType type, std::uint8_t status,
                          std::span<std::uint8_t, kMadBytes> answer) {
  state_ = State::failed;
  failed_with_ = status;
  write_rmpp_answer(answer, mad, type, status, 0, 0);
  return true;
}

bool RmppReceiver::acknowledge(ConstRmppView mad, std::span<std::uint8_t, kMadBytes> answer) {
  acknowledged_ = in_order_;
  write_rmpp_answer(answer, mad, RmppType::ack, rmpp_status::kOk, in_order_, window_last_);
  return true;
}

void RmppReceiver::store(ConstRmppView mad, std::uint32_t segment) {
  const std::size_t chunk = kMadBytes - header_bytes_;
  const std::size_t from = header_bytes_ + (segment - 1) * chunk;
  const std::size_t bytes = segment == last_ ? last_data_bytes_ : chunk;
  if (message_.size() < from + bytes) message_.resize(from + bytes);
  const auto wire = mad.bytes();
  if (segment == 1) std::copy_n(wire.begin(), header_bytes_, message_.begin());
  std::copy_n(wire.begin() + static_cast<std::ptrdiff_t>(header_bytes_), bytes,
              message_.begin() + static_cast<std::ptrdiff_t>(from));
  present_[segment % options_.window_segments] = 1;
  highest_ = std::max(highest_, segment);
}

bool RmppReceiver::on_mad(ConstRmppView mad, Clock::time_point now,
                          std::span<std::uint8_t, kMadBytes> answer) {
  if (state_ == State::failed || present_.empty()) return false;
  switch (mad.rmpp_type()) {
    case RmppType::data:
      break;
    case RmppType::ack:
      return false;
    case RmppType::stop:
    case RmppType::abort:
      if (state_ != State::complete) {
        state_ = State::failed;
        failed_with_ = mad.rmpp_status();
      }
      return false;
    default:
      return state_ == State::complete
                 ? false
                 : refuse(mad, RmppType::abort, rmpp_status::kBadType, answer);
  }
  const std::uint32_t segment = mad.segment_number();
  if (state_ == State::complete)
    return segment >= 1 && segment <= last_ ? acknowledge(mad, answer) : false;

  if (state_ == State::idle) {
    header_bytes_ = rmpp_header_bytes(mad.mgmt_class());
    if (header_bytes_ == 0) return false;
    state_ = State::receiving;
  }
  deadline_ = now + options_.idle_timeout;
  if (mad.rmpp_version() != kRmppVersion)
    return refuse(mad, RmppType::abort, rmpp_status::kUnsupportedVersion, answer);
  if (mad.rmpp_status() != rmpp_status::kOk)
    return refuse(mad, RmppType::abort, rmpp_status::kIllegalStatus, answer);
  if (segment == 0 || mad.is_first() != (segment == 1))
    return refuse(mad, RmppType::abort, rmpp_status::kInconsistentFirst, answer);
  if (segment <= in_order_)
    return segment <= acknowledged_ ? acknowledge(mad, answer)
                                    : false;  // the last ACK may have been lost
  if (segment > window_last_) return false;   // the peer may not have the ACK yet; it will repeat
  if (has(segment)) return false;

  const std::size_t chunk = kMadBytes - header_bytes_;
  if (header_bytes_ + std::size_t{segment} * chunk > options_.message_bytes_max)
    return refuse(mad, RmppType::stop, rmpp_status::kResourcesExhausted, answer);
  if (last_ != 0 && (mad.is_last() || segment > last_))
    return refuse(mad, RmppType::abort, rmpp_status::kInconsistentLast, answer);
  if (mad.is_last()) {
    // A message of one segment has the PayloadLength of the whole message, which is the same
    // number.
    const std::size_t payload = mad.payload_length(), class_header = header_bytes_ - kRmppHeaderEnd;
    if (segment < highest_ || payload < class_header || payload > kRmppPayloadBytes)
      return refuse(mad, RmppType::abort, rmpp_status::kInconsistentLast, answer);
    last_ = segment;
    last_data_bytes_ = payload - class_header;
  }
  store(mad, segment);
  while (in_order_ < highest_ && has(in_order_ + 1)) {
    ++in_order_;
    present_[in_order_ % options_.window_segments] = 0;
  }
  if (last_ != 0 && in_order_ == last_) {
    state_ = State::complete;
    return acknowledge(mad, answer);
  }
  // Segment 1 is acknowledged at once: the sender waits for it to learn the window.
  if (in_order_ == window_last_) {
    window_last_ += options_.window_segments;
    return acknowledge(mad, answer);
  }
  return segment == 1 ? acknowledge(mad, answer) : false;
}

std::optional<RmppReceiver::Clock::time_point> RmppReceiver::deadline() const {
  if (state_ != State::receiving) return std::nullopt;
  return deadline_;
}

bool RmppReceiver::on_timer(Clock::time_point now, std::span<std::uint8_t, kMadBytes> answer) {
  if (state_ != State::receiving || now < deadline_) return false;
  state_ = State::failed;
  failed_with_ = rmpp_status::kTooLong;
  if (message_.size() < header_bytes_ || in_order_ == 0) return false;  // no header for an ABORT
  std::array<std::uint8_t, kMadBytes> header{};
  std::copy_n(message_.begin(), header_bytes_, header.begin());
  write_rmpp_answer(answer, ConstRmppView(header), RmppType::abort, rmpp_status::kTooLong, 0, 0);
  return true;
}

}  // namespace mad
