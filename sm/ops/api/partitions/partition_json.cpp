#include "sm/ops/api/partitions/partition_json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "fabric/fabric_id.h"
#include "mad/format.h"
#include "partitions/membership.h"
#include "sm/ops/api/partitions/partition_rows.h"
#include "sm/partitions/texts.h"

namespace sm::api {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string key_text(std::uint16_t key) { return fmt::format("{:#06x}", key); }
std::string text(const OrderedJson& json) {
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
  const bool in_file = has_partition(configuration, key);
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
                            const PartitionPage& page) {
  std::map<std::uint16_t, bool> keys;
  for (const auto& definition : snapshot.context->partitioning.definitions)
    keys[definition.key] = true;
  for (const auto& [key, partition] : snapshot.stored->partitions()) keys[key] = true;
  auto at = keys.begin();
  if (!page.cursor.empty()) at = keys.lower_bound(parse_p_key(page.cursor).value_or(0xFFFF));
  OrderedJson out;
  out["fabric_id"] = fabric_id(snapshot);
  out["revision"] = snapshot.stored->revision();
  out["applied_revision"] = snapshot.applied;
  OrderedJson& rows = out["partitions"] = OrderedJson::array();
  const CountsByKey counts = member_counts(snapshot, file);
  for (; at != keys.end() && rows.size() < page.limit; ++at)
    rows.push_back(partition_row(snapshot, counts, at->first));
  out["next_cursor"] = at == keys.end() ? OrderedJson(nullptr) : OrderedJson(key_text(at->first));
  return text(out);
}

std::optional<std::string> partition_json(const PartitionSnapshot& snapshot,
                                          const PartitionMap* file, std::uint16_t key) {
  if (snapshot.stored->partitions().find(key) == nullptr &&
      !has_partition(snapshot.context->partitioning, key))
    return std::nullopt;
  OrderedJson out;
  out["fabric_id"] = fabric_id(snapshot);
  out.update(partition_row(snapshot, member_counts(snapshot, file), key));
  return text(out);
}

std::optional<std::string> members_json(const PartitionSnapshot& snapshot, const PartitionMap* file,
                                        std::uint16_t key, const PartitionPage& page) {
  if (snapshot.stored->partitions().find(key) == nullptr &&
      !has_partition(snapshot.context->partitioning, key))
    return std::nullopt;
  const mad::Guid first =
      page.cursor.empty() ? mad::Guid{} : parse_member_guid(page.cursor).value_or(mad::Guid{});
  std::map<mad::Guid, FileMember> of_file = file_members(snapshot, file, key);
  const auto& members = snapshot.stored->members();
  auto stored = members.lower_bound({key, first});
  auto configured = of_file.lower_bound(first);
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
  return text(out);
}

}  // namespace sm::api
