#include "routing/qos/path_sl.h"

namespace routing {

mad::Sl path_sl(const fabric::PublishedRouting& routing, const PathEnds& path, mad::Sl requested) {
  const fabric::PathSls& sls = routing.sls;
  if (sls.shape() == fabric::PathSls::Shape::zero && sls.free_bits == 0 && routing.sl_to_vl.empty())
    return requested;
  if (path.from == fabric::kNoIndex || path.last_switch == fabric::kNoIndex) return requested;
  return mad::Sl{static_cast<std::uint8_t>(sls.at(path.from, path.to, path.last_switch).value |
                                           (requested.value & sls.free_bits))};
}

}  // namespace routing
