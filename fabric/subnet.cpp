#include "fabric/subnet.h"

namespace sm {

void Subnet::index() {
  end_port_index.assign(fabric.ports.size(), kNoIndex);
  for (const EndPortIndex end_port : fabric.end_ports.indices())
    end_port_index[fabric.end_ports[end_port]] = end_port;
}

}  // namespace sm
