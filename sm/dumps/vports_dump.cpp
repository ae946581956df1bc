#include "mad/format.h"
#include "sm/dumps/dumps.h"
#include "sm/store/atomic_file.h"

namespace sm {
namespace {

void add_vport(std::string& out, const VPorts& vports, VPortIndex number) {
  const VPort& vport = vports.vports[number];
  fmt::format_to(std::back_inserter(out), "  {} {} GUID {} vnode {} LID {}{} P_Keys", vport.index,
                 mad::name(vport.state), vport.guid, vport.node_info.vnode_guid(), vport.lid,
                 vport.has_own_lid ? " (own)" : "");
  char separator = ' ';
  for (const mad::PKey key : vports.get_keys(number)) {
    fmt::format_to(std::back_inserter(out), "{}{:#06x}", separator, key.value);
    separator = ',';
  }
  const std::string description = vport.description.text();
  if (!description.empty()) fmt::format_to(std::back_inserter(out), " \"{}\"", description);
  if (vport.hold != VPortHold::none)
    fmt::format_to(std::back_inserter(out), ": {}", text(vport.hold));
  out += '\n';
}

}  // namespace

std::string vports_text(const Subnet& subnet) {
  std::string out;
  if (!subnet.vports) return out;
  for (const VirtualizedPort& port : subnet.vports->ports) {
    fmt::format_to(std::back_inserter(out), "{}: VPortCap {}, VPortIndexTop {}, {}\n",
                   subnet.fabric.port_name(port.port), port.info.vport_cap(),
                   port.info.vport_index_top(),
                   port.info.virtualization_enable() ? "enabled" : "not enabled");
    for (std::uint32_t count = 0; count < port.count; ++count)
      add_vport(out, *subnet.vports, port.first + count);
  }
  return out;
}

tl::expected<void, std::string> write_vports_dump(const config::Options& options,
                                                  const Subnet& subnet) {
  if (options.virt_dump_file.empty() || !subnet.vports) return {};
  return write_file_atomically(options.virt_dump_file, vports_text(subnet), false);
}

}  // namespace sm
