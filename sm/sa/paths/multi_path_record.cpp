// MultiPathRecord: paths between any of several ends, on request independent ones (IBTA Vol 1,
// 15.2.5.20).

#include "mad/records/path_records.h"

#include <algorithm>
#include <vector>

#include "sm/sa/paths/ends.h"
#include "sm/sa/paths/path_finder.h"
#include "sm/sa/paths/path_types.h"

namespace sa {
namespace {

using Fields = mad::MultiPathRecordFields;
using MultiPathMask = Fields::Mask;

constexpr unsigned kPathsMax = 127;  // the highest NumbPath
constexpr std::size_t kCandidatesMax =
    512;  // for independent paths: 121 pairs of ends fit in a MAD, with a few LIDs each

class Candidates final : public RecordSink {
 public:
  bool add(std::span<const std::uint8_t> record, sm::PortIndex) override {
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

}  // namespace sa
