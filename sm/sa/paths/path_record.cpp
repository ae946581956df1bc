// PathRecord: the parameters of communication between two ports (IBTA Vol 1, 15.2.5.16).

#include "mad/records/path_records.h"

#include "sm/sa/paths/ends.h"
#include "sm/sa/paths/multicast_path.h"
#include "sm/sa/paths/path_finder.h"
#include "sm/sa/paths/path_names.h"
#include "sm/sa/paths/path_types.h"

namespace sa {
namespace {

using PathMask = mad::PathRecordFields::Mask;

/// Calls `each(end)` for the ends, or all end ports with a LID for Kind::all, until it returns
/// false.
template <class Each>
bool for_each_end(const View& view, const Ends& ends, Each&& each) {
  if (ends.kind == Ends::Kind::none) return true;
  if (ends.kind == Ends::Kind::one) return each(ends.one);
  for (const sm::PortIndex port : view.subnet.fabric.end_ports) {
    const PathEnd end = whole_port(view, port);
    if (end.lids != 0 && !each(end)) return false;
  }
  return true;
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
  for_each_end(view, from, [&](const PathEnd& near) {
    if (from.kind == Ends::Kind::all && near.port != query.from.port &&
        !finder.is_visible(near.port))
      return true;
    return for_each_end(
        view, to, [&](const PathEnd& far) { return finder.find(near, far, to.hop_limit, sink); });
  });
  return mad::status::kOk;
}

}  // namespace

const RecordType kPathRecord{.attribute = mad::SaAttributeId::path_record,
                             .bytes = mad::PathRecord::kBytes,
                             .produce = produce_path};

}  // namespace sa
