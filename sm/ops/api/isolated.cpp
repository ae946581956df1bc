// /v1/isolated: links and switches that are kept out of use

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

web::Response list_isolated(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = page_of(parameters);
  if (parameters.fault()) return *parameters.fault();
  const ManagerStatus& status = reading->view->status;
  std::size_t from = 0;
  if (page.cursor) {
    const auto at = digits(*page.cursor, 0, 8);
    if (!at || page.cursor->size() != 8) return bad_cursor(*page.cursor);
    from = std::min<std::size_t>(*at, status.isolated.size());
  }
  const auto row = [&status](std::size_t i) -> std::optional<nlohmann::json> {
    return isolated_row(status.isolated[i], status.now);
  };
  const auto place = [](std::size_t i) { return fmt::format("{:08x}", i + 1); };
  return list(reading, "isolated",
              std::make_unique<VectorRows>(from, status.isolated.size(), row, place), page.limit,
              false);
}

}  // namespace

void add_isolated(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/isolated", "listIsolated", "Links and switches that are kept out of use",
          "IsolatedList", list_parameters({})),
      reading(core, list_isolated));
  add_schemas(to, isolated_info(), "isolated");
}

}  // namespace sm::api
