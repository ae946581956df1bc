#include "sm/sweep/apply/adaptive_content.h"

#include <algorithm>

namespace sm {

mad::SmpData entry_block(const FormBlock& forms, const StaticPorts& static_ports) {
  mad::ArLinearForwardingTable table;
  for (unsigned entry = 0; entry < forms.size(); ++entry)
    table.set_entry(entry, {.state = state_of(forms[entry]),
                            .table = 0,
                            .static_port = mad::PortNum{static_ports[entry]},
                            .group = group_of(forms[entry])});
  mad::SmpData data{};
  std::ranges::copy(table.bytes(), data.begin());
  return data;
}

mad::SmpData group_block(const fabric::PortSet& even, const fabric::PortSet& odd) {
  mad::ArGroupTable table;
  for (unsigned port = 1; port < even.size(); ++port) {
    const mad::PortNum number{static_cast<std::uint8_t>(port)};
    if (even[port]) table.set_port(0, number);
    if (odd[port]) table.set_port(1, number);
  }
  mad::SmpData data{};
  std::ranges::copy(table.bytes(), data.begin());
  return data;
}

StaticPorts held_static_ports(const TableMemory& lfts, fabric::SwitchIndex sw, std::size_t block) {
  StaticPorts ports;
  ports.fill(mad::kNoPort.value);
  const ForwardingTables* const held = lfts.tables();
  const std::size_t first = block * ports.size();
  if (held != nullptr && first < held->pitch())
    std::ranges::copy(held->row(sw).subspan(first, ports.size()), ports.begin());
  return ports;
}

}  // namespace sm
