// event_command: a program that gets each event.

#include "sm/daemon/event_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "sm/conditions/manager_conditions.h"
#include "unit/sm/temporary_directory.h"

namespace event_command_test {

using sm::EventCommand;
using testing::HasSubstr;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

struct EventCommandTest : testing::Test {
  /// A program of the test, run by /bin/sh because its first line says so.
  std::string program(const std::string& body) const {
    const fs::path path = directory.path() / "program";
    std::ofstream(path) << "#!/bin/sh\n" << body;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  std::string taken() const {
    std::ifstream in(directory.path() / "taken");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void add(const std::string& text, std::size_t count = 1) {
    std::vector<sm::api::Event> events(count);
    for (sm::api::Event& event : events) {
      event.kind = sm::api::EventKind::sweep;
      event.text = text;
    }
    log->add(events, {}, sm::api::Snapshot{});
  }
  template <class Predicate>
  bool waits_for(Predicate predicate) const {
    for (int look = 0; look < 1000; ++look, std::this_thread::sleep_for(10ms))
      if (predicate()) return true;
    return false;
  }
  std::string problem() const {
    const std::lock_guard lock(mutex);
    return active.empty() ? "" : active.front().text;
  }

  TemporaryDirectory directory;
  std::shared_ptr<sm::api::EventLog> log = std::make_shared<sm::api::EventLog>("1");
  mutable std::mutex mutex;
  std::vector<fabric::Condition> active;
  EventCommand command{log, [this](std::vector<fabric::Condition> now) {
                         const std::lock_guard lock(mutex);
                         active = std::move(now);
                       }};
};

TEST_F(EventCommandTest, EachEventIsOneLineOfJsonAndNoShellReadsIt) {
  const std::string file = directory.path() / "taken";
  command.configure({.path = program("cat >> '" + file + "'\n"), .timeout = 10s});
  // The thread has begun once it has run the first one.
  ASSERT_TRUE(waits_for([&] {
    add("$(touch " + (directory.path() / "owned").string() + ") `id` \"quoted\"\nsecond line");
    return !taken().empty();
  }));
  EXPECT_THAT(taken(), HasSubstr(R"("text":"$(touch )"));
  EXPECT_THAT(taken(), HasSubstr(R"(\"quoted\"\nsecond line)"));
  EXPECT_TRUE(taken().ends_with("}\n"));
  EXPECT_FALSE(fs::exists(directory.path() / "owned"));
  EXPECT_EQ(problem(), "");
}

TEST_F(EventCommandTest, FailuresAreAConditionUntilAnEventIsTaken) {
  command.configure({.path = program("exit 3\n"), .timeout = 10s});
  ASSERT_TRUE(waits_for([&] {
    add("one");
    return !problem().empty();
  }));
  EXPECT_THAT(problem(), HasSubstr("ended with exit code 3"));
  EXPECT_THAT(problem(), HasSubstr("\"text\":\"one\""));
  command.configure({.path = "/nonexistent/program", .timeout = 10s});
  ASSERT_TRUE(waits_for([&] {
    add("two");
    return problem().find("cannot be run") != std::string::npos;
  }));
  command.configure({.path = program("exit 0\n"), .timeout = 10s});
  EXPECT_TRUE(waits_for([&] {
    add("three");
    return problem().empty();
  }));
}

/// As it happens in a daemon: what is reported becomes an event.
TEST_F(EventCommandTest, ItsOwnFailureIsNotPassedToIt) {
  const std::string file = directory.path() / "taken";
  std::atomic<unsigned> reports = 0;
  EventCommand failing(log, [this, &reports](std::vector<fabric::Condition> now) {
    ++reports;
    sm::api::Event event{.kind = sm::api::EventKind::condition_raised,
                         .text = now.empty() ? "cleared" : now.front().text,
                         .condition = sm::kOutputConditions.event_command_failed};
    log->add({event}, {}, sm::api::Snapshot{});
  });
  failing.configure({.path = program("cat >> '" + file + "'; exit 1\n"), .timeout = 10s});
  ASSERT_TRUE(waits_for([&] {
    add("first");
    return reports > 0;
  }));
  add("last");
  ASSERT_TRUE(waits_for([&] { return taken().find("\"last\"") != std::string::npos; }));
  EXPECT_EQ(taken().find("SM-EVENT-COMMAND-FAILED"), std::string::npos);
  EXPECT_EQ(reports, 1u) << "all these runs failed in the same manner";
}

TEST_F(EventCommandTest, AFailureHasTheFirstEventOfItsKindAndABoundedText) {
  command.configure({.path = program("exit 3\n"), .timeout = 10s});
  ASSERT_TRUE(waits_for([&] {
    add("one");
    return !problem().empty();
  }));
  const std::uint64_t before = log->last();
  add(std::string(1'000'000, 'x'));
  EXPECT_LT(log->behind(before, 1).events.front()->data.size(), 5'000u);
  add("three");
  std::this_thread::sleep_for(500ms);
  EXPECT_THAT(problem(), HasSubstr("\"text\":\"one\""));
}

TEST_F(EventCommandTest, ProgramThatRunsTooLongIsKilledWithItsChildren) {
  const std::stop_source running;
  const std::string pid = directory.path() / "pid";
  const auto result = sm::run_with_input(program("sleep 1000 & echo $! > '" + pid + "'; wait\n"),
                                         "x", 500ms, running.get_token());
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error(), HasSubstr("was killed"));
  std::ifstream in(pid);
  pid_t child = 0;
  ASSERT_TRUE(in >> child);
  EXPECT_TRUE(waits_for([&] {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    return text.empty() || text.find(") Z ") != std::string::npos;
  }));
}

TEST_F(EventCommandTest, ProgramThatReadsNothingIsNoFailure) {
  const std::stop_source running;
  EXPECT_TRUE(sm::run_with_input("/bin/true", std::string(1 << 20, 'x'), 10s, running.get_token()));
}

TEST_F(EventCommandTest, OfAFloodTheOldestAreLeftOutAndCounted) {
  const std::string file = directory.path() / "taken";
  command.configure({.path = program("cat >> '" + file + "'; sleep 0.2\n"), .timeout = 10s});
  ASSERT_TRUE(waits_for([&] {
    add("first");
    return !taken().empty();
  }));
  add("flood", 5 * EventCommand::kBehindMax);
  EXPECT_TRUE(waits_for([&] { return problem().find("were left out") != std::string::npos; }))
      << problem();
}

TEST_F(EventCommandTest, WhatIsLeftOutIsSaidUntilTheProgramHasCaughtUp) {
  const std::string file = directory.path() / "taken", gate = directory.path() / "gate";
  std::ofstream(gate) << "closed";
  std::string said, taken_at_end;
  std::atomic<bool> has_caught_up = false;
  EventCommand behind(
      log,
      [&](std::vector<fabric::Condition> now) {
        if (!now.empty()) {
          said = now.front().text;
        } else {
          taken_at_end = taken();
          has_caught_up = true;
        }
      },
      20);
  behind.configure(
      {.path = program("cat >> '" + file + "'\nwhile [ -e '" + gate + "' ]; do sleep 0.02; done\n"),
       .timeout = 60s});
  ASSERT_TRUE(waits_for([&] {
    add("first");
    return !taken().empty();
  }));
  add("flood", 100);
  add("last");
  fs::remove(gate);
  ASSERT_TRUE(waits_for([&] { return has_caught_up.load(); }));
  EXPECT_THAT(said, HasSubstr("is slower than events arrive: "));
  EXPECT_THAT(taken_at_end, HasSubstr("\"last\""));
}

}  // namespace event_command_test
