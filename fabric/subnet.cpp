#include "fabric/subnet.h"

namespace sm {

void Subnet::index() {
  end_port_number.assign(fabric.ports.size(), kNoIndex);
  for (std::size_t number = 0; number < fabric.end_ports.size(); ++number)
    end_port_number[fabric.end_ports[number]] = static_cast<std::uint32_t>(number);
}

}  // namespace sm
