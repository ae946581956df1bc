#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <tl/expected.hpp>

#include "mad/runtime.h"
#include "mad/transport.h"
#include "mad/umad/local_ports.h"
#include "mad/umad/outbox.h"

namespace mad::umad {

/// One port of this machine through libibumad. It has the agents that a subnet manager needs:
/// directed-route and LID-routed subnet management, subnet administration, and, if the kernel
/// admits it, queries of performance management and of congestion control. QP1 uses its own device
/// if there is one. A receive thread for each device blocks in poll() and passes MADs in batches to
/// the runtime's thread (asio cannot watch the descriptor: under ibsim's preload only poll() works
/// with it). SMPs, requests to subnet administration and counters wait in separate inboxes, so that
/// a flood of one loses none of the others. Counters are passed last and a few at a time, so that
/// they delay nothing else.
class UmadPort final : public MadTransport {
 public:
  /// Errors: a message with the port and the failed step.
  static tl::expected<std::unique_ptr<UmadPort>, std::string> open(const LocalPort& port,
                                                                   Runtime& runtime);
  ~UmadPort() override;

  int send(std::span<const std::uint8_t> mad, const MadAddress& to,
           int response_timeout_ms) override;
  void set_receiver(std::function<void(std::span<const ReceivedMad>)> receiver) override;
  InboxDrops dropped() const override;
  /// Sets a function that the port calls once, on the runtime's thread, with an errno, when the
  /// device is gone (driver unloaded, or device reset). Then reads fail, the device file is gone,
  /// or the kernel refuses SMPs in succession. From then on every MAD is returned unsent at once.
  void set_on_lost(std::function<void(int)> on_lost);
  /// Sets a function that the port calls on the runtime's thread when the device is blocked or no
  /// longer so (Outbox).
  void set_on_blocked(std::function<void(bool)> on_blocked);
  /// Returns the approximate number of requests whose responses may still come.
  int awaited() const;
  /// Ends the threads and closes the device, which then counts as lost. Waits for the device, if
  /// need be for ever.
  void close();

 private:
  struct Inbox;  // shared by all threads; freed with the last of them
  class Receiver;

  UmadPort(int port_id, int gsi_port_id, Runtime& runtime);
  std::vector<int> port_ids() const;  // each once
  tl::expected<void, std::string> register_agents();
  int agent_of(std::uint8_t mgmt_class) const;
  static void receive_loop(const std::stop_token& stop, int port_id,
                           const std::shared_ptr<Inbox>& inbox);

  int port_id_, gsi_port_id_;  // the same, unless QP1 has a device of its own
  int agent_directed_ = -1, agent_lid_routed_ = -1, agent_sa_ = -1, agent_performance_ = -1,
      agent_congestion_ = -1, agent_vendor_specific_ = -1, agent_node_to_node_ = -1;
  std::shared_ptr<Inbox> inbox_;
  std::function<void(bool)> on_blocked_;
  std::unique_ptr<Outbox> outbox_;
  std::vector<std::unique_ptr<Receiver>> receivers_;
};

/// Holds /dev/infiniband/issmN open: while it is open, the kernel sets IsSM in the port's
/// CapabilityMask and admits no other process.
class IssmHold {
 public:
  /// Errors: a message with the device and a remedy: held by another SM, missing, or no permission.
  static tl::expected<IssmHold, std::string> claim(const LocalPort& port);
  IssmHold(IssmHold&& other) noexcept;
  IssmHold& operator=(IssmHold&&) = delete;
  ~IssmHold();

 private:
  explicit IssmHold(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace mad::umad
