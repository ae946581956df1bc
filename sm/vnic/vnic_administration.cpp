#include "sm/vnic/vnic_administration.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mad/records/fabric_records.h"
#include "mad/rmpp.h"

namespace vnic {
namespace asio = boost::asio;

namespace {

// The kernel keeps a transaction open for all attempts, and its timer runs until the last segment
// of a response. A table therefore takes at most three times this timeout.
constexpr mad::Duration kTableTimeout = std::chrono::seconds(5);
constexpr mad::Duration kRecordTimeout = std::chrono::seconds(1);
constexpr std::size_t kPortsMax = 0xBFFF;  // unicast LIDs
constexpr std::uint8_t kFullMember = 1;    // JoinState
constexpr std::uint32_t kGroupQKey = 0x0B1B;

constexpr std::uint64_t component(std::initializer_list<unsigned> bits) {
  std::uint64_t mask = 0;
  for (const unsigned bit : bits) mask |= std::uint64_t{1} << bit;
  return mask;
}

std::string description_of(std::span<const std::uint8_t> record) {
  const auto field = record.subspan(mad::NodeRecordFields::kDescriptionByte, 64);
  const auto end = std::ranges::find(field, std::uint8_t{0});
  return {field.begin(), end};
}

std::vector<EndPort> read_records(std::span<const std::uint8_t> message) {
  std::vector<EndPort> ports;
  const mad::ConstSaView head(message.first<mad::kMadBytes>());
  const std::size_t step = std::size_t{head.attribute_offset()} * 8;
  if (step < mad::NodeRecord::kBytes) return ports;
  for (std::size_t at = mad::SaFields::kDataByte;
       at + mad::NodeRecord::kBytes <= message.size() && ports.size() < kPortsMax; at += step) {
    const auto bytes = message.subspan(at).first<mad::NodeRecord::kBytes>();
    const mad::NodeRecord record(bytes);
    const EndPort port{record.get<mad::Guid, "PortGUID">(), record.get<mad::Lid, "LID">(),
                       description_of(bytes)};
    const bool is_ca =
        record.get<mad::NodeType, "NodeType">() == mad::NodeType::ca && port.guid.value != 0;
    if (is_ca && mad::is_unicast(port.lid)) ports.push_back(port);
  }
  std::ranges::sort(ports, {}, &EndPort::guid);
  const auto twice = std::ranges::unique(ports, {}, &EndPort::guid);
  ports.erase(twice.begin(), twice.end());
  return ports;
}

}  // namespace

mad::Gid group_gid(const VeswKey& of, mad::PKey p_key) {
  // 0xFF12 means transient and link-local (RFC 4291, 2.7); "VE" marks groups of virtual Ethernet
  // switches.
  return {
      std::uint64_t{0xFF12} << 48 | std::uint64_t{0x5645} << 32 | std::uint64_t{p_key.value} << 16,
      mad::Guid{std::uint64_t{of.fabric_id} << 16 | of.vesw_id}};
}

asio::awaitable<tl::expected<std::vector<std::uint8_t>, std::string>> Administration::ask(
    mad::Method method, mad::SaAttributeId attribute, std::uint64_t mask,
    std::vector<std::uint8_t> record, mad::Duration timeout) {
  const mad::GsiPortState own = transport_.state();
  if (!mad::is_unicast(own.lid) || !mad::is_unicast(own.sm_lid))
    co_return tl::unexpected(std::string("no subnet manager has given this port a LID"));
  mad::GsiClient::Request request;
  request.bytes.assign(mad::kMadBytes, 0);
  mad::SaView sa(std::span(request.bytes).first<mad::kMadBytes>());
  sa.set_base_version(mad::kBaseVersion);
  sa.set_mgmt_class(mad::MgmtClass::sa);
  sa.set_class_version(mad::kSaClassVersion);
  sa.set_method(method);
  sa.set_attribute_id(static_cast<mad::AttributeId>(attribute));
  sa.set_component_mask(mask);
  std::copy_n(record.begin(), std::min(record.size(), sa.data().size()), sa.data().begin());
  request.to.lid = own.sm_lid;
  request.to.qpn = 1;
  request.to.qkey = mad::kQp1QKey;
  request.to.sl = own.sm_sl;
  request.to.pkey_index = own.pkey_index;
  request.timeout = timeout;
  auto response = co_await client_.exchange(std::move(request));
  if (!response)
    co_return tl::unexpected(
        fmt::format("subnet administration (LID {}) does not answer", own.sm_lid.value));
  const mad::ConstMadView head(std::span<const std::uint8_t>(*response).first<mad::kMadBytes>());
  if (head.status() != 0)
    co_return tl::unexpected(
        fmt::format("subnet administration (LID {}) refuses {}: status {:#06x}", own.sm_lid.value,
                    mad::name(attribute), head.status()));
  co_return std::move(*response);
}

asio::awaitable<tl::expected<std::vector<EndPort>, std::string>> Administration::read_ports() {
  std::vector<std::uint8_t> any;
  const auto message = co_await ask(mad::Method::get_table, mad::SaAttributeId::node_record, 0,
                                    std::move(any), kTableTimeout);
  if (!message) co_return tl::unexpected(message.error());
  co_return read_records(*message);
}

mad::McMemberRecord Administration::member(const VeswKey& of, mad::PKey p_key,
                                           mad::Guid port) const {
  mad::McMemberRecord record;
  record.set_mgid(group_gid(of, p_key));
  record.set_port_gid({transport_.state().gid_prefix, port});
  record.set_q_key(kGroupQKey);
  record.set_p_key(p_key);
  record.set_join_state(kFullMember);
  record.set_proxy_join(true);
  return record;
}

asio::awaitable<tl::expected<std::uint32_t, std::string>> Administration::join(VeswKey of,
                                                                               mad::PKey p_key,
                                                                               mad::Guid port) {
  using Group = mad::McMemberRecord;
  const Group record = member(of, p_key, port);
  std::vector<std::uint8_t> bytes(record.bytes().begin(), record.bytes().end());
  const std::uint64_t mask =
      component({Group::kMgid, Group::kPortGid, Group::kQKey, Group::kTClass, Group::kPKey,
                 Group::kSl, Group::kFlowLabel, Group::kJoinState, Group::kProxyJoin});
  const auto message = co_await ask(mad::Method::set, mad::SaAttributeId::mc_member_record, mask,
                                    std::move(bytes), kRecordTimeout);
  if (!message) co_return tl::unexpected(message.error());
  const mad::ConstSaView head(std::span<const std::uint8_t>(*message).first<mad::kMadBytes>());
  const Group joined(head.data().first<Group::kBytes>());
  if (joined.mlid() < mad::kMlidMin || joined.mlid() > mad::kMlidMax)
    co_return tl::unexpected(
        fmt::format("subnet administration returns {:#06x} as multicast LID", joined.mlid().value));
  co_return std::uint32_t{joined.mlid().value};
}

asio::awaitable<tl::expected<void, std::string>> Administration::leave(VeswKey of, mad::PKey p_key,
                                                                       mad::Guid port) {
  using Group = mad::McMemberRecord;
  const Group record = member(of, p_key, port);
  std::vector<std::uint8_t> bytes(record.bytes().begin(), record.bytes().end());
  const std::uint64_t mask =
      component({Group::kMgid, Group::kPortGid, Group::kJoinState, Group::kProxyJoin});
  const auto message = co_await ask(mad::Method::delete_, mad::SaAttributeId::mc_member_record,
                                    mask, std::move(bytes), kRecordTimeout);
  if (!message) co_return tl::unexpected(message.error());
  co_return tl::expected<void, std::string>();
}

}  // namespace vnic
