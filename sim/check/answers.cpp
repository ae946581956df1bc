#include "sim/check/checks.h"

#include <algorithm>

#include "mad/format.h"
#include "mad/path_units.h"
#include "sim/check/ports.h"
#include "sim/world/forwarding.h"

namespace sim {
namespace {

/// MTU and rate of the slowest link of a path.
struct Capacity {
  std::uint8_t mtu = mad::kMtuMax;
  unsigned gbps = ~0u;
};
Capacity capacity_of(const Model& model, const std::vector<Hop>& hops) {
  Capacity all;
  for (const Hop& hop : hops) {
    const mad::PortInfo& info = model.ports[hop.out].info;
    all.mtu = std::min(all.mtu, static_cast<std::uint8_t>(info.neighbor_mtu()));
    all.gbps = std::min(all.gbps, mad::rate_gbps(mad::link_rate(info)));
  }
  return all;
}

}  // namespace

Complaints check_path_record(const Model& model, PortIndex from, PortIndex to,
                             const mad::PathRecord& record) {
  Complaints complaints;
  const std::string subject = fmt::format("PathRecord {} -> {}", model.name(from), model.name(to));
  const auto wrong = [&](std::string_view what) {
    complain(complaints, fmt::format("{}: {}", subject, what));
  };
  const auto slid = record.get<mad::Lid, "SLID">(), dlid = record.get<mad::Lid, "DLID">();
  const auto sl = record.get<mad::Sl, "SL">();
  const auto key = record.get<mad::PKey, "P_Key">();
  if (!holds(model.ports[from].info, slid)) wrong(fmt::format("SLID {} is not the source's", slid));
  if (!holds(model.ports[to].info, dlid))
    wrong(fmt::format("DLID {} is not the destination's", dlid));
  if (!complaints.empty()) return complaints;

  std::vector<Hop> hops;
  const Walk there = walk_unicast(model, from, {.dlid = dlid, .sl = sl, .p_key = key}, &hops);
  if (!there.delivered() || there.end != to) {
    wrong(fmt::format("a packet with SL {}, P_Key {}, DLID {} is dropped at {}: {}", sl.value, key,
                      dlid, model.name(there.end), name(there.drop)));
    return complaints;
  }
  if (record.get<bool, "Reversible">()) {
    const Walk back = walk_unicast(model, to, {.dlid = slid, .sl = sl, .p_key = key});
    if (!back.delivered() || back.end != from)
      wrong(fmt::format("says Reversible, and a packet back is dropped at {}: {}",
                        model.name(back.end), name(back.drop)));
  }
  if (hops.empty()) return complaints;  // loopback: no link limits it
  const Capacity has = capacity_of(model, hops);
  if (const auto mtu = record.get<std::uint8_t, "MTU">(); mtu != has.mtu)
    wrong(
        fmt::format("MTU {}, and the links have {}", mad::mtu_bytes(mtu), mad::mtu_bytes(has.mtu)));
  if (const auto rate = record.get<std::uint8_t, "Rate">(); mad::rate_gbps(rate) != has.gbps)
    wrong(fmt::format("rate {} Gb/s, and the links have {} Gb/s", mad::rate_gbps(rate), has.gbps));
  return complaints;
}

Complaints check_member_record(const Model& model, PortIndex member,
                               const mad::McMemberRecord& record,
                               const std::set<PortIndex>& members) {
  Complaints complaints;
  const std::string subject = fmt::format("MCMemberRecord of {}", model.name(member));
  const auto wrong = [&](std::string_view what) {
    complain(complaints, fmt::format("{}: {}", subject, what));
  };
  const auto mlid = record.mlid();
  const auto sl = record.sl();
  const auto key = record.p_key();
  if (const auto guid = record.port_gid().guid; guid != model.ports[member].guid)
    wrong(fmt::format("PortGID has GUID {}, not {}", guid, model.ports[member].guid));
  if (mlid < mad::kMlidMin || mlid > mad::kMlidMax)
    wrong(fmt::format("MLID {} is no multicast LID", mlid));
  if (!model.takes_p_key(member, key)) wrong(fmt::format("the port does not have P_Key {}", key));
  if (!complaints.empty()) return complaints;

  const ExpectedGroup group{.mlid = mlid, .p_key = key, .sl = sl, .members = members};
  for (const std::string& each : check_multicast(model, {&group, 1})) wrong(each);
  const Copies copies =
      walk_multicast(model, member, {.dlid = mad::Lid{mlid.value}, .sl = sl, .p_key = key});
  if (const auto mtu = record.mtu(); mtu > capacity_of(model, copies.hops).mtu)
    wrong(fmt::format("MTU {}, and a link on the path has {}", mad::mtu_bytes(mtu),
                      mad::mtu_bytes(capacity_of(model, copies.hops).mtu)));
  return complaints;
}

}  // namespace sim
