#include "sm/daemon/http_resources.h"

#include <algorithm>
#include <iterator>

#include "config/build/build.h"
#include "sm/ops/map/map.h"
#include "sm/ops/web/openapi.h"

namespace sm {
namespace {

void append(web::Resources& all, web::Resources part) {
  std::ranges::move(part.routes, std::back_inserter(all.routes));
  std::ranges::move(part.schemas, std::back_inserter(all.schemas));
}

}  // namespace

web::Resources http_resources([[maybe_unused]] Manager& manager,
                              [[maybe_unused]] const boost::asio::any_io_executor& control,
                              [[maybe_unused]] const Views& views) {
  web::Resources all;
  // api_resources(), ufm_resources(), metrics_resources(): append(all, ...) here.
  append(all, map_resources());
  append(all, web::document_resources(
                  all, {.title = "Heddle",
                        .version = config::short_version(),
                        .description = "An InfiniBand subnet manager. GUIDs, P_Keys and GIDs are "
                                       "texts, LIDs and ports are numbers."}));
  return all;
}

}  // namespace sm
