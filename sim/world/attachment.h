#pragma once
// A program at an end port of the simulated fabric: the MadTransport of a daemon.

#include <array>
#include <cstdint>
#include <functional>

#include "mad/smp.h"
#include "mad/transport.h"
#include "sim/world/model.h"
#include "sim/world/open_requests.h"

namespace sim {

class World;
struct Packet;

class Attachment final : public mad::MadTransport {
 public:
  ~Attachment() override;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  /// EINVAL: a request with this transaction id is open.
  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to,
           int response_timeout_ms) override;
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)> receiver) override {
    receiver_ = std::move(receiver);
  }

  PortIndex port() const { return port_; }
  /// 0: the port itself, or its physical function.
  std::uint16_t vport() const { return vport_; }
  /// Sets IsSM of the port, as holding the issm device does. Requests to subnet managers and
  /// administrators are then delivered to this program. Not on a vport, which has no SMI.
  void set_is_sm(bool is_sm);
  bool is_sm() const { return is_sm_; }

  /// MADs of this program in flight, their answers included, and the maximum so far.
  std::size_t in_flight() const { return in_flight_; }
  std::size_t in_flight_max() const { return in_flight_max_; }
  /// Number of SMPs that it sent, requests only.
  std::uint64_t sent(mad::Method method, mad::AttributeId attribute) const {
    return sent_[kind(method)][slot(attribute)];
  }
  std::uint64_t gets() const { return sum(mad::Method::get); }
  std::uint64_t sets() const { return sum(mad::Method::set); }
  void forget_counts() { sent_ = {}; }

 private:
  friend class World;
  Attachment(World& world, AttachmentIndex id, PortIndex port, std::uint16_t vport);
  void receive(const Packet& packet);
  /// It has recently sent a request with this transaction id.
  bool awaits(std::uint64_t transaction_id) const;
  static std::size_t kind(mad::Method method) {
    return method == mad::Method::get ? 0 : method == mad::Method::set ? 1 : 2;
  }
  static std::size_t slot(mad::AttributeId attribute) {
    const auto id = static_cast<std::uint16_t>(attribute);
    return (id & 0xFFu) + (id >= 0xFF00 ? 256u : 0u);
  }
  std::uint16_t key_index(mad::PKey key) const;
  std::uint64_t sum(mad::Method method) const;

  World& world_;
  AttachmentIndex id_;
  PortIndex port_;
  std::uint16_t vport_;
  bool is_sm_ = false;
  std::function<void(std::span<const mad::ReceivedMad>)> receiver_;
  std::size_t in_flight_ = 0, in_flight_max_ = 0;
  std::array<std::array<std::uint64_t, 512>, 3> sent_{};
  std::array<std::uint64_t, 1024> recent_{};  // transactions of the latest requests
  std::size_t next_recent_ = 0;
  OpenRequests open_requests_;  // those that were sent with a time-out
};

}  // namespace sim
