#include "sm/sa/paths/multicast_path.h"

#include <algorithm>

#include "sm/sa/query/visibility.h"
#include "sm/sa/registrations/registrations.h"

namespace sa {
namespace {

constexpr std::uint8_t kLinkLocalScope = 2, kHopLimitBeyond = 255;
constexpr std::uint8_t scope_of(mad::Gid mgid) {
  return static_cast<std::uint8_t>(mgid.prefix >> 48 & 0xF);
}

bool is_in(const sm::Subnet& subnet, sm::PortIndex port, mad::PKey p_key) {
  return std::ranges::any_of(subnet.p_keys_of(port), [&](mad::PKey own) {
    return mad::partition_of(own) == mad::partition_of(p_key);
  });
}

/// The group's parameters are fixed: the constraints have to match them.
bool agrees(const Group& group, const mad::PathRecord& request, const Query& query,
            const PathConstraints& constraints) {
  using Mask = mad::PathRecordFields::Mask;
  if (query.has(Mask::kDlid) && request.get<std::uint16_t, "DLID">() != group.mlid.value)
    return false;
  if (constraints.p_key && mad::partition_of(*constraints.p_key) != mad::partition_of(group.p_key))
    return false;
  if (constraints.sl && *constraints.sl != group.sl) return false;
  if (query.has(Mask::kFlowLabel) && request.get<std::uint32_t, "FlowLabel">() != group.flow_label)
    return false;
  if (query.has(Mask::kHopLimit) && request.get<std::uint8_t, "HopLimit">() != group.hop_limit)
    return false;
  if (query.has(Mask::kTClass) && request.get<std::uint8_t, "TClass">() != group.t_class)
    return false;
  return holds_mtu(constraints.mtu, group.mtu) && holds_rate(constraints.rate, group.rate) &&
         holds_life(constraints.packet_life, group.packet_life);
}

}  // namespace

std::uint16_t find_multicast_path(const View& view, const Query& query, const PathNames& names,
                                  const PathConstraints& constraints, RecordSink& sink) {
  const mad::PathRecord request(query.record.first<mad::PathRecord::kBytes>());
  const Group* group = view.registrations.groups.find(*names.to.gid);
  if (group == nullptr || !agrees(*group, request, query, constraints)) return mad::status::kOk;
  Ends from = find_ends(view, names.from);
  if (from.contradiction) return mad::sa_status::kReqInvalid;
  if (from.kind == Ends::Kind::none) return mad::status::kOk;
  if (from.kind == Ends::Kind::all)
    from.one = whole_port(view, query.from.port);  // without a source the requester itself
  if (from.one.port == sm::kNoIndex || !may_talk(view.subnet, query.from.port, from.one.port))
    return mad::status::kOk;
  if (!is_in(view.subnet, query.from.port, group->p_key) ||
      !is_in(view.subnet, from.one.port, group->p_key))
    return mad::status::kOk;

  mad::PathRecord record = constraints.pattern;
  record.set<"DGID.prefix">(group->mgid.prefix);
  record.set<"DGID.guid">(group->mgid.guid);
  record.set<"SGID.prefix">(from.one.gid.prefix);
  record.set<"SGID.guid">(from.one.gid.guid);
  record.set<"DLID">(group->mlid);
  record.set<"SLID">(from.one.first_lid);
  record.set<"FlowLabel">(group->flow_label);
  record.set<"TClass">(group->t_class);
  record.set<"HopLimit">(scope_of(group->mgid) == kLinkLocalScope ? group->hop_limit
                                                                  : kHopLimitBeyond);
  record.set<"Reversible">(true);
  record.set<"NumbPath">(1u);
  record.set<"P_Key">(group->p_key);
  record.set<"SL">(group->sl);
  record.set<"MTU">(group->mtu);
  record.set<"Rate">(group->rate);
  record.set<"PacketLifeTime">(group->packet_life);
  sink.add(record.bytes(), sm::kNoIndex);
  return mad::status::kOk;
}

}  // namespace sa
