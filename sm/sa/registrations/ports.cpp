#include "sm/sa/registrations/ports.h"

#include <algorithm>
#include <array>

#include <arpa/inet.h>

#include "mad/format.h"

namespace sa {

fabric::EndPoint find_end_point(mad::Guid guid, const fabric::Subnet& subnet,
                                const AliasGuids& aliases) {
  const fabric::EndPoint end = subnet.find(guid);
  if (end.port != fabric::kNoIndex) return end;
  const mad::Guid owner = aliases.owner(guid);
  return owner == mad::Guid{} ? fabric::EndPoint{} : subnet.find(owner);
}

std::string find_name(const fabric::Subnet& subnet, fabric::EndPoint end) {
  const std::string port = subnet.fabric.port_name(end.port);
  if (end.vport == fabric::kNoIndex) return port;
  const fabric::VPort& vport = subnet.vports->vports[end.vport];
  return fmt::format("vport {} ({}) of {}", vport.index, vport.guid, port);
}

std::uint8_t vport_hop_limit(const config::Options& options) {
  return std::max<std::uint8_t>(options.virt_default_hop_limit, 2);
}

mad::Lid routed_as(const fabric::Subnet& subnet, mad::Lid lid) {
  const fabric::EndPoint owner = subnet.owner(lid);
  return owner.vport == fabric::kNoIndex ? lid : subnet.lid_range(owner.port).base;
}

bool may_talk_to_any(const fabric::Subnet& subnet, fabric::EndPoint end,
                     std::span<const mad::PKey> keys) {
  const std::span<const mad::PKey> own = subnet.find_p_keys(end);
  return std::any_of(own.begin(), own.end(), [&](mad::PKey a) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](mad::PKey b) { return fabric::may_communicate(a, b); });
  });
}

bool is_in_partition(const fabric::Subnet& subnet, fabric::EndPoint end, mad::PKey key) {
  const std::span<const mad::PKey> own = subnet.find_p_keys(end);
  return std::any_of(own.begin(), own.end(), [&](mad::PKey held) {
    return mad::p_key_base(held) == mad::p_key_base(key) && mad::p_key_base(key) != 0;
  });
}

std::string gid_text(mad::Gid gid) {
  std::array<unsigned char, 16> bytes{};
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<unsigned char>(gid.prefix >> (56 - 8 * i));
    bytes[8 + i] = static_cast<unsigned char>(gid.guid.value >> (56 - 8 * i));
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size()) == nullptr ? std::string()
                                                                                  : text.data();
}

}  // namespace sa
