#include "sm/ctl/commands/managers.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "config/common_command_line.h"
#include "mad/format.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ops/control_socket.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {

using namespace std::chrono_literals;

namespace {

constexpr const char* kOtherVersion =
    "the answer is no JSON; heddlectl and daemon should be of one version";

struct Counts {
  int found = 0, good = 0;
};

/// Returns the error, and what to do about it.
std::string advice(const std::filesystem::path& socket, const std::string& error) {
  if (access(socket.c_str(), W_OK) != 0 && errno == EACCES)
    return error + "; only root may, and the group that the option control_group names";
  if (error.ends_with("Connection refused"))
    return error + "; the daemon that made this socket does not run any more";
  return error;
}

std::string nothing_runs(const std::string& guid) {
  std::vector<std::string> ports;
  for (const auto& socket : control_sockets(run_dir())) ports.push_back(socket.stem().string());
  if (!guid.empty() && !ports.empty())
    return fmt::format("no Heddle runs on port {}; those that run here are on {}", guid,
                       fmt::join(ports, ", "));
  return fmt::format(
      "no Heddle runs here (nothing listens in {}); start the daemon, or name its directory in "
      "HEDDLE_RUN_DIR",
      run_dir().string());
}

/// Returns the socket of the manager on the port with this GUID, or all sockets.
std::vector<std::filesystem::path> sockets_for(const std::string& guid) {
  auto sockets = control_sockets(run_dir());
  std::uint64_t number = 0;
  const bool is_number = config::read_number(guid, number);
  const std::string stem = is_number ? fmt::format("{}", mad::Guid{number}) : guid;
  std::erase_if(sockets,
                [&](const auto& socket) { return !guid.empty() && socket.stem() != stem; });
  return sockets;
}

/// Requests whose answer is computed or read from the fabric when it is asked for, with the time
/// that this may take beyond that of others.
struct LongWork {
  std::string_view target;
  std::chrono::seconds allowed;
};
constexpr std::array kLongWork{
    LongWork{"/v1/isolate", 15s},                // until a sweep has put it in force
    LongWork{"/v1/release", 15s},                // also until a sweep
    LongWork{"/v1/forget", 15s},                 // also until a sweep
    LongWork{"/v1/attributes", 60s},             // SMPs to a node that may be silent
    LongWork{"/v1/congestion/suggestion", 60s},  // paths of all hosts
    LongWork{"/v1/partitions", 30s},             // with ?wait=applied
    LongWork{"/v1/partition-changes", 30s},      // also with ?wait=applied
    LongWork{"/v1/routing", 120s},               // loads of all links
    LongWork{"/v1/reload", 60s},                 // files of the configuration
    LongWork{"/v1/support-bundle", 120s},        // everything that is known
};

std::chrono::seconds allowed_for(std::string_view target) {
  const auto found = std::ranges::find_if(
      kLongWork, [&](const LongWork& work) { return target.starts_with(work.target); });
  return found == kLongWork.end() ? 0s : found->allowed;
}

/// Returns what is wrong, and the correct form.
std::string problem_text(const std::filesystem::path& socket, const HttpAnswer& answer) {
  const auto problem = nlohmann::json::parse(answer.body, nullptr, false);
  if (!problem.is_object() || !problem.contains("detail"))
    return advice(socket, fmt::format("{}: {}", socket.string(), answer.body));
  const std::string remedy = problem.value("remedy", "");
  return problem.value("detail", "") + (remedy.empty() ? "" : "; " + remedy);
}

Counts count_apis(const ManagerChoice& choice, const UseApi& use) {
  Counts counts;
  for (const auto& socket : sockets_for(choice.guid)) {
    ++counts.found;
    const auto done = use(ManagerApi(socket, choice.silence_max));
    counts.good += done ? 1 : 0;
    if (!done) complain(done.error());
  }
  if (counts.found == 0) complain(nothing_runs(choice.guid));
  return counts;
}

}  // namespace

ManagerApi::ManagerApi(mad::Guid port)
    : socket_(run_dir() / fmt::format("{}.sock", port)), silence_max_(kSilenceMax) {}

ManagerApi::Answer ManagerApi::send(std::string_view method, const std::string& target,
                                    const std::string& body, const web::Fields& headers) const {
  constexpr unsigned kFirstError = 300;
  const auto answer = send_to(socket_, std::string(method), target, body, headers,
                              silence_max_ + allowed_for(target));
  if (!answer) return tl::unexpected(advice(socket_, answer.error()));
  if (answer->status >= kFirstError) return tl::unexpected(problem_text(socket_, *answer));
  auto parsed = Json::parse(answer->body, nullptr, false);
  if (parsed.is_discarded())
    return tl::unexpected(fmt::format("{}: {}", socket_.string(), kOtherVersion));
  return parsed;
}

ManagerApi::Answer ManagerApi::all_rows(const std::string& target, const char* list) const {
  const std::string first =
      fmt::format("{}{}limit=10000", target, target.find('?') == std::string::npos ? '?' : '&');
  Answer all = get(first);
  while (all && !(*all)["next_cursor"].is_null()) {
    const std::string cursor = (*all)["next_cursor"].get<std::string>();
    Answer page = get(fmt::format("{}&cursor={}", first, web::percent_encoded(cursor)));
    if (!page) return page;
    for (Json& row : (*page)[list]) (*all)[list].push_back(std::move(row));
    (*all)["next_cursor"] = (*page)["next_cursor"];
  }
  if (all) all->erase("next_cursor");
  return all;
}

ManagerApi::Answer ManagerApi::status() const {
  Answer status = get("/v1/subnet");
  if (!status) return status;
  Json& managers = (*status)["managers"] = Json::array();
  auto sms = all_rows("/v1/sms", "sms");
  if (!sms) return sms;
  for (Json& sm : (*sms)["sms"])
    if (!sm.at("here").get<bool>()) managers.push_back(std::move(sm));
  for (const char* const list : {"isolated", "conditions"}) {
    auto rows = all_rows(fmt::format("/v1/{}", list), list);
    if (!rows) return rows;
    (*status)[list] = std::move((*rows)[list]);
  }
  return status;
}

int with_each_api(const ManagerChoice& choice, const UseApi& use) {
  const Counts counts = count_apis(choice, use);
  return counts.found > 0 && counts.good == counts.found ? kOk : kFailed;
}

int with_any_api(const ManagerChoice& choice, const UseApi& use) {
  return count_apis(choice, use).good > 0 ? kOk : kFailed;
}

int with_first_api(const ManagerChoice& choice, const UseApi& use) {
  std::vector<std::string> errors;
  for (const auto& socket : sockets_for(choice.guid)) {
    const auto done = use(ManagerApi(socket, choice.silence_max));
    if (done) return kOk;
    errors.push_back(done.error());
  }
  if (errors.empty()) errors.push_back(nothing_runs(choice.guid));
  std::ranges::for_each(errors, complain);
  return kFailed;
}

tl::expected<ManagerApi, std::string> find_only_api(const ManagerChoice& choice) {
  auto sockets = sockets_for(choice.guid);
  if (sockets.empty()) return tl::unexpected(nothing_runs(choice.guid));
  if (sockets.size() > 1)
    return tl::unexpected(fmt::format("{} managers run here; name the port of one: --guid {}",
                                      sockets.size(), sockets.front().stem().string()));
  return ManagerApi(std::move(sockets.front()), choice.silence_max);
}

int with_only_api(const ManagerChoice& choice, const UseApi& use) {
  const auto api = find_only_api(choice);
  const auto done = api ? use(*api) : tl::unexpected(api.error());
  if (!done) complain(done.error());
  return done ? kOk : kFailed;
}

std::string dumped(const Json& answer) {
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string dumped_by_rows(const Json& answer) {
  std::string text;
  for (const auto& [name, value] : answer.items()) {
    text += (text.empty() ? "{" : ",\n") + dumped(name) + ":";
    if (!value.is_array() || value.empty()) {
      text += dumped(value);
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i)
      text += (i == 0 ? "[\n" : ",\n") + dumped(value[i]);
    text += "\n]";
  }
  return text + "}\n";
}

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool uses_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace sm::commands
