#pragma once
// The simulated fabric: links that train, MADs in flight, agents that answer, traps that repeat,
// all as events of one queue and from one seed. The same seed and the same calls give the same
// events, byte for byte.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/topology/random_source.h"
#include "mad/attributes/notice.h"
#include "mad/format.h"
#include "mad/smp.h"
#include "mad/transport.h"
#include "sim/world/ca_vports.h"
#include "sim/world/event_queue.h"
#include "sim/world/forwarding.h"
#include "sim/world/model.h"
#include "sim/world/open_requests.h"

namespace sim {

class World;

/// Durations for the whole fabric.
struct Timing {
  mad::Duration agent_min = std::chrono::microseconds(2),
                agent_max = std::chrono::microseconds(6);  // an agent's answer
  mad::Duration training = std::chrono::milliseconds(5);   // from Polling at both ends to LinkUp
  mad::Duration boot = std::chrono::seconds(2);            // of a node
  mad::Duration trap_repeat = std::chrono::milliseconds(500);  // until TrapRepress
};

/// Totals since the start.
struct WorldStatistics {
  std::uint64_t mads_sent = 0;      // by attached programs
  std::uint64_t mads_answered = 0;  // by agents
  std::uint64_t mads_lost = 0;      // faults of links
  std::uint64_t mads_dropped = 0;   // no route, node does not run, no program takes it
  std::uint64_t m_key_violations = 0;
  std::uint64_t traps_raised = 0, traps_sent = 0, traps_repressed = 0;
};

/// Counts SMPs that attached programs requested.
struct SmpTally {
  std::uint64_t gets = 0;
  std::map<mad::AttributeId, std::uint64_t> sets;
  TimePoint since{}, last_set{};
};

/// A MAD in flight, or delivered.
struct Packet {
  mad::MadBytes bytes{};
  std::size_t size = mad::kMadSizeBytes;
  mad::Lid slid, dlid;
  std::uint32_t sqpn = 0, dqpn = 0, qkey = 0;
  mad::Sl sl;
  mad::PKey p_key = mad::kDefaultPKeyFull;
  std::optional<mad::GlobalRoute> grh;         // as the receiver sees it: `peer` is the sender
  std::optional<mad::Gid> dgid;                // of the GRH
  bool is_routed = false;                      // it ended at a router that is to send it on
  std::uint16_t from_vport = 0, to_vport = 0;  // 0: the port itself
  PortIndex from = kNone,
            at = kNone;  // the end port that sent it; the port by which it enters the last node
  AttachmentIndex sender = kNone;  // the attachment that sent it, if any
};

/// A program at an end port of the simulated fabric: the MadTransport of a daemon.
class Attachment final : public mad::MadTransport {
 public:
  ~Attachment() override;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  /// Returns EINVAL if a request with this transaction id is open.
  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to,
           int response_timeout_ms) override;
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)> receiver) override {
    receiver_ = std::move(receiver);
  }

  PortIndex port() const { return port_; }
  /// Returns 0 for the port itself, or its physical function.
  std::uint16_t vport() const { return vport_; }
  /// Sets IsSM of the port, as a holder of the issm device does. Requests to subnet managers and
  /// administrators are then delivered to this program. Not on a vport, which has no SMI.
  void set_is_sm(bool is_sm);
  bool is_sm() const { return is_sm_; }

  /// Return the number of this program's MADs in flight, answers included, now and at most so far.
  std::size_t in_flight() const { return in_flight_; }
  std::size_t in_flight_max() const { return in_flight_max_; }
  /// Returns the number of requests, SMPs only, that the program sent.
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
  /// True if the program recently sent a request with this transaction id.
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

class World {
 public:
  /// Starts in the state after power-on: links up, ports in Init, no LIDs, no tables.
  World(EventQueue& events, const Topology& topology, std::uint64_t seed = 1);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Model model;
  Timing timing;
  std::vector<LinkQuality> qualities{1};  // [0] is that of all links without one of their own
  WorldStatistics statistics;
  SmpTally smps;  // the console's `smps` clears it

  // ---- Events of the hardware, allowed at any time.
  /// Adds a node without cables.
  NodeIndex add(const Node& node);
  /// Plugs a cable in; both ports must be free. The link then trains.
  void connect(PortIndex a, PortIndex b, LinkWidth width = LinkWidth::x4,
               LinkSpeed speed = LinkSpeed::qdr);
  /// Pulls the cable out.
  void cut(PortIndex either_end);
  /// Takes the link down and lets it train again, cable in place.
  void bounce(PortIndex either_end);
  void set_quality(PortIndex either_end, const LinkQuality& quality);
  /// Sets every link, including links that set_quality() has changed.
  void set_quality_of_all(const LinkQuality& quality);
  /// Drops settings, LIDs and tables; the links are down until the node has booted.
  void reboot(NodeIndex node);
  void power(NodeIndex node, bool on);
  /// Drops forwarding tables and port settings, but no links: the switch's agent restarts.
  void lose_tables(NodeIndex node);
  void rename(NodeIndex node, std::string description);                    // trap 144
  void set_capability(PortIndex end_port, std::uint32_t capability_mask);  // trap 144
  void set_system_image_guid(NodeIndex node, mad::Guid guid);              // trap 145
  /// Sends one of traps 129..131 about a port.
  void report_link_error(PortIndex port, mad::TrapNumber trap);
  /// Counts a packet with a bad P_Key or Q_Key at an end port or (259) a switch port, and reports
  /// it.
  void report_bad_key(PortIndex at, mad::TrapNumber trap, mad::Lid from, mad::Lid to,
                      std::uint32_t key, mad::Sl sl = {});
  /// Counts and reports a bad P_Key of a packet that ended there; the packet may have been for a
  /// vport.
  void report_bad_p_key(const Walk& walk, mad::Lid from, mad::Lid to, mad::PKey key, mad::Sl sl);
  /// Sends a data packet (not a MAD) from an end port and follows it. Links may lose it; a drop for
  /// its P_Key counts a violation and raises the traps.
  Walk send_data(PortIndex from, const PacketHeader& packet, std::size_t size_bytes = 256);

  // ---- Programs
  /// Attaches a program to an end port until the attachment is destroyed, which must precede the
  /// world's destruction. `vport` > 0 attaches to that vport, even if it does not exist.
  std::unique_ptr<Attachment> attach(PortIndex end_port, std::uint16_t vport = 0);

  // ---- For agents
  EventQueue& events() { return events_; }
  Random& random() { return random_; }
  /// Sends `notice` from the node's or port's management port to its subnet manager, and repeats it
  /// until it is repressed. A pending notice is not sent twice.
  void raise(PortIndex port, const mad::Notice& notice);
  void repress(PortIndex management_port, mad::ConstSmpView smp);
  /// Sends a trap of a class other than subnet management, once, on queue pair 1.
  void send_class_trap(PortIndex management_port, const mad::MadBytes& trap, mad::Lid to);
  /// Takes the link down at both ends; it then trains if both ends are enabled.
  void link_down(PortIndex port);
  void try_to_train(PortIndex port);
  /// Updates the wiring; call it after a cable or a physical state changed at `port`.
  void rewire(PortIndex port);
  /// Sets SwitchInfo:PortStateChange and sends trap 128, for a state that changed without a Set.
  void note_state_change(PortIndex port);
  void m_key_violated(PortIndex management_port, mad::ConstSmpView smp, mad::Lid slid);
  void stop_lease(PortIndex port) { model.ports[port].lease = 0; }
  bool has_subnet_manager(PortIndex end_port) const;

  // ---- Virtual ports
  /// Updates vport states after a change of the port's state, of the host's settings or of
  /// VirtualizationEnable. `report`: sets VPortStateChange and sends trap 1146, if a state changed.
  void update_vports(PortIndex port, bool report = true);
  /// Handles a change of VirtualizationEnable.
  void switch_virtualization(PortIndex port);
  /// Informs the subnet manager that it has to read VPortState again.
  void note_vport_change(PortIndex port);
  /// Sends trap 1144 about the vport.
  void report_vport_change(PortIndex port, std::uint16_t index, std::uint16_t flags);
  /// Counts a packet whose P_Key the vport does not have, and sends trap 1257 about it.
  void report_vport_bad_p_key(VPortPlace at, mad::Lid from, mad::Lid to, mad::PKey key, mad::Sl sl);

  // ---- Routers (subnet_routers.h)
  /// Called with a packet that ended at a port of a router and is for another GID than the port's.
  /// Returns true if the router takes the packet, which is then the router's.
  std::function<bool(const Packet&)> on_routed;
  /// Sends a router's packet from this port: its LIDs are the link header of this subnet.
  void send_routed(PortIndex from, Packet packet);

  /// Lets the agents of an end port answer a MAD of its own host, as firmware does for its driver:
  /// they write the answer over it. False if there is no answer.
  bool query_own_agents(PortIndex end_port, mad::MadBytes& mad);

  /// Picks output ports where switches may choose (adaptive routing); if empty, at random.
  Choose choose;

  /// Called when a subnet manager sets ClientReregister of an end port: its host then registers
  /// with the SA again.
  std::function<void(PortIndex)> on_client_reregister;
  /// Called when a subnet manager sets ClientReregister of a vport other than index 0.
  std::function<void(PortIndex, std::uint16_t index)> on_vport_reregister;

  /// Called with a line for every event, if set.
  std::function<void(std::string_view)> trace;
  template <class... Args>
  void log(fmt::format_string<Args...> text, Args&&... args) {
    if (trace) write_trace(fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  friend class Attachment;
  using Slot = std::uint32_t;

  // world.cpp
  void boot(NodeIndex node);
  void reset_port(PortIndex port);
  void negotiate(PortIndex a, PortIndex b);
  void write_trace(const std::string& line);

  // travel.cpp
  Slot take_slot();
  void tally(mad::ConstMadView mad);
  void send(Attachment& from, std::span<const std::uint8_t> bytes, const mad::MadAddress& to);
  void launch(Slot slot, mad::Duration delay);
  struct Route {
    PortIndex end = kNone;  // the port that the MAD has reached, and its node
    NodeIndex node{0};
    std::uint16_t vport = 0;
    mad::Duration latency{};
    bool is_routed = false;
    bool lost = false, duplicated = false, corrupted = false, cut_short = false;
  };
  Route find_route(Packet& packet);
  void walk_directed(Route& route, mad::SmpView smp);
  void walk_back(Route& route, mad::SmpView smp);
  void walk_routed(Route& route, const Packet& packet, mad::Lid to);
  Walk walk(PortIndex from, const PacketHeader& packet);
  void note_dropped(const Walk& walk, const PacketHeader& packet);
  bool pass_link(PortIndex out, Route& route);
  void data_arrives(PortIndex in);
  void deliver(Slot slot);
  bool handle(Slot slot);
  bool enter_queue(Slot slot);
  bool answer(Slot slot);
  void drop(Slot slot);
  bool serve(Packet& packet);
  bool hand_to_programs(const Packet& packet);
  mad::Duration agent_time(const NodeModel& node, mad::AttributeId attribute);
  void corrupt(Packet& packet);
  void forget(Slot slot);

  // traps.cpp
  void send_trap(PortIndex port, std::uint64_t transaction_id);

  // pfrn.cpp: notices about groups of ports that a switch sends to its neighbours after it lost its
  // link at `port` or dropped a packet.
  void notify_lost_groups(PortIndex port);
  void notify_if_lost(NodeIndex sw, std::uint16_t group);
  void notify_neighbours(NodeIndex sw, std::uint16_t group);
  void receive_lost_group(PortIndex at, std::uint16_t group);
  void expire_mask(PortIndex at, std::uint16_t group);

  // vport_states.cpp; `arrived`: the time from the condition for Init to Init has passed
  void update_vport_states(PortIndex port, bool report, bool arrived);

  EventQueue& events_;
  Random random_;
  std::vector<Packet> slots_;
  std::vector<Slot> free_;
  fabric::IndexVector<AttachmentIndex, Attachment*> attachments_;  // null once detached
  std::map<PortIndex, std::vector<AttachmentIndex>> programs_;     // by end port
  std::map<PortIndex, std::vector<PendingTrap>> traps_;            // by management port
  std::uint64_t next_trap_ = 1;
  std::uint32_t last_lease_ = 0;
  std::vector<Hop> hops_;                                               // of the current walk
  std::map<std::pair<NodeIndex, std::uint16_t>, TimePoint> pfrn_said_;  // the last time
};

}  // namespace sim
