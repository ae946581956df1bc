#pragma once
// A fabric twice: as the SM knows it (fabric::Fabric, and the tables that it takes switches to
// hold), and as simulated hardware (sim::Model). The test decides which writes arrive, in which
// order, and which are acknowledged.

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mad/format.h"
#include "routing/multicast/multicast.h"
#include "routing/multicast/multicast_update.h"
#include "sim/hardware.h"
#include "support/check/checks.h"
#include "support/fabrics.h"

namespace multicast_lab {

using fabric::kNoIndex;

/// Losses of writes and reads.
struct Losses {
  unsigned lost_percent = 0;            // requests that do not arrive
  unsigned unacknowledged_percent = 0;  // writes that are done, and whose response is lost
};

class Lab {
 public:
  Lab(const topology::Topology& topology, std::uint64_t seed)
      : random(seed),
        hardware(topology),
        fabric(fabrics::from_topology(topology)),
        graph(fabric::make_switch_graph(fabric)),
        router(fabric, graph, {}),
        held(graph.switches(), router.tables().positions()) {
    for (const sim::PortIndex port : model().ports.indices()) {
      if (model().ports[port].peer != sim::kNone) set_link(port, true);
    }
    activate();
    activate_hosts();
    for (const fabric::PortIndex port : fabric.end_ports) {
      if (!fabric.owning_node(port).is_switch()) hosts.push_back(port);
    }
  }

  topology::Random random;
  laboratory::Hardware hardware;
  fabric::Fabric fabric;
  fabric::SwitchGraph graph;
  routing::MulticastRouter router;
  routing::HeldMulticast held;
  std::vector<fabric::PortIndex> hosts;
  std::map<mad::Mlid, routing::MulticastGroup> groups;
  std::vector<routing::MulticastFinding> findings;
  std::size_t writes = 0;
  std::vector<bool> hold_back;  // by channel, of the last program()

  sim::Model& model() { return hardware.model; }
  sim::PortIndex sim_port(fabric::PortIndex port) {
    return model().port(sim::NodeIndex(fabric.ports[port].node.value),
                        fabric.ports[port].number.value);
  }

  // Changes of the fabric
  // ------------------------------------------------------------------------------------------

  /// Links between switches, one end each.
  std::vector<fabric::PortIndex> links() const {
    std::vector<fabric::PortIndex> all;
    for (const fabric::PortIndex port : fabric.ports.indices()) {
      const fabric::PortIndex peer = fabric.ports[port].peer;
      if (peer != kNoIndex && port < peer && fabric.owning_node(port).is_switch() &&
          fabric.owning_node(peer).is_switch())
        all.push_back(port);
    }
    return all;
  }
  bool is_up(fabric::PortIndex port) const { return fabric.is_link_up(port); }
  /// Down at once; up only in Init, until activate().
  void set_link_state(fabric::PortIndex port, bool up) {
    for (const fabric::PortIndex end : {port, fabric.ports[port].peer}) {
      fabric.ports[end].info.set_port_state(up ? mad::PortState::init : mad::PortState::down);
      set_link(sim_port(end), up);
    }
  }
  /// Power cycle: the switch loses its tables.
  void reboot(fabric::SwitchIndex sw) {
    model().nodes[sim::NodeIndex(fabric.switches[sw].node.value)].sw->mft.clear();
    held.forget(sw);
  }
  /// Ports become Active, except for those that are held back.
  void activate() {
    for (const fabric::SwitchIndex sw : graph.all_switches()) {
      for (const auto& [channel, port] : switch_ports(sw)) {
        if (!hold_back.empty() && hold_back[channel]) continue;
        set_active(port);
        set_active(fabric.ports[port].peer);
      }
    }
  }
  void activate_hosts() {
    for (const auto& end : graph.end_ports) {
      if (end.out.value == 0) continue;
      set_active(end.port);
      set_active(fabric.ports[end.port].peer);
    }
  }
  bool all_active() const {
    return std::ranges::all_of(links(), [&](fabric::PortIndex port) {
      return !is_up(port) ||
             (fabric.ports[port].info.port_state() == mad::PortState::active &&
              fabric.ports[fabric.ports[port].peer].info.port_state() == mad::PortState::active);
    });
  }

  // The SM
  // ------------------------------------------------------------------------------------------

  /// As in a sweep: routes all groups; previous trees are kept where possible.
  void sweep() {
    graph = fabric::make_switch_graph(fabric);
    const std::vector<mad::Guid> centres(router.centres().begin(), router.centres().end());
    fabric::MulticastTables before = router.tables();
    router = routing::MulticastRouter(fabric, graph, std::move(before), centres);
    std::vector<routing::MulticastGroup> all;
    for (const auto& [mlid, group] : groups) all.push_back(group);
    findings.clear();
    router.route_all(routing::joined_by_mlid(all), findings);
  }
  /// As between sweeps: routes this group only.
  void change(mad::Mlid mlid) {
    findings.clear();
    router.route(groups[mlid], findings);
  }

  /// Runs both phases. Calls `look` after every write that arrives. The order within a phase is
  /// random.
  template <class Look>
  bool program(const Losses& losses, Look&& look) {
    const fabric::MulticastTables& wanted = router.tables();
    held.grow(wanted.blocks());
    read(losses);
    std::vector<fabric::MftUnit> units = routing::mft_removals(fabric, held, wanted);
    bool all_acknowledged = send(units, losses, look, [&](fabric::MftUnit unit) {
      return routing::mft_remainder(held, wanted, unit);
    });
    const routing::Attainable attainable = routing::attainable(fabric, graph, held, wanted);
    const fabric::MulticastTables& target = attainable.tables;
    hold_back = attainable.hold_back;
    units = routing::mft_additions(fabric, held, wanted, target);
    all_acknowledged = send(units, losses, look,
                            [&](fabric::MftUnit unit) {
                              routing::MftContent content;
                              std::ranges::copy(target.bytes(unit), content.begin());
                              return content;
                            }) &&
                       all_acknowledged;
    return all_acknowledged && routing::mft_removals(fabric, held, wanted).empty() &&
           routing::mft_additions(fabric, held, wanted, wanted).empty();
  }

  // The hardware
  // ------------------------------------------------------------------------------------------

  /// Sends a packet from this end port; "" if it does not loop and no end port gets it twice.
  std::string fault(mad::Mlid mlid, fabric::PortIndex from) {
    const sim::Copies copies =
        sim::walk_multicast(model(), sim_port(from), {.dlid = mad::Lid{mlid.value}});
    if (copies.forwarding_loop)
      return fmt::format("MLID {}: a packet of {} circulates", mlid, fabric.port_name(from));
    std::set<sim::PortIndex> got;
    for (const sim::PortIndex port : copies.delivered) {
      if (!got.insert(port).second)
        return fmt::format("MLID {}: {} gets a packet of {} twice", mlid, model().name(port),
                           fabric.port_name(from));
    }
    return "";
  }
  /// The same for hosts at switches of the trees of the block. Elsewhere entries of an earlier
  /// manager may be left: a packet may enter the trees twice, but no copy of it may go on for ever.
  std::string fault_now(mad::Mlid mlid, fabric::PortIndex from) {
    return is_in_trees(mlid, leaf(from)) ? fault(mlid, from) : circulation(mlid, from);
  }
  std::string fault_of_some(mad::Mlid mlid, unsigned senders) {
    for (unsigned i = 0; i < senders; ++i) {
      if (std::string wrong = fault_now(mlid, hosts[random.below(hosts.size())]); !wrong.empty())
        return wrong;
    }
    return "";
  }
  /// True if the wanted tables have entries of the block at the switch, or at one that leads to it.
  bool is_in_trees(mad::Mlid mlid, fabric::SwitchIndex sw) const {
    const fabric::MulticastTables& wanted = router.tables();
    const std::size_t block = fabric::MulticastTables::block_index(mlid);
    for (unsigned i = 0; i < fabric::kMftBlockMlids; ++i) {
      const mad::Mlid of{
          static_cast<std::uint16_t>(mad::kMlidMin.value + block * fabric::kMftBlockMlids + i)};
      for (std::size_t position = 0; position < wanted.positions(); ++position)
        if (wanted.mask(sw, of, position) != 0) return true;
      for (const fabric::ChannelIndex out : graph.channels(sw))
        if (wanted.test(graph.neighbour[out], of, graph.port[graph.reverse[out]])) return true;
    }
    return false;
  }
  /// True if both ends of the link are Active.
  bool carries_data(fabric::PortIndex port) {
    const auto is_active = [&](fabric::PortIndex end) {
      return model().ports[sim_port(end)].info.port_state() == mad::PortState::active;
    };
    return is_active(port) && is_active(fabric.ports[port].peer);
  }
  /// "" if no copy of a packet of this end port comes to the same port of a switch again and again.
  std::string circulation(mad::Mlid mlid, fabric::PortIndex from) {
    enum class Seen : std::uint8_t { no, on_the_way, done };
    std::vector<Seen> seen(graph.port.size(), Seen::no);
    const auto is_used = [&](fabric::ChannelIndex channel) {
      const fabric::SwitchIndex sw = graph.neighbour[graph.reverse[channel]];
      const fabric::PortIndex port = fabric.port(fabric.switches[sw].node, graph.port[channel]);
      const unsigned number = graph.port[channel].value;
      const routing::MftContent content =
          get({sw, static_cast<std::uint16_t>(fabric::MulticastTables::block_index(mlid)),
               static_cast<std::uint8_t>(number / fabric::kMftPositionPorts)});
      const std::size_t at =
          fabric::MulticastTables::compute_index(mlid) % fabric::kMftBlockMlids * 2;
      const unsigned mask = static_cast<unsigned>(content[at]) << 8 | content[at + 1];
      return carries_data(port) && (mask >> number % fabric::kMftPositionPorts & 1u) != 0;
    };
    const std::function<bool(fabric::ChannelIndex)> goes_on = [&](fabric::ChannelIndex in) {
      if (seen[in] != Seen::no) return seen[in] == Seen::on_the_way;
      seen[in] = Seen::on_the_way;
      for (const fabric::ChannelIndex out : graph.channels(graph.neighbour[in]))
        if (out != graph.reverse[in] && is_used(out) && goes_on(out)) return true;
      seen[in] = Seen::done;
      return false;
    };
    for (const fabric::ChannelIndex out : graph.channels(leaf(from)))
      if (is_used(out) && goes_on(out))
        return fmt::format("MLID {}: a packet of {} circulates for ever", mlid,
                           fabric.port_name(from));
    return "";
  }
  /// "" if for each member, exactly the receivers of its connected component get its packet once.
  std::string complaint() {
    const std::vector<std::uint32_t> component = components();
    for (const auto& [mlid, group] : groups) {
      for (const auto* members : {&group.receivers, &group.senders}) {
        for (const fabric::PortIndex from : *members) {
          if (std::string wrong = fault(mlid, from); !wrong.empty()) return wrong;
          std::set<sim::PortIndex> expected;
          for (const fabric::PortIndex to : group.receivers) {
            if (to != from && component[leaf(to)] == component[leaf(from)])
              expected.insert(sim_port(to));
          }
          const sim::Copies copies =
              sim::walk_multicast(model(), sim_port(from), {.dlid = mad::Lid{mlid.value}});
          if (std::set<sim::PortIndex>(copies.delivered.begin(), copies.delivered.end()) !=
              expected) {
            return fmt::format("MLID {}: a packet of {} reaches {} ports instead of {}{}", mlid,
                               fabric.port_name(from), copies.delivered.size(), expected.size(),
                               picture(mlid));
          }
        }
      }
    }
    return "";
  }
  /// The tables of the hardware and those wanted, for the text of a failure.
  std::string picture(mad::Mlid mlid) {
    std::string text;
    for (const fabric::SwitchIndex sw : graph.all_switches()) {
      text += fmt::format("\n{}:", fabric.name(fabric.switches[sw].node));
      for (std::size_t i = 0; i < graph.degree(sw); ++i)
        text += fmt::format(" {}>S{}", graph.out_ports(sw)[i].value, graph.neighbours(sw)[i].value);
      for (std::uint8_t position = 0; position < router.tables().positions(); ++position) {
        const routing::MftContent content = get(
            {sw, static_cast<std::uint16_t>(fabric::MulticastTables::block_index(mlid)), position});
        const std::size_t at =
            fabric::MulticastTables::compute_index(mlid) % fabric::kMftBlockMlids * 2;
        text += fmt::format(" | has {:02x}{:02x} wants {:04x}", content[at], content[at + 1],
                            router.tables().mask(sw, mlid, position));
      }
    }
    return text;
  }
  fabric::SwitchIndex leaf(fabric::PortIndex port) const {
    const fabric::Node& own = fabric.owning_node(port);
    return own.is_switch() ? own.switch_index
                           : fabric.owning_node(fabric.ports[port].peer).switch_index;
  }
  std::vector<std::uint32_t> components() const {
    std::vector<std::uint32_t> component(graph.switches());
    for (std::uint32_t sw = 0; sw < component.size(); ++sw) component[sw] = sw;
    for (bool more = true; more;) {
      more = false;
      for (fabric::SwitchIndex sw{0}; sw < component.size(); ++sw) {
        for (const fabric::SwitchIndex next : graph.neighbours(sw)) {
          if (component[next] < component[sw]) {
            component[sw] = component[next];
            more = true;
          }
        }
      }
    }
    return component;
  }
  bool is_connected() const {
    return std::ranges::all_of(components(),
                               [](std::uint32_t component) { return component == 0; });
  }

  void put(fabric::MftUnit unit, const routing::MftContent& content) {
    auto& mft = model().nodes[sim::NodeIndex(fabric.switches[unit.sw].node.value)].sw->mft;
    if (mft.size() <= unit.position) mft.resize(unit.position + 1u);
    auto& masks = mft[unit.position];
    const std::size_t first = std::size_t{unit.block} * fabric::kMftBlockMlids;
    if (masks.size() < first + fabric::kMftBlockMlids) masks.resize(first + fabric::kMftBlockMlids);
    for (unsigned entry = 0; entry < fabric::kMftBlockMlids; ++entry) {
      masks[first + entry] =
          static_cast<std::uint16_t>(content[2 * entry] << 8 | content[2 * entry + 1]);
    }
  }
  routing::MftContent get(fabric::MftUnit unit) {
    routing::MftContent content{};
    const auto& mft = model().nodes[sim::NodeIndex(fabric.switches[unit.sw].node.value)].sw->mft;
    const std::size_t first = std::size_t{unit.block} * fabric::kMftBlockMlids;
    if (unit.position >= mft.size() || mft[unit.position].size() <= first) return content;
    for (unsigned entry = 0; entry < fabric::kMftBlockMlids; ++entry) {
      content[2 * entry] = static_cast<std::uint8_t>(mft[unit.position][first + entry] >> 8);
      content[2 * entry + 1] = static_cast<std::uint8_t>(mft[unit.position][first + entry]);
    }
    return content;
  }
  void read(const Losses& losses) {
    for (std::size_t number = 0; number < held.tables.units(); ++number) {
      const fabric::MftUnit unit = held.tables.unit(number);
      if (held.of(unit) == routing::MftKnowledge::unknown && routing::has_unit(fabric, unit) &&
          !random.percent(losses.lost_percent))
        held.learn(unit, get(unit));
    }
  }

 private:
  /// Channels and ports of a switch that lead to switches.
  std::vector<std::pair<std::uint32_t, fabric::PortIndex>> switch_ports(
      fabric::SwitchIndex sw) const {
    std::vector<std::pair<std::uint32_t, fabric::PortIndex>> ports;
    for (const fabric::ChannelIndex channel : graph.channels(sw)) {
      ports.emplace_back(channel, fabric.port(fabric.switches[sw].node, graph.port[channel]));
    }
    return ports;
  }
  void set_active(fabric::PortIndex port) {
    fabric.ports[port].info.set_port_state(mad::PortState::active);
    model().ports[sim_port(port)].info.set_port_state(mad::PortState::active);
  }
  void set_link(sim::PortIndex port, bool up) {
    mad::PortInfo& info = model().ports[port].info;
    info.set_port_physical_state(up ? mad::PortPhysicalState::link_up
                                    : mad::PortPhysicalState::polling);
    info.set_port_state(up ? mad::PortState::init : mad::PortState::down);
  }

  template <class Look, class Content>
  bool send(std::vector<fabric::MftUnit> units, const Losses& losses, Look&& look,
            Content&& content_of) {
    bool all_acknowledged = true;
    std::vector<routing::MftContent> contents;
    std::vector<std::size_t> turn;
    for (std::size_t i = 0; i < units.size(); ++i) {
      contents.push_back(content_of(units[i]));
      turn.push_back(i);
    }
    random.shuffle(turn);
    writes += units.size();
    for (const std::size_t i : turn) {
      const bool lost = random.percent(losses.lost_percent),
                 unacknowledged = random.percent(losses.unacknowledged_percent);
      if (!lost) put(units[i], contents[i]);
      if (!lost && !unacknowledged) {
        held.learn(units[i], contents[i]);
      } else {
        held.mark_unknown(units[i], contents[i]);
        all_acknowledged = false;
      }
      if (!lost) look();
    }
    return all_acknowledged;
  }
};

}  // namespace multicast_lab
