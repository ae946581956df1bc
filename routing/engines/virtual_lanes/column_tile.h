#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/core/engine.h"
#include "routing/graph/batches.h"

namespace routing {

/// Holds the columns of the tables for a few LIDs of one switch, and writes them to all per-switch
/// tables together, because the tables are far apart in memory.
class ColumnTile {
 public:
  static constexpr std::size_t kLids = 64;

  /// Keeps references to all three arguments.
  ColumnTile(const RoutingInput& input, const HostLids& hosts, fabric::ForwardingTables& lfts)
      : input_(input), hosts_(hosts), lfts_(lfts), ports_(input.graph.switches() * kLids) {}

  /// Returns the output ports, by switch, of the LID with this number.
  std::uint8_t* column(std::size_t number) {
    return ports_.data() + number * input_.graph.switches();
  }

  /// Writes entries of up to kLids LIDs that are attached to `last_switch`, for the switches of
  /// `sources`. Switches whose LinearFDBCap is not above a LID get no entry for it.
  template <class Sources, class SwitchOf>
  void write(fabric::SwitchIndex last_switch, std::span<const std::uint16_t> lids,
             const Sources& sources, SwitchOf&& get_switch) {
    const auto write_table = [&](fabric::SwitchIndex sw, auto&& port_of) {
      const std::size_t cap = input_.fabric.switches[sw].info.linear_fdb_cap();
      std::uint8_t* const row = lfts_.writable_row(sw).data();
      for (std::size_t i = 0; i < lids.size(); ++i)
        if (lids[i] < cap) row[lids[i]] = port_of(i);
    };
    for (std::size_t i = 0; i < sources.size(); ++i) {
      constexpr std::size_t kAhead = 12;  // tables that are prefetched
      if (i + kAhead < sources.size())
        __builtin_prefetch(lfts_.row(get_switch(sources[i + kAhead])).data() + lids[0], 1);
      const fabric::SwitchIndex sw = get_switch(sources[i]);
      write_table(sw, [&](std::size_t lid) { return ports_[lid * input_.graph.switches() + sw]; });
    }
    write_table(last_switch, [&](std::size_t i) { return hosts_.last_port[lids[i]]; });
  }

 private:
  const RoutingInput& input_;
  const HostLids& hosts_;
  fabric::ForwardingTables& lfts_;
  std::vector<std::uint8_t> ports_;  // [number of the LID][switch]
};

}  // namespace routing
