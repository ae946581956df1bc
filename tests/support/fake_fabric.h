#pragma once
// A fabric in memory that answers directed-route SMPs: a small subnet management agent on every node, cables that can be cut, faults from a seed.
// Everything in it may be edited by a test between two events.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mad/attributes/node_info.h"
#include "mad/attributes/p_key_table.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/sm_info.h"
#include "mad/attributes/switch_info.h"
#include "mad/smp.h"
#include "mad/transport.h"
#include "sim/topology/topology.h"
#include "support/fabrics.h"
#include "support/virtual_runtime.h"

namespace fake {

using sim::PortRef;

/// Percent of MADs, each way, to which it happens.
struct Faults {
  unsigned lost = 0;
  unsigned duplicated = 0;
  unsigned late = 0;       // by up to a second
  unsigned cut_short = 0;  // answers only
  unsigned corrupt = 0;    // answers only: another attribute, modifier, transaction or method, or data of chance
};

struct Port {
  mad::PortInfo info;
  std::vector<mad::PKeyTable> p_keys;
  std::optional<PortRef> peer;  // the cable
};

struct Node {
  std::string name;
  mad::NodeInfo info;                 // PortGUID and LocalPortNum are filled in by port
  std::vector<mad::Guid> port_guids;  // by port number; a switch has one for all
  std::vector<Port> ports;            // by port number; 0 of a CA is not used
  mad::SwitchInfo switch_info;
  std::vector<std::uint8_t> lft;
  std::optional<mad::SmInfo> sm;      // another subnet manager runs here, on port 1

  bool silent = false;                // answers nothing and forwards nothing
  bool only_node_info = false;        // answers NodeInfo (and forwards), nothing else
  std::function<void(mad::SmpView)> lie;  // the last word on every answer

  std::uint64_t gets = 0, sets = 0;   // that it was asked

  bool is_switch() const { return info.node_type() == mad::NodeType::switch_; }
};

class FakeFabric final : public mad::MadTransport {
 public:
  /// The manager sits on port 1 of the first node, or on port 0 if that is a switch. Everything is as after power-on: Init, no LIDs, no tables.
  FakeFabric(VirtualRuntime& runtime, const sim::Topology& topology, std::uint64_t seed = 1);

  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to, int response_timeout_ms) override;
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)> receiver) override { receiver_ = std::move(receiver); }

  // The world
  std::vector<Node> nodes;
  PortRef own;                        // where the manager sits
  Faults faults;
  mad::Duration latency_min = std::chrono::microseconds(2), latency_max = std::chrono::microseconds(20);  // one way
  bool traps_arrive = true;
  std::function<void(mad::ConstSmpView)> on_request;  // sees every request when it is sent

  std::size_t find(const std::string& name) const;
  Port& at(PortRef port) { return nodes[port.node].ports[port.port.value]; }
  const Port& at(PortRef port) const { return nodes[port.node].ports[port.port.value]; }
  PortRef ref(const std::string& name, unsigned port) const { return {find(name), mad::PortNum{static_cast<std::uint8_t>(port)}}; }
  /// A node without cables; named and numbered by the caller.
  std::size_t add(mad::NodeType type, std::string name, mad::Guid guid, unsigned port_count);
  /// A cable is plugged in or pulled out: the states of both ports follow, switches raise PortStateChange and send trap 128.
  void connect(PortRef a, PortRef b);
  void cut(PortRef either_end);
  /// Power-on again: settings, LIDs and tables are lost. The links come back as Init at both ends.
  void reboot(std::size_t node);
  /// The port changed its state by itself. Raises PortStateChange and sends the trap.
  void set_link_state(PortRef port, mad::PortState state);

  // Unsolicited MADs to the manager
  void deliver(const mad::MadBytes& bytes, mad::Lid from, std::size_t size = mad::kMadSizeBytes);
  void send_trap_128(std::size_t sw);
  void send_sm_control(std::size_t from_node, mad::SmControl control);

  // What was seen
  std::map<std::pair<mad::Method, mad::AttributeId>, std::uint64_t> sent;  // requests by the manager
  std::uint64_t gets() const { return total(mad::Method::get); }
  std::uint64_t sets() const { return total(mad::Method::set); }
  std::uint64_t sent_of(mad::Method method, mad::AttributeId attribute) const;
  std::vector<mad::MadBytes> responses;  // by the manager: answers and TrapRepress
  std::uint64_t represses() const;
  void forget_counts();

  /// Nodes that the manager can reach over cables and through nodes that are not silent.
  std::vector<bool> reachable() const;
  std::size_t cables() const;  // that begin and end at reachable nodes
  /// "" if every cabled port that is reachable is Active, every end port has LIDs of its own, and the tables of all switches lead to each of
  /// them without a loop; else the first thing that is wrong.
  std::string complaint() const;

 private:
  std::uint64_t total(mad::Method method) const;
  bool chance(unsigned percent) { return percent != 0 && random_.chance(percent); }
  mad::Duration latency();
  void boot(std::size_t node);
  void travel(const mad::MadBytes& bytes);
  void arrive(mad::MadBytes bytes);
  void answer(mad::MadBytes bytes);
  void corrupt(mad::SmpView smp);
  std::optional<PortRef> walk(const mad::DirectedRoute& route) const;
  std::optional<std::uint16_t> serve(Node& node, PortRef entry, mad::SmpView smp);
  std::uint16_t serve_port_info(std::size_t node, PortRef entry, mad::SmpView smp);
  std::uint16_t serve_switch_info(Node& node, mad::SmpView smp);
  std::uint16_t serve_p_keys(Node& node, PortRef entry, mad::SmpView smp);
  std::uint16_t serve_lft(Node& node, mad::SmpView smp);
  std::string walk_tables(std::size_t from, mad::Lid lid, PortRef owner) const;

  VirtualRuntime& runtime_;
  fabrics::Random random_;
  std::function<void(std::span<const mad::ReceivedMad>)> receiver_;
};

}  // namespace fake
