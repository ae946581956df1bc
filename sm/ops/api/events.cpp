// /v1/events: as a stream (Server-Sent Events), and as a list.

#include <array>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/parameters.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/list_filters.h"
#include "sm/ops/rows.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kEventsOfPart = 500, kEventsOfListMax = 10'000, kEventsOfListDefault = 1'000;
constexpr std::chrono::milliseconds kHeartbeat = 15s;
/// Bounds the age of the latest View while a stream waits: the composer of the API passes each
/// published View, and these Views show changes in between.
constexpr std::chrono::milliseconds kViewAgeMax = 1s;

constexpr std::array<FieldInfo, 3> kEventList{{
    {"events", "Event[]"},
    {"last_id", value::kText, "?since= of the next request"},
    {"gap", value::kBoolean, "events behind ?since= are not kept any more"},
}};

/// A client that follows events.
class Stream {
 public:
  Stream(SharedCore core, web::ClientShares::Place place, std::uint64_t seen, bool gap)
      : core_(std::move(core)), place_(std::move(place)), seen_(seen), gap_(gap) {}

  asio::awaitable<std::optional<std::string>> next() {
    if (!begun_) {
      begun_ = true;
      co_return "retry: 2000\n\n" + (gap_ ? gap() : std::string());
    }
    const auto silent_until = std::chrono::steady_clock::now() + kHeartbeat;
    for (;;) {
      const EventLog::Part part = core_->events.behind(seen_, kEventsOfPart);
      if (!part.events.empty()) co_return written(part);
      if (std::chrono::steady_clock::now() >= silent_until) co_return ": heartbeat\n\n";
      co_await core_->events.wait(seen_, kViewAgeMax);
      if (core_->events.last() == seen_) co_await look();
    }
  }

 private:
  std::string gap() const {
    const nlohmann::json data{{"id", core_->events.id_of(seen_)},
                              {"kind", "gap"},
                              {"text", "events are missing here: read everything again"}};
    return fmt::format("id: {}\nevent: gap\ndata: {}\n\n", core_->events.id_of(seen_), data.dump());
  }
  std::string written(const EventLog::Part& part) {
    if (part.gap) seen_ = part.events.front()->number - 1;
    std::string text = part.gap ? gap() : std::string();
    for (const auto& event : part.events)
      text +=
          fmt::format("id: {}\nevent: {}\ndata: {}\n\n", event->id, name(event->kind), event->data);
    seen_ = part.events.back()->number;
    return text;
  }
  asio::awaitable<void> look() {
    if (std::chrono::steady_clock::now() - core_->feed.observed_at() < kViewAgeMax) co_return;
    core_->feed.observe(co_await core_->sources.views());
  }

  SharedCore core_;
  web::ClientShares::Place place_;
  std::uint64_t seen_;
  bool gap_, begun_ = false;
};

web::Response stream(const SharedCore& core, const web::Request& request) {
  auto place = core->streams.take(request.caller);
  if (!place) {
    web::Response busy = web::problem(503, "too many clients follow events: " + place.error(),
                                      "try again later, or poll /v1/events?since=ID");
    busy.headers.emplace_back("Retry-After", "10");
    return busy;
  }
  auto from = request.query_value("last_event_id");
  if (!from) from = request.header("last-event-id");
  const auto number = from ? core->events.number_from(*from) : std::nullopt;
  // The identifier is from an earlier start: events since then are not known here.
  const auto client = std::make_shared<Stream>(
      core, std::move(*place), number.value_or(core->events.last()), from.has_value() && !number);
  return {.content_type = "text/event-stream",
          .headers = {{"Cache-Control", "no-store"}},
          .chunks = [client] { return client->next(); }};
}

asio::awaitable<web::Response> event_list(SharedCore core, web::Request request) {
  const SharedReading reading = co_await read(core, std::move(request));
  Parameters parameters(reading->request);
  const std::size_t limit =
      parameters.number("limit", 1, kEventsOfListMax).value_or(kEventsOfListDefault);
  if (parameters.fault()) co_return *parameters.fault();
  core->feed.observe(reading->view);
  co_await core->worker.run([] { return true; });  // what was observed is compared now
  const auto since = core->events.number_from(*reading->request.query_value("since"));
  const std::uint64_t last = core->events.last();
  EventLog::Part part = core->events.behind(since.value_or(0), EventLog::kKept);
  nlohmann::json body = envelope(*reading->snapshot);
  body["gap"] = !since || part.gap;
  if (part.events.size() > limit)  // the latest
    part.events.erase(part.events.begin(), part.events.end() - static_cast<std::ptrdiff_t>(limit));
  body["last_id"] = core->events.id_of(part.events.empty() ? last : part.events.back()->number);
  std::string text = open_object(body, "events") + "[";
  for (const auto& event : part.events) text += (text.back() == '[' ? "\n" : ",\n") + event->data;
  co_return web::Response{.body = text + "]}\n"};
}

}  // namespace

void add_events(web::Resources& to, const SharedCore& core) {
  web::Route route =
      get("/v1/events", "followEvents",
          "Events as they happen (text/event-stream), or a list of them with ?since=", "EventList",
          {query("since", value::kPartOfName,
                 "A list of the events behind this id, 0: of all that are kept"),
           query("limit", R"({"type":"integer","minimum":1,"maximum":10000,"default":1000})",
                 "Of a list: the latest so many"),
           query("last_event_id", value::kPartOfName, "Of a stream: as the header Last-Event-ID")});
  add(to, std::move(route), [core](web::Request request) -> asio::awaitable<web::Response> {
    if (request.query_value("since")) co_return co_await event_list(core, std::move(request));
    co_return stream(core, request);
  });
  to.schemas.emplace_back("Event", object_schema(event_info().fields));
  to.schemas.emplace_back("EventList", answer_schema({}, kEventList));
}

}  // namespace sm::api
