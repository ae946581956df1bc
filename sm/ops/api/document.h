#pragma once
// The OpenAPI document besides its routes: tags, and examples of fields.

#include <string>

#include "sm/ops/web/openapi.h"

namespace sm::api {

/// `version`: of the program.
web::DocumentInfo document_info(std::string version);

}  // namespace sm::api
