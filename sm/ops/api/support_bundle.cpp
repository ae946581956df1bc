#include "sm/ops/api/api.h"

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "mad/format.h"
#include "sm/ops/api/core.h"
#include "sm/ops/api/event_log.h"
#include "sm/ops/rows.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr auto kSupportBundle = std::to_array<FieldInfo>({
    {"made_at", value::kTime},
    {"version", value::kText},
    {"resources", R"({"type":"object",
"additionalProperties":{"type":"object","required":["status","body"],"properties":{
"status":{"type":"integer"},"body":{"description":"JSON; of /metrics a string"}}}})",
     "By path: what each of them answers"},
});

struct Source {
  std::string_view path;
  web::Fields query = {};
};

/// Lists everything that describes a subnet and its history; the lists contain the single rows.
std::vector<Source> sources() {
  const web::Fields whole{{"limit", "10000"}};
  return {{"/v1/subnet"},
          {"/v1/options"},
          {"/v1/sms", whole},
          {"/v1/conditions", whole},
          {"/v1/occurrences", whole},
          {"/v1/routing"},
          {"/v1/partitions", whole},
          {"/v1/groups", whole},
          {"/v1/services", whole},
          {"/v1/vports", whole},
          {"/v1/events", {{"since", "0"}, {"limit", "10000"}}},
          {"/v1/topology"},
          {"/v1/adaptive-routing", whole},
          {"/metrics"}};
}

/// Escapes a part of a JSON string.
std::string escaped(const std::string& text) {
  const std::string quoted = to_line(text);
  return quoted.substr(1, quoted.size() - 2);
}

/// Makes the body, part by part.
class Bundle {
 public:
  Bundle(std::shared_ptr<const std::vector<web::Route>> routes, std::string head,
         web::Caller caller)
      : routes_(std::move(routes)), text_(std::move(head)), caller_(std::move(caller)) {}

  asio::awaitable<std::optional<std::string>> next() {
    if (!text_.empty()) co_return std::exchange(text_, {});
    if (chunks_) {
      std::optional<std::string> part = co_await chunks_();
      if (part) co_return is_json_ ? std::move(*part) : escaped(*part);
      chunks_ = {};
      co_return end();
    }
    while (next_ < sources_.size()) {
      const Source& source = sources_[next_++];
      const auto route = std::ranges::find_if(
          *routes_, [&](const web::Route& of) { return of.path == source.path; });
      if (route == routes_->end()) continue;
      web::Request request;
      request.path = source.path;
      request.query = source.query;
      request.caller = caller_;
      web::Response response = co_await route->handler(std::move(request));
      is_json_ = response.content_type.ends_with("json");
      std::string text = (std::exchange(is_first_, false) ? "\n" : ",\n") + to_line(source.path) +
                         ":" + open_object({{"status", response.status}}, "body") +
                         (is_json_ ? "" : "\"");
      chunks_ = std::move(response.chunks);
      if (chunks_) co_return text;
      const bool is_empty = response.body.empty();
      text += !is_json_ ? escaped(response.body) : is_empty ? "null" : response.body;
      co_return text + end();
    }
    if (std::exchange(has_ended_, true)) co_return std::nullopt;
    co_return "}}\n";
  }

 private:
  std::string end() const { return is_json_ ? "}" : "\"}"; }

  const std::shared_ptr<const std::vector<web::Route>> routes_;
  const std::vector<Source> sources_ = sources();
  std::string text_;
  const web::Caller caller_;
  std::size_t next_ = 0;
  web::Chunks chunks_ = {};  // of the resource whose body is being sent
  bool is_json_ = true, is_first_ = true, has_ended_ = false;
};

}  // namespace

web::Resources support_bundle(const web::Resources& all, std::string version,
                              std::function<std::chrono::system_clock::time_point()> wall_clock) {
  auto readable = std::make_shared<std::vector<web::Route>>();
  const std::vector<Source> wanted = sources();
  for (const web::Route& route : all.routes)
    if (route.method == web::Method::get && route.least <= web::Role::read &&
        std::ranges::find(wanted, route.path, &Source::path) != wanted.end())
      readable->push_back(route);
  web::Resources own;
  add(own,
      get("/v1/support-bundle", "getSupportBundle",
          "What one attaches to a report of a fault: what other resources answer, in one document",
          "SupportBundle"),
      [readable, version = std::move(version),
       wall_clock = std::move(wall_clock)](web::Request request) -> asio::awaitable<web::Response> {
        const auto now = wall_clock();
        std::string head =
            open_object({{"made_at", time_text(now)}, {"version", version}}, "resources") + "{";
        const auto bundle =
            std::make_shared<Bundle>(readable, std::move(head), std::move(request.caller));
        web::Response response;
        response.headers.emplace_back("Content-Disposition",
                                      "attachment; filename=\"heddle-support-bundle.json\"");
        response.headers.emplace_back("Cache-Control", "no-store");
        response.chunks = [bundle] { return bundle->next(); };
        co_return response;
      });
  own.schemas.emplace_back("SupportBundle", object_schema(kSupportBundle));
  return own;
}

}  // namespace sm::api
