#include "sm/sa/registrations/group_parameters.h"

#include <algorithm>

#include "mad/format.h"
#include "mad/path_units.h"
#include "sm/sa/registrations/outcome.h"

namespace sa {
namespace {

using McMemberMask = mad::McMemberRecord;

/// Selector and value of MTU, rate or lifetime.
struct Bound {
  mad::Selector selector;
  std::uint8_t value;
};

Bound mtu_bound(const mad::McMemberRecord& request) {
  return {static_cast<mad::Selector>(request.mtu_selector()), request.mtu()};
}
Bound rate_bound(const mad::McMemberRecord& request) {
  return {static_cast<mad::Selector>(request.rate_selector()), request.rate()};
}

/// True if `value` satisfies the bound. `order(a, b)` means that a is less than b.
template <class Order>
bool holds(Bound bound, std::uint8_t value, Order order) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return order(bound.value, value);
    case mad::Selector::less_than:
      return order(value, bound.value);
    case mad::Selector::exactly:
      return value == bound.value;
    case mad::Selector::best:
      return true;
  }
  return false;
}

constexpr auto smaller = [](std::uint8_t a, std::uint8_t b) { return a < b; };

constexpr std::uint8_t kMtuUnlimited = mad::kMtuMax;
constexpr std::uint8_t kRateUnlimited = mad::kRatesAscending.back();

/// Returns the MTU of a new group that satisfies `bound` on a port that supports `limit`.
std::optional<std::uint8_t> choose_mtu(Bound bound, std::uint8_t limit) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return bound.value < limit ? std::optional(limit) : std::nullopt;
    case mad::Selector::less_than:
      return bound.value > mad::kMtuMin
                 ? std::optional(std::min<std::uint8_t>(limit, bound.value - 1))
                 : std::nullopt;
    case mad::Selector::exactly:
      return bound.value;
    case mad::Selector::best:
      return limit;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> choose_rate(Bound bound, std::uint8_t limit) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return mad::is_slower(bound.value, limit) ? std::optional(limit) : std::nullopt;
    case mad::Selector::less_than:
      return mad::is_slower(limit, bound.value) ? std::optional(limit)
                                                : mad::next_slower_rate(bound.value);
    case mad::Selector::exactly:
      return bound.value;
    case mad::Selector::best:
      return limit;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> choose_life(Bound bound, std::uint8_t subnet) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return bound.value < mad::kPacketLifeMax
                 ? std::optional(std::max<std::uint8_t>(subnet, bound.value + 1))
                 : std::nullopt;
    case mad::Selector::less_than:
      return bound.value > 0 ? std::optional(std::min<std::uint8_t>(subnet, bound.value - 1))
                             : std::nullopt;
    case mad::Selector::exactly:
      return bound.value;
    case mad::Selector::best:
      return subnet;
  }
  return std::nullopt;
}

/// Returns "" unless a value that the selectors use is no MTU code or no rate code.
std::string illegal_code(const mad::McMemberRecord& request, const Query& query) {
  if (query.has(McMemberMask::kMtuSelector, McMemberMask::kMtu) &&
      mtu_bound(request).selector != mad::Selector::best && !mad::is_mtu(request.mtu()))
    return fmt::format("MTU code {} does not exist", request.mtu());
  if (query.has(McMemberMask::kRateSelector, McMemberMask::kRate) &&
      rate_bound(request).selector != mad::Selector::best && !mad::is_rate(request.rate()))
    return fmt::format("rate code {} does not exist", request.rate());
  return "";
}

}  // namespace

PortLimits limits_of(const fabric::Fabric& fabric, fabric::PortIndex port) {
  const mad::PortInfo& info = fabric.ports[port].info;
  auto mtu = static_cast<std::uint8_t>(info.mtu_cap());
  const bool has_link = fabric.ports[port].peer != fabric::kNoIndex;
  // NeighborMTU is the MTU that the link uses; a link that is not set up yet shows none.
  const auto neighbor_mtu = static_cast<std::uint8_t>(info.neighbor_mtu());
  if (has_link && info.port_state() >= mad::PortState::active && mad::is_mtu(neighbor_mtu))
    mtu = std::min(mtu, neighbor_mtu);
  return {.mtu = mad::is_mtu(mtu) ? mtu : std::uint8_t{0},
          .rate = has_link ? mad::link_rate(info) : std::uint8_t{0}};
}

std::string mismatched_link_values(const mad::McMemberRecord& request, const Query& query,
                                   const Group& group) {
  if (std::string illegal = illegal_code(request, query); !illegal.empty()) return illegal;
  if (query.has(McMemberMask::kMtuSelector, McMemberMask::kMtu) &&
      !holds(mtu_bound(request), group.mtu, smaller))
    return fmt::format("the group's MTU is {} bytes, requested: selector {}, {} bytes",
                       mad::mtu_bytes(group.mtu), request.mtu_selector(),
                       mad::mtu_bytes(request.mtu()));
  if (query.has(McMemberMask::kRateSelector, McMemberMask::kRate) &&
      !holds(rate_bound(request), group.rate, mad::is_slower))
    return fmt::format("the group's rate is {} Gb/s, requested: selector {}, {} Gb/s",
                       mad::rate_text(group.rate), request.rate_selector(),
                       mad::rate_text(request.rate()));
  return "";
}

std::string mismatch(const mad::McMemberRecord& request, const Query& query, const Group& group) {
  const auto differs = [](std::string_view what, auto requested, auto has) {
    return fmt::format("{} {:#x}, the group has {:#x}", what, requested, has);
  };
  if (query.has(McMemberMask::kQKey) && request.q_key() != group.q_key)
    return differs("ERR 1B30: Q_Key", request.q_key(), group.q_key);
  if (query.has(McMemberMask::kPKey)) {
    if (mad::p_key_base(request.p_key()) != mad::p_key_base(group.p_key))
      return differs("ERR 1B32: P_Key", request.p_key().value, group.p_key.value);
    if (!fabric::may_communicate(request.p_key(), group.p_key))
      return differs("ERR 1B31: limited P_Key", request.p_key().value, group.p_key.value);
  }
  if (query.has(McMemberMask::kTClass) && request.t_class() != group.t_class)
    return differs("ERR 1B33: TClass", request.t_class(), group.t_class);
  if (query.has(McMemberMask::kSl) && request.sl() != group.sl)
    return differs("ERR 1B34: SL", request.sl().value, group.sl.value);
  if (query.has(McMemberMask::kFlowLabel) && request.flow_label() != group.flow_label)
    return differs("ERR 1B35: FlowLabel", request.flow_label(), group.flow_label);
  if (query.has(McMemberMask::kHopLimit) && request.hop_limit() != group.hop_limit)
    return differs("ERR 1B36: HopLimit", request.hop_limit(), group.hop_limit);
  return "";
}

std::string beyond(PortLimits port, const Group& group) {
  // A group of partitions.conf or of the API has the values of its partition.
  const auto chosen = [&](std::string_view option) {
    return group.well_known ? fmt::format("{} of its partition", option)
                            : std::string("chosen by the host that created it");
  };
  if (port.mtu != 0 && port.mtu < group.mtu)
    return fmt::format(
        "the port's MTU of {} bytes is below the group's {} (P_Key {:#06x}); raise the MTU of the "
        "port and of its link, or lower that of the group ({})",
        mad::mtu_bytes(port.mtu), mad::mtu_bytes(group.mtu), group.p_key.value, chosen("mtu="));
  if (port.rate != 0 && mad::is_slower(port.rate, group.rate))
    return fmt::format(
        "the port's rate of {} Gb/s is below the group's {} (P_Key {:#06x}); check the width and "
        "speed of its link, or lower the rate of the group ({})",
        mad::rate_text(port.rate), mad::rate_text(group.rate), group.p_key.value, chosen("rate="));
  return "";
}

tl::expected<Group, std::string> requested_values(const mad::McMemberRecord& request,
                                                  const Query& query, PortLimits creator,
                                                  const config::Options& options) {
  if (std::string illegal = illegal_code(request, query); !illegal.empty())
    return tl::unexpected(std::move(illegal));
  const std::uint8_t own_mtu = creator.mtu == 0 ? kMtuUnlimited : creator.mtu,
                     own_rate = creator.rate == 0 ? kRateUnlimited : creator.rate;
  const bool has_mtu = query.has(McMemberMask::kMtuSelector, McMemberMask::kMtu);
  const bool has_rate = query.has(McMemberMask::kRateSelector, McMemberMask::kRate);
  const bool has_life = query.has(McMemberMask::kLifeSelector, McMemberMask::kLife);
  const auto mtu = has_mtu ? choose_mtu(mtu_bound(request), own_mtu) : own_mtu;
  if (!mtu)
    return tl::unexpected(fmt::format("no MTU of the port meets selector {} of {} bytes",
                                      request.mtu_selector(), mad::mtu_bytes(request.mtu())));
  const auto rate = has_rate ? choose_rate(rate_bound(request), own_rate) : own_rate;
  if (!rate)
    return tl::unexpected(fmt::format("no rate of the port meets selector {} of {} Gb/s",
                                      request.rate_selector(), mad::rate_text(request.rate())));
  const auto life = has_life
                        ? choose_life({static_cast<mad::Selector>(request.packet_life_selector()),
                                       request.packet_life()},
                                      options.subnet_timeout)
                        : options.subnet_timeout;
  if (!life)
    return tl::unexpected(fmt::format("no packet lifetime meets selector {} of code {}",
                                      request.packet_life_selector(), request.packet_life()));
  if (mad::p_key_base(request.p_key()) == 0)
    return tl::unexpected(fmt::format("P_Key {:#06x} names no partition", request.p_key().value));
  Group group;
  group.p_key = request.p_key();
  group.q_key = request.q_key();
  group.mtu = *mtu;
  group.rate = *rate;
  group.packet_life = *life;
  group.sl = request.sl();
  group.t_class = request.t_class();
  group.flow_label = request.flow_label();
  group.hop_limit = query.has(McMemberMask::kHopLimit) ? request.hop_limit() : std::uint8_t{0};
  return group;
}

std::string illegal_mgid(mad::Gid mgid) {
  const auto first = mgid.prefix >> 56, flags = mgid.prefix >> 52 & 0xF,
             scope = mgid.prefix >> 48 & 0xF, signature = mgid.prefix >> 32 & 0xFFFF;
  if (first != 0xFF)
    return fmt::format("ERR 1B01: its first byte is {:#04x}, that of a multicast GID is 0xff",
                       first);
  if ((flags & 0xE) != 0) return fmt::format("ERR 1B28: its flags {:#x} use reserved bits", flags);
  // Clients of OpenSM, osmtest among them, name MGIDs of the other reserved scope, 0xF.
  if (scope == 0) return "its scope 0x0 is reserved";
  if (signature == 0xA01B && scope == 2)
    return "ERR 1B24: it has the signature of MGIDs that subnet administration makes, with "
           "link-local scope";
  return "";
}

std::optional<mad::Gid> unused_mgid(Groups& groups, std::uint8_t scope,
                                    std::uint64_t subnet_prefix) {
  // An MGID has 2 bytes of flags and scope, 2 of signature, 8 of subnet prefix, 4 of counter.
  for (unsigned tried = 0; tried < kNumbersTried; ++tried) {
    const std::uint32_t count = groups.next_mgid++;
    const mad::Gid mgid{0xFF10A01B00000000 | std::uint64_t{scope} << 48 | subnet_prefix >> 32,
                        {subnet_prefix << 32 | count}};
    if (groups.find(mgid) == nullptr) return mgid;
  }
  return std::nullopt;
}

}  // namespace sa
