#pragma once
// A transport between a manager and its port: records its MADs, and injects MADs that no agent
// would send.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "mad/smp.h"
#include "mad/transport.h"

namespace laboratory {

class Tap final : public mad::MadTransport {
 public:
  explicit Tap(mad::MadTransport& port) : port_(port) {}

  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to,
           int response_timeout_ms) override {
    ++mads;
    mad::MadBytes bytes{};
    std::copy_n(mad.begin(), std::min(mad.size(), bytes.size()), bytes.begin());
    const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(bytes)};
    if (smp.is_response()) {
      responses.push_back(bytes);
    } else if (on_request) {
      on_request(smp);
    }
    if (is_cut_) return 0;
    if (mad::MadTransport* other = divert ? divert(smp) : nullptr)
      return other->send(mad, to, response_timeout_ms);
    return port_.send(mad, to, response_timeout_ms);
  }
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)> receiver) override {
    receiver_ = receiver;
    if (!receiver) return port_.set_receiver({});
    port_.set_receiver([this](std::span<const mad::ReceivedMad> received) {
      if (is_cut_) return;
      if (is_held_) {
        held_.insert(held_.end(), received.begin(), received.end());
        return;
      }
      mads += received.size();
      receiver_(received);
    });
  }
  /// Lets MADs that arrive wait, as for a program that is stopped.
  void hold() { is_held_ = true; }
  void release() {
    is_held_ = false;
    const std::vector<mad::ReceivedMad> late = std::exchange(held_, {});
    mads += late.size();
    if (!late.empty()) deliver(late);
  }

  /// Loses all MADs from now on, in both directions.
  void cut() {
    is_cut_ = true;
    held_.clear();
  }

  void deliver(std::span<const mad::ReceivedMad> received) {
    if (receiver_) receiver_(received);
  }
  /// Where a MAD goes instead of to the port; may be empty, and return null.
  std::function<mad::MadTransport*(mad::ConstSmpView)> divert;
  /// Delivers it as if received.
  void inject(const mad::MadBytes& bytes, mad::Lid from, std::size_t size = mad::kMadSizeBytes) {
    mad::ReceivedMad received;
    received.bytes = bytes;
    received.size = size;
    received.from.lid = from;
    if (receiver_) receiver_({&received, 1});
  }

  std::function<void(mad::ConstSmpView)> on_request;  // called with every request before it is sent
  std::vector<mad::MadBytes> responses;               // its answers, TrapRepress included
  std::uint64_t mads = 0;                             // that passed, in either direction

 private:
  mad::MadTransport& port_;
  bool is_held_ = false, is_cut_ = false;
  std::vector<mad::ReceivedMad> held_;
  std::function<void(std::span<const mad::ReceivedMad>)> receiver_;
};

}  // namespace laboratory
