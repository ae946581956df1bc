#include "sm/vnic/ethernet_agents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vnic {
namespace asio = boost::asio;
using mad::EthernetAttribute;

std::string AgentFault::text() const {
  if (silent) return "no response";
  return status != 0 ? fmt::format("status {:#06x}", status) : "a malformed response";
}

asio::awaitable<AgentResult<std::vector<std::uint8_t>>> EthernetAgents::ask(
    mad::Lid to, mad::Method method, EthernetAttribute attribute, unsigned vnic,
    std::vector<std::uint8_t> data) {
  ++(method == mad::Method::set ? counts_.sets : counts_.gets);
  const mad::GsiPortState own = transport_.state();
  mad::GsiClient::Request request;
  request.bytes.assign(mad::kOpaMadBytes, 0);
  mad::write_ethernet_header(request.bytes, method, attribute, static_cast<std::uint8_t>(vnic));
  std::copy_n(data.begin(), std::min(data.size(), mad::kEthernetManagementDataBytes),
              request.bytes.begin() + mad::kVendorHeaderBytes);
  request.to.lid = to;
  request.to.qpn = 1;
  request.to.qkey = mad::kQp1QKey;
  request.to.sl = own.sm_sl;
  request.to.pkey_index = own.pkey_index;
  auto response = co_await client_.exchange(std::move(request));
  AgentFault fault;
  if (!response) {
    ++counts_.silent;
    fault.silent = true;
    co_return tl::unexpected(fault);
  }
  const bool complete =
      mad::is_ethernet_management(*response) && response->size() == mad::kOpaMadBytes;
  const mad::ConstMadView header(std::span<const std::uint8_t>(*response).first<mad::kMadBytes>());
  if (!complete || header.method() != mad::Method::get_resp) {
    ++counts_.malformed;
    co_return tl::unexpected(fault);
  }
  if (header.status() != 0) {
    ++counts_.refused;
    fault.status = header.status();
    co_return tl::unexpected(fault);
  }
  response->erase(response->begin(), response->begin() + mad::kVendorHeaderBytes);
  co_return std::move(*response);
}

template <class A>
asio::awaitable<AgentResult<A>> EthernetAgents::ask_for(mad::Lid to, mad::Method method,
                                                        unsigned vnic, A sent) {
  std::vector<std::uint8_t> data(sent.bytes().begin(), sent.bytes().end());
  auto answered = co_await ask(to, method, A::kId, vnic, std::move(data));
  if (!answered) co_return tl::unexpected(answered.error());
  co_return A(std::span<const std::uint8_t>(*answered).template first<A::kBytes>());
}

asio::awaitable<AgentResult<mad::EthernetClassPortInfo>> EthernetAgents::get_class_port_info(
    mad::Lid to) {
  const mad::EthernetClassPortInfo none;
  co_return co_await ask_for(to, mad::Method::get, 0, none);
}

asio::awaitable<AgentResult<mad::EthernetClassPortInfo>> EthernetAgents::set_class_port_info(
    mad::Lid to, mad::EthernetClassPortInfo info) {
  co_return co_await ask_for(to, mad::Method::set, 0, info);
}

asio::awaitable<AgentResult<mad::VeswPortInfo>> EthernetAgents::get_port_info(mad::Lid to,
                                                                              unsigned vnic) {
  const mad::VeswPortInfo none;
  co_return co_await ask_for(to, mad::Method::get, vnic, none);
}

asio::awaitable<AgentResult<mad::VeswPortInfo>> EthernetAgents::set_port_info(
    mad::Lid to, unsigned vnic, mad::VeswPortInfo info) {
  co_return co_await ask_for(to, mad::Method::set, vnic, info);
}

asio::awaitable<AgentResult<void>> EthernetAgents::set_table(mad::Lid to, unsigned vnic,
                                                             TablePart part) {
  mad::MacTableHead head;
  head.set<"Offset">(part.offset);
  head.set<"NumEntries">(static_cast<std::uint16_t>(part.entries.size()));
  head.set<"MACTableDigest">(part.digest);
  std::vector<std::uint8_t> data(head.bytes().begin(), head.bytes().end());
  for (const MacEntry& from : part.entries) {
    mad::MacTableEntry entry;
    if (from.mac.value != 0) {
      entry.set<"MAC">(from.mac);
      entry.set<"Mask">(mad::MacTableEntry::kFullMask);
      entry.set<"DLID">(from.dlid);
    }
    data.insert(data.end(), entry.bytes().begin(), entry.bytes().end());
  }
  const auto answered =
      co_await ask(to, mad::Method::set, EthernetAttribute::mac_table, vnic, std::move(data));
  if (!answered) co_return tl::unexpected(answered.error());
  co_return AgentResult<void>();
}

asio::awaitable<AgentResult<MacList>> EthernetAgents::get_unicast_macs(mad::Lid to, unsigned vnic,
                                                                       std::size_t macs_max) {
  MacList list;
  while (list.macs.size() < macs_max) {
    mad::MacListHead head;
    const std::size_t wanted = std::min(mad::kMacsPerMad, macs_max - list.macs.size());
    head.set<"StartIndex">(static_cast<std::uint16_t>(list.macs.size()));
    head.set<"NumInMessage">(static_cast<std::uint16_t>(wanted));
    std::vector<std::uint8_t> data(head.bytes().begin(), head.bytes().end());
    const auto answered =
        co_await ask(to, mad::Method::get, EthernetAttribute::unicast_macs, vnic, std::move(data));
    if (!answered) co_return tl::unexpected(answered.error());
    const std::span<const std::uint8_t> bytes(*answered);
    head = mad::MacListHead(bytes.first<mad::MacListHead::kBytes>());
    const std::size_t count = head.get<std::uint16_t, "NumInMessage">();
    if (count > wanted) {
      ++counts_.malformed;
      co_return tl::unexpected(AgentFault());
    }
    for (std::size_t i = 0; i < count; ++i)
      list.macs.push_back(mad::read_mac(
          bytes.subspan(mad::MacListHead::kBytes + i * mad::kMacBytes).first<mad::kMacBytes>()));
    list.total = head.get<std::uint16_t, "Total">();
    list.generation = head.get<std::uint16_t, "Generation">();
    if (count == 0 || list.macs.size() >= list.total) break;
  }
  co_return list;
}

asio::awaitable<AgentResult<void>> EthernetAgents::delete_vnic(mad::Lid to, unsigned vnic) {
  std::vector<std::uint8_t> none;
  const auto answered =
      co_await ask(to, mad::Method::set, EthernetAttribute::delete_vesw, vnic, std::move(none));
  if (!answered) co_return tl::unexpected(answered.error());
  co_return AgentResult<void>();
}

}  // namespace vnic
