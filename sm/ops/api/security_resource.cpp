// /v1/security

#include "sm/ops/security.h"

#include <array>
#include <nlohmann/json.hpp>

#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"

namespace sm::api {

namespace {

constexpr std::array<FieldInfo, 1> kFindings{{
    {"security", "SecurityFinding[]"},
}};

web::Response list_security(const SharedReading& reading) {
  nlohmann::json body = envelope(*reading->snapshot);
  nlohmann::json& rows = body["security"] = nlohmann::json::array();
  for (const SecurityFinding& finding :
       security_findings(reading->view->context->options, reading->view->status))
    rows.push_back(security_row(finding));
  return answer(*reading, body, false);
}

}  // namespace

void add_security(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/security", "listSecurity",
          "What is protected by which key against whom, and what is open", "SecurityList"),
      reading(core, list_security));
  to.schemas.emplace_back("SecurityFinding", object_schema(security_info().fields));
  to.schemas.emplace_back("SecurityList", answer_schema({}, kFindings));
}

}  // namespace sm::api
