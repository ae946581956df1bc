// PathRecord: what two ports need to talk (IBTA Vol 1, 15.2.5.16).

#include "mad/records/path_record.h"

#include "sm/sa/paths/ends.h"
#include "sm/sa/paths/multicast_path.h"
#include "sm/sa/paths/path_finder.h"
#include "sm/sa/paths/path_names.h"
#include "sm/sa/paths/path_types.h"

namespace sa {
namespace {

using PathMask = mad::PathRecordFields::Mask;

/// Calls `each(end)` for the ends, all end ports with a LID if nobody is named, until it says
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
  const mad::PathRecord asked(query.record.first<mad::PathRecord::kBytes>());
  PathWishes wishes;
  if (const std::uint16_t status =
          read_wishes<mad::PathRecord, mad::PathRecordFields>(asked, query, wishes);
      status != mad::status::kOk)
    return status;
  if (query.has(PathMask::kServiceIdHigh)) {
    wishes.traffic.service_id = asked.get<std::uint64_t, "ServiceID">();
    wishes.pattern.set<"ServiceID">(*wishes.traffic.service_id);
  }
  const bool is_get = query.method == mad::Method::get;
  wishes.paths_max = is_get                           ? 1u
                     : query.has(PathMask::kNumbPath) ? asked.get<unsigned, "NumbPath">()
                                                      : ~0u;

  const PathNames names = path_names(asked, query);
  if (names.to.gid && is_multicast(*names.to.gid))
    return find_multicast_path(view, query, names, wishes, sink);
  const Ends from = find_ends(view, names.from), to = find_far_ends(view, names.to);
  if (from.contradiction || to.contradiction) return mad::sa_status::kReqInvalid;

  if (view.paths == nullptr) return mad::status::kOk;
  PathFinder finder(view, query, wishes);
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
