#include "sm/sa/registrations/ports.h"

#include <algorithm>
#include <array>

#include <arpa/inet.h>

namespace sa {

sm::PortIndex port_of(mad::Guid guid, const sm::Subnet& subnet, const AliasGuids& aliases) {
  const auto& ports = subnet.fabric.port_of_guid;
  if (const auto found = ports.find(guid); found != ports.end()) return found->second;
  const mad::Guid owner = aliases.owner(guid);
  if (owner == mad::Guid{}) return sm::kNoIndex;
  const auto found = ports.find(owner);
  return found == ports.end() ? sm::kNoIndex : found->second;
}

bool may_talk_to_any(const sm::Subnet& subnet, sm::PortIndex port,
                     std::span<const mad::PKey> keys) {
  const std::span<const mad::PKey> own = subnet.p_keys_of(port);
  return std::any_of(own.begin(), own.end(), [&](mad::PKey a) {
    return std::any_of(keys.begin(), keys.end(), [&](mad::PKey b) { return sm::may_talk(a, b); });
  });
}

bool is_in_partition(const sm::Subnet& subnet, sm::PortIndex port, mad::PKey key) {
  const std::span<const mad::PKey> own = subnet.p_keys_of(port);
  return std::any_of(own.begin(), own.end(), [&](mad::PKey held) {
    return mad::partition_of(held) == mad::partition_of(key) && mad::partition_of(key) != 0;
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
