#include "mad/rmpp/rmpp_sender.h"

#include <algorithm>
#include <limits>

#include "mad/rmpp.h"

namespace mad {

bool RmppSender::begin(std::span<const std::uint8_t> header, std::size_t data_bytes,
                       const Options& options, Clock::time_point now) {
  state_ = State::idle;
  if (header.size() < kRmppHeaderEnd) return false;
  header_bytes_ = rmpp_header_bytes(static_cast<MgmtClass>(header[1]));
  if (header_bytes_ == 0 || header.size() < header_bytes_) return false;
  const std::size_t segments = std::max<std::size_t>(1, (data_bytes + chunk() - 1) / chunk());
  if (segments > std::numeric_limits<std::uint32_t>::max() / kRmppPayloadBytes)
    return false;  // PayloadLength has 32 bits
  std::copy_n(header.begin(), header_bytes_, header_.begin());
  data_.clear();
  forgotten_bytes_ = 0;
  data_bytes_ = data_bytes;
  options_ = options;
  refused_with_ = rmpp_status::kOk;
  segments_ = static_cast<std::uint32_t>(segments);
  next_ = 1;
  acknowledged_ = 0;
  window_last_ = 1;
  retries_ = 0;
  deadline_ = now + options_.ack_timeout;
  state_ = State::sending;
  return true;
}

bool RmppSender::start(std::span<const std::uint8_t> message, const Options& options,
                       Clock::time_point now) {
  const std::size_t header =
      message.size() < kRmppHeaderEnd ? 0 : rmpp_header_bytes(static_cast<MgmtClass>(message[1]));
  if (message.size() < header || !begin(message, message.size() - header, options, now)) {
    state_ = State::idle;
    return false;
  }
  const auto data = message.subspan(header);
  data_.assign(data.begin(), data.end());
  return true;
}

bool RmppSender::start(std::span<const std::uint8_t> header, std::size_t data_bytes,
                       const Options& options, Clock::time_point now) {
  return begin(header, data_bytes, options, now);
}

void RmppSender::supply(std::span<const std::uint8_t> data) {
  // Drops acknowledged data before the buffer grows, unless there is little.
  const std::size_t done =
      std::min(std::size_t{acknowledged_} * chunk() - forgotten_bytes_, data_.size());
  if (done >= data_.size() / 2) {
    data_.erase(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(done));
    forgotten_bytes_ += done;
  }
  data_.insert(data_.end(), data.begin(), data.end());
}

bool RmppSender::has_next() const {
  const std::size_t end = std::min(std::size_t{next_} * chunk(), data_bytes_);
  return end <= supplied_bytes();
}

bool RmppSender::next_segment(std::span<std::uint8_t, kMadBytes> out, Clock::time_point now) {
  if (state_ != State::sending || next_ > window_end() || !has_next()) return false;
  const std::size_t from = (next_ - 1) * chunk();
  const std::size_t bytes = std::min(chunk(), data_bytes_ - from);
  std::copy_n(header_.begin(), header_bytes_, out.begin());
  std::copy_n(data_.begin() + static_cast<std::ptrdiff_t>(from - forgotten_bytes_), bytes,
              out.begin() + static_cast<std::ptrdiff_t>(header_bytes_));
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(header_bytes_ + bytes), out.end(),
            std::uint8_t{0});

  const bool first = next_ == 1, last = next_ == segments_;
  const std::size_t class_header = header_bytes_ - kRmppHeaderEnd;
  RmppView segment(out);
  segment.set_rmpp_version(kRmppVersion);
  segment.set_rmpp_type(RmppType::data);
  segment.set_rmpp_flags(static_cast<std::uint8_t>(
      rmpp_flag::kActive | (first ? rmpp_flag::kFirst : 0) | (last ? rmpp_flag::kLast : 0)));
  segment.set_rmpp_status(rmpp_status::kOk);
  segment.set_segment_number(next_);
  // The first segment announces the whole message, including the class headers of all segments; the
  // last one announces its own bytes.
  std::size_t payload = 0;
  if (first)
    payload = data_bytes_ + segments_ * class_header;
  else if (last)
    payload = class_header + bytes;
  segment.set_payload_length(static_cast<std::uint32_t>(payload));
  ++next_;
  deadline_ = now + options_.ack_timeout;
  return true;
}

void RmppSender::abort(std::span<std::uint8_t, kMadBytes> answer) {
  // The ABORT has the direction of an answer to the peer's ACK.
  std::array<std::uint8_t, kMadBytes> peer{};
  std::copy_n(header_.begin(), header_bytes_, peer.begin());
  RmppView view(peer);
  view.set_method(static_cast<Method>(to_raw(view.method()) ^ kResponseBit));
  refuse(rmpp_status::kUnspecified);
  write_rmpp_answer(answer, ConstRmppView(peer), RmppType::abort, rmpp_status::kUnspecified, 0, 0);
}

void RmppSender::refuse(std::uint8_t status) {
  state_ = State::refused;
  refused_with_ = status;
}

bool RmppSender::on_mad(ConstRmppView mad, Clock::time_point now,
                        std::span<std::uint8_t, kMadBytes> answer) {
  if (state_ != State::sending) return false;
  const auto abort_with = [&](std::uint8_t status) {
    refuse(status);
    write_rmpp_answer(answer, mad, RmppType::abort, status, 0, 0);
    return true;
  };
  switch (mad.rmpp_type()) {
    case RmppType::ack:
      break;
    case RmppType::stop:
    case RmppType::abort:
      refuse(mad.rmpp_status());
      return false;
    default:
      return false;  // DATA is for the receiver; unknown types do not end a transfer
  }
  if (mad.rmpp_version() != kRmppVersion) return abort_with(rmpp_status::kUnsupportedVersion);
  if (mad.rmpp_status() != rmpp_status::kOk) return abort_with(rmpp_status::kIllegalStatus);
  const std::uint32_t segment = mad.segment_number(), window_last = mad.new_window_last();
  if (window_last < segment) return abort_with(rmpp_status::kWindowTooSmall);
  if (segment > segments_ || segment > window_last_) return abort_with(rmpp_status::kSegmentTooBig);
  if (segment < acknowledged_ || window_last < window_last_)
    return false;  // an old ACK, received out of order

  if (segment > acknowledged_) retries_ = 0;
  if (segment > acknowledged_ || window_last > window_last_) deadline_ = now + options_.ack_timeout;
  acknowledged_ = segment;
  window_last_ = window_last;
  next_ = std::max(next_, acknowledged_ + 1);
  if (acknowledged_ == segments_) state_ = State::done;
  return false;
}

std::optional<RmppSender::Clock::time_point> RmppSender::deadline() const {
  if (state_ != State::sending) return std::nullopt;
  return deadline_;
}

void RmppSender::on_timer(Clock::time_point now) {
  if (state_ != State::sending || now < deadline_) return;
  if (next_ <= window_end()) {  // the peer waits for this side
    deadline_ = now + options_.ack_timeout;
    return;
  }
  if (retries_ >= options_.retries_max) {
    state_ = State::timed_out;
    return;
  }
  ++retries_;
  next_ = acknowledged_ + 1;
  deadline_ = now + options_.ack_timeout;
}

}  // namespace mad
