// Commands about Ethernet management agents (--omni-path).

#include <fmt/ranges.h>

#include "sim/server/console.h"
#include "sim/world/gsi_network.h"

namespace sim::server {
namespace {

std::string mac_text(mad::Mac mac) {
  std::vector<std::uint8_t> octets(mad::kMacBytes);
  mad::write_mac(std::span(octets).first<mad::kMacBytes>(), mac);
  return fmt::format("{:02x}", fmt::join(octets, ":"));
}

void show_vnics(Session& s, PortIndex port) {
  const EthernetAgent& agent = s.gsi->agent(port);
  s.say("TrapLID {}, {} Sets", agent.class_port_info.trap_lid(), agent.all_sets());
  for (const auto& [number, vnic] : agent.vnics) {
    s.say("VNIC {}: switch {} MAC {} {} digest {:#010x}", number, vnic.info.vesw_id(),
          mac_text(vnic.info.base_mac()),
          vnic.info.oper_state() == mad::VnicState::forwarding ? "Forwarding" : "DropAll",
          vnic.info.table_digest());
    for (const auto& [index, entry] : vnic.table)
      s.say("  {} {} -> DLID {}", index, mac_text(entry.get<mad::Mac, "MAC">()),
            entry.get<std::uint32_t, "DLID">());
  }
}

void change_macs(Session& s, Arguments& args, PortIndex port) {
  constexpr std::uint64_t kMacMax = 0xFFFF'FFFF'FFFF, kVnicMax = 255;
  const auto vnic = static_cast<std::uint8_t>(args.number("VNIC", 1, kVnicMax));
  std::vector<mad::Mac> macs;
  while (!args.empty()) macs.push_back({args.number("MAC address as a number", 1, kMacMax)});
  s.gsi->send_trap(port, s.gsi->agent(port).change_macs(vnic, std::move(macs)));
}

void ethernet(Session& s, Arguments& args) {
  if (s.gsi == nullptr) throw CommandError("not available without --omni-path");
  const std::size_t action = args.choice("action", {"load", "unload", "restart", "show", "macs"});
  const PortIndex port = args.end_port();
  if (action != 4) args.finish();
  switch (action) {
    case 0:
      return void(s.gsi->agent(port));
    case 1:
      return s.gsi->unload(port);
    case 2:
      return s.gsi->agent(port).restart();
    case 3:
      return show_vnics(s, port);
    default:
      return change_macs(s, args, port);
  }
}

constexpr Command kEthernetCommands[] = {
    {"ethernet", "load|unload|restart|show PORT, macs PORT VNIC [MAC...]",
     "an Ethernet management agent at a port, as the driver opa_vnic is one: what has\n"
     "been set, and MAC addresses (as numbers) that a VNIC reports",
     ethernet},
};

}  // namespace

std::span<const Command> ethernet_commands() { return kEthernetCommands; }

}  // namespace sim::server
