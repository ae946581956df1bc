#include "sm/ops/api/partition_resources.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "fabric/fabric_id.h"
#include "fabric/find_port.h"
#include "mad/format.h"
#include "partitions/membership.h"
#include "partitions/p_key_tables.h"
#include "sm/ops/partition_rows.h"

namespace sm::api {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string key_text(std::uint16_t key) { return fmt::format("{:#06x}", key); }
std::string dumped(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// Visits each port and vport of a fabric that is a member of one partition.
template <class Visit>
void for_each_member(const Subnet& subnet, const PartitionMap& map, std::uint16_t key,
                     const Visit& visit) {
  const std::size_t end_ports = subnet.fabric.end_ports.size();
  for (const EndPortIndex subject : map.first_keys.indices()) {
    for (const mad::PKey of : map.get_keys(subject)) {
      if (mad::p_key_base(of) != key) continue;
      const bool is_port = subject < end_ports;
      visit(is_port ? subnet.fabric.ports[subnet.fabric.end_ports[subject]].guid
                    : map.vports[subject - end_ports],
            mad::is_full_member(of));
    }
  }
}

struct FileMember {
  bool full = false;
};

/// Visits the GUIDs that partitions.conf names one by one for this partition, in order, and that no
/// port or vport has.
template <class Visit>
void for_each_absent(const PartitionSnapshot& snapshot, std::uint16_t key, const Visit& visit) {
  if (!snapshot.subnet) return;
  for (const partitions::Definition& definition : snapshot.context->partitioning.definitions) {
    if (definition.key != key) continue;
    for (const partitions::Member& member : definition.members) {
      const mad::Guid guid{member.first};
      if (member.kind == partitions::Member::Kind::guids && member.first == member.last &&
          snapshot.subnet->find(guid).port == kNoIndex)
        visit(guid, member.membership != partitions::Membership::limited);
    }
  }
}

std::map<mad::Guid, FileMember> file_members(const PartitionSnapshot& snapshot,
                                             const PartitionMap* file, std::uint16_t key) {
  std::map<mad::Guid, FileMember> members;
  if (file != nullptr && snapshot.subnet)
    for_each_member(*snapshot.subnet, *file, key,
                    [&](mad::Guid guid, bool full) { members[guid].full |= full; });
  // The last definition that names a port decides.
  for_each_absent(snapshot, key, [&](mad::Guid guid, bool full) { members[guid].full = full; });
  return members;
}

/// Counts members in the subnet as they are, members of the API that are not in it, and members
/// that partitions.conf gives.
struct MemberCounts {
  std::size_t full = 0, limited = 0, absent = 0, of_file = 0;
};
using CountsByKey = std::unordered_map<std::uint16_t, MemberCounts>;

/// Counts the members of all partitions in one pass.
CountsByKey member_counts(const PartitionSnapshot& snapshot, const PartitionMap* file) {
  CountsByKey counts;
  if (!snapshot.subnet) return counts;
  const PartitionMap& now = snapshot.subnet->partitions;
  for (const EndPortIndex subject : now.first_keys.indices())
    for (const mad::PKey of : now.get_keys(subject)) {
      MemberCounts& count = counts[mad::p_key_base(of)];
      ++(mad::is_full_member(of) ? count.full : count.limited);
    }
  for (const auto& [member, stored] : snapshot.stored->members())
    if (snapshot.subnet->find(member.guid).port == kNoIndex) ++counts[member.key].absent;
  if (file == nullptr) return counts;
  for (const EndPortIndex subject : file->first_keys.indices()) {
    const auto keys = file->get_keys(subject);
    for (auto key = keys.begin(); key != keys.end(); ++key) {
      const auto is_same = [&](mad::PKey of) {
        return mad::p_key_base(of) == mad::p_key_base(*key);
      };
      if (std::none_of(keys.begin(), key, is_same)) ++counts[mad::p_key_base(*key)].of_file;
    }
  }
  return counts;
}

OrderedJson partition_row(const PartitionSnapshot& snapshot, const CountsByKey& counts,
                          std::uint16_t key) {
  const partitions::RuntimePartition* const stored = snapshot.stored->partitions().find(key);
  const partitions::Configuration& configuration = snapshot.context->partitioning;
  const bool in_file = snapshot.is_configured(key);
  partitions::PartitionAttributes a;
  if (stored != nullptr) a = stored->attributes;
  const auto broadcast = partitions::broadcast_group_of(key, a);
  for (const partitions::Definition& definition : configuration.definitions) {
    if (definition.key != key) continue;
    a.name = definition.name;
    a.sl = definition.sl.value;
    for (const WellKnownGroup& group : definition.groups) {
      if (group.mgid != broadcast.mgid) continue;
      a.ipoib = true;
      a.mtu = group.mtu;
      a.rate = group.rate;
    }
  }
  std::set<mad::Guid> absent;
  for_each_absent(snapshot, key, [&](mad::Guid guid, bool) { absent.insert(guid); });
  const auto counted = counts.find(key);
  const MemberCounts members = counted == counts.end() ? MemberCounts{} : counted->second;
  const std::uint64_t revision = stored == nullptr ? 0 : stored->revision;
  return row(ConfiguredPartition{.key = key,
                                 .by = {.file = in_file, .api = stored != nullptr},
                                 .attributes = std::move(a),
                                 .full = members.full,
                                 .limited = members.limited,
                                 .of_api = stored == nullptr ? 0 : stored->members,
                                 .absent = members.absent,
                                 .of_file = members.of_file,
                                 .absent_of_file = absent.size(),
                                 .revision = revision,
                                 .applied = revision <= snapshot.applied});
}

}  // namespace

std::shared_ptr<const PartitionMap> FileMembers::of(const PartitionSnapshot& snapshot) {
  if (!snapshot.subnet) return nullptr;
  const std::lock_guard lock(mutex_);
  if (map_ && subnet_ == snapshot.subnet && settings_ == snapshot.context->settings) return map_;
  map_ = std::make_shared<const PartitionMap>(
      partitions::partition_map(snapshot.context->partitioning, snapshot.subnet->fabric,
                                snapshot.context->options, snapshot.subnet->partitions.vports));
  subnet_ = snapshot.subnet;
  settings_ = snapshot.context->settings;
  return map_;
}

OrderedJson fabric_id(const PartitionSnapshot& snapshot) {
  const auto id = fabric::fabric_id(snapshot.subnet.get(),
                                    std::uint64_t{snapshot.context->options.subnet_prefix});
  return id ? OrderedJson(*id) : OrderedJson(nullptr);
}

std::string partitions_json(const PartitionSnapshot& snapshot, const PartitionMap* file,
                            const PageFrom<std::uint16_t>& page) {
  std::map<std::uint16_t, bool> keys;
  for (const auto& definition : snapshot.context->partitioning.definitions)
    keys[definition.key] = true;
  for (const auto& [key, partition] : snapshot.stored->partitions()) keys[key] = true;
  auto at = keys.lower_bound(page.first);
  OrderedJson out;
  out["fabric_id"] = fabric_id(snapshot);
  out["revision"] = snapshot.stored->revision();
  out["applied_revision"] = snapshot.applied;
  OrderedJson& rows = out["partitions"] = OrderedJson::array();
  const CountsByKey counts = member_counts(snapshot, file);
  for (; at != keys.end() && rows.size() < page.limit; ++at)
    rows.push_back(partition_row(snapshot, counts, at->first));
  out["next_cursor"] = at == keys.end() ? OrderedJson(nullptr) : OrderedJson(key_text(at->first));
  return dumped(out);
}

std::optional<std::string> partition_json(const PartitionSnapshot& snapshot,
                                          const PartitionMap* file, std::uint16_t key) {
  if (!snapshot.has_partition(key)) return std::nullopt;
  OrderedJson out;
  out["fabric_id"] = fabric_id(snapshot);
  out.update(partition_row(snapshot, member_counts(snapshot, file), key));
  return dumped(out);
}

std::optional<std::string> members_json(const PartitionSnapshot& snapshot, const PartitionMap* file,
                                        std::uint16_t key, const PageFrom<mad::Guid>& page) {
  if (!snapshot.has_partition(key)) return std::nullopt;
  std::map<mad::Guid, FileMember> of_file = file_members(snapshot, file, key);
  const auto& members = snapshot.stored->members();
  auto stored = members.lower_bound({key, page.first});
  auto configured = of_file.lower_bound(page.first);
  const auto stored_left = [&] { return stored != members.end() && stored->first.key == key; };
  OrderedJson out;
  out["fabric_id"] = fabric_id(snapshot);
  out["p_key"] = key_text(key);
  out["next_cursor"] = nullptr;
  OrderedJson& rows = out["members"] = OrderedJson::array();
  while (stored_left() || configured != of_file.end()) {
    const bool from_api =
        stored_left() && (configured == of_file.end() || stored->first.guid <= configured->first);
    const mad::Guid guid = from_api ? stored->first.guid : configured->first;
    if (rows.size() == page.limit) {
      out["next_cursor"] = fmt::format("{}", guid);
      break;
    }
    const bool from_file = configured != of_file.end() && configured->first == guid;
    const bool full = (from_api && stored->second.full) || (from_file && configured->second.full);
    ConfiguredMember member{
        .guid = guid,
        .full = full,
        .index0 = from_api && stored->second.index0,
        .by = {.file = from_file, .api = from_api},
        .present = snapshot.subnet && snapshot.subnet->find(guid).port != kNoIndex,
        .owner = {},
        .expires = {}};
    if (from_api) {
      member.owner = stored->second.owner;
      member.expires = stored->second.expires;
    }
    rows.push_back(row(member));
    if (from_api) ++stored;
    if (from_file) ++configured;
  }
  return dumped(out);
}
std::string kept_keys_json(const PartitionSnapshot& snapshot,
                           const PageFrom<partitions::KeptKey>& page) {
  OrderedJson out;
  out["fabric_id"] = fabric_id(snapshot);
  out["next_cursor"] = nullptr;
  OrderedJson& rows = out["kept"] = OrderedJson::array();
  if (!snapshot.context->kept) return dumped(out);
  const partitions::KeptKeys& kept = *snapshot.context->kept;
  for (auto at = std::ranges::lower_bound(kept, page.first); at != kept.end(); ++at) {
    if (rows.size() == page.limit) {
      out["next_cursor"] = fmt::format("{:016x}{:04x}", at->guid.value, at->key.value);
      break;
    }
    KeptRow one{.key = at->key, .guid = at->guid, .name = {}};
    if (snapshot.subnet)
      if (const EndPoint end = snapshot.subnet->find(at->guid); end.port != kNoIndex)
        one.name = snapshot.subnet->fabric.port_name(end.port);
    rows.push_back(row(one));
  }
  return dumped(out);
}

std::optional<partitions::KeptKey> parse_kept_key(std::string_view cursor) {
  if (cursor.size() != 20) return std::nullopt;
  const auto guid = mad::parse_number(cursor.substr(0, 16), 16);
  const auto key = mad::parse_number(cursor.substr(16), 16);
  if (!guid || !key) return std::nullopt;
  return partitions::KeptKey{.guid = mad::Guid{*guid}, .key = {static_cast<std::uint16_t>(*key)}};
}

std::string kept_resolved_json(const KeptResolved& resolved) {
  OrderedJson out;
  out["fabric_id"] = fabric_id(resolved.snapshot);
  out["revision"] = resolved.revision;
  out["applied"] = resolved.applied;
  if (resolved.replicated) out["replicated"] = *resolved.replicated;
  OrderedJson& rows = out["kept"] = OrderedJson::array();
  for (const partitions::MembershipKey& one : resolved.resolved) {
    OrderedJson row;
    row["p_key"] = key_text(one.key);
    row["guid"] = fmt::format("{}", one.guid);
    rows.push_back(std::move(row));
  }
  return dumped(out);
}

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
