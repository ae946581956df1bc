#pragma once
// Carries MADs of any length on queue pair 1 between the end ports of a world: attached programs
// and Ethernet management agents. Forwarding tables route them as data packets.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mad/gsi_transport.h"
#include "sim/world/ethernet_agent.h"
#include "sim/world/world.h"

namespace sim {

class GsiNetwork {
 public:
  /// The world must outlive this object, and must not run its events after it has ended.
  explicit GsiNetwork(World& world) : world_(world) {}
  ~GsiNetwork();
  GsiNetwork(const GsiNetwork&) = delete;
  GsiNetwork& operator=(const GsiNetwork&) = delete;

  /// Returns the agent at an end port; the first call creates it.
  EthernetAgent& agent(PortIndex port) { return agents_[port]; }
  void unload(PortIndex port) { agents_.erase(port); }
  /// Attaches a program until the transport is destroyed. Each program at a port receives all MADs.
  std::unique_ptr<mad::GsiTransport> attach(PortIndex port);
  /// Sends a trap to the TrapLID of the agent at this port.
  void send_trap(PortIndex port, std::optional<std::vector<std::uint8_t>> trap);

  /// Answers requests to subnet administration, as one message; nullopt means no response.
  std::function<std::optional<std::vector<std::uint8_t>>(std::span<const std::uint8_t> request)>
      administration;
  /// The probability that a MAD is lost, in each direction.
  double lost = 0;
  std::uint64_t traps = 0;  // that were sent

 private:
  class Program;
  void send(PortIndex from, std::vector<std::uint8_t> bytes, mad::Lid to, mad::Sl sl);
  void arrive(PortIndex at, std::vector<std::uint8_t> bytes, mad::Lid from, mad::Sl sl);

  World& world_;
  std::map<PortIndex, EthernetAgent> agents_;
  std::vector<Program*> programs_;
};

}  // namespace sim
