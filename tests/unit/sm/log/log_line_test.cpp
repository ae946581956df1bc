#include "sm/log/log_line.h"

#include <gmock/gmock.h>
#include <syslog.h>

#include <spdlog/sinks/ostream_sink.h>
#include <sys/stat.h>
#include <unistd.h>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>

#include "sm/log/log.h"
#include "unit/sm/temporary_directory.h"

namespace sm {
namespace log_line_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const auto kTime = std::chrono::system_clock::time_point(std::chrono::seconds(1793691157) +
                                                         std::chrono::microseconds(55525));

LogLine about_a_link() {
  LogLine line{.time = kTime,
               .level = spdlog::level::err,
               .module = "sweep",
               .message = "link lost: \"leaf 1\" port 7 [SM-LINK-LOST]"};
  line.set({.condition = "SM-LINK-LOST",
            .event = "raised",
            .guid = {0x0002c90000000030},
            .port = mad::PortNum{7},
            .lid = {12}});
  return line;
}

TEST(LogLine, AsJson) {
  EXPECT_EQ(make_json(about_a_link()),
            R"({"time":"2026-11-03T07:32:37.055525Z","level":"error","module":"sweep",)"
            R"("message":"link lost: \"leaf 1\" port 7 [SM-LINK-LOST]",)"
            R"("condition":"SM-LINK-LOST","event":"raised","guid":"0x0002c90000000030",)"
            R"("port":7,"lid":12})");
  EXPECT_EQ(make_json({.time = kTime,
                       .level = spdlog::level::critical,
                       .manager = "0x01",
                       .prefix = "rack 3",
                       .message = "Entering MASTER state"}),
            R"({"time":"2026-11-03T07:32:37.055525Z","level":"notice","module":"daemon",)"
            R"("manager":"0x01","prefix":"rack 3","message":"Entering MASTER state"})");
}

TEST(LogLine, ForPeople) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EXPECT_EQ(make_human(about_a_link()),
            "2026-11-03 07:32:37.055 ERROR    link lost: \"leaf 1\" port 7 [SM-LINK-LOST]");
  EXPECT_EQ(make_human({.time = kTime,
                        .level = spdlog::level::critical,
                        .manager = "0x01",
                        .prefix = "rack 3",
                        .message = "Entering MASTER state"}),
            "2026-11-03 07:32:37.055 NOTICE   rack 3: 0x01: Entering MASTER state");
  LogLine forged{.time = kTime, .message = "a\nb\x1b[2J"};
  EXPECT_THAT(make_human(forged), testing::EndsWith("INFO     a\\x0ab\\x1b[2J"));
}

TEST(LogLine, JsonIsOneLineOfAsciiWhateverADeviceIsCalled) {
  const std::string text =
      make_json({.message = std::string("a\nb\x1b[2J\xff\xc2\x9b\x31m \"}, {\" \0z", 22)});
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; })) << text;
  EXPECT_THAT(nlohmann::json::parse(text).at("message").get<std::string>(), StartsWith("a\nb"));
}

TEST(LogLine, AsFieldsOfTheJournal) {
  EXPECT_THAT(journal_fields(about_a_link()),
              ElementsAre("MESSAGE=link lost: \"leaf 1\" port 7 [SM-LINK-LOST]", "PRIORITY=3",
                          "SYSLOG_IDENTIFIER=heddle", "HEDDLE_MODULE=sweep",
                          "HEDDLE_CONDITION=SM-LINK-LOST", "HEDDLE_EVENT=raised",
                          "HEDDLE_GUID=0x0002c90000000030", "HEDDLE_PORT=7", "HEDDLE_LID=12"));
  EXPECT_THAT(journal_fields({.message = "a\nFORGED=1"}),
              ElementsAre("MESSAGE=a\\x0aFORGED=1", "PRIORITY=6", "SYSLOG_IDENTIFIER=heddle",
                          "HEDDLE_MODULE=daemon"));
}

TEST(LogLine, PriorityOfAMilestoneIsNotThatOfAFault) {
  LogLine line{.level = spdlog::level::critical, .message = "Entering MASTER state"};
  EXPECT_EQ(syslog_priority(line), LOG_NOTICE);
  line.condition = "SM-PORT-DOWN";
  EXPECT_EQ(syslog_priority(line), LOG_CRIT);
  EXPECT_EQ(syslog_priority({.level = spdlog::level::warn}), LOG_WARNING);
  EXPECT_EQ(syslog_text({.manager = "0x01", .prefix = "p", .message = "m\x1b"}), "p: 0x01: m\\x1b");
}

TEST(Journal, AStreamIsTheJournalsByDeviceAndInode) {
  struct stat status{};
  ASSERT_EQ(::fstat(STDERR_FILENO, &status), 0);
  const std::string own = std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
  EXPECT_TRUE(is_journal_stream(STDERR_FILENO, own.c_str()));
  for (const std::string other : {"", ":", "1", "1:", ":1", "x:y", "1:2"})
    EXPECT_FALSE(is_journal_stream(STDERR_FILENO, other.c_str())) << other;
  EXPECT_FALSE(is_journal_stream(STDERR_FILENO, (own + " ").c_str()));
  EXPECT_FALSE(is_journal_stream(STDERR_FILENO, nullptr));
  EXPECT_FALSE(is_journal_stream(-1, own.c_str()));
}

TEST(LineRelay, SendsInOrderAndAllAtItsEnd) {
  std::vector<std::string> sent;
  {
    LineRelay relay([&](const LogLine& line) { sent.push_back(line.message); });
    for (int i = 0; i < 100; ++i) relay.add({.message = std::to_string(i)});
  }
  ASSERT_EQ(sent.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sent[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST(LineRelay, AStalledReaderLosesLinesAndBlocksNothing) {
  std::mutex mutex;
  std::condition_variable changed;
  bool stands_still = true, begun = false;
  std::vector<std::string> sent;
  {
    LineRelay relay([&](const LogLine& line) {
      std::unique_lock lock(mutex);
      begun = true;
      changed.notify_all();
      changed.wait(lock, [&] { return !stands_still; });
      sent.push_back(line.message);
    });
    relay.add({.message = "first"});
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return begun; });
    }
    for (std::size_t i = 0; i < LineRelay::kLinesMax + 10; ++i) relay.add({.message = "more"});
    const std::lock_guard lock(mutex);
    stands_still = false;
    changed.notify_all();
  }
  ASSERT_EQ(sent.size(), 1 + LineRelay::kLinesMax + 1);
  EXPECT_THAT(sent.back(), HasSubstr("10 lines were left out"));
}

class JsonLog : public testing::Test {
 protected:
  JsonLog() {
    options.log_file = dir / "opensm.log";
    options.log_flags = 0x0F;
    options.force_log_flush = true;
    options.log_format = "json";
  }
  std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> all;
    std::istringstream text(text_of(options.log_file));
    for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
  TemporaryDirectory dir;
  config::Options options;
};

TEST_F(JsonLog, EveryLineIsAnObjectWithWhatItIsAbout) {
  testing::internal::CaptureStdout();
  auto log = Log::open(options);
  ASSERT_TRUE(log) << log.error();
  log->banner("Heddle 1.0");
  log->logger(sm::LogModule::sweep).info("sweep started");
  log_with(log->logger(sm::LogModule::manager), spdlog::level::err, "{} is lost [SM-NODE-LOST]",
           {.condition = "SM-NODE-LOST", .event = "raised", .guid = {0x30}, .lid = {5}});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "Heddle 1.0\n\n") << "as OpenSM, in text";
  const std::vector<nlohmann::json> all = lines();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].at("level"), "notice");
  EXPECT_EQ(all[0].at("module"), "daemon");
  EXPECT_EQ(all[1].at("module"), "sweep");
  EXPECT_FALSE(all[1].contains("condition"));
  EXPECT_EQ(all[2].at("module"), "manager");
  EXPECT_EQ(all[2].at("message"), "{} is lost [SM-NODE-LOST]") << "no format";
  EXPECT_EQ(all[2].at("condition"), "SM-NODE-LOST");
  EXPECT_EQ(all[2].at("guid"), "0x0000000000000030");
  EXPECT_EQ(all[2].at("lid"), 5);
  EXPECT_FALSE(all[2].contains("port"));
}

TEST_F(JsonLog, TheFormatChangesWhileItRuns) {
  testing::internal::CaptureStdout();
  auto log = Log::open(options);
  ASSERT_TRUE(log);
  log->logger().info("one");
  log->set_format("text");
  log->logger().info("two");
  log->set_format("json");
  log->logger().info("three");
  testing::internal::GetCapturedStdout();
  std::istringstream text(text_of(options.log_file));
  std::string one, two, three;
  std::getline(text, one), std::getline(text, two), std::getline(text, three);
  EXPECT_EQ(nlohmann::json::parse(one).at("message"), "one");
  EXPECT_THAT(two, HasSubstr("] 0x02 -> two"));
  EXPECT_EQ(nlohmann::json::parse(three).at("message"), "three");
}

TEST_F(JsonLog, ObjectsAreAloneOnStandardOutput) {
  options.log_file = "stdout";
  testing::internal::CaptureStdout();
  {
    const auto log = Log::open(options);
    ASSERT_TRUE(log);
    log->logger().critical("Entering MASTER state");
  }
  std::istringstream text(testing::internal::GetCapturedStdout());
  std::size_t count = 0;
  for (std::string line; std::getline(text, line); ++count)
    EXPECT_EQ(nlohmann::json::parse(line).at("message"), "Entering MASTER state");
  EXPECT_EQ(count, 1u);
}

TEST(LogFields, ALoggerWithoutFieldsHasTheText) {
  std::ostringstream out;
  spdlog::logger plain("plain", std::make_shared<spdlog::sinks::ostream_sink_st>(out));
  plain.set_pattern("%v");
  log_with(plain, spdlog::level::info, "{} as it is", {.guid = {1}});
  EXPECT_EQ(out.str(), "{} as it is\n");
}

}  // namespace log_line_test
}  // namespace sm
