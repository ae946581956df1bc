#pragma once
// Replicas of several managers on a store in memory, in virtual time.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mad/format.h"
#include "sim/world/virtual_runtime.h"
#include "sm/store/replica/state_replica.h"
#include "support/fake_state_store.h"
#include "unit/sm/temporary_directory.h"

namespace sm::replica_lab {

using namespace std::chrono_literals;

inline constexpr std::string_view kPrefix = "/heddle/fe80000000000000/";

/// A manager's side: its replica, and what it registers.
struct Member {
  Member(sim::VirtualRuntime& runtime, support::FakeStore& server, std::uint64_t guid,
         const std::filesystem::path& file = {}, std::string_view secret = "secret")
      : store(std::make_shared<support::FakeStateStore>(runtime, server)),
        replica(StateReplica::start(runtime, store,
                                    StateReplica::Settings{.prefix = std::string(kPrefix),
                                                           .seal = RecordSeal(secret),
                                                           .port_guid = {guid},
                                                           .term_file = file})) {}
  std::shared_ptr<support::FakeStateStore> store;
  std::shared_ptr<StateReplica> replica;

  bool has(ConditionId id) const {
    return std::ranges::count(replica->conditions(), id, &Condition::id) > 0;
  }
};

inline Records some(unsigned count) {
  Records records;
  for (unsigned number = 0; number < count; ++number)
    records.emplace(fmt::format("registrations/{:04}", number), fmt::format("text {}", number));
  return records;
}

class ReplicaLab : public testing::Test {
 protected:
  ~ReplicaLab() override {
    members.clear();
    runtime.run_for(10s);
  }
  Member& add(std::uint64_t guid, std::string_view secret = "secret") {
    return *members.emplace_back(std::make_unique<Member>(
        runtime, server, guid, directory.path() / fmt::format("{}", guid), secret));
  }
  /// Becomes MASTER, takes what it finds, and gives its own records.
  FoundState lead(Member& member, const Records& own, mad::Duration timeout = 500ms) {
    member.replica->lead();
    const auto outcome = runtime.start(found_by(member, runtime.now() + timeout));
    runtime.run_until([&] { return outcome->done; }, 1min);
    FoundState found = member.replica->found();
    member.replica->replace(section::kRegistrations, own);
    member.replica->local_files_are_complete();
    member.replica->finish_sections({7});
    return found;
  }
  static boost::asio::awaitable<int> found_by(Member& member, mad::TimePoint deadline) {
    co_await member.replica->found_by(deadline);
    co_return 0;
  }
  bool settles(Member& member, mad::Duration limit = 2min) {
    return runtime.run_until(
        [&] {
          const ReplicaStatus status = member.replica->status();
          return status.leading && status.pending == 0 && status.reachable &&
                 server.content.contains(std::string(kPrefix) + "complete");
        },
        limit);
  }

  TemporaryDirectory directory;
  sim::VirtualRuntime runtime;
  support::FakeStore server{runtime};
  std::vector<std::unique_ptr<Member>> members;
};

}  // namespace sm::replica_lab
