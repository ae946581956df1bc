#include "routing/qos/path_sl.h"

namespace routing {

mad::Sl path_sl(const sm::PublishedRouting& routing, const PathEnds& path, mad::Sl wish) {
  const sm::PathSls& sls = routing.sls;
  if (sls.shape() == sm::PathSls::Shape::zero && sls.free_bits == 0 && routing.sl_to_vl.empty())
    return wish;
  if (path.from == sm::kNoIndex || path.home == sm::kNoIndex) return wish;
  return mad::Sl{static_cast<std::uint8_t>(sls.at(path.from, path.to, path.home).value |
                                           (wish.value & sls.free_bits))};
}

}  // namespace routing
