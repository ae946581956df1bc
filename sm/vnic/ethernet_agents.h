#pragma once
// Sends typed requests to the Ethernet management agents of nodes and checks their responses.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mad/attributes/vnic.h"
#include "mad/gsi_client.h"
#include "virt/vnic/policy.h"

namespace vnic {

/// Says why a request had no effect.
struct AgentFault {
  bool silent = false;       // no response
  std::uint16_t status = 0;  // of the response; 0: it breaks a rule of its attribute
  std::string text() const;
  bool operator==(const AgentFault&) const = default;
};
template <class T>
using AgentResult = tl::expected<T, AgentFault>;

/// MAC addresses that an interface reports, up to a bound.
struct MacList {
  std::vector<mad::Mac> macs;
  std::size_t total = 0;  // that it says it has
  std::uint16_t generation = 0;
};

struct AgentCounts {
  std::uint64_t gets = 0, sets = 0;  // that were begun
  std::uint64_t refused = 0, silent = 0, malformed = 0;
};

class EthernetAgents {
 public:
  EthernetAgents(mad::GsiClient& client, mad::GsiTransport& transport)
      : client_(client), transport_(transport) {}

  boost::asio::awaitable<AgentResult<mad::EthernetClassPortInfo>> get_class_port_info(mad::Lid to);
  boost::asio::awaitable<AgentResult<mad::EthernetClassPortInfo>> set_class_port_info(
      mad::Lid to, mad::EthernetClassPortInfo info);
  boost::asio::awaitable<AgentResult<mad::VeswPortInfo>> get_port_info(mad::Lid to, unsigned vnic);
  /// Sets VESWPortInfo, and creates the VNIC if it does not exist.
  boost::asio::awaitable<AgentResult<mad::VeswPortInfo>> set_port_info(mad::Lid to, unsigned vnic,
                                                                       mad::VeswPortInfo info);
  boost::asio::awaitable<AgentResult<void>> set_table(mad::Lid to, unsigned vnic, TablePart part);
  /// Reads at most `macs_max` addresses, whatever number the node reports.
  boost::asio::awaitable<AgentResult<MacList>> get_unicast_macs(mad::Lid to, unsigned vnic,
                                                                std::size_t macs_max);
  /// Deletes a VNIC: it then drops all frames, and its table is empty.
  boost::asio::awaitable<AgentResult<void>> delete_vnic(mad::Lid to, unsigned vnic);
  const AgentCounts& counts() const { return counts_; }

 private:
  /// Returns the data of the response, kEthernetManagementDataBytes long.
  boost::asio::awaitable<AgentResult<std::vector<std::uint8_t>>> ask(
      mad::Lid to, mad::Method method, mad::EthernetAttribute attribute, unsigned vnic,
      std::vector<std::uint8_t> data);
  template <class A>
  boost::asio::awaitable<AgentResult<A>> ask_for(mad::Lid to, mad::Method method, unsigned vnic,
                                                 A sent);

  mad::GsiClient& client_;
  mad::GsiTransport& transport_;
  AgentCounts counts_;
};

}  // namespace vnic
