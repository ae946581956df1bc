#include "sm/sweep/pass_request.h"

#include <algorithm>
#include <utility>

namespace sm {
namespace {

void insert_guids(std::vector<mad::Guid>& guids, const std::vector<mad::Guid>& more) {
  for (const mad::Guid guid : more) {
    const auto place = std::ranges::lower_bound(guids, guid);
    if (place == guids.end() || *place != guid) guids.insert(place, guid);
  }
}

}  // namespace

void PassRequest::add(PassRequest more) {
  const bool reads_tables =
      !(trust_tables || audits_tables) || !(more.trust_tables || more.audits_tables);
  everything = everything || more.everything;
  insert_guids(changed, more.changed);
  insert_guids(answering, more.answering);
  trust_tables = trust_tables && more.trust_tables;
  audits_tables = !trust_tables && !reads_tables;
  p_keys_may_wait = p_keys_may_wait || more.p_keys_may_wait;
  reroute = reroute || more.reroute;
  removes_conflicts = removes_conflicts || more.removes_conflicts;
  p_keys = p_keys || more.p_keys;
  if (more.members) {
    if (!members) members.emplace();
    insert_guids(members->guids, more.members->guids);
    members->partitions = members->partitions || more.members->partitions;
  }
  vl_tables = vl_tables || more.vl_tables;
  m_keys = m_keys || more.m_keys;
  groups = groups || more.groups;
  routers = routers || more.routers;
  adaptive = adaptive || more.adaptive;
  if (more.vports) {
    if (!vports) vports.emplace().only_changes = true;
    insert_guids(vports->ports, more.vports->ports);
    vports->only_changes = vports->only_changes && more.vports->only_changes;
  }
  if (!more.why.empty()) why = std::move(more.why);
  if (more.arrived) arrived = arrived ? std::min(*arrived, *more.arrived) : *more.arrived;
}

PassRequest PassRequest::take_survey() {
  PassRequest survey = std::exchange(*this, {});
  groups = std::exchange(survey.groups, false);
  vports = std::exchange(survey.vports, std::nullopt);
  survey.p_keys = survey.vl_tables = survey.m_keys = survey.routers = survey.adaptive = false;
  survey.members.reset();
  return survey;
}

PassRequest PassRequest::take_parts() {
  PassRequest parts{.p_keys = std::exchange(p_keys, false),
                    .members = std::exchange(members, std::nullopt),
                    .vl_tables = std::exchange(vl_tables, false),
                    .m_keys = std::exchange(m_keys, false)};
  if (parts.p_keys) parts.members.reset();
  parts.why = parts.p_keys    ? "new partitions"
              : parts.members ? "partitions of the API"
              : parts.m_keys  ? "new M_Keys"
                              : "new VL tables";
  return parts;
}

void PassResult::add(PassResult next, bool decides_end) {
  if (decides_end) end = next.end;
  again = again || next.again;
  changed = changed || next.changed;
  lost.insert(lost.end(), next.lost.begin(), next.lost.end());
  writes += next.writes;
  groups_changed += next.groups_changed;
  vports_activated += next.vports_activated;
  follow_up = std::move(next.follow_up);
}

}  // namespace sm
