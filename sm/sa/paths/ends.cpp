#include "sm/sa/paths/ends.h"

#include <algorithm>

#include "fabric/partition_map.h"
#include "sm/sa/paths/recent_ends.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/registrations.h"

namespace sa {
namespace {

/// True if the name is that of an end which the latest sweep may have missed.
bool is_recent(const View& view, const EndName& name) {
  if (view.recent == nullptr) return false;
  return name.gid ? view.recent->contains(name.gid->guid, view.guid2lid)
                  : view.recent->contains(*name.lid, view.guid2lid);
}

/// Returns the end with all its LIDs or the requested one.
Ends one_end(const View& view, fabric::EndPoint of, const EndName& name) {
  if (of.port == fabric::kNoIndex) return {};
  PathEnd end = end_with_all_lids(view, of);
  if (end.lids == 0) return {};
  if (name.lid) {
    const fabric::EndPoint owner = view.subnet.owner(*name.lid);
    if (owner.port == fabric::kNoIndex) return {};
    if (owner.port != of.port) return {.contradiction = true};
    // A vport uses one LID; other vports at the port have their own.
    if (of.vport == fabric::kNoIndex ? owner.vport != fabric::kNoIndex : *name.lid != end.first_lid)
      return {};
    end.first_lid = *name.lid;
    end.lids = 1;
  }
  return {.kind = Ends::Kind::one, .one = end};
}

}  // namespace

bool is_local(const View& view, mad::Gid gid) {
  return is_local_prefix(gid.prefix, view.options.subnet_prefix);
}

PathEnd end_with_all_lids(const View& view, fabric::EndPoint end) {
  const fabric::LidMap::Range range = view.subnet.lid_range(end);
  return {.end = end,
          .first_lid = range.base,
          .lids = range.count(),
          .gid = {view.options.subnet_prefix, view.subnet.find_guid(end)}};
}

Ends find_ends(const View& view, const EndName& name) {
  if (!name.gid && !name.lid) return {.kind = Ends::Kind::all};
  if (name.gid && !is_local(view, *name.gid)) return {.is_foreign = true};
  const fabric::EndPoint end =
      name.gid ? find_end_point(name.gid->guid, view.subnet, view.registrations.alias_guids)
               : view.subnet.owner(*name.lid);
  if (end.port == fabric::kNoIndex) return {.recent = is_recent(view, name)};
  Ends ends = one_end(view, end, name);
  if (!name.gid) return ends;
  ends.one.gid.guid = name.gid->guid;  // the alias, if the query names it
  return ends;
}

std::optional<mad::PKey> common_p_key(std::span<const mad::PKey> from,
                                      std::span<const mad::PKey> to,
                                      std::optional<mad::PKey> wanted,
                                      const config::NumberRanges& allowed) {
  std::optional<mad::PKey> found;
  for (std::size_t i = 0, k = 0; i < from.size() && k < to.size();) {
    const std::uint16_t left = mad::p_key_base(from[i]), right = mad::p_key_base(to[k]);
    if (left < right) {
      if (found) return found;
      ++i;
    } else if (right < left) {
      ++k;
    } else {
      const bool counts = (!wanted || mad::p_key_base(*wanted) == left) &&
                          (allowed.empty() || allowed.contains(left));
      // Compares all keys of this partition at the far end with this one. A full membership, which
      // is second, is preferred.
      for (std::size_t other = k; counts && other < to.size() && mad::p_key_base(to[other]) == left;
           ++other)
        if (fabric::may_communicate(from[i], to[other])) found = from[i];
      ++i;
      if (found && (i == from.size() || mad::p_key_base(from[i]) != left)) return found;
    }
  }
  return found;
}

}  // namespace sa
