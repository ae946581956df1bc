#pragma once
// What a daemon says of its vports, for people.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sm::ctl {

/// Of vports_json() (sm/ops/) only ports whose host is `host`: its description or the first word of
/// it, its PortGUID, or the GUID of one of its vports. "": all of them.
nlohmann::ordered_json vports_of_host(nlohmann::ordered_json vports, std::string_view host);

/// A line for each port, and one for each of its vports under it.
std::string vports_text(const nlohmann::ordered_json& vports);

}  // namespace sm::ctl
