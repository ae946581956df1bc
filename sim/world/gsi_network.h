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

#include "mad/attributes/vnic.h"
#include "mad/gsi_transport.h"
#include "mad/runtime.h"
#include "sim/world/world.h"

namespace sim {

/// Faults of an agent.
struct EthernetFaults {
  bool silent = false;
  mad::Duration slow{};      // each response takes that much longer
  std::uint16_t status = 0;  // of responses to `rejected`, not 0
  std::optional<mad::EthernetAttribute> rejected;
  bool ignores_rejected = false;  // no response instead of a status
  bool invents_macs = false;      // a list of 65,535 addresses
  bool always_new = false;        // another generation of the list each time
  bool counts_wrongly = false;    // more addresses than a MAD has
  std::uint16_t table_entries_max = 2048;
};

class EthernetAgent {
 public:
  struct Vnic {
    mad::VeswPortInfo info;
    std::map<unsigned, mad::MacTableEntry> table;  // by index
    std::vector<mad::Mac> unicast;                 // beside the base MAC address
  };

  /// Turns a MAD of the class into its response. False means that there is no response.
  bool serve(std::span<std::uint8_t> mad);
  /// Resets all settings, as a reload of the node's driver does.
  void restart();
  /// Changes the addresses that a VNIC reports. Returns the trap about it; nullopt without TrapLID.
  std::optional<std::vector<std::uint8_t>> change_macs(std::uint8_t vnic,
                                                       std::vector<mad::Mac> macs);
  /// Makes the trap about a VNIC that exists.
  std::optional<std::vector<std::uint8_t>> make_trap(std::uint8_t vnic, mad::VnicTrap trap) const;

  /// Returns the DLID of a frame to this address; 0 means that the frame is dropped.
  std::uint32_t find_dlid(std::uint8_t vnic, mad::Mac to) const;

  mad::EthernetClassPortInfo class_port_info;
  std::map<std::uint8_t, Vnic> vnics;
  EthernetFaults faults;
  std::map<mad::EthernetAttribute, unsigned> gets, sets;
  unsigned all_sets() const;

 private:
  std::uint16_t serve_attribute(mad::Method method, mad::EthernetAttribute attribute,
                                std::uint8_t vnic, std::span<std::uint8_t> data);
  void serve_port_info(mad::Method method, std::uint8_t vnic, std::span<std::uint8_t> data);
  std::uint16_t serve_table(mad::Method method, Vnic& vnic, std::span<std::uint8_t> data);
  void list_macs(Vnic& vnic, std::span<std::uint8_t> data) const;
  mad::VeswPortInfo power_on_values() const;
};

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
