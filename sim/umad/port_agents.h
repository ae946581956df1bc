#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/umad/agent_table.h"
#include "sim/umad/simulator_link.h"
#include "sim/umad/transactions.h"
#include "sim/umad/umad_file.h"

namespace sim::umad {

/// One port to which this process is attached: the kernel's MAD layer between files and the
/// network. Callers hold the lock of the process. Only add_agent() and enable_requests() may block,
/// because they may request unsolicited MADs from the server.
class PortAgents {
 public:
  using Clock = std::chrono::steady_clock;

  explicit PortAgents(std::unique_ptr<SimulatorLink> link);

  SimulatorLink& link() { return *link_; }
  /// The first hop of a directed route of a channel adapter must leave by this port.
  void set_port(unsigned number) { port_number_ = number; }

  /// Implement ioctl() and write() of the file. Errors: a negative errno. `id` is set by
  /// add_agent().
  int add_agent(UmadFile& file, const Registration& registration, std::uint32_t& id);
  int remove_agent(UmadFile& file, std::uint32_t id);
  ssize_t write(UmadFile& file, std::span<const std::uint8_t> bytes, Clock::time_point now);
  /// Removes all agents of a file that is being closed.
  void forget(UmadFile& file);
  /// Enables requests again for the agents that answer them, after the IsSM bit was cleared:
  /// upstream has one flag for both.
  void enable_requests();

  /// Handles a packet from the simulator.
  void on_packet(const wire::OmniPathPacket& packet, Clock::time_point now);
  /// Repeats requests, and reports timeouts.
  void on_timer(Clock::time_point now);
  std::optional<Clock::time_point> deadline() const;
  /// Updates the readiness of descriptors; called after a batch of the two above.
  void signal_files();

  /// A request of this library itself to the port, or to the end of the directed route in the
  /// packet. The packet must not move until `answered` is set or cancel() was called.
  struct OwnRequest {
    wire::RoutedPacket packet;
    std::array<std::uint8_t, 256> answer{};
    bool answered = false;
  };
  void query(OwnRequest& own_request);
  void repeat(const OwnRequest& own_request) { link_->send(own_request.packet); }
  void cancel(const OwnRequest& own_request);

 private:
  bool take_rmpp(const wire::RoutedPacket& packet, Agent& agent, Clock::time_point now);
  void send_segments(RmppTransfers::Sending& transfer, Clock::time_point now);
  void finish(RmppTransfers::Sending& transfer, Clock::time_point now);
  void answer(const wire::RoutedPacket& to, std::span<const std::uint8_t, mad::kMadBytes> mad);
  void deliver(Agent& agent, const wire::RoutedPacket& packet,
               std::span<const std::uint8_t> message);
  void deliver_lost(Agent& agent, const ib_user_mad_hdr& header, std::span<const std::uint8_t> mad);
  void to_file(UmadFile& file, const ib_user_mad_hdr& header, std::span<const std::uint8_t> mad);
  bool is_sent_already(const PendingRequests::Key& key, std::uint64_t transaction);
  int refuses(const Agent& agent, const ib_user_mad_hdr& header,
              std::span<const std::uint8_t> message);
  bool has_gid(unsigned index);
  bool is_omni_path(std::span<const std::uint8_t> message) const;
  void send(const wire::RoutedPacket& packet, std::span<const std::uint8_t> rest);
  bool smi_sends(std::span<const std::uint8_t, mad::kMadBytes> smp) const;
  bool start_transfer(Agent& agent, const ib_user_mad_hdr& header, const wire::RoutedPacket& first,
                      std::span<const std::uint8_t> message, Clock::time_point now);
  bool take_request(const wire::RoutedPacket& response, const Agent& agent);

  std::unique_ptr<SimulatorLink> link_;
  AgentTable agents_;
  PendingRequests pending_;
  RmppTransfers transfers_;
  std::vector<UmadFile*> to_signal_;
  std::vector<std::uint8_t> message_;  // scratch of write()
  std::vector<OwnRequest*> own_requests_;
  std::uint32_t next_own_request_ = 0;
  unsigned port_number_ = 0;  // 0: of a switch, whose port 0 sends by all ports
  bool give_up_at_once_ = false;
};

}  // namespace sim::umad
