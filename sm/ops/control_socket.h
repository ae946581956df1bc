#pragma once
// The control sockets of daemons, one a port GUID, and a client of the API behind them. The server
// is sm/ops/web/.

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/http/http_client.h"

namespace sm {

/// $HEDDLE_RUN_DIR, else /run/heddle.
std::filesystem::path run_dir();
/// The control sockets in a directory, by name.
std::vector<std::filesystem::path> control_sockets(const std::filesystem::path& dir);

/// Sends a request to the API, whose answer may be a problem. `silence_max` bounds
/// the time in which the daemon neither takes nor sends a byte; 0: no bound. Errors: one line with
/// the path and the reason, where nothing was answered; of a daemon that does not respond in time
/// its process, the state of that, and what to do.
tl::expected<HttpAnswer, std::string> send_to(const std::filesystem::path& socket,
                                              std::string method, std::string target,
                                              std::string body = {}, HttpFields headers = {},
                                              std::chrono::milliseconds silence_max = {});

}  // namespace sm
