// /v1/lost: nodes and links that were lost

#include <nlohmann/json.hpp>

#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

web::Response list_lost(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  if (parameters.fault()) return *parameters.fault();
  const ManagerStatus& status = reading->view->status;
  const auto row = [&status](std::size_t i) -> std::optional<nlohmann::json> {
    return lost_row((*status.lost)[i], status.now);
  };
  return list_by_place(reading, "lost", page, status.lost ? status.lost->size() : 0, row, false);
}

}  // namespace

void add_lost(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/lost", "listLost",
          "Nodes and links that were lost, until they are back or forgotten", "LostList",
          list_parameters({})),
      reading(core, list_lost));
  add_schemas(to, lost_info(), "lost");
}

}  // namespace sm::api
