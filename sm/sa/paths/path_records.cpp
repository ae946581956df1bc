#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "mad/records/path_records.h"
#include "sm/sa/paths/ends.h"
#include "sm/sa/paths/gateways.h"
#include "sm/sa/paths/path_finder.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/query/answer.h"
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

/// True if the group's parameters, which are fixed, match the constraints.
bool agrees(const Group& group, const mad::PathRecord& request, const Query& query,
            const PathConstraints& constraints) {
  using Mask = mad::PathRecordFields::Mask;
  if (query.has(Mask::kDlid) && request.get<std::uint16_t, "DLID">() != group.mlid.value)
    return false;
  if (constraints.p_key && mad::p_key_base(*constraints.p_key) != mad::p_key_base(group.p_key))
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

/// Finds the path to a multicast group, with the group's parameters: at most one record.
/// `names.to.gid` is a multicast GID.
std::uint16_t find_multicast_path(const View& view, const Query& query, const PathNames& names,
                                  const PathConstraints& constraints, RecordSink& sink) {
  const mad::PathRecord request(query.record.first<mad::PathRecord::kBytes>());
  const Group* group = view.registrations.groups.find(*names.to.gid);
  if (group == nullptr || !agrees(*group, request, query, constraints)) return mad::status::kOk;
  Ends from = find_ends(view, names.from);
  if (from.contradiction) return mad::sa_status::kReqInvalid;
  if (from.kind == Ends::Kind::none) return mad::status::kOk;
  if (from.kind == Ends::Kind::all)
    from.one = end_with_all_lids(view, query.from.end());  // without a source the requester itself
  if (from.one.end.port == fabric::kNoIndex ||
      !may_communicate(view.subnet, query.from.end(), from.one.end))
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
  sink.add(record.bytes(), fabric::kNoIndex);
  return mad::status::kOk;
}

// PathRecord: the parameters of paths between two ports (IBTA Vol 1, 15.2.5.16).

using PathMask = mad::PathRecordFields::Mask;

/// Returns the number of ends: 1, or for Kind::all all end ports, even those without LIDs.
std::size_t count_of(const View& view, const Ends& ends) {
  if (ends.kind == Ends::Kind::all) return view.subnet.fabric.end_ports.size();
  return ends.kind == Ends::Kind::one ? 1 : 0;
}
PathEnd end_at(const View& view, const Ends& ends, std::size_t number) {
  if (ends.kind != Ends::Kind::all) return ends.one;
  return end_with_all_lids(view,
                           {.port = view.subnet.fabric.end_ports[fabric::EndPortIndex(number)]});
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
  if (from.recent || to.recent) return mad::status::kBusy;
  if (from.is_foreign || to.is_foreign) return mad::sa_status::kReqInvalidGid;

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

// MultiPathRecord: paths between any of several ends, independent ones on request (IBTA Vol 1,
// 15.2.5.20).

namespace {

using Fields = mad::MultiPathRecordFields;
using MultiPathMask = Fields::Mask;

constexpr unsigned kPathsMax = 127;  // the highest NumbPath
constexpr std::size_t kCandidatesMax =
    512;  // for independent paths: 121 pairs of ends fit in a MAD, with a few LIDs each
static_assert(kCandidatesMax <= kStepsBeyondSlice);
/// Limits the pairs of LIDs that are tried for one request, divided equally among its pairs of
/// ends: all of them for 4 pairs of ends with LMC 7, for 256 with LMC 4.
constexpr std::size_t kLidPairsMax = std::size_t{1} << 16;

/// The requested number of paths, and whether they should share as few nodes as possible.
struct Wanted {
  unsigned paths = 0;
  bool independent = false;
};
Wanted wanted_of(const Query& query) {
  const mad::MultiPathRecord request(query.record.first<mad::MultiPathRecord::kBytes>());
  return {.paths =
              query.has(MultiPathMask::kNumbPath) ? request.get<unsigned, "NumbPath">() : kPathsMax,
          .independent = query.has(MultiPathMask::kIndependence) &&
                         request.get<unsigned, "IndependenceSelector">() == 1};
}

/// Returns the nodes of a path, including its ends, ascending.
std::vector<fabric::NodeIndex> find_nodes(const View& view, const mad::PathRecord& path) {
  const fabric::Subnet& subnet = view.subnet;
  const fabric::PortIndex from = subnet.lids.owner(path.get<mad::Lid, "SLID">()),
                          to = subnet.lids.owner(path.get<mad::Lid, "DLID">());
  std::vector<fabric::NodeIndex> nodes{subnet.fabric.ports[from].node,
                                       subnet.fabric.ports[to].node};
  view.paths->walk(from, to, path.get<mad::Lid, "DLID">(),
                   [&](fabric::SwitchIndex sw, mad::PortNum) {
                     nodes.push_back(subnet.fabric.switches[sw].node);
                   });
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// Orders paths greedily: each shares as few nodes as possible with the previous ones; ties keep
/// their order.
std::vector<std::size_t> order_by_independence(
    const std::vector<std::vector<fabric::NodeIndex>>& nodes_of_paths, std::size_t wanted) {
  std::vector<std::pair<fabric::NodeIndex, std::size_t>> users;  // node, path
  for (std::size_t path = 0; path < nodes_of_paths.size(); ++path)
    for (const fabric::NodeIndex node : nodes_of_paths[path]) users.emplace_back(node, path);
  std::ranges::sort(users);
  constexpr std::size_t kChosen = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> order, shared(nodes_of_paths.size(), 0);
  std::set<fabric::NodeIndex> used;
  while (order.size() < std::min(nodes_of_paths.size(), wanted)) {
    const auto best = static_cast<std::size_t>(std::ranges::min_element(shared) - shared.begin());
    order.push_back(best);
    for (const fabric::NodeIndex node : nodes_of_paths[best]) {
      if (!used.insert(node).second) continue;
      for (auto user = std::ranges::lower_bound(users, std::pair(node, std::size_t{0}));
           user != users.end() && user->first == node; ++user)
        if (shared[user->second] != kChosen) ++shared[user->second];
    }
    shared[best] = kChosen;
  }
  return order;
}

/// Keeps the requested number of the paths that were found.
void choose_paths(const View& view, const Query& query, ResponseBuffer& found) {
  const Wanted wanted = wanted_of(query);
  std::vector<std::size_t> numbers(std::min<std::size_t>(found.records(), wanted.paths));
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (wanted.independent) {
    std::vector<std::vector<fabric::NodeIndex>> nodes;
    for (std::size_t i = 0; i < found.records(); ++i)
      nodes.push_back(
          find_nodes(view, mad::PathRecord(found.record(i).first<mad::PathRecord::kBytes>())));
    numbers = order_by_independence(nodes, wanted.paths);
  }
  if (wanted.independent || numbers.size() < found.records()) found.keep(numbers);
}

/// Returns GID number `number` after the fixed fields.
mad::Gid gid_at(std::span<const std::uint8_t> record, unsigned number) {
  const auto bytes =
      record.subspan(Fields::kBytes + number * Fields::kGidBytes).first<Fields::kGidBytes>();
  return {mad::read_bits<0, 64>(bytes), mad::Guid{mad::read_bits<64, 64>(bytes)}};
}

/// Returns the distinct GIDs among `count` from number `first` on, in their order. A port that is
/// named by both forms of its GID is named once.
std::vector<mad::Gid> distinct_gids(const View& view, std::span<const std::uint8_t> record,
                                    unsigned first, unsigned count) {
  std::vector<mad::Gid> gids;
  std::set<mad::Gid> seen;
  for (unsigned number = first; number < first + count; ++number) {
    const mad::Gid gid = canonical_gid(gid_at(record, number), view.options.subnet_prefix);
    if (seen.insert(gid).second) gids.push_back(gid);
  }
  return gids;
}

/// Sources and destinations of a MultiPathRecord.
struct MultiPathEnds {
  std::vector<Ends> from, to;
  std::size_t pairs() const { return from.size() * to.size(); }
};
tl::expected<MultiPathEnds, std::uint16_t> find_multi_path_ends(const View& view,
                                                                const Query& query) {
  const mad::MultiPathRecord request(query.record.first<mad::MultiPathRecord::kBytes>());
  const unsigned sources = request.get<unsigned, "SGIDCount">(),
                 destinations = request.get<unsigned, "DGIDCount">();
  if (!query.has(MultiPathMask::kSgidCount) || !query.has(MultiPathMask::kDgidCount) ||
      sources == 0 || destinations == 0)
    return tl::unexpected(mad::sa_status::kReqInsufficientComponents);
  if (query.record.size() < Fields::kBytes + (sources + destinations) * Fields::kGidBytes)
    return tl::unexpected(mad::sa_status::kReqInvalid);
  MultiPathEnds ends;
  for (const mad::Gid gid : distinct_gids(view, query.record, 0, sources))
    ends.from.push_back(find_ends(view, {.gid = gid, .lid = std::nullopt}));
  for (const mad::Gid gid : distinct_gids(view, query.record, sources, destinations))
    ends.to.push_back(find_far_ends(view, {.gid = gid, .lid = std::nullopt}));
  const auto has = [&](auto is_so) {
    return std::ranges::any_of(ends.from, is_so) || std::ranges::any_of(ends.to, is_so);
  };
  if (has([](const Ends& end) { return end.recent; })) return tl::unexpected(mad::status::kBusy);
  if (has([](const Ends& end) { return end.kind != Ends::Kind::one; }))
    return tl::unexpected(mad::sa_status::kReqInvalidGid);
  return ends;
}

std::uint16_t produce_multi_path(const View& view, const Query& query, RecordSink& sink) {
  const mad::MultiPathRecord request(query.record.first<mad::MultiPathRecord::kBytes>());
  const auto ends = find_multi_path_ends(view, query);
  PathConstraints constraints;
  if (!ends && ends.error() != mad::sa_status::kReqInvalidGid) return ends.error();
  if (const std::uint16_t status =
          read_constraints<mad::MultiPathRecord, Fields>(request, query, constraints);
      status != mad::status::kOk)
    return status;
  if (!ends) return ends.error();
  if (query.has(MultiPathMask::kServiceIdHigh)) {
    constraints.traffic.service_id = request.get<std::uint64_t, "ServiceID.msb">() << 56 |
                                     request.get<std::uint64_t, "ServiceID.lsb">();
    constraints.pattern.set<"ServiceID">(*constraints.traffic.service_id);
  }
  if (view.paths == nullptr) return mad::status::kOk;
  const Wanted wanted = wanted_of(query);
  const std::size_t pairs = ends->pairs(), destinations = ends->to.size(),
                    paths_max = wanted.independent ? kCandidatesMax : wanted.paths;
  constraints.paths_max =
      wanted.independent ? std::max<std::size_t>(kCandidatesMax / pairs, 1) : wanted.paths;
  constraints.lid_pairs_max = std::max<std::size_t>(kLidPairsMax / pairs, 1);
  sink.count_steps(ends->from.size() + destinations);
  PathFinder finder(view, query, constraints);
  for (std::size_t pair = sink.first(); pair < pairs && sink.accepted() < paths_max; ++pair) {
    if (sink.pauses_before(pair)) break;
    const Ends &near = ends->from[pair / destinations], &far = ends->to[pair % destinations];
    if (!finder.find(near.one, far.one, far.hop_limit, sink)) break;
  }
  return mad::status::kOk;
}

}  // namespace

const RecordType kMultiPathRecord{.attribute = mad::SaAttributeId::multi_path_record,
                                  .bytes = mad::PathRecord::kBytes,
                                  .produce = produce_multi_path,
                                  .finish = choose_paths,
                                  .request_bytes = mad::MultiPathRecord::kBytes,
                                  .methods = {mad::Method::get_multi, mad::Method::get_multi}};

std::span<const RecordType* const> path_types() {
  static constexpr std::array kAll{&kPathRecord, &kMultiPathRecord, &kTraceRecord};
  return kAll;
}

}  // namespace sa
