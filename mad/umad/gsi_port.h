#pragma once
#include <memory>
#include <string>
#include <thread>

#include <tl/expected.hpp>

#include "mad/gsi_transport.h"
#include "mad/runtime.h"
#include "mad/umad/local_ports.h"
#include "mad/umad/outbox.h"

namespace mad::umad {

/// Queue pair 1 of a port of this machine through libibumad. It has the agents that an Ethernet
/// Manager needs: Ethernet management (MADs of up to 2,048 bytes, traps) and requests to subnet
/// administration, whose responses the kernel assembles. A thread reads MADs and passes them to the
/// runtime's thread; up to kInboxMax wait, more are dropped and counted.
class GsiPort final : public GsiTransport {
 public:
  static constexpr std::size_t kInboxMax = 4096;
  /// Bounds a message of subnet administration: 40,000 end ports have 5 MB of NodeRecords.
  static constexpr std::size_t kMessageBytesMax = std::size_t{64} << 20;

  /// Errors: a message with the port and the failed step.
  static tl::expected<std::unique_ptr<GsiPort>, std::string> open(const LocalPort& port,
                                                                  Runtime& runtime);
  ~GsiPort() override;

  int send(std::span<const std::uint8_t> mad, const MadAddress& to,
           int response_timeout_ms) override;
  void set_receiver(std::function<void(const GsiMad&)> receiver) override;
  /// Returns the state in sysfs, which is read again once a second.
  GsiPortState state() const override;
  std::uint64_t dropped() const override;
  /// True if reads fail or the device file is gone: driver unloaded, or device reset.
  bool is_lost() const;

 private:
  struct Inbox;
  GsiPort(LocalPort port, int port_id, Runtime& runtime);
  GsiPortState read_state() const;
  static void receive(const std::stop_token& stop, int port_id,
                      const std::shared_ptr<Inbox>& inbox);

  Runtime& runtime_;
  LocalPort port_;
  int port_id_;
  int agent_ethernet_ = -1, agent_sa_ = -1;
  mutable GsiPortState state_;
  mutable TimePoint state_read_{};
  std::shared_ptr<Inbox> inbox_;
  std::jthread thread_;
  std::unique_ptr<Outbox> outbox_;
};

}  // namespace mad::umad
