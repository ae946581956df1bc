#include "support/check/checks.h"

#include <algorithm>

#include "mad/format.h"
#include "mad/path_units.h"
#include "sim/world/all_choices.h"
#include "sim/world/ca_vports.h"
#include "sim/world/world.h"
#include "support/check/ports.h"

namespace sim {
namespace {

/// MTU and rate of the slowest link of a path.
struct Capacity {
  std::uint8_t mtu = mad::kMtuMax;
  unsigned gbps = ~0u;
};
/// Of all links that a packet may cross.
Capacity capacity_of(const Model& model, const AllChoices& choices) {
  Capacity all;
  const auto add = [&](const Hop& hop) {
    const mad::PortInfo& info = model.ports[hop.out].info;
    all.mtu = std::min(all.mtu, static_cast<std::uint8_t>(info.neighbor_mtu()));
    all.gbps = std::min(all.gbps, mad::rate_gbps(mad::link_rate(info)));
  };
  for (const Hop& hop : choices.first_hops()) add(hop);
  for (const AllChoices::Step& step : choices.steps()) add(step.hop);
  return all;
}

/// The least MTU that the ends of a link on the path support. An Active link may run less, which
/// SM-LINK-SETTING-PENDING tells; groups that were there before keep their MTU.
std::uint8_t supported_mtu(const Model& model, const std::vector<Hop>& hops) {
  std::uint8_t least = mad::kMtuMax;
  for (const Hop& hop : hops)
    for (const PortIndex end : {hop.out, model.ports[hop.out].peer})
      least = std::min(least, static_cast<std::uint8_t>(model.ports[end].info.mtu_cap()));
  return least;
}

std::string name(const Model& model, VPortPlace place) {
  return place.index == 0 ? model.name(place.port)
                          : fmt::format("{} vport {}", model.name(place.port), place.index);
}

bool is_lid_of(const Model& model, VPortPlace place, mad::Lid lid) {
  const PortModel& port = model.ports[place.port];
  const bool own = place.index != 0 && lid_owner(*port.extras, place.index).has_value();
  return own ? vport_lid(port, place.index) == lid : holds(port.info, lid);
}

/// The key of the vport's table with which it sends to the record's partition.
mad::PKey sending_key(const Model& model, VPortPlace place, mad::PKey of_record) {
  if (place.index == 0 || vport_holds_p_key(model, place.port, place.index, of_record))
    return of_record;
  const mad::PKey other{static_cast<std::uint16_t>(of_record.value ^ 0x8000u)};
  return vport_holds_p_key(model, place.port, place.index, other) ? other : of_record;
}

}  // namespace

Complaints check_path_record(const Model& model, PortIndex from, PortIndex to,
                             const mad::PathRecord& record) {
  return check_path_record(model, VPortPlace{from, 0}, VPortPlace{to, 0}, record);
}

Complaints check_path_record(const Model& model, VPortPlace from, VPortPlace to,
                             const mad::PathRecord& record) {
  Complaints complaints;
  const std::string subject =
      fmt::format("PathRecord {} -> {}", name(model, from), name(model, to));
  const auto wrong = [&](std::string_view what) {
    complain(complaints, fmt::format("{}: {}", subject, what));
  };
  const auto slid = record.get<mad::Lid, "SLID">(), dlid = record.get<mad::Lid, "DLID">();
  const auto sl = record.get<mad::Sl, "SL">();
  const bool has_grh = record.get<std::uint8_t, "HopLimit">() > 0;
  if (!is_lid_of(model, from, slid)) wrong(fmt::format("SLID {} is not the source's", slid));
  if (!is_lid_of(model, to, dlid)) wrong(fmt::format("DLID {} is not the destination's", dlid));
  if (!has_grh && (grh_required(model.ports[from.port], from.index) ||
                   grh_required(model.ports[to.port], to.index)))
    wrong("HopLimit 0, and an end shares the LID of its port");
  if (!complaints.empty()) return complaints;
  const auto packet = [&](VPortPlace source, VPortPlace destination, mad::Lid lid) {
    PacketHeader header{.dlid = lid,
                        .sl = sl,
                        .p_key = sending_key(model, source, record.get<mad::PKey, "P_Key">()),
                        .from_vport = source.index};
    if (has_grh) header.dgid = vport_gid(model.ports[destination.port], destination.index);
    return header;
  };

  AllChoices choices(model, packet(from, to, dlid));
  choices.walk(from.port);
  const Walk there = walk_unicast(model, from.port, packet(from, to, dlid));
  if (!there.delivered() || there.end != to.port || there.vport.value_or(0) != to.index) {
    wrong(fmt::format("a packet with SL {}, P_Key {}, DLID {} is dropped at {}: {}", sl.value,
                      record.get<mad::PKey, "P_Key">(), dlid, model.name(there.end),
                      name(there.drop)));
    return complaints;
  }
  if (record.get<bool, "Reversible">()) {
    const Walk back = walk_unicast(model, to.port, packet(to, from, slid));
    if (!back.delivered() || back.end != from.port || back.vport.value_or(0) != from.index)
      wrong(fmt::format("says Reversible, and a packet back is dropped at {}: {}",
                        model.name(back.end), name(back.drop)));
  }
  if (choices.first_hops().empty() && choices.steps().empty())
    return complaints;  // loopback: no link limits it
  const Capacity has = capacity_of(model, choices);
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
  if (const auto mtu = record.mtu(), least = supported_mtu(model, copies.hops); mtu > least)
    wrong(fmt::format("MTU {}, and a link on the path has {}", mad::mtu_bytes(mtu),
                      mad::mtu_bytes(least)));
  return complaints;
}

}  // namespace sim
