#include "sm/ops/view.h"

namespace sm {

std::vector<GroupSummary> summaries(const sa::Groups& groups) {
  std::vector<GroupSummary> all;
  all.reserve(groups.all().size());
  for (const auto& [mgid, group] : groups.all()) {
    all.push_back({.group = {.mgid = group.mgid,
                             .mlid = group.mlid,
                             .p_key = group.p_key,
                             .q_key = group.q_key,
                             .mtu = group.mtu,
                             .rate = group.rate,
                             .packet_life = group.packet_life,
                             .sl = group.sl,
                             .t_class = group.t_class,
                             .flow_label = group.flow_label,
                             .hop_limit = group.hop_limit,
                             .created_by = group.created_by,
                             .well_known = group.well_known,
                             .full_members = group.full_members,
                             .members = {}},
                   .member_count = group.members.size()});
  }
  return all;
}

}  // namespace sm
