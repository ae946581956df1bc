#pragma once
// The daemons on this machine, through the API on their control sockets.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "mad/ids.h"
#include "sm/ops/web/exchange.h"

namespace sm::commands {

/// In the order in which the daemon has sent it.
using Json = nlohmann::ordered_json;

/// The API of one manager, on its control socket.
class ManagerApi {
 public:
  explicit ManagerApi(std::filesystem::path socket) : socket_(std::move(socket)) {}
  /// On the port with this GUID; there may be none.
  explicit ManagerApi(mad::Guid port);

  using Answer = tl::expected<Json, std::string>;
  std::string port_guid() const { return socket_.stem().string(); }
  /// `body`: JSON, "" is none. Errors: what the API says is wrong and what would be right, or why
  /// it does not answer.
  Answer send(std::string_view method, const std::string& target, const std::string& body = {},
              const web::Fields& headers = {}) const;
  Answer get(const std::string& target) const { return send("GET", target); }
  /// All rows of a list that comes in pages, as one answer without a cursor. `list`: its member.
  Answer all_rows(const std::string& target, const char* list) const;
  /// /v1/subnet, and all rows of managers[] (without this one), isolated[] and conditions[].
  Answer status() const;

 private:
  std::filesystem::path socket_;
};

/// Returns what failed, which is written on standard error.
using UseApi = std::function<tl::expected<void, std::string>(const ManagerApi& api)>;
// Each returns the exit code.
/// Hands over the API of each manager here (or of the one on the port with this GUID): kOk if all
/// went well.
int with_each_api(const std::string& guid, const UseApi& use);
/// Does so for each manager that runs here; returns kOk if one went well.
int with_any_api(const std::string& guid, const UseApi& use);
/// Does so in turn until one goes well; if none does, the reasons are on standard error.
int with_first_api(const std::string& guid, const UseApi& use);
/// Hands over the API of the only manager here; if there are several, --guid has to name one.
int with_the_api(const std::string& guid, const UseApi& use);
/// Returns the API itself, for results that are not an exit code. Errors also say that none or
/// several run here.
tl::expected<ManagerApi, std::string> the_api(const std::string& guid);

/// Text on one line; what is not UTF-8 is replaced.
std::string dumped(const Json& answer);
/// A list, or several, with a row a line.
std::string dumped_by_rows(const Json& answer);

/// Standard output is a terminal that shows colours, and NO_COLOR is not set.
bool uses_colour();

}  // namespace sm::commands
