#pragma once
// A PartitionStore in a directory of its own, and what handlers of requests need, in virtual time.

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/world/virtual_runtime.h"
#include "sm/ops/web/exchange.h"
#include "sm/partitions/partition_store.h"
#include "support/partitioned.h"
#include "support/scratch.h"

namespace partition_service {

using namespace std::chrono_literals;

inline std::filesystem::path new_directory() {
  std::string path = (support::parent_of_scratch() / "heddle-partitions-XXXXXX").string();
  EXPECT_NE(::mkdtemp(path.data()), nullptr);
  return path;
}

class Fake {
 public:
  explicit Fake(const std::string& conf = "Default=0x7fff : ALL=full ;")
      : directory(new_directory()), context(sm::make_context({}, {}, partitioned::read(conf))) {
    start();
  }
  ~Fake() {
    end();
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
  /// As if the manager had been started again.
  void start() {
    end();
    store = sm::PartitionStore::start(
        runtime, conditions, log,
        sm::PartitionStore::Services{
            .refuses = [this] { return refuses; },
            .stored = [this](const sm::PartitionsStored& stored) { ended = stored.ended; },
            .replicate = [this](std::vector<partitions::RecordChange> records,
                                std::vector<partitions::RecordChange> before)
                -> boost::asio::awaitable<sm::PartitionStore::Replicated> {
              replicated.insert(replicated.end(), records.begin(), records.end());
              if (const auto happens = std::exchange(while_replicating, {})) happens();
              if (!store_fault.empty()) undone.insert(undone.end(), before.begin(), before.end());
              co_return sm::PartitionStore::Replicated{.failure = store_fault,
                                                       .managers = managers};
            },
            .wall_clock =
                [this] {
                  return wall + std::chrono::floor<std::chrono::seconds>(runtime.now() - begin);
                }});
    store->open(sm::PartitionStore::read(directory, false));
  }
  void end() {
    store.reset();
    runtime.run_for(1s);
  }
  template <class T>
  T run(boost::asio::awaitable<T> work) {
    const auto outcome = runtime.start(std::move(work));
    EXPECT_TRUE(runtime.run_until([&] { return outcome->done; }, 1min));
    if (outcome->error) std::rethrow_exception(outcome->error);
    return std::move(*outcome->value);
  }
  sm::ChangeResult change(std::vector<partitions::Step> steps) {
    return run(store->change({std::move(steps)}, "test"));
  }
  sm::PartitionSnapshot snapshot() const {
    return {.stored = store->current(),
            .applied = applied,
            .changed_at = store->changed_at(),
            .context = context,
            .subnet = subnet,
            .refuses = refuses,
            .changes = store->changes()};
  }
  /// The fabric has a change as soon as a client waits for that.
  boost::asio::awaitable<tl::expected<sm::Changed, sm::ChangeFailure>> serve(
      partitions::Change change, std::string by, std::optional<mad::Duration> wait) {
    const sm::ChangeResult stored = co_await store->change(std::move(change), std::move(by));
    if (!stored) co_return tl::unexpected(stored.error());
    if (wait) applied = stored->revision;
    sm::Changed changed{.stored = *stored, .snapshot = snapshot()};
    co_return changed;
  }
  /// All of `context->kept` are adopted or discarded, whatever the request says.
  boost::asio::awaitable<tl::expected<sm::KeptResolved, sm::ChangeFailure>> resolve(
      sm::KeptRequest request) {
    sm::KeptResolved done;
    if (request.adopts) done.replicated = managers;
    resolved.push_back(std::move(request));
    if (context->kept)
      for (const partitions::KeptKey& kept : *context->kept)
        done.resolved.push_back({.key = mad::p_key_base(kept.key), .guid = kept.guid});
    done.revision = store->current()->revision();
    done.applied = true;
    done.snapshot = snapshot();
    co_return done;
  }
  sm::PartitionService service() {
    return {
        .snapshot = [this]() -> boost::asio::awaitable<sm::PartitionSnapshot> {
          co_return snapshot();
        },
        .change =
            [this](partitions::Change change, std::string by, std::optional<mad::Duration> wait) {
              return serve(std::move(change), std::move(by), wait);
            },
        .resolve_kept = [this](sm::KeptRequest request,
                               const std::string& /*by*/) { return resolve(std::move(request)); },
        .log = [this](std::string line) { lines.push_back(std::move(line)); }};
  }
  /// Routes as a server does: literal segments before parameters.
  sm::web::Response ask(const sm::web::Resources& resources, sm::web::Method method,
                        const std::string& target, std::string body = {},
                        sm::web::Fields headers = {}) {
    sm::web::Request request{.method = method, .path = target, .headers = std::move(headers)};
    request.body = std::move(body);
    request.caller = {.user = "kube", .address = "192.0.2.1:1", .role = sm::web::Role::partitions};
    if (const std::size_t at = target.find('?'); at != std::string::npos) {
      request.path = target.substr(0, at);
      for (const std::string& pair : split(target.substr(at + 1), '&'))
        request.query.emplace_back(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
    }
    const auto path = split(request.path, '/');
    const sm::web::Route* best = nullptr;
    std::size_t fewest = ~std::size_t{0};
    for (const sm::web::Route& route : resources.routes) {
      const auto shape = split(route.path, '/');
      sm::web::Fields parameters;
      bool fits = route.method == method && shape.size() == path.size();
      for (std::size_t i = 0; fits && i < shape.size(); ++i) {
        if (shape[i].starts_with('{'))
          parameters.emplace_back(shape[i].substr(1, shape[i].size() - 2), path[i]);
        else
          fits = shape[i] == path[i];
      }
      if (!fits || parameters.size() >= fewest) continue;
      best = &route;
      fewest = parameters.size();
      request.parameters = parameters;
    }
    if (best == nullptr) return {.status = 404, .body = "no route"};
    return run(best->handler(std::move(request)));
  }

  static std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts{""};
    for (const char c : text)
      if (c == at)
        parts.emplace_back();
      else
        parts.back() += c;
    return parts;
  }

  sim::VirtualRuntime runtime;
  mad::TimePoint begin = runtime.now();
  partitions::UnixTime wall{std::chrono::seconds(1'800'000'000)};
  spdlog::logger log{"test", std::make_shared<spdlog::sinks::null_sink_st>()};
  sm::ConditionLog conditions{[this] { return runtime.now(); }, log};
  std::filesystem::path directory;
  sm::SharedContext context;
  std::shared_ptr<const fabric::Subnet> subnet;  // null: as before the first sweep
  std::string refuses, store_fault;
  std::uint64_t applied = 0;
  std::vector<partitions::RecordChange> replicated, undone;
  std::function<void()> while_replicating;       // called once
  std::vector<partitions::MembershipKey> ended;  // by the latest change
  std::vector<sm::KeptRequest> resolved;
  std::optional<unsigned> managers;  // other managers that hold each change; nothing: etcd
  std::vector<std::string> lines;
  std::shared_ptr<sm::PartitionStore> store;
};

}  // namespace partition_service
