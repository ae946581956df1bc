// Registrations on disk before their responses: batches, crashes, a disk that is full.

#include "sm/sa/commits.h"

#include <gmock/gmock.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <deque>
#include <map>
#include <thread>

#include "fabric/topology/random_source.h"
#include "support/full_disk.h"
#include "support/seeds.h"
#include "unit/sm/sa/wire.h"
#include "unit/sm/temporary_directory.h"

namespace commits_test {

using namespace sa_tests;

struct Conditions {
  spdlog::logger logger{"commits", std::make_shared<spdlog::sinks::null_sink_st>()};
  sm::ConditionLog log{[] { return mad::TimePoint{}; }, logger};
};

/// The disk writes when the test says so, and reports its end when the test says so.
class SlowDisk final : public mad::Runtime {
 public:
  explicit SlowDisk(sim::VirtualRuntime& world) : world_(world) {}
  mad::TimePoint now() const override { return world_.now(); }
  boost::asio::any_io_executor executor() override { return world_.executor(); }
  std::uint64_t random() override { return world_.random(); }
  std::unique_ptr<mad::Timer> make_timer(std::function<void()> on_expiry) override {
    return world_.make_timer(std::move(on_expiry));
  }
  void run_aside(Lane, std::function<void()> work, std::function<void()> done) override {
    work_.push_back(std::move(work));
    done_.push_back(std::move(done));
  }
  bool write() {
    if (work_.empty()) return false;
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    work();
    ++writes;
    return true;
  }
  bool end() {
    if (done_.size() == work_.size()) return false;
    const std::function<void()> done = std::move(done_.front());
    done_.pop_front();
    done();
    return true;
  }
  unsigned writes = 0;

 private:
  sim::VirtualRuntime& world_;
  std::deque<std::function<void()>> work_, done_;
};

using support::FullDisk;

/// A service whose lease is the number of the request that registered it.
mad::ServiceRecord service(std::uint64_t id, std::uint32_t number) {
  mad::ServiceRecord record;
  record.set_service_id(id);
  record.set_lease(number);
  return record;
}
sa::ServiceRid rid(std::uint64_t id) { return {id, {}, {}}; }

/// The response to request `number`.
mad::MadBytes response(std::uint64_t number) {
  mad::MadBytes bytes{};
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(bytes)};
  mad.set_mgmt_class(mad::MgmtClass::sa);
  mad.set_transaction_id(number);
  return bytes;
}

struct Laboratory : sm::EventListener {
  TemporaryDirectory directory;
  sim::VirtualRuntime runtime;
  SlowDisk disk{runtime};
  Conditions conditions;
  Wire wire;
  sa::Registrations registrations;
  std::vector<std::string> replicated;
  std::unique_ptr<sa::Commits> commits;

  Laboratory() {
    commits = std::make_unique<sa::Commits>(
        disk, conditions.log, registrations,
        sa::Commits::Services{.events = this,
                              .send = [this](const mad::MadBytes& bytes, const mad::MadAddress& to,
                                             mad::TimePoint) { wire.send(bytes, to, 0); },
                              .committed = [] {}});
    auto loaded = sa::RegistrationStore::load(directory.path(), false);
    EXPECT_TRUE(loaded);
    commits->keep_in(std::move(loaded->store));
  }
  void on(const sm::RegistrationsStored& stored) override { replicated.emplace_back(stored.lines); }
  void request(std::uint64_t id, std::uint32_t number) {
    registrations.services.set({.record = service(id, number), .registered_by = {1}});
    commits->hold(response(number), {}, {});
    commits->commit();
  }
  std::filesystem::path path() const { return directory.path() / sa::kRegistrationsFile; }
};

TEST(Commits, WhatArrivesWhileTheDiskWritesIsOneBatch) {
  Laboratory lab;
  for (std::uint32_t number = 1; number <= 100; ++number) lab.request(number, number);
  EXPECT_TRUE(lab.wire.sent.empty()) << "answered before the disk has it";
  EXPECT_TRUE(lab.disk.write());
  EXPECT_TRUE(lab.wire.sent.empty());
  EXPECT_TRUE(lab.disk.end());
  ASSERT_EQ(lab.wire.sent.size(), 1u) << "the first had begun alone";
  EXPECT_FALSE(lab.commits->is_on_disk());
  EXPECT_TRUE(lab.disk.write() && lab.disk.end());
  EXPECT_FALSE(lab.disk.write());
  EXPECT_TRUE(lab.commits->is_on_disk());
  ASSERT_EQ(lab.wire.sent.size(), 100u);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(lab.wire.sent[i].mad().transaction_id(), i + 1) << "in their order";
  EXPECT_EQ(lab.replicated.size(), 2u);
}

TEST(Commits, ARequestThatChangesNothingIsAnsweredAtOnceButNotBeforeWhatItRepeats) {
  Laboratory lab;
  lab.commits->hold(response(1), {}, {});
  lab.commits->commit();
  EXPECT_EQ(lab.wire.sent.size(), 1u);
  lab.request(7, 2);
  lab.commits->hold(response(3), {}, {});  // repeats the one before
  lab.commits->commit();
  EXPECT_EQ(lab.wire.sent.size(), 1u);
  lab.disk.write();
  lab.disk.end();
  EXPECT_EQ(lab.wire.sent.size(), 3u);
}

TEST(Commits, TheEndOfTheManagerWaitsForTheBatchThatIsWritten) {
  for (const bool begun : {false, true}) {
    Laboratory lab;
    lab.request(7, 1);
    if (begun) lab.disk.write();
    lab.commits.reset();
    const auto read = sa::read_registrations(text_of(lab.path()), "");
    EXPECT_NE(read.registrations.services.find(rid(7)), nullptr) << begun;
    lab.disk.write();
    lab.disk.end();  // its end comes later
    EXPECT_TRUE(lab.wire.sent.empty());
  }
}

TEST(Commits, AFullDiskDelaysNoResponseAndTakesEverythingWhenItHasRoom) {
  Laboratory lab;
  lab.request(1, 1);
  lab.disk.write();
  lab.disk.end();
  {
    const FullDisk full;
    lab.request(2, 2);
    lab.disk.write();
    lab.disk.end();
    EXPECT_EQ(lab.wire.sent.size(), 2u) << "answered when the disk has refused it";
    lab.request(3, 3);
    lab.request(4, 4);
    EXPECT_EQ(lab.wire.sent.size(), 4u) << "without another write";
    EXPECT_FALSE(lab.disk.write());
    ASSERT_EQ(lab.conditions.log.raised().size(), 1u);
    const fabric::Condition failed = lab.conditions.log.raised().front().condition;
    EXPECT_EQ(fabric::find_severity(failed), fabric::Severity::critical);
    EXPECT_THAT(failed.text, testing::HasSubstr("hosts are asked to register again"));
    lab.runtime.run_for(2s);  // tried again
    EXPECT_TRUE(lab.disk.write() && lab.disk.end());
    EXPECT_FALSE(lab.commits->is_on_disk());
  }
  EXPECT_TRUE(std::filesystem::exists(lab.directory.path() / sa::kIncompleteFile));
  lab.runtime.run_for(3s);
  EXPECT_TRUE(lab.disk.write() && lab.disk.end());
  EXPECT_TRUE(lab.commits->is_on_disk());
  EXPECT_TRUE(lab.conditions.log.raised().empty());
  EXPECT_FALSE(std::filesystem::exists(lab.directory.path() / sa::kIncompleteFile));
  const auto read = sa::read_registrations(text_of(lab.path()), "");
  EXPECT_EQ(read.registrations.services.all().size(), 4u);
  EXPECT_EQ(lab.wire.sent.size(), 4u) << "each is answered once";
}

/// The ports that have acknowledged a request to register again would not get another one.
TEST(Commits, AStartAfterAFullDiskCountsNoPortAsAcknowledged) {
  Laboratory lab;
  lab.registrations.acknowledged.add({7});
  lab.request(1, 1);
  lab.disk.write();
  lab.disk.end();
  const auto acknowledged = [&] {
    auto loaded = sa::RegistrationStore::load(lab.directory.path(), false);
    return loaded && loaded->registrations.acknowledged.contains({7});
  };
  EXPECT_TRUE(acknowledged());
  {
    const FullDisk full;
    lab.request(2, 2);
    lab.disk.write();
    lab.disk.end();
  }
  EXPECT_FALSE(acknowledged());
  auto loaded = sa::RegistrationStore::load(lab.directory.path(), false);
  ASSERT_TRUE(loaded);
  ASSERT_TRUE(loaded->store.commit(loaded->registrations));
  EXPECT_FALSE(std::filesystem::exists(lab.directory.path() / sa::kIncompleteFile));
  EXPECT_FALSE(acknowledged()) << "the journal was written again without it";
}

/// Whatever the file has after a crash, what was answered is in it, unless the mark says that the
/// disk did not take it; nothing is in it that was not requested.
TEST(Commits, ACrashAtAnyPointLeavesWhatWasAnswered) {
  seeds::for_each(8, [](std::uint64_t seed) {
    Laboratory lab;
    topology::Random random(seed);
    std::map<std::uint64_t, std::uint32_t> requested, answered;  // by ID: the latest number
    std::map<std::uint32_t, std::uint64_t> id_of;
    std::size_t seen = 0, made = 0;
    std::uint32_t number = 0;
    const auto collect = [&] {
      for (; seen < lab.wire.sent.size(); ++seen) {
        const mad::ConstSaView mad = lab.wire.sent[seen].mad();
        const auto of = static_cast<std::uint32_t>(mad.transaction_id());
        ASSERT_EQ(mad.status(), mad::status::kOk);
        answered[id_of.at(of)] = of;
      }
    };
    const auto is_marked = [&] {
      return std::filesystem::exists(lab.directory.path() / sa::kIncompleteFile);
    };
    const auto check = [&](std::string_view text, bool marked) {
      const auto read = sa::read_registrations(text, "registrations");
      ASSERT_TRUE(read.messages.empty()) << read.messages.front();
      for (const auto& [id, of] : answered) {
        if (marked) break;
        const sa::Service* found = read.registrations.services.find(rid(id));
        ASSERT_NE(found, nullptr) << "request " << of << " was answered";
        ASSERT_GE(found->record.lease(), of);
      }
      for (const auto& [key, found] : read.registrations.services.all())
        ASSERT_LE(found.record.lease(), requested.at(key.id));
    };
    for (unsigned step = 0; step < 200 && !testing::Test::HasFatalFailure(); ++step) {
      const unsigned what = random.below(10u);
      if (what < 5) {
        const std::uint64_t id = 1 + random.below(50u);
        requested[id] = ++number;
        id_of[number] = id;
        lab.request(id, number);
        ++made;
      } else if (what < 7) {
        const std::string before = text_of(lab.path());
        const bool was_marked = is_marked();
        if (random.percent(20)) {
          const FullDisk full;
          lab.disk.write();
        } else {
          lab.disk.write();
        }
        const std::string after = text_of(lab.path());
        const bool appended = after.starts_with(before);
        const std::size_t first = appended ? before.size() : after.size();
        check(std::string_view(after).substr(0, first + random.below(after.size() - first + 1)),
              was_marked || is_marked());
      } else if (what < 9) {
        lab.disk.end();
        collect();
        check(text_of(lab.path()), is_marked());
      } else {
        lab.runtime.run_for(100s);  // a disk that was full is tried again
      }
    }
    for (unsigned i = 0; i < 5; ++i) {
      lab.runtime.run_for(100s);
      while (lab.disk.write() || lab.disk.end()) {
      }
    }
    collect();
    EXPECT_EQ(seen, made);
    EXPECT_TRUE(lab.commits->is_on_disk());
    const auto read = sa::read_registrations(text_of(lab.path()), "");
    EXPECT_EQ(sa::all_lines(read.registrations), sa::all_lines(lab.registrations));
    // A follower of the batches has the same.
    sa::Registrations follower;
    for (const std::string& lines : lab.replicated) {
      for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = lines.find('\n', at);
        ASSERT_TRUE(sa::apply_line(follower, std::string_view(lines).substr(at, end - at)));
        at = end + 1;
      }
    }
    EXPECT_EQ(sa::all_lines(follower), sa::all_lines(lab.registrations));
  });
}

/// A process with the real runtime is killed while requests arrive.
TEST(Commits, AKilledProcessLeavesWhatItHasAnswered) {
  for (unsigned round = 0; round < 8; ++round) {
    const TemporaryDirectory directory;
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      boost::asio::io_context context(1);
      const auto runtime = mad::make_asio_runtime(context.get_executor());
      Conditions conditions;
      sa::Registrations registrations;
      sa::Commits commits(
          *runtime, conditions.log, registrations,
          {.events = nullptr,
           .send =
               [&](const mad::MadBytes& bytes, const mad::MadAddress&, mad::TimePoint) {
                 const std::uint64_t id =
                     mad::ConstMadView(std::span<const std::uint8_t, mad::kMadBytes>(bytes))
                         .transaction_id();
                 if (::write(ends[1], &id, sizeof id) != sizeof id) ::_exit(1);
               },
           .committed = [] {}});
      auto loaded = sa::RegistrationStore::load(directory.path(), true);
      if (!loaded) ::_exit(3);
      commits.keep_in(std::move(loaded->store));
      std::uint32_t number = 0;
      std::function<void()> next = [&] {
        ++number;
        registrations.services.set({.record = service(number, number), .registered_by = {1}});
        commits.hold(response(number), {}, {});
        commits.commit();
        boost::asio::post(context, next);
      };
      boost::asio::post(context, next);
      context.run();
      ::_exit(4);
    }
    ::close(ends[1]);
    std::uint64_t answered = 0, id = 0;
    // Killed after some answers, at a moment of chance within a batch.
    while (answered < 200 * (round + 1) && ::read(ends[0], &id, sizeof id) == sizeof id)
      answered = id;
    ::kill(child, SIGKILL);
    while (::read(ends[0], &id, sizeof id) == sizeof id) answered = id;
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(ends[0]);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself: " << WEXITSTATUS(status);
    auto again = sa::RegistrationStore::load(directory.path(), false);
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->messages.empty());
    for (std::uint64_t each = 1; each <= answered; ++each)
      ASSERT_NE(again->registrations.services.find(rid(each)), nullptr) << each;
    EXPECT_GE(answered, 200u);
  }
}

}  // namespace commits_test
