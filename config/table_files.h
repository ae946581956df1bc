#pragma once
// This file reads dumps of forwarding tables and hop counts, as OpenSM and dump_fts write them.

#include <cstdint>
#include <vector>

#include "config/diagnostic.h"

namespace config {

/// Holds the forwarding tables of a dump. Entries that are not listed are 0xFF.
struct ForwardingDump {
  struct SwitchTable {
    std::uint64_t switch_guid;
    std::vector<std::uint8_t> out;  // output port by LID
    bool operator==(const SwitchTable&) const = default;
  };
  std::vector<SwitchTable> rows;
  std::vector<std::uint64_t> owner_of_lid;  // port GUIDs; 0 where no line has it
  bool operator==(const ForwardingDump&) const = default;
};

/// Holds hop counts by output port (0 .. N; 0xFF: no path) to LIDs of switches.
struct HopDump {
  struct Destination {
    std::uint16_t lid;
    std::uint64_t port_guid;  // 0 where the line lacks it
    std::vector<std::uint8_t> hops;
    bool operator==(const Destination&) const = default;
  };
  struct SwitchHops {
    std::uint64_t switch_guid;
    std::vector<Destination> destinations;
    bool operator==(const SwitchHops&) const = default;
  };
  std::vector<SwitchHops> rows;
  bool operator==(const HopDump&) const = default;
};

/// Reads lfts_file: sections "Unicast lids [..] of switch .. guid 0x.. (..):" of lines "0x<lid>
/// <port> .. portguid 0x..". Entries of dump_fts -a without a port, and those of LID 0, are left
/// out. Errors: LIDs, ports and GUIDs out of range, lines before the first section, a file that has
/// multicast sections only. Warnings: multicast sections beside others (one warning), a second
/// section of a switch or a second line of a LID, and a LID with several owners; the first one is
/// used.
ForwardingDump parse_forwarding_dump(const Source& source, Diagnostics& out);

/// Reads lid_matrix_dump_file: sections "Switch: guid 0x.." of lines "0x<lid>: <hops of port 0> <of
/// port 1> .. # portguid 0x..", all hexadecimal. Errors and warnings: as parse_forwarding_dump().
HopDump parse_hop_dump(const Source& source, Diagnostics& out);

}  // namespace config
