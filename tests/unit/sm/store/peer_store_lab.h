#pragma once
// Managers with a store that they keep together, over links with faults, in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sm/store/peers/peer_store.h"
#include "support/simulated_network.h"
#include "unit/sm/temporary_directory.h"

namespace sm::peers {
namespace peer_store_test {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Content = std::map<std::string, std::string>;

inline constexpr std::uint64_t kSubnet = 0xfe80000000000000;
inline constexpr const char* kClaim = "/p/mastership";

struct Manager {
  std::string host;
  std::shared_ptr<PeerStore> store;
  StoreRevision claim = 0;
};

class PeerStoreTest : public testing::Test {
 protected:
  ~PeerStoreTest() override {
    for (const auto& [host, manager] : managers) manager.store->stop();
    runtime.run_for(10s);
  }

  static std::uint64_t guid(const std::string& host) { return 0x1000u + host[0]; }
  std::filesystem::path file(const std::string& host) { return directory.path() / host; }

  Manager& start(const std::string& host, std::uint64_t subnet = kSubnet,
                 ProtocolVersions versions = {}) {
    Manager& manager = managers[host];
    manager.host = host;
    manager.claim = 0;
    PeerSettings settings{.port_guid = {guid(host)},
                          .subnet_prefix = subnet,
                          .file = file(host) / "peer-store",
                          .only_seen = only_seen};
    std::filesystem::create_directories(file(host));
    for (const std::string& peer : hosts) settings.peers.push_back({.host = peer, .port = 1});
    auto created = PeerStore::create(runtime, std::move(settings), network.attach(host), versions);
    EXPECT_TRUE(created) << created.error();
    manager.store = *created;
    return manager;
  }
  /// Ends a manager without a last word; its file stays as it is.
  void end(const std::string& host) {
    managers.at(host).store->stop();
    runtime.run_for(10ms);
    managers.erase(host);
  }

  StoreResult<StoreRevision> commit(Manager& manager, std::vector<StoreChange> changes) {
    StoreGuard guard{.key = kClaim, .revision = manager.claim};
    const auto done =
        runtime.run(manager.store->commit(std::move(guard), std::move(changes)), 1min);
    return done.value_or(tl::unexpected(StoreError{StoreFault::unreachable, "does not end"}));
  }
  StoreResult<StoreRevision> set(Manager& manager, std::string key, std::string value) {
    std::vector<StoreChange> changes{{.key = std::move(key), .value = std::move(value)}};
    return commit(manager, std::move(changes));
  }
  /// Becomes the writer, as a manager that is MASTER does.
  void lead(Manager& manager) {
    manager.store->set_leading(true);
    claim(manager);
  }
  void claim(Manager& manager) {
    const StoreCopy::Entry* const there = manager.store->copy().find(kClaim);
    manager.claim = there == nullptr ? 0 : there->revision;
    const auto made = set(manager, kClaim, manager.host);
    ASSERT_TRUE(made) << made.error().text;
    manager.claim = *made;
  }
  Content read(Manager& manager) {
    const auto content = runtime.run(manager.store->read("/p/"), 1min);
    Content out;
    if (!content || !*content) return out;
    for (const StoreEntry& entry : (*content)->entries)
      if (entry.key != kClaim) out[entry.key] = entry.value;
    return out;
  }
  bool agree(mad::Duration limit = 30s) {
    return runtime.run_until(
        [&] {
          const Position first = managers.begin()->second.store->copy().head();
          return std::ranges::all_of(managers, [&](const auto& manager) {
            return manager.second.store->copy().head() == first;
          });
        },
        limit);
  }
  std::string why(Manager& manager, const std::string& part) {
    for (const StorePeer& peer : manager.store->peers())
      if (peer.address.starts_with(part)) return peer.why_not;
    return "(no such peer)";
  }
  std::size_t sent(const std::string& from, const std::string& to) {
    return network.sent[{from, to}];
  }

  TemporaryDirectory directory;
  sim::VirtualRuntime runtime;
  support::SimulatedNetwork network{runtime};
  std::vector<std::string> hosts{"a", "b"};
  std::map<std::string, Manager> managers;
  bool only_seen = false;
};

}  // namespace peer_store_test
}  // namespace sm::peers
