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
  const Page page = make_page(parameters);
  if (parameters.fault()) return *parameters.fault();
  const ManagerStatus& status = reading->view->status;
  const auto row = [&status](std::size_t i) -> std::optional<nlohmann::json> {
    return isolated_row(status.isolated[i], status.now);
  };
  return list_by_place(reading, "isolated", page, status.isolated.size(), row);
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
