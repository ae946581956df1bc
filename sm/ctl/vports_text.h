#pragma once
// Texts of a daemon's vports, for people.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sm::ctl {

/// Returns those ports of vports_json() (sm/ops/) whose host is `host`: its description or the
/// first word of it, its PortGUID, or the GUID of one of its vports; "" is all of them.
nlohmann::ordered_json vports_of_host(nlohmann::ordered_json vports, std::string_view host);

/// A line for each port, and one for each of its vports under it.
std::string vports_text(const nlohmann::ordered_json& vports);

}  // namespace sm::ctl
