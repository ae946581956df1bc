#include <algorithm>
#include <vector>

#include "mad/records/path_records.h"
#include "sm/sa/paths/ends.h"
#include "sm/sa/paths/path_finder.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/registrations/groups.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/registrations.h"

namespace sa {
namespace {

constexpr std::uint8_t kLinkLocalScope = 2, kHopLimitBeyond = 255;
constexpr std::uint8_t scope_of(mad::Gid mgid) {
  return static_cast<std::uint8_t>(mgid.prefix >> 48 & 0xF);
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

/// The path to a multicast group, with the group's parameters: at most one record. `names.to.gid`
/// is a multicast GID.
std::uint16_t find_multicast_path(const View& view, const Query& query, const PathNames& names,
                                  const PathConstraints& constraints, RecordSink& sink) {
  const mad::PathRecord request(query.record.first<mad::PathRecord::kBytes>());
  const Group* group = view.registrations.groups.find(*names.to.gid);
  if (group == nullptr || !agrees(*group, request, query, constraints)) return mad::status::kOk;
  Ends from = find_ends(view, names.from);
  if (from.contradiction) return mad::sa_status::kReqInvalid;
  if (from.kind == Ends::Kind::none) return mad::status::kOk;
  if (from.kind == Ends::Kind::all)
    from.one = whole_end(view, query.from.end());  // without a source the requester itself
  if (from.one.end.port == sm::kNoIndex || !may_talk(view.subnet, query.from.end(), from.one.end))
    return mad::status::kOk;
  if (!is_in_partition(view.subnet, query.from.end(), group->p_key) ||
      !is_in_partition(view.subnet, from.one.end, group->p_key))
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

// PathRecord: the parameters of communication between two ports (IBTA Vol 1, 15.2.5.16).

using PathMask = mad::PathRecordFields::Mask;

/// Ends by number: one, or all end ports for Kind::all. One without a LID has none.
std::size_t count_of(const View& view, const Ends& ends) {
  if (ends.kind == Ends::Kind::all) return view.subnet.fabric.end_ports.size();
  return ends.kind == Ends::Kind::one ? 1 : 0;
}
PathEnd end_at(const View& view, const Ends& ends, std::size_t number) {
  if (ends.kind != Ends::Kind::all) return ends.one;
  return whole_end(view, {.port = view.subnet.fabric.end_ports[sm::EndPortIndex(number)]});
}

std::uint16_t produce_path(const View& view, const Query& query, RecordSink& sink) {
  const mad::PathRecord request(query.record.first<mad::PathRecord::kBytes>());
  PathConstraints constraints;
  if (const std::uint16_t status =
          read_constraints<mad::PathRecord, mad::PathRecordFields>(request, query, constraints);
      status != mad::status::kOk)
    return status;
  if (query.has(PathMask::kServiceIdHigh)) {
    constraints.traffic.service_id = request.get<std::uint64_t, "ServiceID">();
    constraints.pattern.set<"ServiceID">(*constraints.traffic.service_id);
  }
  const bool is_get = query.method == mad::Method::get;
  constraints.paths_max = is_get                           ? 1u
                          : query.has(PathMask::kNumbPath) ? request.get<unsigned, "NumbPath">()
                                                           : ~0u;

  const PathNames names = path_names(request, query);
  if (names.to.gid && is_multicast(*names.to.gid))
    return find_multicast_path(view, query, names, constraints, sink);
  const Ends from = find_ends(view, names.from), to = find_far_ends(view, names.to);
  if (from.contradiction || to.contradiction) return mad::sa_status::kReqInvalid;

  if (view.paths == nullptr) return mad::status::kOk;
  PathFinder finder(view, query, constraints);
  const auto may_begin = [&](const PathEnd& near) {
    if (near.lids == 0) return false;
    return from.kind != Ends::Kind::all || near.end == query.from.end() ||
           finder.is_visible(near.end);
  };
  const std::size_t columns = count_of(view, to), rows = columns == 0 ? 0 : count_of(view, from);
  std::size_t pair = sink.first();
  for (std::size_t row = columns == 0 ? 0 : pair / columns; row < rows; ++row) {
    if (sink.pauses_before(pair)) break;
    const PathEnd near = end_at(view, from, row);
    const std::size_t end_of_row = (row + 1) * columns;
    for (pair = may_begin(near) ? pair : end_of_row; pair < end_of_row; ++pair) {
      if (sink.pauses_before(pair)) return mad::status::kOk;
      const PathEnd far = end_at(view, to, pair % columns);
      if (far.lids != 0 && !finder.find(near, far, to.hop_limit, sink)) return mad::status::kOk;
    }
  }
  return mad::status::kOk;
}

}  // namespace

const RecordType kPathRecord{.attribute = mad::SaAttributeId::path_record,
                             .bytes = mad::PathRecord::kBytes,
                             .produce = produce_path};

// MultiPathRecord: paths between any of several ends, on request independent ones (IBTA Vol 1,
// 15.2.5.20).

namespace {

using Fields = mad::MultiPathRecordFields;
using MultiPathMask = Fields::Mask;

constexpr unsigned kPathsMax = 127;  // the highest NumbPath
constexpr std::size_t kCandidatesMax =
    512;  // for independent paths: 121 pairs of ends fit in a MAD, with a few LIDs each

class Candidates final : public RecordSink {
 public:
  bool add(std::span<const std::uint8_t> record, sm::EndPoint) override {
    paths.emplace_back(record.first<mad::PathRecord::kBytes>());
    return paths.size() < kCandidatesMax;
  }
  std::vector<mad::PathRecord> paths;
};

/// The nodes of a path, its ends included, ascending.
std::vector<sm::NodeIndex> nodes_of(const View& view, const mad::PathRecord& path) {
  const sm::Subnet& subnet = view.subnet;
  const sm::PortIndex from = subnet.lids.owner(path.get<mad::Lid, "SLID">()),
                      to = subnet.lids.owner(path.get<mad::Lid, "DLID">());
  std::vector<sm::NodeIndex> nodes{subnet.fabric.ports[from].node, subnet.fabric.ports[to].node};
  view.paths->walk(from, to, path.get<mad::Lid, "DLID">(), [&](sm::SwitchIndex sw, mad::PortNum) {
    nodes.push_back(subnet.fabric.switches[sw].node);
  });
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// Greedy order: each path shares as few nodes as possible with those in front of it; ties keep
/// their order.
void order_by_independence(const View& view, std::vector<mad::PathRecord>& paths,
                           std::size_t wanted) {
  std::vector<std::vector<sm::NodeIndex>> nodes;
  nodes.reserve(paths.size());
  for (const mad::PathRecord& path : paths) nodes.push_back(nodes_of(view, path));
  std::vector<bool> used(view.subnet.fabric.nodes.size(), false);
  for (std::size_t next = 0; next < std::min(paths.size(), wanted); ++next) {
    const auto shared = [&](std::size_t at) {
      return std::ranges::count_if(nodes[at], [&](sm::NodeIndex node) { return used[node]; });
    };
    std::size_t best = next;
    auto least = shared(next);
    for (std::size_t at = next + 1; at < paths.size() && least > 0; ++at) {
      const auto count = shared(at);
      if (count < least) {
        least = count;
        best = at;
      }
    }
    const auto to = static_cast<std::ptrdiff_t>(next), from = static_cast<std::ptrdiff_t>(best);
    std::rotate(paths.begin() + to, paths.begin() + from, paths.begin() + from + 1);
    std::rotate(nodes.begin() + to, nodes.begin() + from, nodes.begin() + from + 1);
    for (const sm::NodeIndex node : nodes[next]) used[node] = true;
  }
}

/// GID number `number` after the fixed fields.
mad::Gid gid_at(std::span<const std::uint8_t> record, unsigned number) {
  const auto bytes =
      record.subspan(Fields::kBytes + number * Fields::kGidBytes).first<Fields::kGidBytes>();
  return {mad::read_bits<0, 64>(bytes), mad::Guid{mad::read_bits<64, 64>(bytes)}};
}

std::uint16_t produce_multi_path(const View& view, const Query& query, RecordSink& sink) {
  const mad::MultiPathRecord request(query.record.first<mad::MultiPathRecord::kBytes>());
  const unsigned sources = request.get<unsigned, "SGIDCount">(),
                 destinations = request.get<unsigned, "DGIDCount">();
  if (!query.has(MultiPathMask::kSgidCount) || !query.has(MultiPathMask::kDgidCount) ||
      sources == 0 || destinations == 0)
    return mad::sa_status::kReqInsufficientComponents;
  if (query.record.size() < Fields::kBytes + (sources + destinations) * Fields::kGidBytes)
    return mad::sa_status::kReqInvalid;
  PathConstraints constraints;
  if (const std::uint16_t status =
          read_constraints<mad::MultiPathRecord, Fields>(request, query, constraints);
      status != mad::status::kOk)
    return status;
  if (query.has(MultiPathMask::kServiceIdHigh)) {
    constraints.traffic.service_id = request.get<std::uint64_t, "ServiceID.msb">() << 56 |
                                     request.get<std::uint64_t, "ServiceID.lsb">();
    constraints.pattern.set<"ServiceID">(*constraints.traffic.service_id);
  }
  const bool independent = query.has(MultiPathMask::kIndependence) &&
                           request.get<unsigned, "IndependenceSelector">() == 1;
  const unsigned wanted =
      query.has(MultiPathMask::kNumbPath) ? request.get<unsigned, "NumbPath">() : kPathsMax;
  constraints.paths_max = independent ? kPathsMax : wanted;

  std::vector<Ends> from, to;
  for (unsigned i = 0; i < sources + destinations; ++i) {
    const EndName name{.gid = gid_at(query.record, i), .lid = std::nullopt};
    const Ends ends = i < sources ? find_ends(view, name) : find_far_ends(view, name);
    if (ends.kind != Ends::Kind::one) return mad::sa_status::kReqInvalidGid;
    (i < sources ? from : to).push_back(ends);
  }

  if (view.paths == nullptr) return mad::status::kOk;
  Candidates candidates;
  PathFinder finder(view, query, constraints);
  for (const Ends& near : from) {
    for (const Ends& far : to) {
      if (candidates.paths.size() < kCandidatesMax &&
          !finder.find(near.one, far.one, far.hop_limit, candidates))
        break;
    }
  }
  if (independent) order_by_independence(view, candidates.paths, wanted);
  for (std::size_t i = 0; i < std::min<std::size_t>(candidates.paths.size(), wanted); ++i)
    if (!sink.add(candidates.paths[i].bytes(), sm::kNoIndex)) break;
  return mad::status::kOk;
}

}  // namespace

const RecordType kMultiPathRecord{.attribute = mad::SaAttributeId::multi_path_record,
                                  .bytes = mad::PathRecord::kBytes,
                                  .produce = produce_multi_path,
                                  .request_bytes = mad::MultiPathRecord::kBytes,
                                  .methods = {mad::Method::get_multi, mad::Method::get_multi}};

std::span<const RecordType* const> path_types() {
  static constexpr std::array kAll{&kPathRecord, &kMultiPathRecord, &kTraceRecord};
  return kAll;
}

}  // namespace sa
