#include "sim/server/wire_records.h"

#include <endian.h>

namespace sim::server {

void put_gid(wire::Control& record, mad::Gid gid) {
  record.data = {};
  const std::uint64_t prefix_be = htobe64(gid.prefix);
  std::memcpy(record.data.data(), &prefix_be, sizeof prefix_be);
  std::memcpy(record.data.data() + sizeof prefix_be, &gid.guid.value, sizeof gid.guid.value);
}

std::optional<mad::GlobalRoute> grh_of(const wire::PacketRoute& route) {
  if (route.grh_present == 0) return std::nullopt;
  std::uint64_t prefix_be = 0, guid_be = 0;
  std::memcpy(&prefix_be, route.gid.data(), sizeof prefix_be);
  std::memcpy(&guid_be, route.gid.data() + sizeof prefix_be, sizeof guid_be);
  return mad::GlobalRoute{.peer = {be64toh(prefix_be), {be64toh(guid_be)}},
                          .own_gid_index = route.own_gid_index,
                          .hop_limit = route.hop_limit,
                          .traffic_class = route.traffic_class,
                          .flow_label = route.flow_label};
}

wire::PacketRoute route_of(const mad::MadAddress& from) {
  wire::PacketRoute route{.p_key_index = from.pkey_index, .sl = from.sl.value};
  if (!from.grh) return route;
  route.grh_present = 1;
  const std::uint64_t prefix_be = htobe64(from.grh->peer.prefix),
                      guid_be = htobe64(from.grh->peer.guid.value);
  std::memcpy(route.gid.data(), &prefix_be, sizeof prefix_be);
  std::memcpy(route.gid.data() + sizeof prefix_be, &guid_be, sizeof guid_be);
  route.own_gid_index = from.grh->own_gid_index;
  route.hop_limit = from.grh->hop_limit;
  route.traffic_class = from.grh->traffic_class;
  route.flow_label = from.grh->flow_label;
  return route;
}

}  // namespace sim::server
