#include "sm/ops/api/partitions/member_results.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fabric/find_port.h"
#include "mad/format.h"
#include "partitions/p_key_tables.h"

namespace sm::api {
namespace {

constexpr auto kMemberResult = std::to_array<Field<MemberResult>>({
    {{"p_key", R"({"type":"string","pattern":"^0x[0-9a-f]{4}$"})"},
     [](auto& of) { return fmt::format("{:#06x}", of.member.key); }},
    {{"guid", value::kGuid, "the PortGUID, or a vport's GUID"},
     [](auto& of) { return fmt::format("{}", of.member.guid); }},
    {{"state", "applied|pending|refused",
      "applied: the port has the P_Key; pending: it gets it later; refused: it does not get it"},
     [](auto& of) -> FieldValue {
       constexpr std::array<std::string_view, 3> kNames{"applied", "pending", "refused"};
       return kNames[static_cast<std::size_t>(of.state)];
     }},
    {{"reason", value::kText, "of pending and refused", true},
     [](auto& of) -> FieldValue {
       return of.reason.empty() ? FieldValue() : FieldValue(of.reason);
     }},
});

bool holds(const Fabric& fabric, PortIndex port, std::uint16_t key) {
  for (const mad::PKeyTable& block : fabric.p_keys(port))
    for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
      if (mad::p_key_base(block.p_key(i)) == key) return true;
  return false;
}

bool enforces(const Fabric& fabric, PortIndex port) {
  const mad::PortInfo& info = fabric.ports[port].info;
  return fabric.ports[port].p_key_blocks > 0 &&
         (info.partition_enforcement_inbound() || info.partition_enforcement_outbound());
}

/// Returns why a port of the subnet does not have the P_Key; "" if it has the P_Key.
std::string refusal(const Subnet& subnet, EndPoint end, std::uint16_t key) {
  const Fabric& fabric = subnet.fabric;
  const bool has_key = std::ranges::any_of(
      subnet.find_p_keys(end), [&](mad::PKey held) { return mad::p_key_base(held) == key; });
  const PortIndex peer = fabric.ports[end.port].peer;
  if (peer != kNoIndex && fabric.owning_node(peer).is_switch() && enforces(fabric, peer) &&
      !holds(fabric, peer, key))
    return fmt::format("the P_Key table of {} in front of it is full ({} entries)",
                       fabric.port_name(peer), partitions::p_key_capacity(fabric, peer));
  if (has_key) return "";
  return end.vport == kNoIndex
             ? fmt::format("the P_Key table of {} is full ({} entries)", fabric.port_name(end.port),
                           partitions::p_key_capacity(fabric, end.port))
             : fmt::format("the P_Key table of this virtual port at {} is full",
                           fabric.port_name(end.port));
}

/// Says what the switch port in front of a silent port does; "" if it checks no P_Keys.
std::string enforcement_text(const Fabric& fabric, mad::Guid guid) {
  const auto port = std::ranges::find(fabric.ports, guid, &Port::guid);
  if (port == fabric.ports.end() || port->peer == kNoIndex) return "";
  if (!fabric.owning_node(port->peer).is_switch() || !enforces(fabric, port->peer)) return "";
  return fmt::format("; {} in front of it passes only the P_Keys that its own table has",
                     fabric.port_name(port->peer));
}

/// Returns the known node that the GUID is of, or null.
const AbsentNode* find_absent(const PartitionSnapshot& snapshot, mad::Guid port) {
  if (!snapshot.absent || port == mad::Guid{}) return nullptr;
  const auto found = std::ranges::find(*snapshot.absent, port, &AbsentNode::port);
  return found == snapshot.absent->end() ? nullptr : &*found;
}

/// Returns the result for a GUID that no port has; it may be a node's GUID.
MemberResult absent(const PartitionSnapshot& snapshot, partitions::MembershipKey member) {
  const Fabric& fabric = snapshot.subnet->fabric;
  if (const AbsentNode* const known = find_absent(snapshot, member.guid))
    return {member, MemberState::pending,
            known->is_silent
                ? fmt::format("\"{}\" {}: its P_Key table cannot be written, and it gets the P_Key "
                              "when it answers{}",
                              known->name, known->why, enforcement_text(fabric, member.guid))
                : fmt::format("{} {}", known->name, known->why)};
  const auto node = fabric.node_of_guid.find(member.guid);
  if (node == fabric.node_of_guid.end())
    return {member, MemberState::pending, "no port in the subnet has this GUID yet"};
  std::string ports;
  for (const PortIndex port : fabric.end_ports)
    if (fabric.ports[port].node == node->second)
      ports += fmt::format("{}{} (port {})", ports.empty() ? "" : " or ", fabric.ports[port].guid,
                           fabric.ports[port].number);
  return {member, MemberState::refused,
          fmt::format("this is the NodeGUID of {}, and not a port{}", fabric.name(node->second),
                      ports.empty() ? "" : "; use " + ports)};
}

}  // namespace

RowInfo member_result_info() {
  return {"PartitionMemberResult",
          "what became of a membership that was added",
          infos_of(kMemberResult),
          {{"PortGUID", "guid"}, {"P_Key", "p_key"}, {"", "state"}, {"", "reason"}}};
}

nlohmann::ordered_json row(const MemberResult& result) {
  return row_of<nlohmann::ordered_json>(kMemberResult, result);
}

std::vector<partitions::MembershipKey> added_members(const partitions::Change& change) {
  std::vector<partitions::MembershipKey> added;
  for (const partitions::Step& step : change.steps)
    if (const auto* const put = std::get_if<partitions::step::Put>(&step))
      added.push_back({.key = put->key, .guid = put->guid});
  return added;
}

std::vector<MemberResult> member_results(const PartitionSnapshot& snapshot,
                                         std::span<const partitions::MembershipKey> members,
                                         std::uint64_t revision) {
  std::vector<MemberResult> results;
  results.reserve(members.size());
  for (const partitions::MembershipKey& member : members) {
    if (!snapshot.subnet) {
      results.push_back({member, MemberState::pending, "the first sweep has not ended yet"});
      continue;
    }
    const EndPoint end = snapshot.subnet->find(member.guid);
    if (end.port == kNoIndex) {
      results.push_back(absent(snapshot, member));
    } else if (snapshot.applied < revision) {
      results.push_back({member, MemberState::pending, "the fabric does not have it yet"});
    } else {
      std::string why = refusal(*snapshot.subnet, end, member.key);
      const auto state = why.empty() ? MemberState::applied : MemberState::refused;
      results.push_back({member, state, std::move(why)});
    }
  }
  return results;
}

namespace {

/// Says why a name is not that of an end port, if it is known: else `otherwise`.
tl::expected<mad::Guid, std::string> find_absent_port(const std::vector<AbsentNode>& absent,
                                                      std::string_view text,
                                                      std::string otherwise) {
  const AbsentNode* found = nullptr;
  for (const AbsentNode& node : absent) {
    const std::string_view name = std::string_view(node.name).substr(node.name.starts_with('"'));
    const std::string_view rest = name.substr(std::min(text.size(), name.size()));
    if (!name.starts_with(text) || !(rest.empty() || rest[0] == ' ' || rest[0] == '"')) continue;
    if (found != nullptr) return tl::unexpected(std::move(otherwise));
    found = &node;
  }
  if (found == nullptr) return tl::unexpected(std::move(otherwise));
  if (found->port != mad::Guid{}) return found->port;
  return tl::unexpected(
      fmt::format("\"{}\" ({}) {}, and its port GUID is not known here: write that GUID",
                  found->name, found->node, found->why));
}

}  // namespace

ResolvePort resolve_by(const PartitionSnapshot& snapshot) {
  return [subnet = snapshot.subnet,
          absent = snapshot.absent](std::string_view text) -> tl::expected<mad::Guid, std::string> {
    if (!subnet)
      return tl::unexpected(
          fmt::format("\"{}\" is no GUID, and names are known after the first sweep", text));
    // A number without 0x may be a truncated GUID, and a LID may later belong to another port.
    if (std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
      return tl::unexpected(fmt::format("\"{}\" is no GUID, and LIDs are not taken here", text));
    auto named = find_port(subnet->fabric, subnet->lids, text);
    if (named) {
      const mad::Guid guid = subnet->fabric.ports[named->port].guid;
      if (guid != mad::Guid{}) return guid;
      return tl::unexpected(
          fmt::format("no cable leads to {}", subnet->fabric.port_name(named->port)));
    }
    if (!absent) return tl::unexpected(std::move(named.error()));
    return find_absent_port(*absent, text, std::move(named.error()));
  };
}

}  // namespace sm::api
