#include "sm/ctl/commands/managers.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "mad/format.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ops/control_socket.h"

namespace sm::commands {

namespace {

constexpr const char* kOtherVersion =
    "the answer is no JSON; heddlectl and daemon should be of one version";

struct Counts {
  int found = 0, good = 0;
};

/// The error, and what to do about it.
std::string advice(const std::filesystem::path& socket, const std::string& error) {
  if (access(socket.c_str(), W_OK) != 0 && errno == EACCES)
    return error + "; only root may, and the group that the option control_group names";
  if (error.ends_with("no such thing here"))
    return error + "; it has nothing of that name, or is of an older version";
  if (error.ends_with("Connection refused"))
    return error + "; the daemon that made this socket does not run any more";
  return error;
}

std::string nothing_runs() {
  return fmt::format(
      "no Heddle runs here (nothing listens in {}); start the daemon, or name its directory in "
      "HEDDLE_RUN_DIR",
      run_dir().string());
}

/// Of the only manager here, or of the one on the port with this GUID.
tl::expected<std::filesystem::path, std::string> the_socket(const std::string& guid) {
  auto sockets = control_sockets(run_dir());
  std::erase_if(sockets,
                [&](const auto& socket) { return !guid.empty() && socket.stem() != guid; });
  if (sockets.empty()) return tl::unexpected(nothing_runs());
  if (sockets.size() > 1)
    return tl::unexpected(fmt::format("{} managers run here; name the port of one: --guid {}",
                                      sockets.size(), sockets.front().stem().string()));
  return sockets.front();
}

/// What is wrong, and what would be right.
std::string text_of_problem(const std::filesystem::path& socket, const ApiAnswer& answer) {
  const auto problem = nlohmann::json::parse(answer.body, nullptr, false);
  if (!problem.is_object() || !problem.contains("detail"))
    return advice(socket, fmt::format("{}: {}", socket.string(), answer.body));
  const std::string remedy = problem.value("remedy", "");
  return problem.value("detail", "") + (remedy.empty() ? "" : "; " + remedy);
}

/// `use` says whether it went well, and complains if not.
Counts with_sockets(const std::string& guid,
                    const std::function<bool(const std::filesystem::path&)>& use) {
  Counts counts;
  for (const auto& socket : control_sockets(run_dir())) {
    if (!guid.empty() && socket.stem() != guid) continue;
    ++counts.found;
    counts.good += use(socket);
  }
  if (counts.found == 0) complain(nothing_runs());
  return counts;
}

}  // namespace

int ask_managers(const std::string& guid, const std::string& target,
                 const std::function<void(const std::string& port_guid, const std::string& text,
                                          const nlohmann::json& parsed)>& use) {
  const Counts counts = with_sockets(guid, [&](const std::filesystem::path& socket) {
    const auto answer = get_from(socket, target);
    if (!answer) return complain(advice(socket, answer.error()));
    const auto parsed = nlohmann::json::parse(*answer, nullptr, false);
    if (parsed.is_discarded())
      return complain(fmt::format("{}: {}", socket.string(), kOtherVersion));
    use(socket.stem().string(), *answer, parsed);
    return true;
  });
  return counts.found > 0 && counts.good == counts.found ? kOk : kFailed;
}

int ask_a_manager(
    const std::string& guid, const std::string& target,
    const std::function<void(const std::string& text, const nlohmann::json& parsed)>& use) {
  bool answered = false;
  std::vector<std::string> errors;
  with_sockets(guid, [&](const std::filesystem::path& socket) {
    if (answered) return true;
    const auto answer = get_from(socket, target);
    const auto parsed = nlohmann::json::parse(answer.value_or(""), nullptr, false);
    if (answer && !parsed.is_discarded()) {
      use(*answer, parsed);
      answered = true;
    } else {
      errors.push_back(answer ? kOtherVersion : advice(socket, answer.error()));
    }
    return answered;
  });
  if (!answered) std::ranges::for_each(errors, complain);
  return answered ? kOk : kFailed;
}

tl::expected<std::vector<nlohmann::json>, std::string> ask_the_manager(
    const std::string& guid, const std::vector<std::string>& targets) {
  const auto socket = the_socket(guid);
  if (!socket) return tl::unexpected(socket.error());
  std::vector<nlohmann::json> answers;
  for (const std::string& target : targets) {
    const auto answer = get_from(*socket, target);
    if (!answer) return tl::unexpected(advice(*socket, answer.error()));
    answers.push_back(nlohmann::json::parse(*answer, nullptr, false));
    if (answers.back().is_discarded())
      return tl::unexpected(fmt::format("{}: {}", socket->string(), kOtherVersion));
  }
  return answers;
}

int order_managers(const std::string& guid, const std::string& target,
                   const std::function<void(const std::string& port_guid)>& done) {
  const Counts counts = with_sockets(guid, [&](const std::filesystem::path& socket) {
    const auto answer = post_to(socket, target);
    if (!answer) return complain(advice(socket, answer.error()));
    done(socket.stem().string());
    return true;
  });
  return counts.good > 0 ? kOk : kFailed;
}

tl::expected<nlohmann::ordered_json, std::string> ManagerApi::send(
    std::string_view method, const std::string& target, const std::string& body,
    const web::Fields& headers) const {
  constexpr unsigned kFirstError = 300;
  const auto answer = send_to(socket_, method, target, body, headers);
  if (!answer) return tl::unexpected(advice(socket_, answer.error()));
  if (answer->status >= kFirstError) return tl::unexpected(text_of_problem(socket_, *answer));
  auto parsed = nlohmann::ordered_json::parse(answer->body, nullptr, false);
  if (parsed.is_discarded())
    return tl::unexpected(fmt::format("{}: {}", socket_.string(), kOtherVersion));
  return parsed;
}

int with_each_api(const std::string& guid, const UseApi& use) {
  const Counts counts = with_sockets(guid, [&](const std::filesystem::path& socket) {
    const auto done = use(ManagerApi(socket));
    return done ? true : complain(done.error());
  });
  return counts.found > 0 && counts.good == counts.found ? kOk : kFailed;
}

int with_the_api(const std::string& guid, const UseApi& use) {
  const auto socket = the_socket(guid);
  const auto done = socket ? use(ManagerApi(*socket)) : tl::unexpected(socket.error());
  if (!done) complain(done.error());
  return done ? kOk : kFailed;
}

bool wants_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace sm::commands
