#pragma once
// The daemons on this machine, through their control sockets.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "sm/ops/web/exchange.h"

namespace sm::commands {

/// Asks each manager (or the one on the port with this GUID) for `target`, and hands its answer
/// over: the text, and the same parsed. Returns the exit code; what failed is on standard error,
/// with what to do about it.
int ask_managers(const std::string& guid, const std::string& target,
                 const std::function<void(const std::string& port_guid, const std::string& text,
                                          const nlohmann::json& parsed)>& use);

/// Asks them in turn (or the one on the port with this GUID) until one answers. Returns the exit
/// code; if none does, what each says is on standard error.
int ask_a_manager(
    const std::string& guid, const std::string& target,
    const std::function<void(const std::string& text, const nlohmann::json& parsed)>& use);

/// Asks the only manager here (or the one on the port with this GUID) for all of the targets.
/// Errors: none runs here, several do, or it does not answer, in words with what to do about it.
tl::expected<std::vector<nlohmann::json>, std::string> ask_the_manager(
    const std::string& guid, const std::vector<std::string>& targets);

/// Gives each of them the command. The exit code is kOk if one of them took it.
int order_managers(const std::string& guid, const std::string& target,
                   const std::function<void(const std::string& port_guid)>& done);

/// The API of one manager, on its control socket.
class ManagerApi {
 public:
  explicit ManagerApi(std::filesystem::path socket) : socket_(std::move(socket)) {}
  std::string port_guid() const { return socket_.stem().string(); }
  /// Errors: what the API says is wrong and what would be right, or why it does not answer.
  tl::expected<nlohmann::ordered_json, std::string> send(std::string_view method,
                                                         const std::string& target,
                                                         const std::string& body = {},
                                                         const web::Fields& headers = {}) const;

 private:
  std::filesystem::path socket_;
};

/// Hands over the API of each manager here (or of the one on the port with this GUID). `use`
/// returns what failed, which is written on standard error. Returns the exit code.
using UseApi = std::function<tl::expected<void, std::string>(const ManagerApi& api)>;
int with_each_api(const std::string& guid, const UseApi& use);
/// The same with the only manager here; of several --guid has to name one.
int with_the_api(const std::string& guid, const UseApi& use);

/// Standard output is a terminal that shows colours, and NO_COLOR is not set.
bool wants_colour();

}  // namespace sm::commands
