#include "sm/sa/paths/path_finder.h"

#include <algorithm>
#include <array>

#include "routing/qos/path_sl.h"
#include "sm/sa/paths/gateways.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/registrations/ports.h"

namespace sa {
namespace {

/// Returns the fastest rate that clients older than IBTA 1.3 know and that is no faster than this
/// one (use_original_extended_sa_rates_only).
std::uint8_t as_original_rate(std::uint8_t rate) {
  constexpr std::uint8_t kLastOriginal = 18;  // 300 Gb/s
  if (rate <= kLastOriginal) return rate;
  std::uint8_t best = 2;
  for (const std::uint8_t code : mad::kRatesAscending)
    if (code <= kLastOriginal && !mad::is_slower(rate, code)) best = code;
  return best;
}

/// True if the QoS level allows this source LID. Path bits that the port does not have, as with lmc
/// 0, limit nothing; OpenSM ignores path bits altogether.
bool allows_path_bits(const config::QosLevel& level, const fabric::LidMap::Range& lids,
                      mad::Lid slid) {
  if (level.path_bits.empty() || level.path_bits.ranges().front().first >= lids.count())
    return true;
  return level.path_bits.contains(slid.value - lids.base.value);
}

/// enable_quirks: an InfiniHost ("Tavor") HCA is faster with packets of 1,024 bytes than with
/// longer ones.
constexpr std::uint8_t kTavorMtu = 3;  // code of 1,024 bytes

bool is_tavor(const fabric::Node& node) {
  constexpr std::array<std::uint32_t, 4> kVendors{0x0002c9, 0x0005ad, 0x00066a, 0x0008f1};
  constexpr std::uint16_t kDevice = 0x5a44;
  return node.info.device_id() == kDevice &&
         std::ranges::find(kVendors, node.info.vendor_id()) != kVendors.end();
}

/// True unless the request is for more than 1,024 bytes or the longest MTU, which OpenSM grants.
bool allows_tavor_mtu(const Bound& mtu) {
  if (!mtu.is_given || mtu.selector == mad::Selector::less_than) return true;
  return mtu.selector != mad::Selector::best && mtu.code <= kTavorMtu;
}

constexpr std::uint8_t kOtherPairs = 2;  // Preference of paths that share a LID with a better one

}  // namespace

bool PathFinder::is_visible(fabric::EndPoint end) const {
  return may_communicate(view_.subnet, query_.from.end(), end);
}

const config::QosLevel* PathFinder::qos_level(fabric::EndPoint from, fabric::EndPoint to) const {
  if (!view_.options.qos || !view_.files.qos_policy) return nullptr;
  return &find_qos_level(*view_.files.qos_policy, view_.subnet, from, to, constraints_.traffic);
}

std::optional<PathFinder::Terms> PathFinder::terms(const PathEnd& from, const PathEnd& to) const {
  Terms terms{
      .p_key = {}, .sl = {}, .level = qos_level(from.end, to.end), .is_beyond = to.is_beyond};
  const config::QosLevel* level = terms.level;
  const std::optional<mad::PKey> common =
      common_p_key(view_.subnet.find_p_keys(from.end), view_.subnet.find_p_keys(to.end),
                   to.partition ? to.partition : constraints_.p_key,
                   level != nullptr ? level->p_keys : config::NumberRanges());
  if (!common) return std::nullopt;
  terms.p_key = constraints_.p_key.value_or(*common);
  if (level != nullptr) {
    terms.sl = mad::Sl{level->sl};
  } else if (constraints_.sl) {
    terms.sl =
        *constraints_.sl;  // a requested SL has precedence over the partition's, as in OpenSM
  } else if (to.is_beyond && view_.options.is_set("rtr_pr_sl")) {
    terms.sl = mad::Sl{view_.options.rtr_pr_sl};
  } else if (const fabric::Partition* partition = view_.subnet.partitions.find(*common)) {
    terms.sl = partition->sl;
  }
  if (constraints_.pattern.get<bool, "RawTraffic">()) terms.p_key = {};
  std::uint8_t own_life = level != nullptr
                              ? level->packet_life.value_or(view_.options.subnet_timeout)
                              : view_.options.subnet_timeout;
  if (from.end.port == to.end.port && !to.is_beyond) own_life = 0;  // no link is crossed
  const auto life = bounded_life(constraints_.packet_life, own_life);
  if (!life) return std::nullopt;
  terms.packet_life = *life;
  return terms;
}

/// The routing engine's SL has precedence: another SL could close a credit loop.
mad::Sl PathFinder::sl_of_path(fabric::PortIndex from, fabric::PortIndex to, mad::Lid dlid,
                               mad::Sl requested) const {
  const fabric::Subnet& subnet = view_.subnet;
  if (!subnet.routing) return requested;
  return routing::path_sl(
      *subnet.routing,
      {subnet.fabric.leaf_switch(from), routed_as(subnet, dlid), subnet.fabric.leaf_switch(to)},
      requested);
}

/// Returns the values that the path offers, within the limits of the policy and of options.
PathFinder::LinkValues PathFinder::link_values(const PathProperties& path, fabric::PortIndex from,
                                               fabric::PortIndex to, const Terms& terms) const {
  LinkValues values{.mtu = path.mtu, .rate = path.rate()};
  const fabric::Fabric& fabric = view_.subnet.fabric;
  if (view_.options.enable_quirks && allows_tavor_mtu(constraints_.mtu) &&
      (is_tavor(fabric.owning_node(from)) || is_tavor(fabric.owning_node(to))))
    values.mtu = std::min(values.mtu, kTavorMtu);
  if (terms.level != nullptr) {
    values.mtu = std::min(values.mtu, terms.level->mtu_limit.value_or(values.mtu));
    if (terms.level->rate_limit && mad::is_slower(*terms.level->rate_limit, values.rate))
      values.rate = *terms.level->rate_limit;
  }
  constexpr std::uint8_t kAsOnPath = 255;
  const config::Options& options = view_.options;
  if (terms.is_beyond && options.rtr_pr_mtu != kAsOnPath)
    values.mtu = std::min(values.mtu, options.rtr_pr_mtu);
  if (terms.is_beyond && options.rtr_pr_rate != kAsOnPath &&
      mad::is_slower(options.rtr_pr_rate, values.rate))
    values.rate = options.rtr_pr_rate;
  if (view_.options.use_original_extended_sa_rates_only)
    values.rate = as_original_rate(values.rate);
  return values;
}

/// Returns false if no path between these ports satisfies the constraints, whatever their LIDs.
bool PathFinder::may_satisfy(fabric::PortIndex from, fabric::PortIndex to,
                             const Terms& terms) const {
  const std::optional<PathProperties> limits = view_.paths->limits(from, to);
  if (!limits) return false;
  const LinkValues most = link_values(*limits, from, to, terms);
  return may_satisfy_mtu(constraints_.mtu, most.mtu) &&
         (!limits->has_rate() || may_satisfy_rate(constraints_.rate, most.rate));
}

std::optional<mad::PathRecord> PathFinder::path(const PathEnd& from, mad::Lid slid,
                                                const PathEnd& to, mad::Lid dlid,
                                                const Terms& terms) const {
  const fabric::PortIndex from_port = from.end.port, to_port = to.end.port;
  const std::optional<PathProperties> there = view_.paths->walk(from_port, to_port, dlid);
  if (!there) return std::nullopt;
  const bool back = view_.paths->walk(to_port, from_port, slid).has_value();
  if (constraints_.reversible && !back) return std::nullopt;
  const LinkValues values = link_values(*there, from_port, to_port, terms);
  const auto answered_mtu = bounded_mtu(constraints_.mtu, values.mtu);
  const auto answered_rate = bounded_rate(constraints_.rate, values.rate);
  if (!answered_mtu || !answered_rate) return std::nullopt;

  const mad::Sl sl = sl_of_path(from_port, to_port, dlid, terms.sl);
  if (constraints_.sl && *constraints_.sl != sl) return std::nullopt;
  if (view_.options.qos && view_.paths->drops(from_port, to_port, dlid, sl)) return std::nullopt;

  mad::PathRecord record = constraints_.pattern;
  record.set<"DGID.prefix">(to.gid.prefix);
  record.set<"DGID.guid">(to.gid.guid);
  record.set<"SGID.prefix">(from.gid.prefix);
  record.set<"SGID.guid">(from.gid.guid);
  record.set<"DLID">(dlid);
  record.set<"SLID">(slid);
  record.set<"Reversible">(back);
  record.set<"P_Key">(terms.p_key);
  record.set<"SL">(sl);
  record.set<"MTU">(*answered_mtu);
  record.set<"Rate">(*answered_rate);
  record.set<"PacketLifeTime">(terms.packet_life);
  if (terms.is_beyond) {
    record.set<"FlowLabel">(view_.options.rtr_pr_flow_label);
    record.set<"TClass">(view_.options.rtr_pr_tclass);
  }
  return record;
}

bool PathFinder::find(const PathEnd& from, const PathEnd& to, std::uint8_t hop_limit,
                      RecordSink& sink) {
  if (!to.is_beyond) return find_in_subnet(from, to, hop_limit, sink);
  const std::optional<PathEnd> gateway = choose_gateway(view_, from, to, constraints_.p_key);
  return !gateway || find_in_subnet(from, *gateway, hop_limit, sink);
}

bool PathFinder::find_in_subnet(const PathEnd& from, const PathEnd& to, std::uint8_t hop_limit,
                                RecordSink& sink) {
  // For its own paths a requester needs only a P_Key in common with the far end.
  const fabric::EndPoint own = query_.from.end();
  if (own != from.end && !is_visible(from.end)) return true;
  if (own != from.end && own != to.end && !is_visible(to.end)) return true;
  if (view_.files.qos_policy) sink.count_steps(view_.files.qos_policy->rules.size());
  const std::optional<Terms> terms = this->terms(from, to);
  if (!terms || !may_satisfy(from.end.port, to.end.port, *terms)) return true;
  const fabric::LidMap::Range own_lids = view_.subnet.lid_range(from.end);
  if (from.end.vport != fabric::kNoIndex || to.end.vport != fabric::kNoIndex)
    hop_limit = std::max(hop_limit, vport_hop_limit(view_.options));
  std::size_t found = sink.carried();
  const auto add_pair = [&](unsigned i, unsigned k, std::uint8_t preference) {
    const mad::Lid slid{static_cast<std::uint16_t>(from.first_lid.value + i)};
    if (terms->level != nullptr && !allows_path_bits(*terms->level, own_lids, slid)) return true;
    auto record =
        path(from, slid, to, mad::Lid{static_cast<std::uint16_t>(to.first_lid.value + k)}, *terms);
    if (!record) return true;
    record->set<"HopLimit">(hop_limit);
    record->set<"Preference">(preference);
    ++found;
    return sink.add(record->bytes(), fabric::kNoIndex);
  };
  const unsigned equal = std::min(from.lids, to.lids);
  const std::size_t parts =
      std::min(equal + std::size_t{from.lids} * to.lids, constraints_.lid_pairs_max);
  for (std::size_t part = sink.first_part(); part < parts && found < constraints_.paths_max;
       ++part) {
    const bool is_equal = part < equal;
    const auto i = static_cast<unsigned>(is_equal ? part : (part - equal) / to.lids),
               k = static_cast<unsigned>(is_equal ? part : (part - equal) % to.lids);
    if (!is_equal && i == k) continue;
    if (sink.pauses_before_part(part, found)) return false;
    if (!add_pair(i, k, is_equal ? std::uint8_t{0} : kOtherPairs)) return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------
// Selectors, and the QoS level of a path

namespace {

/// `rank` orders the codes, `lower` gives the next code below one.
template <class Rank, class Lower>
std::optional<std::uint8_t> bounded(const Bound& bound, std::uint8_t available, Rank rank,
                                    Lower lower) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return rank(available) > rank(bound.code) ? std::optional(available) : std::nullopt;
    case mad::Selector::less_than:
      return rank(available) < rank(bound.code) ? std::optional(available) : lower(bound.code);
    case mad::Selector::exactly:
      return rank(available) >= rank(bound.code) ? std::optional(bound.code) : std::nullopt;
    case mad::Selector::best:
      break;
  }
  return available;
}

template <class Rank>
bool holds(const Bound& bound, std::uint8_t value, Rank rank) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return rank(value) > rank(bound.code);
    case mad::Selector::less_than:
      return rank(value) < rank(bound.code);
    case mad::Selector::exactly:
      return rank(value) == rank(bound.code);
    case mad::Selector::best:
      break;
  }
  return true;
}

constexpr auto kAsIs = [](std::uint8_t code) -> unsigned { return code; };
constexpr auto kGbps = [](std::uint8_t code) { return mad::rate_gbps(code); };

template <std::uint8_t least>
std::optional<std::uint8_t> one_less(std::uint8_t code) {
  return code > least ? std::optional(static_cast<std::uint8_t>(code - 1)) : std::nullopt;
}

}  // namespace

std::optional<std::uint8_t> bounded_mtu(const Bound& bound, std::uint8_t available) {
  return bounded(bound, available, kAsIs, one_less<mad::kMtuMin>);
}
std::optional<std::uint8_t> bounded_rate(const Bound& bound, std::uint8_t available) {
  // A slower rate than the path's is another path, as in OpenSM.
  if (bound.selector == mad::Selector::exactly &&
      mad::rate_gbps(bound.code) != mad::rate_gbps(available))
    return std::nullopt;
  return bounded(bound, available, kGbps, mad::next_slower_rate);
}
std::optional<std::uint8_t> bounded_life(const Bound& bound, std::uint8_t available) {
  return bounded(bound, available, kAsIs, one_less<0>);
}

bool may_satisfy_mtu(const Bound& bound, std::uint8_t most) {
  return bounded_mtu(bound, most).has_value();
}
bool may_satisfy_rate(const Bound& bound, std::uint8_t most) {
  return bounded(bound, most, kGbps, mad::next_slower_rate).has_value();
}

bool holds_mtu(const Bound& bound, std::uint8_t value) { return holds(bound, value, kAsIs); }
bool holds_rate(const Bound& bound, std::uint8_t value) { return holds(bound, value, kGbps); }
bool holds_life(const Bound& bound, std::uint8_t value) { return holds(bound, value, kAsIs); }

namespace {

bool is_text(const mad::NodeDescription& description, std::string_view text) {
  const auto bytes = description.bytes();
  if (text.size() > bytes.size() ||
      !std::equal(text.begin(), text.end(), bytes.begin(),
                  [](char c, std::uint8_t byte) { return static_cast<std::uint8_t>(c) == byte; }))
    return false;
  return text.size() == bytes.size() || bytes[text.size()] == 0;
}

bool has_type(const config::QosPortGroup& group, mad::NodeType type) {
  return (type == mad::NodeType::ca && group.cas) ||
         (type == mad::NodeType::switch_ && group.switches) ||
         (type == mad::NodeType::router && group.routers);
}

bool has_name(const config::QosPortGroup& group, const fabric::Node& node, mad::PortNum number) {
  return std::ranges::any_of(group.port_names, [&](const config::QosPortName& name) {
    return (node.is_switch() || name.port == number.value) &&
           is_text(node.description, name.description);
  });
}

bool has_partition(const config::QosPortGroup& group, const fabric::PartitionMap& partitions,
                   mad::PKey key) {
  if (group.p_keys.contains(mad::p_key_base(key))) return true;
  if (group.partitions.empty()) return false;
  const fabric::Partition* partition = partitions.find(key);
  return partition != nullptr &&
         std::ranges::any_of(group.partitions, [&](const std::string& name) {
           return config::same_qos_name(name, partition->name);
         });
}

/// An absent condition holds; a condition on a component that the query lacks does not.
template <class Value>
bool holds(const config::NumberRanges& condition, const std::optional<Value>& value) {
  return condition.empty() || (value && condition.contains(*value));
}

}  // namespace

bool is_in(const fabric::Subnet& subnet, fabric::EndPoint end, const config::QosPortGroup& group) {
  const fabric::Fabric& fabric = subnet.fabric;
  const fabric::Node& node = fabric.owning_node(end.port);
  if (group.port_guids.contains(subnet.find_guid(end).value) || has_type(group, node.type))
    return true;
  if (group.self && end == fabric::EndPoint{.port = fabric.sm_port}) return true;
  if (has_name(group, node, fabric.ports[end.port].number)) return true;
  if (group.p_keys.empty() && group.partitions.empty()) return false;
  return std::ranges::any_of(subnet.find_p_keys(end), [&](mad::PKey key) {
    return has_partition(group, subnet.partitions, key);
  });
}

const config::QosLevel& find_qos_level(const config::QosPolicy& policy,
                                       const fabric::Subnet& subnet, fabric::EndPoint from,
                                       fabric::EndPoint to, const QosTraffic& traffic) {
  const auto in_any = [&](fabric::EndPoint end, const std::vector<std::size_t>& groups) {
    return groups.empty() || std::ranges::any_of(groups, [&](std::size_t group) {
             return is_in(subnet, end, policy.port_groups[group]);
           });
  };
  std::optional<std::uint16_t> partition;
  if (traffic.p_key) partition = mad::p_key_base(*traffic.p_key);
  for (const config::QosRule& rule : policy.rules) {
    if (holds(rule.qos_classes, traffic.qos_class) && holds(rule.service_ids, traffic.service_id) &&
        holds(rule.p_keys, partition) && in_any(from, rule.sources) &&
        in_any(to, rule.destinations)) {
      return policy.levels[rule.level];
    }
  }
  return policy.levels[policy.default_level];
}

}  // namespace sa
