// Commands to the manager that answers: POST /v1/rebalance, /v1/resweep, /v1/reload, /v1/isolate,
// /v1/release, /v1/forget, /v1/poll-counters, /v1/dump-counters; PUT /v1/priority, /v1/log-level

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/body.h"
#include "sm/ops/api/resources.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kPlaceBytesMax = 300, kReasonBytesMax = 200;
constexpr std::uint64_t kIsolationSecondsMax = 10ULL * 365 * 86'400;
constexpr std::uint64_t kPriorityMax = 15, kLogFlagsMax = 0xFF;

constexpr auto kDone = std::to_array<FieldInfo>({
    {"priority", value::kInteger, {}, true},
    {"log_flags", value::kInteger, {}, true},
    {"place", value::kText, {}, true},
    {"in_force", value::kBoolean,
     "Of an order about a place. true: other requests see it; false: the next sweep applies it",
     true},
    kReplicatedField,
});
constexpr FieldInfo kPriority{"priority", R"({"type":"integer","minimum":0,"maximum":15})"},
    kLogLevel{"log_flags", R"({"type":"integer","minimum":0,"maximum":255})", "As in opensm.conf"},
    kPlace{"place", R"({"type":"string","minLength":1,"maxLength":300})",
           "NODE or NODE:PORT; NODE: NodeDescription or its first word, GUID or LID"};
constexpr std::array kIsolation{
    kPlace,
    FieldInfo{"reason", R"({"type":"string","maxLength":200})", "For other operators", true},
    FieldInfo{"for_s", R"({"type":"integer","minimum":1,"maximum":315360000})",
              "Seconds, after which it is used again; default: until it is released", true}};

constexpr auto kReload = std::to_array<FieldInfo>({
    {"taken", value::kBoolean, "false: there are errors, and nothing of it is in force"},
    {"changed", value::kTexts, "Keys, files and partitions that have changed"},
    {"needs_restart", value::kTexts, "Keys whose new value takes effect at the next start"},
    {"errors", value::kTexts},
    {"messages", value::kTexts, "Errors and warnings with file, line and column"},
});

/// Names the master, for a client whose request went to another manager.
std::string master_text(const ManagerStatus& status) {
  const auto master = std::ranges::find_if(status.managers, [](const KnownManager& manager) {
    return manager.state == mad::SmState::master && manager.counts;
  });
  if (status.state == mad::SmState::master) return "";
  if (master == status.managers.end())
    return fmt::format("this manager is {}, and no master is known", mad::name(status.state));
  return fmt::format("this manager is {}; the master is {} (port {})", mad::name(status.state),
                     master->name, master->guid);
}

/// Holds a parsed request: the call, and members of the answer that repeat it.
struct Requested {
  CommandCall call;
  nlohmann::json more = nlohmann::json::object();
  bool is_order = false;   // a sweep puts it in force
  bool is_shared = false;  // with other managers
};
/// Returns nullopt if the body has a fault.
using ReadCommand = std::optional<Requested> (*)(Body&, const web::Caller&);

std::optional<Requested> read_priority(Body& body, const web::Caller&) {
  const auto value = body.number("priority", kPriorityMax, true);
  if (!value) return std::nullopt;
  return Requested{[priority = static_cast<std::uint8_t>(*value)](OperatorCommands& commands) {
                     return commands.set_priority(priority);
                   },
                   {{"priority", *value}}};
}

std::optional<Requested> read_log_level(Body& body, const web::Caller&) {
  const auto value = body.number("log_flags", kLogFlagsMax, true);
  if (!value) return std::nullopt;
  return Requested{[flags = static_cast<std::uint8_t>(*value)](OperatorCommands& commands) {
                     return commands.set_log_flags(flags);
                   },
                   {{"log_flags", *value}}};
}

template <OperatorCommands::Done (OperatorCommands::*Command)(std::string_view), bool is_shared>
std::optional<Requested> read_place(Body& body, const web::Caller&) {
  auto place = body.text("place", kPlaceBytesMax, true);
  if (!place) return std::nullopt;
  nlohmann::json more{{"place", *place}};
  return Requested{[place = std::move(*place)](OperatorCommands& commands) {
                     return (commands.*Command)(place);
                   },
                   std::move(more), true, is_shared};
}

std::optional<Requested> read_isolation(Body& body, const web::Caller& caller) {
  auto place = body.text("place", kPlaceBytesMax, true);
  auto reason = body.text("reason", kReasonBytesMax);
  const auto for_s = body.number("for_s", kIsolationSecondsMax, false, 1);
  if (!place || body.fault()) return std::nullopt;
  IsolationRequest request{
      .place = std::move(*place), .by = caller.text(), .reason = std::move(reason).value_or("")};
  nlohmann::json more{{"place", request.place}};
  if (for_s) request.lasting = std::chrono::seconds(*for_s);
  return Requested{[request = std::move(request)](OperatorCommands& commands) {
                     return commands.isolate(request);
                   },
                   std::move(more), true, true};
}

asio::awaitable<OrderProgress> read_progress_of_orders(SharedCore core) {
  const auto progress = std::make_shared<OrderProgress>();
  CommandCall read_progress = [progress](OperatorCommands& commands) {
    *progress = commands.order_progress();
    return OperatorCommands::Done();
  };
  co_await core->sources.command(std::move(read_progress));
  co_return *progress;
}

asio::awaitable<web::Response> carry_out(SharedCore core, web::Request request,
                                         Requested requested) {
  const OperatorCommands::Done done = co_await core->sources.command(std::move(requested.call));
  if (done && requested.is_order) {
    const OrderProgress progress = co_await read_progress_of_orders(core);
    requested.more["in_force"] = progress.in_force >= progress.made;
    if (requested.is_shared && progress.replicated)
      requested.more["replicated"] = *progress.replicated;
  }
  const SharedReading reading = co_await read(core, std::move(request));
  if (!done && done.error().is_storage)
    co_return web::problem(503, done.error().text,
                           "make room on the disk of the cache, then send the request again");
  if (!done) co_return web::problem(409, done.error().text, master_text(reading->view->status));
  nlohmann::json body = envelope(*reading->snapshot);
  body.update(requested.more);
  co_return answer(*reading, body, false);
}

web::Handler with_body(SharedCore core, ReadCommand read_command) {
  return [core = std::move(core),
          read_command](web::Request request) -> asio::awaitable<web::Response> {
    Body body(request.body);
    std::optional<Requested> requested = read_command(body, request.caller);
    body.finish();
    if (body.fault()) co_return *body.fault();
    co_return co_await carry_out(core, std::move(request), std::move(*requested));
  };
}

web::Handler without_body(SharedCore core, CommandCall call) {
  return [core = std::move(core),
          call = std::move(call)](web::Request request) -> asio::awaitable<web::Response> {
    if (!request.body.empty() && request.body != "{}")
      co_return web::problem(400, "this request has a body", "no body");
    Requested requested{call};
    co_return co_await carry_out(core, std::move(request), std::move(requested));
  };
}

asio::awaitable<web::Response> reload(SharedCore core, web::Request request) {
  if (!request.body.empty() && request.body != "{}")
    co_return web::problem(400, "this request has a body", "no body");
  const auto result = std::make_shared<ReloadResult>();
  CommandCall call = [result](OperatorCommands& commands) {
    *result = commands.reload();
    return OperatorCommands::Done();
  };
  co_await core->sources.command(std::move(call));
  const SharedReading reading = co_await read(core, std::move(request));
  nlohmann::json body = envelope(*reading->snapshot);
  body["taken"] = result->taken;
  body["changed"] = result->changed;
  body["needs_restart"] = result->needs_restart;
  body["errors"] = result->errors;
  body["messages"] = result->messages;
  co_return answer(*reading, body, false);
}

web::Route changing(web::Method method, std::string path, std::string operation_id,
                    std::string summary, std::string request_schema) {
  web::Route route = get(std::move(path), std::move(operation_id), std::move(summary), "Done");
  route.method = method;
  route.least = web::Role::admin;
  route.request_schema = std::move(request_schema);
  return route;
}

}  // namespace

void add_commands(web::Resources& to, const SharedCore& core) {
  if (!core->sources.command) return;
  using Commands = OperatorCommands;
  const auto post = [&](std::string path, std::string operation_id, std::string summary,
                        CommandCall call) {
    add(to,
        changing(web::Method::post, std::move(path), std::move(operation_id), std::move(summary),
                 ""),
        without_body(core, std::move(call)));
  };
  const auto with = [&](web::Method method, std::string path, std::string operation_id,
                        std::string summary, std::string schema, ReadCommand read_command) {
    add(to,
        changing(method, std::move(path), std::move(operation_id), std::move(summary),
                 std::move(schema)),
        with_body(core, read_command));
  };
  post("/v1/rebalance", "rebalance", "The next sweep chooses all routes again",
       &Commands::rebalance);
  post("/v1/resweep", "resweep",
       "Everything is read again, tables included, and what differs is written",
       &Commands::resweep);
  post("/v1/poll-counters", "pollCounters", "The performance manager reads all counters now",
       &Commands::poll_counters);
  post("/v1/dump-counters", "dumpCounters", "Counters are written to event_db_dump_file",
       [](Commands& commands) { return commands.dump_counters(DumpShape::lines); });
  post("/v1/dump-counters/table", "dumpCountersAsTable",
       "The same as a table that programs read, a line a port",
       [](Commands& commands) { return commands.dump_counters(DumpShape::table); });
  with(web::Method::post, "/v1/isolate", "isolate",
       "Links are kept out of use until they are released", "Isolation", read_isolation);
  with(web::Method::post, "/v1/release", "release", "Links that were isolated are used again",
       "Place", read_place<&Commands::release, true>);
  with(web::Method::post, "/v1/forget", "forget",
       "What was lost and is called so is no condition any more", "Place",
       read_place<&Commands::forget, false>);
  with(web::Method::put, "/v1/priority", "setPriority",
       "The priority of this manager, until a reload or its end", "Priority", read_priority);
  with(web::Method::put, "/v1/log-level", "setLogLevel",
       "log_flags of this process, until its line in the configuration is edited", "LogLevel",
       read_log_level);
  web::Route reloads = changing(web::Method::post, "/v1/reload", "reload",
                                "The process reads its configuration again, as on SIGHUP", "");
  reloads.response_schema = "Reload";
  add(to, std::move(reloads),
      [core](web::Request request) { return reload(core, std::move(request)); });
  to.schemas.emplace_back("Done", answer_schema({}, kDone));
  to.schemas.emplace_back("Reload", answer_schema({}, kReload));
  to.schemas.emplace_back("Priority", object_schema({&kPriority, 1}, true));
  to.schemas.emplace_back("LogLevel", object_schema({&kLogLevel, 1}, true));
  to.schemas.emplace_back("Place", object_schema({&kPlace, 1}, true));
  to.schemas.emplace_back("Isolation", object_schema(kIsolation, true));
}

}  // namespace sm::api
