#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/umad/agent_table.h"
#include "sim/umad/pending_requests.h"
#include "sim/umad/rmpp_transfers.h"
#include "sim/umad/simulator_link.h"
#include "sim/umad/umad_file.h"

namespace sim::umad {

/// One port to which this process is attached: what the kernel's MAD layer does between files and
/// the wire. All functions are called with the lock of the process, and none blocks but those that
/// may ask the server for requests: add_agent() and enable_requests().
class PortAgents {
 public:
  using Clock = std::chrono::steady_clock;

  explicit PortAgents(std::unique_ptr<SimulatorLink> link);

  SimulatorLink& link() { return *link_; }

  /// What ioctl() and write() of the file do. Errors: a negative errno. `id` is set by add_agent().
  int add_agent(UmadFile& file, const Registration& registration, std::uint32_t& id);
  int remove_agent(UmadFile& file, std::uint32_t id);
  ssize_t write(UmadFile& file, std::span<const std::uint8_t> bytes, Clock::time_point now);
  /// All agents of a file that is being closed.
  void forget(UmadFile& file);
  /// The agents that answer requests get them again; for after the IsSM bit was cleared, which
  /// upstream takes for both.
  void enable_requests();

  /// A packet from the simulator.
  void on_packet(const wire::Packet& packet, Clock::time_point now);
  /// Repeats, and gives up.
  void on_timer(Clock::time_point now);
  std::optional<Clock::time_point> deadline() const;
  /// After a batch of the two above: descriptors learn of their queues.
  void signal_files();

  /// A question of this library itself, answered by the port or by what is at the end of the
  /// directed route inside. The packet must stay where it is until `answered` is set or cancel()
  /// was called.
  struct Question {
    wire::Packet packet;
    std::array<std::uint8_t, 256> answer{};
    bool answered = false;
  };
  void ask(Question& question);
  void repeat(const Question& question) { link_->send(question.packet); }
  void cancel(const Question& question);

 private:
  bool take_rmpp(const wire::Packet& packet, Agent& agent, Clock::time_point now);
  void send_segments(RmppTransfers::Sending& transfer, Clock::time_point now);
  void finish(RmppTransfers::Sending& transfer, Clock::time_point now);
  void answer(const wire::Packet& to, std::span<const std::uint8_t, mad::kMadBytes> mad);
  void deliver(Agent& agent, const wire::Packet& packet, std::span<const std::uint8_t> message);
  void deliver_lost(Agent& agent, const ib_user_mad_hdr& header, std::span<const std::uint8_t> mad);
  void to_file(UmadFile& file, const ib_user_mad_hdr& header, std::span<const std::uint8_t> mad);
  bool is_sent_already(const PendingRequests::Key& key, std::uint64_t transaction);

  std::unique_ptr<SimulatorLink> link_;
  AgentTable agents_;
  PendingRequests pending_;
  RmppTransfers transfers_;
  std::vector<UmadFile*> to_signal_;
  std::vector<std::uint8_t> message_;  // scratch of write()
  std::vector<Question*> questions_;
  std::uint32_t next_question_ = 0;
  bool give_up_at_once_ = false;
};

}  // namespace sim::umad
