#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace fabric {

/// The graph that routing works on: the usable links between switches as compressed sparse rows,
/// and the switch that each end port is attached to. A link is usable if both ends are up, it
/// connects two different switches and Fabric::is_kept_out() is false. Each direction of a link is
/// a channel; its index is in the range [offsets[sw], offsets[sw + 1]) of the switch that sends, in
/// port order.
struct SwitchGraph {
  struct EndPort {  // a CA or router port attached to a switch, or the switch's own port 0
    PortIndex port;
    SwitchIndex sw;
    mad::PortNum out;        // the switch's port towards it; 0 for the switch itself
    bool is_inside = false;  // the CA or router is part of the switch (is_inside_switch())
    bool is_switch() const { return out == mad::PortNum{0}; }
    /// True for ports that send and receive traffic of their own: they shape the fabric.
    bool is_host() const { return !is_switch() && !is_inside; }
  };
  IndexVector<SwitchIndex, ChannelIndex> offsets;    // switches + 1
  IndexVector<ChannelIndex, SwitchIndex> neighbour;  // per channel
  IndexVector<ChannelIndex, mad::PortNum> port;      // per channel: the local port
  IndexVector<ChannelIndex, ChannelIndex>
      reverse;                     // per channel: that of the same link in the other direction
  std::vector<EndPort> end_ports;  // only those attached to a switch; by switch and port number,
                                   // port 0 first

  IndexRange<SwitchIndex> all_switches() const { return {SwitchIndex{0}, SwitchIndex(switches())}; }
  /// Returns the channels out of a switch.
  IndexRange<ChannelIndex> channels(SwitchIndex sw) const { return {offsets[sw], offsets[sw + 1]}; }
  std::size_t switches() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t degree(SwitchIndex sw) const { return offsets[sw + 1] - offsets[sw]; }
  std::span<const SwitchIndex> neighbours(SwitchIndex sw) const {
    return {neighbour.data() + offsets[sw], degree(sw)};
  }
  std::span<const mad::PortNum> out_ports(SwitchIndex sw) const {
    return {port.data() + offsets[sw], degree(sw)};
  }
  /// True if links between switches are equal and have the same indices; end ports may differ.
  bool has_same_channels(const SwitchGraph& other) const {
    return offsets == other.offsets && neighbour == other.neighbour && port == other.port;
  }
};

/// True for a CA or router that is part of the switch that it is attached to, such as the
/// aggregation node of a switch that reduces data in the network: both have the same
/// SystemImageGUID, which is not 0 (IBTA Vol 1, 14.2.5.3). Such a node is a destination like any
/// other, but says nothing about where hosts are.
bool is_inside_switch(const Node& node, const Node& sw);

/// If all CAs and routers are inside of switches, all of them count as hosts.
SwitchGraph make_switch_graph(const Fabric& fabric);

}  // namespace fabric
