// Clients of the API, of subnet administration, and operators.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "mad/format.h"
#include "property/shared_state/keys.h"
#include "property/shared_state/lab.h"
#include "sm/ops/web/request_target.h"

namespace shared_state {
namespace {

using history::Operation;
using history::Outcome;
using nlohmann::json;
using sm::web::Method;

constexpr std::size_t kClients = 3;
constexpr mad::Duration kSaLimit = 5s, kPeriod = 6s;
/// A manager has read what it took over, and the one before has noticed that, after this time.
constexpr mad::Duration kReadsAfter = 3s;

/// Returns the outcome of a change by the status and body of its answer.
Outcome outcome(const sm::web::Response& response) {
  if (response.status < 300) return Outcome::acknowledged;
  const bool not_master = response.body.find("is not MASTER") != std::string::npos;
  return response.status < 500 || not_master ? Outcome::refused : Outcome::unknown;
}

std::string membership_value(std::string_view membership, std::string_view owner) {
  return fmt::format("{} {}", membership, owner.empty() ? "-" : owner);
}

}  // namespace

// ------------------------------------------------------------------------------------------
// The API

void Lab::begin_calls() {
  if (asks_.size() < kHosts.size() && master_ && random_.percent(3)) {
    const std::string host = kHosts[random_.below(kHosts.size())];
    joined_[host] = !joined_[host];
    asks_.insert(host);
  }
  std::vector<std::size_t> running;
  for (std::size_t place = 0; place < places_.size(); ++place)
    if (places_[place].instance != nullptr && !places_[place].is_suspended)
      running.push_back(place);
  if (running.empty()) return;
  for (std::size_t client = 0; client < kClients; ++client) {
    const bool waits = std::ranges::count(calls_, client, &Call::client) > 0;
    if (waits || !random_.percent(30)) continue;
    std::size_t place = running[random_.below(running.size())];
    for (const std::size_t each : running)
      if (is_master(places_[each]) && random_.percent(90)) place = each;
    if (client == 0 && random_.percent(15)) {
      isolate(place);
    } else if (!random_.percent(25)) {
      begin_change(client, place);
    } else if (place == master_ && runtime.now() - master_since_ >= kReadsAfter) {
      const std::string p_key = fmt::format("{:#06x}", kPKeys[random_.below(kPKeys.size())]);
      send({.client = client, .place = place, .operation = {}, .read_key = p_key}, Method::get,
           fmt::format("/v1/partitions/{}/members", p_key), nullptr);
    }
  }
}

void Lab::begin_change(std::size_t client, std::size_t place) {
  const auto all = members();
  // Each membership is changed for a while, and then left alone.
  const auto period = static_cast<std::size_t>(runtime.events().elapsed() / kPeriod);
  const Member& member = all[(3 * period + random_.below(3u)) % all.size()];
  const std::string port_guid = fmt::format("{}", guid(member.host)),
                    p_key = fmt::format("{:#06x}", member.p_key),
                    owner = fmt::format("job-{}", ++values_),
                    membership = random_.percent(70) ? "full" : "limited";
  const bool adds = random_.percent(65), ufm = random_.percent(25);
  Call call{.client = client, .place = place, .operation = Operation{.key = member.key()}};
  if (adds) {
    call.operation->value = membership_value(membership, ufm ? "" : owner);
  } else {
    call.removes = {.key = member.p_key, .guid = guid(member.host)};
  }
  json body;
  if (ufm) {
    body["pkey"] = p_key;
    body["guids"] = json::array({port_guid});
    if (adds) body["membership"] = membership;
    return send(std::move(call), Method::post,
                adds ? "/ufmRest/resources/pkeys" : "/ufmRest/actions/remove_guids_from_pkey",
                body);
  }
  json change{{"op", adds ? "add" : "remove"}, {"p_key", p_key}};
  if (adds) {
    json one{{"guid", port_guid}, {"membership", membership}, {"owner", owner}};
    change["members"] = json::array({std::move(one)});
  } else {
    change["guids"] = json::array({port_guid});
  }
  body["changes"] = json::array({std::move(change)});
  send(std::move(call), Method::post,
       random_.percent(50) ? "/v1/partition-changes?wait=applied&timeout_ms=2000"
                           : "/v1/partition-changes",
       body);
}

void Lab::send(Call call, Method method, const std::string& target, const json& body) {
  Place& place = places_[call.place];
  const auto split = sm::web::parse_target(target);
  const auto match = place.api->match(method, split->segments);
  const auto& found = std::get<sm::web::Router::Match>(match);
  sm::web::Request request{.method = method, .path = split->path, .query = split->query};
  if (!body.is_null()) request.body = body.dump();
  request.headers.emplace_back("if-match", "*");
  request.parameters = found.parameters;
  request.caller = {.user = "test", .address = "unix", .role = sm::web::Role::admin};
  call.process = place.process.number;
  call.invoked = runtime.now();
  call.had_shared_all = has_shared_all(place);
  call.before = place.instance->manager().context()->runtime;
  if (call.operation) {
    call.operation->invoked = runtime.now();
    call.operation->manager = place.host;
  }
  call.answer = runtime.start(found.route->handler(std::move(request)));
  calls_.push_back(std::move(call));
}

void Lab::finish_calls() {
  for (const Call& call : calls_)
    if (call.answer->done) finish(call);
  std::erase_if(calls_, [](const Call& call) { return call.answer->done; });
}

/// True if a request to remove a membership came to a manager that did not have it. Such an answer
/// shows what this manager knew, and is not a change that another manager could lose.
bool Lab::may_find_nothing(const Call& call) const {
  if (!call.removes) return false;
  return !call.before || call.before->members().find(*call.removes) == nullptr;
}

void Lab::finish(const Call& call) {
  if (!call.answer->value) return faults_.push_back("a handler of the API throws an exception");
  const sm::web::Response& response = *call.answer->value;
  if (!call.operation) return take_members(call, response);
  Operation operation = *call.operation;
  operation.ended = runtime.now();
  operation.outcome = outcome(response);
  if (operation.outcome == Outcome::acknowledged && may_find_nothing(call))
    operation.outcome = Outcome::unknown;
  if (const json body = json::parse(response.body, nullptr, false);
      body.is_object() && body.contains("replicated") && body["replicated"].is_number_unsigned())
    operation.replicated = body["replicated"].get<unsigned>();
  if (operation.outcome != Outcome::acknowledged || operation.replicated || stores_->is_a_server())
    return history_.add(std::move(operation));
  record(std::move(operation), call.process);
}

/// Only answers of the only master count: one of several does not know that another one leads.
void Lab::take_members(const Call& call, const sm::web::Response& response) {
  if (call.place != master_ || master_since_ > call.invoked - kReadsAfter) return;
  if (response.status != 200 && response.status != 404) return;
  // Without its server a manager answers by its own files.
  const bool has_all = call.had_shared_all && has_shared_all(places_[call.place]);
  if (stores_->is_a_server() && !has_all) return;
  std::map<std::string, std::string> there;  // by GUID
  if (response.status == 200) {
    const json body = json::parse(response.body);
    for (const json& row : body.at("members")) {
      const json& sources = row.at("sources");
      if (std::count(sources.begin(), sources.end(), "api") == 0) continue;
      there[row.at("guid").get<std::string>()] = membership_value(
          row.at("membership").get<std::string>(), row.value("owner", std::string()));
    }
  }
  for (const Member& member : members()) {
    if (fmt::format("{:#06x}", member.p_key) != call.read_key) continue;
    const auto found = there.find(fmt::format("{}", guid(member.host)));
    history::Read read{.key = member.key(), .by = "a client of " + places_[call.place].host};
    if (found != there.end()) read.value = found->second;
    read.invoked = call.invoked;
    read.ended = runtime.now();
    history_.add(std::move(read));
  }
}

// ------------------------------------------------------------------------------------------
// Operators

/// An order is acknowledged when it is in the manager's own file, and follows to the others.
void Lab::isolate(std::size_t index) {
  Place& place = places_[index];
  if (!is_master(place)) return;
  const std::string host = kIsolated[random_.below(kIsolated.size())];
  Operation operation{.key = isolation_key(host), .manager = place.host};
  operation.invoked = runtime.now();
  bool made = false;
  if (random_.percent(60)) {
    operation.value = fmt::format("reason {}", ++values_);
    made = place.instance->order_isolation(host, *operation.value);
  } else {
    made = place.instance->order_release(host);
  }
  operation.outcome = made ? Outcome::acknowledged : Outcome::unknown;
  operation.ended = runtime.now();
  if (!made) return history_.add(std::move(operation));
  record(std::move(operation), place.process.number);
}

// ------------------------------------------------------------------------------------------
// Hosts

void Lab::change_registration(const std::string& name) {
  if (!master_) return;
  const bool joins = joined_[name];
  const Place& place = places_[*master_];
  Registration registration{.host = name,
                            .operation = {.key = registration_key(name), .manager = place.host},
                            .process = place.process.number};
  if (joins) registration.operation.value = "joined";
  registration.operation.invoked = runtime.now();
  registration.transaction = host(name).post(join_request(
      name, laboratory::kBroadcast, 1, joins ? mad::Method::set : mad::Method::delete_));
  registrations_.push_back(std::move(registration));
  asks_.erase(name);
}

/// A request is repeated until a manager answers, as Linux does.
void Lab::finish_registrations() {
  std::vector<Registration> open;
  for (Registration& each : registrations_) {
    const auto reply = host(each.host).take_reply(each.transaction);
    if (!reply && runtime.now() - each.operation.invoked < kSaLimit) {
      open.push_back(std::move(each));
      continue;
    }
    Operation& operation = each.operation;
    if (reply) operation.ended = runtime.now();
    // A host that leaves what the manager does not know is no member, as it wants.
    const bool is_left = reply && reply->status() != 0 && !operation.value;
    operation.outcome = !reply || is_left      ? Outcome::unknown
                        : reply->status() == 0 ? Outcome::acknowledged
                                               : Outcome::refused;
    if (operation.outcome == Outcome::acknowledged) {
      record(std::move(operation), each.process);
    } else {
      if (joined_[each.host] || !reply) asks_.insert(each.host);
      history_.add(std::move(operation));
    }
  }
  registrations_ = std::move(open);
  for (const std::string& name : std::set<std::string>(asks_))
    if (std::ranges::count(registrations_, name, &Registration::host) == 0 && random_.percent(30))
      change_registration(name);
}

// ------------------------------------------------------------------------------------------
// Acknowledgements and reads

void Lab::record(Operation operation, std::size_t process) {
  operation.replicated = 0;
  following_.push_back({std::move(operation), process});
}

bool Lab::has_shared_all(const Place& place) const {
  const auto store = place.instance->manager().status().store;
  return store && store->leading && store->pending == 0 && stores_->is_shared(place.process);
}

/// A change that follows to the others within a second is on two disks when nothing is pending.
void Lab::follow() {
  std::vector<Following> open;
  for (Following& each : following_) {
    const auto place = std::ranges::find_if(places_, [&](const Place& one) {
      return one.process.number == each.process && is_master(one);
    });
    if (place == places_.end()) {
      history_.add(std::move(each.operation));
      continue;
    }
    if (runtime.now() - each.operation.ended < 1s || !has_shared_all(*place)) {
      open.push_back(std::move(each));
      continue;
    }
    each.operation.replicated = 1;
    each.operation.ended = runtime.now();
    history_.add(std::move(each.operation));
  }
  following_ = std::move(open);
}

/// Reads everything from the only master.
void Lab::read_all(const std::string& by) {
  if (!master_) return;
  const Place& place = places_[*master_];
  for (const std::uint16_t key : kPKeys) {
    const std::string p_key = fmt::format("{:#06x}", key);
    send({.client = kClients, .place = *master_, .operation = {}, .read_key = p_key}, Method::get,
         fmt::format("/v1/partitions/{}/members", p_key), nullptr);
  }
  run_steps(2s, 200ms);
  for (Following& each : following_) history_.add(std::move(each.operation));
  following_.clear();
  const auto read = [&](std::string key, history::Value value) {
    history::Read one{.key = std::move(key), .value = std::move(value), .by = by};
    one.invoked = one.ended = runtime.now();
    history_.add(std::move(one));
  };
  const sa::Group* const group =
      place.instance->manager().administrator().registrations().groups.find(laboratory::kBroadcast);
  for (const char* name : kHosts) {
    const bool joined = group != nullptr && std::ranges::any_of(group->members, [&](const auto& m) {
                          return m.first.guid == guid(name);
                        });
    read(registration_key(name), joined ? history::Value("joined") : std::nullopt);
  }
  for (const char* name : kIsolated) {
    history::Value value;
    for (const sm::Isolated& link : place.instance->manager().status().isolated)
      if (link.reason == sm::IsolationReason::ordered &&
          (link.name.find(name) != std::string::npos || link.peer.find(name) != std::string::npos))
        value = link.order_reason;
    read(isolation_key(name), value);
  }
}

}  // namespace shared_state
