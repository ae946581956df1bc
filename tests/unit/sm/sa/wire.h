#pragma once
// A transport that records sent MADs, in virtual time.

#include <functional>
#include <vector>

#include "mad/rmpp.h"
#include "mad/transport.h"
#include "sim/world/virtual_runtime.h"

namespace sa_tests {

using namespace std::chrono_literals;

struct Wire final : mad::MadTransport {
  struct Sent {
    mad::MadBytes bytes{};
    mad::MadAddress to;
    int timeout_ms = 0;
    mad::ConstSaView mad() const {
      return mad::ConstSaView{std::span<const std::uint8_t, mad::kMadBytes>(bytes)};
    }
  };
  int send(std::span<const std::uint8_t> bytes, const mad::MadAddress& to,
           int timeout_ms) override {
    Sent one{.bytes = {}, .to = to, .timeout_ms = timeout_ms};
    std::copy_n(bytes.begin(), std::min(bytes.size(), one.bytes.size()), one.bytes.begin());
    sent.push_back(one);
    if (on_send) on_send(sent.back());
    return 0;
  }
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)>) override {}

  std::vector<Sent> sent;
  std::function<void(const Sent&)> on_send;
};

/// The response to a sent MAD, as received.
inline mad::ReceivedMad back(const Wire::Sent& sent) {
  mad::ReceivedMad received;
  received.bytes = sent.bytes;
  received.size = mad::kMadSizeBytes;
  received.from = sent.to;
  mad::MadView mad{std::span<std::uint8_t, mad::kMadBytes>(received.bytes)};
  mad.set_method(
      static_cast<mad::Method>(static_cast<std::uint8_t>(mad.method()) ^ mad::kResponseBit));
  return received;
}

}  // namespace sa_tests
