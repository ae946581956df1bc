#pragma once

#include <string>

namespace manual {

/// The rows of the API with their fields, as sm/ops/rows.h declares them: for heddle-http(7).
std::string rows();

}  // namespace manual
