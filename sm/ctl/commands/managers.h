#pragma once
// This file reaches the daemons on this machine through the API on their control sockets.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "mad/ids.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ops/web/exchange.h"

namespace sm::commands {

/// Keeps members in the order in which the daemon has sent them.
using Json = nlohmann::ordered_json;

/// Sends requests to the API of one manager, over its control socket.
class ManagerApi {
 public:
  explicit ManagerApi(std::filesystem::path socket, std::chrono::seconds silence_max = kSilenceMax)
      : socket_(std::move(socket)), silence_max_(silence_max) {}
  /// Takes the manager on the port with this GUID; there may be none.
  explicit ManagerApi(mad::Guid port);

  using Answer = tl::expected<Json, std::string>;
  std::string port_guid() const { return socket_.stem().string(); }
  /// Sends a request; `body` is JSON, or "" for none. Requests that the daemon computes or reads
  /// from the fabric may take longer than `silence_max`. Errors: what the API says is wrong and
  /// what would be right, or why the API does not answer.
  Answer send(std::string_view method, const std::string& target, const std::string& body = {},
              const web::Fields& headers = {}) const;
  Answer get(const std::string& target) const { return send("GET", target); }
  /// Reads all pages of a list and returns them as one answer without a cursor. `list` is the
  /// member that has the rows.
  Answer all_rows(const std::string& target, const char* list) const;
  /// Reads /v1/subnet, with all rows of managers[] (without this manager), isolated[] and
  /// conditions[].
  Answer status() const;

 private:
  std::filesystem::path socket_;
  std::chrono::seconds silence_max_;
};

/// Uses the API of a manager. Returns the reason of a failure, which the caller writes to standard
/// error.
using UseApi = std::function<tl::expected<void, std::string>(const ManagerApi& api)>;
// Each returns the exit code.
/// Calls `use` for each chosen manager. Returns kOk if all calls succeed.
int with_each_api(const ManagerChoice& choice, const UseApi& use);
/// Calls `use` for each chosen manager; returns kOk if one call succeeds.
int with_any_api(const ManagerChoice& choice, const UseApi& use);
/// Calls `use` for one chosen manager after the other until a call succeeds. If none succeeds,
/// writes the reasons to standard error.
int with_first_api(const ManagerChoice& choice, const UseApi& use);
/// Calls `use` for the only chosen manager; if several run, --guid has to name one.
int with_only_api(const ManagerChoice& choice, const UseApi& use);
/// Returns the API itself, for results that are not an exit code. Errors: also that no manager or
/// several managers run here.
tl::expected<ManagerApi, std::string> find_only_api(const ManagerChoice& choice);

/// Returns the JSON text on one line; replaces bytes that are not UTF-8.
std::string dumped(const Json& answer);
/// Returns one or several lists as JSON text, with one row on each line.
std::string dumped_by_rows(const Json& answer);

/// Returns the columns of the terminal that standard output is; 0 if it is not a terminal.
std::size_t terminal_columns();
/// True if standard output is a terminal that shows colours, and NO_COLOR is not set.
bool uses_colour();

}  // namespace sm::commands
