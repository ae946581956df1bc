#pragma once
// The API of partitions in virtual time, and two managers that use it.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "mad/format.h"
#include "sim/laboratory.h"
#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/ops/web/request_target.h"
#include "sm/ops/web/router.h"
#include "support/fake_state_store.h"

namespace partition_api {

using laboratory::Instance;
using nlohmann::json;
using namespace std::chrono_literals;
using Keys = std::set<std::uint16_t>;

/// The handlers of one manager, run in virtual time.
class Api {
 public:
  Api(sim::VirtualRuntime& runtime, Instance& instance)
      : runtime_(runtime), router_(sm::partition_resources(instance.partition_service()).routes) {}

  /// Begins to answer.
  auto begin(sm::web::Method method, const std::string& target, const json& body = nullptr) {
    auto split = sm::web::parse_target(target);
    const auto match = router_.match(method, split->segments);
    const auto& found = std::get<sm::web::Router::Match>(match);
    sm::web::Request request{.method = method, .path = split->path, .query = split->query};
    if (!body.is_null()) request.body = body.dump();
    request.headers.emplace_back("if-match", "*");
    request.parameters = found.parameters;
    request.caller = {.user = "test", .address = "unix", .role = sm::web::Role::admin};
    return runtime_.start(found.route->handler(std::move(request)));
  }
  json send(sm::web::Method method, const std::string& target, const json& body = nullptr) {
    const auto outcome = begin(method, target, body);
    EXPECT_TRUE(runtime_.run_until([&] { return outcome->done; }, 1min)) << target;
    if (!outcome->value) return {};
    EXPECT_LT(outcome->value->status, 300u) << target << ": " << outcome->value->body;
    return json::parse(outcome->value->body, nullptr, false);
  }
  json get(const std::string& target) { return send(sm::web::Method::get, target); }
  /// Returns what became of the member.
  std::string add(const std::string& key, const std::string& guid, json member = json::object()) {
    member["guid"] = guid;
    const json answer =
        change({{"op", "add"}, {"p_key", key}, {"members", json::array({std::move(member)})}});
    return answer["members"][0].value("state", "");
  }
  void remove(const std::string& key, const std::string& guid) {
    change({{"op", "remove"}, {"p_key", key}, {"guids", json::array({guid})}});
  }

 private:
  json change(json one) {
    json all;
    all["changes"] = json::array({std::move(one)});
    const json answer =
        send(sm::web::Method::post, "/v1/partition-changes?wait=applied&timeout_ms=30000", all);
    EXPECT_GE(answer["applied_revision"], answer["revision"]) << answer;
    return answer;
  }

  sim::VirtualRuntime& runtime_;
  sm::web::Router router_;
};

/// P_Keys in the table of a port.
inline Keys get_keys(const sim::Model& model, sim::PortIndex port) {
  Keys keys;
  for (unsigned block = 0; block < model.p_key_blocks(port); ++block)
    for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
      if (const mad::PKey key = model.p_keys(port, block).p_key(i); key.value != 0)
        keys.insert(key.value);
  return keys;
}

/// Two managers, "H0" MASTER and "H5" its standby, with a state store or without.
class Pair : public laboratory::SaLab {
 public:
  Pair() : SaLab(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 3})) {}
  ~Pair() {
    instances.clear();
    runtime.run_for(10s);
  }

  Instance& add(const std::string& host, std::uint8_t priority, bool shared) {
    config::Options own;
    own.sm_priority = priority;
    Instance& instance = Laboratory::start(host, own);
    if (!shared) return instance;
    instance.stop();
    // Requests with a time are checked by the time of day of this machine.
    instance.wall_clock_begin =
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    instance.replica = [this, port_guid = guid(host)](const std::string& folder) {
      return sm::StateReplica::start(
          runtime, std::make_shared<support::FakeStateStore>(runtime, server),
          sm::StateReplica::Settings{.prefix = "/heddle/fe80000000000000/",
                                     .seal = sm::RecordSeal("secret"),
                                     .port_guid = port_guid,
                                     .term_file = folder + "/state-store"});
    };
    instance.start(own);
    return instance;
  }
  void start_both(bool shared) {
    add("H0", 2, shared);
    ASSERT_TRUE(runtime.run_until([&] { return instances.front().says("SUBNET UP"); }, 30s));
    add("H5", 1, shared);
    runtime.run_for(5s);
  }
  bool second_is_master() {
    return runtime.run_until(
        [&] {
          return instances.back().manager().status().state == mad::SmState::master &&
                 instances.back().says("SUBNET UP");
        },
        30s);
  }
  std::string guid_text(const std::string& host) const {
    return fmt::format("{}", model.ports[port(host)].guid);
  }

  support::FakeStore server{runtime};
};

}  // namespace partition_api
