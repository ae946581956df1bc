#pragma once
// The hardware: nodes, ports, links, and the state of their subnet management agents. Data only;
// World changes it. Sized for the whole unicast LID space: state that few ports need is allocated
// at the first write.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fabric/index.h"
#include "fabric/topology/topology_model.h"
#include "mad/attributes/node_info.h"
#include "mad/attributes/notice.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/port_tables.h"
#include "mad/attributes/switch_info.h"
#include "mad/runtime.h"
#include "mad/smp.h"
#include "sim/world/adaptive_switch.h"

namespace sim {

using namespace topology;  // nodes and links as they are built

/// Indices into Model::nodes and Model::ports. Ports of a node are consecutive: port number n is at
/// NodeModel::first_port + n.
using NodeIndex = fabric::Index<struct NodeModel>;
using PortIndex = fabric::Index<struct PortModel>;
using AttachmentIndex = fabric::Index<class Attachment>;
inline constexpr fabric::NoIndex kNone;

/// Latency and faults of a link. All links share World::qualities[0] until set_quality().
struct LinkQuality {
  mad::Duration latency_min = std::chrono::nanoseconds(300);
  mad::Duration latency_max = std::chrono::nanoseconds(300);
  // Probabilities, per MAD and link.
  double lost = 0, duplicated = 0, corrupted = 0;
  double cut_short = 0;                              // some of its bytes arrive
  double late = 0;                                   // arrives after others that were sent later
  mad::Duration late_max = std::chrono::seconds(1);  // by up to this
  bool operator==(const LinkQuality&) const = default;
  bool faulty() const {
    return lost > 0 || duplicated > 0 || corrupted > 0 || cut_short > 0 || late > 0;
  }
};

/// Describes an agent's reaction to a request: it answers with a status, or not at all.
struct Reaction {
  std::optional<std::uint16_t> status;
};

/// Faults of a node.
struct Health {
  bool powered = true;                   // off: its links are down
  bool silent = false;                   // hung: links stay up, it answers and forwards nothing
  bool agent_ignores_requests = false;   // it forwards, but its agents answer NodeInfo only
  mad::Duration slow_min{}, slow_max{};  // added to the response time of its agents
  std::uint16_t slow_attribute = 0;      // ... if it is for this attribute; 0: any
  // The agents serve one request after the other, each for this long; `queue` more wait, and others
  // are dropped. 0 means all at once.
  mad::Duration service_time{};
  unsigned queue = 8;
  double ignored_probability = 0;       // probability that a request gets no answer
  std::uint16_t ignored_attribute = 0;  // ... if it is for this attribute; 0: any
  double bad_status = 0;                // probability of an answer with `status` and without effect
  std::uint16_t status = 0x001C;
  double lies = 0;  // probability of an answer with random data
  bool withhold_traps = false;
  std::function<void(mad::SmpView)> edit_response;  // edits every answer to an SMP
  std::function<void(mad::SmpView)> edit_request;   // edits every SMP before it is served
  /// Returns the status of the answer to an SMP that has no effect; nullopt if the agent serves it.
  std::function<std::optional<std::uint16_t>(mad::ConstSmpView)> reject;
  /// Answers, in the agent's place and data included, an SMP that came in by this port (of a
  /// switch: 0). nullopt if the agent serves it.
  std::function<std::optional<Reaction>(mad::SmpView, mad::PortNum)> react;
  /// Answers a MAD of another class that came in by the end port of this number.
  std::function<std::optional<Reaction>(mad::MadView, mad::PortNum)> react_general;
};

/// Performance counters, as wide as the widest attribute that shows them; the 32 bits and fewer of
/// PortCounters saturate. Source: IBTA Vol 1, 16.1.3.5 and 16.1.4.11.
struct Counters {
  std::uint64_t symbol_errors = 0, link_error_recoveries = 0, link_downed = 0, rcv_errors = 0,
                rcv_remote_physical_errors = 0, rcv_switch_relay_errors = 0, xmit_discards = 0,
                xmit_constraint_errors = 0, rcv_constraint_errors = 0,
                local_link_integrity_errors = 0, excessive_buffer_overruns = 0, qp1_dropped = 0,
                vl15_dropped = 0, xmit_wait = 0;
  std::uint64_t xmit_data = 0, rcv_data = 0;  // in units of 4 bytes
  std::uint64_t xmit_packets = 0, rcv_packets = 0, unicast_xmit_packets = 0,
                unicast_rcv_packets = 0, multicast_xmit_packets = 0, multicast_rcv_packets = 0;
};

/// Link state policy of an SR-IOV function, set by its host and not visible to a subnet manager:
/// always Down; at least Init while the physical port is Active, else Down; at least Init whatever
/// the physical port does.
enum class VPortPolicy : std::uint8_t { down, follow, up };

/// A virtual port of a CA port: settings of the host and of the subnet manager. Index 0 belongs to
/// the physical function: its GUID, LID and capabilities are the port's.
struct VPort {
  std::array<std::uint8_t, 64> info{};       // VPortInfo as on the wire
  std::array<std::uint8_t, 64> node_info{};  // VNodeInfo
  std::string description;
  std::vector<mad::PKeyTable> p_keys;
  std::vector<mad::Guid> alias_guids;  // entry 0 stands for the PortGUID
  VPortPolicy policy = VPortPolicy::follow;
  std::uint16_t p_key_capacity = 0;  // of p_keys, whatever VNodeInfo says
  bool bound = true;                 // a driver runs the function; without one it is Down
};

inline constexpr unsigned kEndlessly = ~0u;

/// Refuses an SMP about vports: with no answer, or with an answer that has `status`.
struct VPortRefusal {
  std::uint16_t attribute = 0;           // 0: any about vports
  std::optional<std::uint16_t> index{};  // nullopt: of any vport
  bool sets_only = false;
  std::optional<std::uint16_t> status{};  // nullopt: no answer
  unsigned times = kEndlessly;            // then it is served again
};

/// Describes how a port's firmware implements vports where no public source says it, and its
/// faults. A reboot changes nothing here.
struct VPortFirmware {
  // ---- Readings, each of which a subnet manager has to get along with.
  /// If true, VPortInfo(0) shows and follows the state of PortInfo; a Set of another state is
  /// refused. If false, vport 0 has a state of its own, and the physical function has no data
  /// traffic until it is Active.
  bool vport_0_coupled = false;
  /// If true, VPortP_KeyTable(0) is P_KeyTable. If false, the physical function has the keys of
  /// VPortP_KeyTable(0) while virtualization is enabled.
  bool p_keys_aliased = true;
  bool accepts_armed = false;     // Init -> Armed -> Active besides Init -> Active
  bool index_up_to_cap = false;   // VPortCap is the highest index, instead of the number of indices
  bool is_sm_in_vport_0 = false;  // IsSM is shown in VPortInfo(0), and not in PortInfo
  /// The effect on the physical function when virtualization is enabled. `waits`: vport 0 is in
  /// Init until it is set Active.
  enum class OnEnable : std::uint8_t { waits, stays_active, vport_0_down, link_down };
  OnEnable on_enable = OnEnable::waits;
  /// The place of the index in the modifier of tables. `all_vports`: there is no index, a Set
  /// writes the tables of all vports.
  enum class TableModifier : std::uint8_t { index_above_block, block_above_index, all_vports };
  TableModifier table_modifier = TableModifier::index_above_block;
  mad::Duration init_delay{};  // from the condition for Init to Init

  // ---- Faults.
  mad::Duration time{};  // of each SMP about vports, served one after the other
  std::vector<VPortRefusal> refusals;
  std::optional<std::uint16_t> shown_cap, shown_top;  // instead of what is so
  std::uint8_t revision = 0;
  std::set<std::uint16_t> modifier_wrong;  // vports of which answers have the modifier plus 1
  std::set<std::uint16_t> states_jump;     // vports of which a random state is shown

  mad::TimePoint busy_until{};  // with the SMPs of `time`
};

/// The attributes that a simulated agent keeps for a port as the bytes that were written, by
/// (attribute, modifier).
using RawAttributes =
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::array<std::uint8_t, 192>>;

/// The key of a management class at a port (classes 0x0A and 0x0C).
struct ClassKeyState {
  std::uint64_t key = 0;
  bool is_protected = false;
  std::uint16_t lease_s = 0, violations = 0;
  bool lease_runs = false;
  std::uint32_t leases = 0;             // that have begun
  std::array<std::uint8_t, 72> trap{};  // ClassPortInfo; what the class manager writes of it
};

/// State that few ports need.
struct PortExtras {
  std::vector<mad::PKeyTable> p_keys;  // empty: as after power-on
  std::array<mad::VlArbitrationTable, 4> vl_arbitration{};
  std::array<std::uint8_t, 8> sl_to_vl{};  // of a CA port, or switch port 0
  bool sl_to_vl_written = false;
  std::vector<mad::Guid> alias_guids;  // entry 0 stands for the port GUID
  Counters counters;
  RawAttributes raw;
  std::uint32_t cc_key_leases = 0;  // that have begun
  bool cc_key_lease_runs = false;
  std::map<std::uint8_t, ClassKeyState> class_keys;  // by class
  std::map<std::uint16_t, VPort> vports;  // by index; has 0 once the port can have vports
  std::array<std::uint8_t, 64> virtualization_info{};
  std::unique_ptr<VPortFirmware> vport_firmware;  // null: as a new one
};

struct PortModel {
  mad::PortInfo info;
  mad::Guid guid;  // external ports of switches have port 0's
  NodeIndex node{0};
  PortIndex peer = kNone;  // the other end of the link
  std::uint8_t number = 0;
  std::uint16_t quality = 0;  // index into World::qualities
  std::uint32_t training =
      0;  // number of the latest training of the link; events of older ones are ignored
  std::uint32_t lease = 0;  // the same for the M_Key's lease; 0: does not run
  std::unique_ptr<PortExtras> extras;
};

/// VLs of 16 SLs, for one input and output port of a switch.
using SlToVl = std::array<std::uint8_t, 8>;

/// The treatment that firmware gives entries of the LinearForwardingTable that forward nothing.
enum class LftFirmware : std::uint8_t {
  plain,              // it keeps and shows what was written
  hides_above_top,    // reads 0xFF above LinearFDBTop
  ignores_above_top,  // takes no entry above LinearFDBTop
  hides_ports,        // reads 0xFF for ports above NumPorts
  sets_unused,        // shows port 0 instead of 0xFF
};

struct SwitchState {
  mad::SwitchInfo info;
  std::vector<std::uint8_t> lft;  // by LID, LinearFDBCap rounded up to a block
  LftFirmware lft_firmware = LftFirmware::plain;
  std::vector<std::vector<std::uint16_t>>
      mft;  // by position, then by MLID - 0xC000; grows to the highest block written
  std::vector<SlToVl>
      sl_to_vl;  // by input, then output port; empty: SL n takes VL n modulo the VLs
  std::unique_ptr<ArSwitch> adaptive;  // null: it has no adaptive routing
};

struct NodeModel {
  mad::NodeInfo info;  // PortGUID and LocalPortNum are filled in by port
  std::string description;
  PortIndex first_port{0};
  std::unique_ptr<SwitchState> sw;  // switches only
  Health health;
  std::uint64_t gets = 0, sets = 0;  // requests to its agent
  // State of Health::service_time.
  unsigned agent_requests = 0;  // that are served or wait
  mad::TimePoint agent_busy_until{};
  std::uint64_t agent_drops = 0;
  RawAttributes raw;  // of the node as a whole
  // True if OOOSLMask or AdaptiveTimeoutSLMask of a CA's ports can be set.
  bool puts_in_order = false, has_adaptive_timeout = false;

  bool is_switch() const { return sw != nullptr; }
  unsigned port_count() const { return info.num_ports(); }
};

/// A trap that an agent repeats until it is repressed.
struct PendingTrap {
  std::uint64_t transaction_id = 0;
  mad::Notice notice;
  bool again = false;  // its event happened again since it was sent
};

/// Holds the state of a port and of a node that forwarding a MAD reads. It is packed, because the
/// state of a whole fabric must fit into the processor's caches.
struct Wire {
  PortIndex far = kNone;  // the other end of the link
  NodeIndex far_node{0};
  std::uint16_t quality = 0;
  bool up = false;  // trained at both ends
};
struct Junction {
  PortIndex first_port{0};
  std::uint8_t port_count = 0;
  bool is_switch = false;
};

class Model {
 public:
  fabric::IndexVector<NodeIndex, NodeModel> nodes;
  fabric::IndexVector<PortIndex, PortModel> ports;
  fabric::IndexVector<PortIndex, Wire> wires;  // both are derived from the above by World
  fabric::IndexVector<NodeIndex, Junction> junctions;

  NodeModel& owning_node(PortIndex port) { return nodes[ports[port].node]; }
  const NodeModel& owning_node(PortIndex port) const { return nodes[ports[port].node]; }
  /// Returns port `number` of `node`: 0 for a switch's management port, 1..port_count() otherwise.
  /// kNone if there is no such port.
  PortIndex port(NodeIndex node, unsigned number) const {
    const NodeModel& of = nodes[node];
    return number > of.port_count() || (number == 0 && !of.is_switch()) ? kNone
                                                                        : of.first_port + number;
  }
  PortIndex port(PortRef ref) const { return port(NodeIndex(ref.node), ref.port.value); }
  /// Returns the node of this description; throws std::out_of_range if there is none.
  NodeIndex find(const std::string& description) const;
  PortIndex find_port_guid(mad::Guid guid) const;  // kNone if there is none
  /// True for a CA or router port, or a switch's port 0: it has LIDs, P_Keys and traps of its own.
  bool is_end_port(PortIndex port) const {
    return !owning_node(port).is_switch() || ports[port].number == 0;
  }
  /// Returns the end port of this port: port 0 for all ports of a switch.
  PortIndex management_port(PortIndex port) const {
    return owning_node(port).is_switch() ? owning_node(port).first_port : port;
  }
  /// Returns "leaf-3 port 7", for messages.
  std::string name(PortIndex port) const;

  /// True if the port's node can forward packets: powered and not hung.
  bool alive(NodeIndex node) const {
    return nodes[node].health.powered && !nodes[node].health.silent;
  }
  /// True if the cable is plugged in and both ends are trained: management packets pass.
  bool link_up(PortIndex port) const {
    return ports[port].peer != kNone &&
           ports[port].info.port_physical_state() == mad::PortPhysicalState::link_up;
  }
  PortExtras& extras(PortIndex port);
  /// Returns the number of blocks of the port's P_Key table.
  unsigned p_key_blocks(PortIndex port) const;
  /// Returns the block as its agent shows it; at power-on, end ports have the default key at index
  /// 0.
  mad::PKeyTable p_keys(PortIndex port, unsigned block) const;
  void set_p_keys(PortIndex port, unsigned block, const mad::PKeyTable& keys);
  /// True if the port's table holds `key`'s partition and one of both memberships is full.
  bool takes_p_key(PortIndex port, mad::PKey key) const;
  /// True if the port's table has the partition, in either membership. An enforcing switch port
  /// checks this; the end ports compare memberships.
  bool holds_partition(PortIndex port, mad::PKey key) const;
  /// Returns the VL that a switch gives a packet; 15 drops it.
  mad::Vl vl(const NodeModel& sw, unsigned in, unsigned out, mad::Sl sl) const;

 private:
  template <class Matches>
  bool any_p_key(PortIndex port, Matches matches) const;
};

/// True if both keys are of one partition, and at least one is a full member (IBTA Vol 1, 10.9.3).
constexpr bool p_keys_match(mad::PKey a, mad::PKey b) {
  return mad::p_key_base(a) == mad::p_key_base(b) &&
         (mad::is_full_member(a) || mad::is_full_member(b));
}
/// True if the LID is one of the port's own: its base LID and the 2^LMC - 1 that follow.
bool holds(const mad::PortInfo& info, mad::Lid lid);

}  // namespace sim
