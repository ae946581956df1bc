// Adaptive routing of NVIDIA's switches: settings, groups of ports, forwarding entries.

#include <algorithm>

#include "sim/world/agents/agents.h"

namespace sim {
namespace {

using mad::AdaptiveRoutingInfo;
using mad::AttributeId;
using mad::Method;
namespace status = mad::status;

constexpr std::size_t kShortInfoBytes = 20;

/// Returns GroupCap with `requested` settings.
std::uint16_t group_cap(const ArSwitch& ar, const AdaptiveRoutingInfo& requested) {
  const unsigned all = ar.faults.group_cap_after_set.value_or(ar.announced.group_cap());
  const unsigned shares = std::max<unsigned>(1, requested.sub_groups_active());
  return static_cast<std::uint16_t>(ar.firmware.group_cap_shrinks ? all / shares : all);
}

/// True if every enabled feature is supported.
bool is_legal(const ArSwitch& ar, const AdaptiveRoutingInfo& requested) {
  const AdaptiveRoutingInfo& can = ar.info;
  return (!requested.by_sl_en() || can.by_sl_cap()) && (!requested.fr_en() || can.fr_sup()) &&
         (!requested.rn_xmit_en() || can.arn_sup() || can.frn_sup()) &&
         (!requested.hbf_en() || can.hbf_sup()) && (!requested.whbf_en() || can.whbf_sup()) &&
         (!requested.pfrn_en() || can.pfrn_sup()) && !requested.by_vl_en() &&
         (requested.by_transport_disable() == 0 || can.by_transport_cap()) &&
         requested.sub_groups_active() <= can.sub_groups_sup() + 1u &&
         requested.group_top() < group_cap(ar, requested);
}

void cut_short(const ArSwitch& ar, AdaptiveRoutingInfo& info) {
  if (ar.faults.short_info)
    std::ranges::fill(info.bytes().subspan(kShortInfoBytes), std::uint8_t{0});
}

Verdict serve_info(ArSwitch& ar, mad::SmpView smp) {
  if (smp.attribute_modifier() != AdaptiveRoutingInfo::kModifier)
    return status::kInvalidValue;  // the form that requests capabilities is not confirmed
  std::uint16_t verdict = status::kOk;
  if (smp.method() == Method::set) {
    AdaptiveRoutingInfo requested(smp.data());
    cut_short(ar, requested);
    if (is_legal(ar, requested)) {
      ar.info.set_group_cap(group_cap(ar, requested));
      for (const mad::Field& field : kArSettings)
        mad::write(ar.info.bytes(), field, mad::read(requested.bytes(), field));
      ar.was_enabled |= ar.enabled();
    } else {
      verdict = status::kInvalidValue;
    }
  }
  AdaptiveRoutingInfo shown = ar.info;
  cut_short(ar, shown);
  smp.set_data(shown.bytes());
  return verdict;
}

/// Returns the block that the device reads from the modifier; nullopt: its table is not used.
std::optional<std::uint32_t> find_block(const ArSwitch& ar, std::uint32_t modifier) {
  switch (ar.faults.blocks) {
    case ArBlocks::by_modifier:
      return modifier;
    case ArBlocks::above_low_byte:
      return modifier >> 8;
    case ArBlocks::other_tables:
      break;
  }
  return (modifier & 0xFFu) == 0 ? std::optional(modifier >> 8) : std::nullopt;
}

Verdict serve_groups(ArSwitch& ar, mad::SmpView smp) {
  const auto block = find_block(ar, smp.attribute_modifier());
  mad::ArGroupTable table(smp.data());
  if (!block) {
    if (smp.method() == Method::get) smp.set_data(mad::ArGroupTable{}.bytes());
    return status::kOk;
  }
  const std::size_t first = std::size_t{*block} * mad::ArGroupTable::kSubGroups;
  if (first >= ar.masks_max()) return status::kInvalidValue;
  for (unsigned each = 0; each < mad::ArGroupTable::kSubGroups; ++each) {
    const std::size_t index = first + each;
    if (smp.method() == Method::set && index < ar.masks_max()) {
      ar.groups.set(index, table.sub_group(each));
      // Notices of neighbours were about the previous ports.
      const std::size_t group = index / ar.sub_groups();
      std::erase_if(ar.masks, [group](const auto& mask) { return mask.first.first == group; });
    }
    ar.groups.get(index, table.bytes()
                             .subspan(std::size_t{each} * mad::ArGroupTable::kSubGroupBytes)
                             .first<mad::ArGroupTable::kSubGroupBytes>());
  }
  smp.set_data(table.bytes());
  return status::kOk;
}

Verdict serve_group_copy(ArSwitch& ar, mad::SmpView smp) {
  if (ar.info.group_table_copy_sup() == 0 || smp.method() != Method::set)
    return status::kMethodAttributeUnsupported;
  const mad::ArGroupTableCopy request(smp.data());
  const std::uint32_t source = smp.attribute_modifier();
  if (source >= ar.info.group_cap()) return status::kInvalidValue;
  const auto is_used = [](mad::ArGroupTableCopy::Range range) {
    return range.first != 0 || range.last != 0;
  };
  for (unsigned each = 0; each < mad::ArGroupTableCopy::kRanges; ++each) {
    const auto range = request.range(each);
    if (is_used(range) && (range.first > range.last || range.last >= ar.info.group_cap()))
      return status::kInvalidValue;
  }
  const std::size_t sub_groups = ar.sub_groups();
  for (unsigned each = 0; each < mad::ArGroupTableCopy::kRanges; ++each) {
    const auto range = request.range(each);
    for (std::size_t group = range.first; is_used(range) && group <= range.last; ++group)
      for (std::size_t sub = 0; sub < sub_groups; ++sub)
        ar.groups.copy(source * sub_groups + sub, group * sub_groups + sub);
  }
  return status::kOk;
}

/// True if the entries can be simulated: states of hash-based forwarding, tables other than 0 and
/// groups beyond GroupCap cannot.
bool is_legal(const ArSwitch& ar, const mad::ArLinearForwardingTable& block) {
  for (unsigned each = 0; each < mad::ArLinearForwardingTable::kEntries; ++each) {
    const auto entry = block.entry(each);
    if (entry.state > mad::ArLidState::static_ || entry.table != 0 ||
        entry.group >= ar.info.group_cap())
      return false;
  }
  return true;
}

Verdict serve_entries(const Arrival& arrival, ArSwitch& ar, mad::SmpView smp) {
  const auto block = find_block(ar, smp.attribute_modifier());
  const mad::ArLinearForwardingTable table(smp.data());
  if (!block) {
    if (smp.method() == Method::get) smp.set_data(mad::ArLinearForwardingTable{}.bytes());
    return status::kOk;
  }
  if (std::size_t{*block} * mad::ArLinearForwardingTable::kEntries >= arrival.at().sw->lft.size())
    return status::kInvalidValue;
  if (smp.method() == Method::set) {
    if (!is_legal(ar, table)) return status::kInvalidValue;
    ar.entries.set_block(*block, table);
  }
  smp.set_data(ar.entries.block(*block).bytes());
  return status::kOk;
}

Verdict serve_pfrn(ArSwitch& ar, mad::SmpView smp) {
  if (!ar.info.pfrn_sup()) return status::kMethodAttributeUnsupported;
  if (smp.attribute_modifier() != mad::PfrnConfig::kModifier) return status::kInvalidValue;
  std::uint16_t verdict = status::kOk;
  if (smp.method() == Method::set) {
    const mad::PfrnConfig requested(smp.data());
    if (std::max(requested.mask_clear_timeout(), requested.mask_force_clear_timeout()) >
        mad::PfrnConfig::kTimeoutMaxSeconds) {
      verdict = status::kInvalidValue;
    } else {
      for (const mad::Field& field : mad::PfrnConfig::kFields)
        if (field.name != "Policy")  // needs a capability that no layout of ours has
          mad::write(ar.pfrn.bytes(), field, mad::read(requested.bytes(), field));
    }
  }
  smp.set_data(ar.pfrn.bytes());
  return verdict;
}

/// Returns the refusal that applies to this request, or null, and uses up one of its times.
ArRefusal* find_refusal(ArFaults& faults, mad::SmpView smp) {
  const auto found = std::ranges::find_if(faults.refusals, [&](const ArRefusal& each) {
    return each.times != 0u && (!each.sets_only || smp.method() == Method::set) &&
           (each.attribute == 0 ||
            each.attribute == static_cast<std::uint16_t>(smp.attribute_id()));
  });
  if (found == faults.refusals.end()) return nullptr;
  if (found->times) --*found->times;
  return &*found;
}

Verdict serve_ar_attribute(const Arrival& arrival, ArSwitch& ar, mad::SmpView smp) {
  switch (smp.attribute_id()) {
    case AttributeId::adaptive_routing_info:
      return serve_info(ar, smp);
    case AttributeId::ar_group_table:
      return serve_groups(ar, smp);
    case AttributeId::ar_group_table_copy:
      return serve_group_copy(ar, smp);
    case AttributeId::ar_linear_forwarding_table:
      return serve_entries(arrival, ar, smp);
    case AttributeId::pfrn_config:
      return serve_pfrn(ar, smp);
    default:
      return status::kMethodAttributeUnsupported;
  }
}

}  // namespace

Verdict serve_adaptive_routing(const Arrival& arrival, mad::SmpView smp) {
  const NodeModel& node = arrival.at();
  if (!node.is_switch() || !node.sw->adaptive) return status::kMethodAttributeUnsupported;
  ArSwitch& ar = *node.sw->adaptive;
  if (const ArRefusal* const refusal = find_refusal(ar.faults, smp)) return refusal->status;
  const bool is_set = smp.method() == Method::set;
  if (is_set && ar.faults.without_effect.contains(static_cast<std::uint16_t>(smp.attribute_id())))
    return status::kOk;
  const Verdict verdict = serve_ar_attribute(arrival, ar, smp);
  if (is_set && ar.faults.sets_until_reset && --*ar.faults.sets_until_reset == 0) {
    ar.faults.sets_until_reset.reset();
    arrival.world.lose_tables(arrival.node);
  }
  return verdict;
}

}  // namespace sim
