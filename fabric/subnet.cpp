#include "fabric/subnet.h"

namespace fabric {

void Subnet::index() {
  end_port_index.assign(fabric.ports.size(), kNoIndex);
  for (const EndPortIndex end_port : fabric.end_ports.indices())
    end_port_index[fabric.end_ports[end_port]] = end_port;
  index_links();
}

void Subnet::index_links() { exits = std::make_shared<const Exits>(fabric); }

EndPoint Subnet::find(mad::Guid guid) const {
  if (const auto port = fabric.port_of_guid.find(guid); port != fabric.port_of_guid.end())
    return {.port = port->second};
  const VPortIndex vport = vports ? vports->find(guid) : VPortIndex(kNoIndex);
  if (vport == kNoIndex) return {};
  return {.port = vports->vports[vport].port, .vport = vport};
}

EndPoint Subnet::owner(mad::Lid lid) const {
  const VPortIndex vport = vports ? vports->owner(lid) : VPortIndex(kNoIndex);
  if (vport != kNoIndex) return {.port = vports->vports[vport].port, .vport = vport};
  return {.port = lids.owner(lid)};
}

}  // namespace fabric
