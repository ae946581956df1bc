#pragma once
// Sends requests to subnet administration about the ports of the fabric and multicast groups.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mad/gsi_client.h"
#include "mad/records/mc_member_record.h"
#include "mad/sa_attribute.h"
#include "virt/vnic/vnic_configuration.h"

namespace vnic {

/// Returns the multicast group of a switch. Its scope is link-local, and no other program uses
/// these MGIDs.
mad::Gid group_gid(const VeswKey& of, mad::PKey p_key);

/// Errors: all functions return one line with the reason.
class Administration {
 public:
  Administration(mad::GsiClient& client, mad::GsiTransport& transport)
      : client_(client), transport_(transport) {}

  /// Returns all ports of channel adapters that have a LID.
  boost::asio::awaitable<tl::expected<std::vector<EndPort>, std::string>> read_ports();
  /// Makes a port a full member of the group of a switch, which is created with its first member
  /// (ProxyJoin). Returns the group's LID.
  boost::asio::awaitable<tl::expected<std::uint32_t, std::string>> join(VeswKey of, mad::PKey p_key,
                                                                        mad::Guid port);
  boost::asio::awaitable<tl::expected<void, std::string>> leave(VeswKey of, mad::PKey p_key,
                                                                mad::Guid port);

 private:
  boost::asio::awaitable<tl::expected<std::vector<std::uint8_t>, std::string>> ask(
      mad::Method method, mad::SaAttributeId attribute, std::uint64_t mask,
      std::vector<std::uint8_t> record, mad::Duration timeout);
  mad::McMemberRecord member(const VeswKey& of, mad::PKey p_key, mad::Guid port) const;

  mad::GsiClient& client_;
  mad::GsiTransport& transport_;
};

}  // namespace vnic
