#pragma once
// Says which build of Heddle this is.

#include <string>
#include <string_view>

namespace config {

/// For the log: "0.9.0 (83fcae56e2f7)".
std::string short_version();

/// Returns what --version prints, without the last line end: "PROGRAM VERSION", then lines "commit:
/// ...", "features: ..." and "compiler: ...".
std::string version_text(std::string_view program);

}  // namespace config
