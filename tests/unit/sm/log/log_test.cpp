#include "sm/log/log.h"
#include "mad/format.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <regex>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/sm/temporary_directory.h"

namespace log_test {

using testing::HasSubstr;
using testing::StartsWith;

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

class LogTest : public testing::Test {
 protected:
  LogTest() {
    options.log_file = dir / "opensm.log";
    options.log_flags = 0x0F;
    options.force_log_flush = true;
  }
  std::string text() const { return text_of(options.log_file); }
  /// The text after "-> " of each line.
  std::string texts() const {
    std::string out;
    std::istringstream lines(text());
    for (std::string line; std::getline(lines, line);)
      out += line.substr(line.find("] 0x") + 2) + "\n";
    return out;
  }
  TemporaryDirectory dir;
  config::Options options;
};

TEST_F(LogTest, LinesHaveOpenSmsFormat) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  const auto log = sm::Log::open(options);
  ASSERT_TRUE(log) << log.error();
  spdlog::details::log_msg message(spdlog::log_clock::time_point(std::chrono::seconds(1793691157) +
                                                                 std::chrono::microseconds(55525)),
                                   {}, "heddle", spdlog::level::info, "SUBNET UP");
  message.thread_id = 0x1b983d740;
  log->logger().sinks().front()->log(message);
  message.time += std::chrono::hours(24 * 10) + std::chrono::microseconds(944474);
  message.level = spdlog::level::err;
  log->logger().sinks().front()->log(message);
  EXPECT_EQ(text(),
            "Nov  3 07:32:37 055525 [B983D740] 0x02 -> SUBNET UP\n"
            "Nov 13 07:32:37 999999 [B983D740] 0x01 -> SUBNET UP\n");
}

TEST_F(LogTest, LevelsMapToFlags) {
  testing::internal::CaptureStdout();
  const auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  auto& logger = log->logger();
  logger.trace("t"), logger.debug("d"), logger.info("i"), logger.warn("w"), logger.error("e"),
      logger.critical("c");
  EXPECT_EQ(texts(), "0x08 -> t\n0x04 -> d\n0x02 -> i\n0x02 -> w\n0x01 -> e\n0x80 -> c\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "c\n\n");
}

TEST_F(LogTest, LongTextsAreCut) {
  for (const char* const format : {"text", "human", "json"}) {
    options.log_format = format;
    options.accum_log_file = false;
    const auto log = sm::Log::open(options);
    ASSERT_TRUE(log);
    log->logger().error("{}", std::string(1'000'000, 'x'));
    EXPECT_EQ(lines_in(text()), 1u);
    EXPECT_LT(text().size(), sm::Log::kTextBytesMax + 300) << format;
    EXPECT_THAT(text(), HasSubstr(" more bytes]")) << format;
  }
}

TEST_F(LogTest, WhatSeveralLogsShareHasTheirNames) {
  testing::internal::CaptureStdout();
  auto own = sm::Log::open(options, "0x01");
  ASSERT_TRUE(own);
  own->logger().info("i"), own->logger().critical("c");
  EXPECT_EQ(texts(), "0x02 -> i\n0x80 -> c\n") << "a file of its own";
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "0x01: c\n\n");

  testing::internal::CaptureStdout();
  options.log_file = "stdout";
  const auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  sm::Log one = log->named("0x01");
  one.logger().info("i"), log->logger().info("p");
  one.set_flags(0x01), one.logger().info("not written"), one.set_flags(0x0F);
  one.logger().info("j");
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_THAT(out, testing::ContainsRegex("-> 0x01: i\n.*-> p\n.*-> 0x01: j\n$"));
}

TEST_F(LogTest, FlagsSelectWhatIsWrittenAndSysAlwaysIs) {
  testing::internal::CaptureStdout();
  options.log_flags = 0x0A;  // INFO and DEBUG, without VERBOSE and ERROR
  auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  auto& logger = log->logger();
  const auto say_all = [&] {
    logger.trace("t"), logger.debug("d"), logger.info("i"), logger.error("e"), logger.critical("c");
  };
  say_all();
  EXPECT_EQ(texts(), "0x08 -> t\n0x02 -> i\n0x80 -> c\n");
  EXPECT_EQ(log->flags(), 0x8A);
  EXPECT_FALSE(log->enabled(sm::log_flag::kRouting));
  log->set_flags(0x41);
  EXPECT_FALSE(logger.should_log(spdlog::level::info)) << "not even formatted";
  say_all();
  EXPECT_EQ(texts(), "0x08 -> t\n0x02 -> i\n0x80 -> c\n0x01 -> e\n0x80 -> c\n");
  EXPECT_TRUE(log->enabled(sm::log_flag::kRouting));
  log->set_flags(0);
  say_all();
  EXPECT_EQ(lines_in(text()), 6u);
  testing::internal::GetCapturedStdout();
}

TEST_F(LogTest, BannerIsLoggedWithTheFlagsAndThenAsSys) {
  options.log_flags = 0x43;
  testing::internal::CaptureStdout();
  auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  log->banner("OpenSM 3.3.23");
  EXPECT_EQ(texts(), "0x43 -> OpenSM 3.3.23\n0x80 -> OpenSM 3.3.23\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "OpenSM 3.3.23\n\n");
}

TEST_F(LogTest, PrefixIsInFrontOfTheText) {
  options.log_prefix = "mlx5_0";
  auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  log->logger().info("hello");
  log->set_prefix("");
  log->logger().info("again");
  log->set_prefix("mlx5_1");
  log->logger().info("and again");
  EXPECT_EQ(texts(), "0x02 -> mlx5_0: hello\n0x02 -> again\n0x02 -> mlx5_1: and again\n");
}

TEST_F(LogTest, NoTextCanForgeALineOrSendTerminalEscapes) {
  testing::internal::CaptureStdout();
  const auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  log->logger().critical("node {}", all);
  log->logger().info("x\nNov 21 07:32:37 581859 [B68366C0] 0x02 -> SUBNET UP");
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_EQ(lines_in(text()), 2u);
  EXPECT_EQ(lines_in(out), 2u);
  for (const std::string& written : {text(), out})
    EXPECT_TRUE(
        std::ranges::all_of(written, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7F); }));
  EXPECT_THAT(text(), HasSubstr("-> x\\x0aNov 21"));
  EXPECT_THAT(text(), HasSubstr("\\x1b"));
  EXPECT_THAT(text(), HasSubstr("\\xff"));
}

TEST_F(LogTest, ErrorAndSysAreFlushedOthersOnlyIfForced) {
  testing::internal::CaptureStdout();
  options.force_log_flush = false;
  auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  log->logger().info("a");
  EXPECT_EQ(texts(), "");
  log->logger().error("b");
  EXPECT_EQ(lines_in(text()), 2u);
  log->logger().warn("c");
  EXPECT_EQ(lines_in(text()), 2u);
  log->logger().critical("d");
  EXPECT_EQ(lines_in(text()), 4u);
  log->logger().info("e");
  log->logger().flush();
  EXPECT_EQ(lines_in(text()), 5u);
  log->logger().info("f");
  log->set_force_flush(true);
  log->logger().info("g");
  EXPECT_EQ(lines_in(text()), 7u);
  testing::internal::GetCapturedStdout();
}

TEST_F(LogTest, BufferedLinesAreWrittenOnDestruction) {
  options.force_log_flush = false;
  {
    const auto log = sm::Log::open(options);
    ASSERT_TRUE(log);
    for (int i = 0; i < 5000; ++i) log->logger().info("line {}", i);
  }
  EXPECT_EQ(lines_in(text()), 5000u);
}

TEST_F(LogTest, AppendsOrTruncates) {
  write_text(options.log_file, "old\n");
  ASSERT_TRUE(sm::Log::open(options));
  EXPECT_EQ(text(), "old\n");
  options.accum_log_file = false;
  ASSERT_TRUE(sm::Log::open(options));
  EXPECT_EQ(text(), "");
}

TEST_F(LogTest, IsNotTruncatedWhileAnotherProcessWritesIt) {
  options.accum_log_file = false;
  auto first = sm::Log::open(options);
  ASSERT_TRUE(first);
  first->logger().critical("first");
  {
    auto second = sm::Log::open(options);
    ASSERT_TRUE(second);
    second->logger().critical("second");
    EXPECT_EQ(texts(), "0x80 -> first\n0x80 -> second\n");
    ASSERT_TRUE(first->reopen());
    EXPECT_EQ(lines_in(text()), 2u);
  }
  ASSERT_TRUE(first->reopen()) << "alone again";
  EXPECT_EQ(text(), "");
}

TEST_F(LogTest, IsTruncatedBeforeItWouldExceedItsSize) {
  options.log_max_size = 1;
  options.force_log_flush = false;
  std::string full(1000001, 'x');
  full.back() = '\n';
  write_text(options.log_file, full);
  const auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  const std::string kilobyte(1024, 'y');
  for (int i = 0; i < 40; ++i) log->logger().info("{}", kilobyte);
  log->logger().flush();
  EXPECT_GT(std::filesystem::file_size(options.log_file), 1000000u);
  for (int i = 0; i < 20; ++i) log->logger().info("{}", kilobyte);
  log->logger().flush();
  EXPECT_LT(std::filesystem::file_size(options.log_file), 30000u);
  EXPECT_EQ(text().find("xx"), std::string::npos);
  for (int i = 0; i < 5000; ++i) {
    log->logger().error("{}", kilobyte);
    ASSERT_LE(std::filesystem::file_size(options.log_file), 1u << 20);
  }
}

TEST_F(LogTest, ReopenFollowsLogrotate) {
  auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  log->logger().info("one");
  std::filesystem::rename(options.log_file, dir / "opensm.log.1");
  log->logger().info("two");
  ASSERT_TRUE(log->reopen());
  log->logger().info("three");
  EXPECT_EQ(lines_in(text_of(dir / "opensm.log.1")), 2u);
  EXPECT_EQ(texts(), "0x02 -> three\n");
}

TEST_F(LogTest, FailedReopenKeepsTheOldFile) {
  options.log_file = dir / "sub/opensm.log";
  std::filesystem::create_directory(dir / "sub");
  auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  std::filesystem::rename(dir / "sub", dir / "moved");
  const auto reopened = log->reopen();
  ASSERT_FALSE(reopened);
  log->logger().info("still here");
  EXPECT_THAT(text_of(dir / "moved/opensm.log"), HasSubstr("still here"));
}

TEST_F(LogTest, UnwritableFileIsAnErrorInOpenSmsWords) {
  options.log_file = dir / "no/opensm.log";
  const auto log = sm::Log::open(options);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error(), "Cannot open file '" + options.log_file + "': No such file or directory");
  const auto logger = sm::make_logger(options);
  ASSERT_FALSE(logger);
  EXPECT_EQ(logger.error(), log.error());
  options.log_file = dir.path();
  EXPECT_FALSE(sm::Log::open(options));
}

TEST_F(LogTest, ALinkOfAnotherUserDoesNotChooseTheFile) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives links to other users";
  write_text(dir / "secret", "one\n");
  options.accum_log_file = false;
  std::filesystem::create_symlink("secret", options.log_file);
  ASSERT_EQ(lchown(options.log_file.c_str(), 1001, 1001), 0);
  const auto log = sm::Log::open(options);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error(), HasSubstr("is a symbolic link of user 1001"));
  EXPECT_EQ(text_of(dir / "secret"), "one\n") << "it was not erased";
  ASSERT_EQ(lchown(options.log_file.c_str(), 0, 0), 0);
  EXPECT_TRUE(sm::Log::open(options)) << "an own link";
}

TEST_F(LogTest, MessagesHaveNoControlCharactersOfItsName) {
  options.log_file = dir / "no/\x1b[2J";
  const auto log = sm::Log::open(options);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error(), HasSubstr("no/\\x1b[2J'"));
}

TEST_F(LogTest, StandardStreamsByName) {
  for (const char* name : {"stdout", "-", "stderr"}) {
    options.log_file = name;
    options.log_max_size = 1;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    auto log = sm::Log::open(options);
    ASSERT_TRUE(log);
    EXPECT_TRUE(log->reopen());
    log->logger().info("hello");
    log->logger().critical("up");
    const std::string out = testing::internal::GetCapturedStdout(),
                      err = testing::internal::GetCapturedStderr();
    const bool is_err = name == std::string("stderr");
    EXPECT_THAT(is_err ? err : out,
                testing::AllOf(HasSubstr("0x02 -> hello\n"), HasSubstr("0x80 -> up\n")));
    EXPECT_THAT(out, testing::EndsWith("up\n\n"));
    EXPECT_EQ((is_err ? out : err).find("hello"), std::string::npos);
  }
}

TEST_F(LogTest, AFullDiskDoesNotStopTheWriterAndIsReportedOnce) {
  options.log_file = "/dev/full";
  testing::internal::CaptureStderr();
  const auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  EXPECT_EQ(log->problem(), "");
  for (int i = 0; i < 1000; ++i) log->logger().error("lost");
  const std::string why =
      "log file '/dev/full' cannot be written: No space left on device; its lines are lost";
  EXPECT_EQ(testing::internal::GetCapturedStderr(), why + "\n");
  EXPECT_EQ(log->problem(), why);
}

/// A FIFO whose reader comes and goes.
class LogPipe : public LogTest {
 protected:
  LogPipe() {
    EXPECT_EQ(::mkfifo(options.log_file.c_str(), 0600), 0);
    open_reader();
  }
  ~LogPipe() override { close_reader(); }
  void open_reader() { reader_ = ::open(options.log_file.c_str(), O_RDONLY | O_NONBLOCK); }
  void close_reader() {
    if (reader_ >= 0) ::close(std::exchange(reader_, -1));
  }
  std::string read_all() const {
    std::string all;
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = ::read(reader_, part.data(), part.size())) > 0;)
      all.append(part.data(), static_cast<std::size_t>(n));
    return all;
  }

 private:
  int reader_ = -1;
};

TEST_F(LogPipe, AReaderThatDoesNotKeepUpStopsNothingAndSeesHowMuchIsMissing) {
  testing::internal::CaptureStderr();
  const auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  const std::string text(1000, 'x');
  for (int i = 0; i < 200; ++i) log->logger().info("{}", text);
  EXPECT_THAT(log->problem(), HasSubstr("cannot be written: its reader does not keep up"));
  const std::string first = read_all();
  EXPECT_GT(lines_in(first), 40u);
  log->logger().flush();
  EXPECT_EQ(log->problem(), "") << "also while nothing is logged";
  log->logger().info("again");
  const std::string then = read_all();
  const std::string missing = fmt::format(
      "{} lines of this log are missing here: they could not "
      "be written: its reader does not keep up\n",
      200 - lines_in(first));
  EXPECT_THAT(then, HasSubstr(missing));
  EXPECT_THAT(then, testing::EndsWith("-> again\n"));
  EXPECT_EQ(lines_in(testing::internal::GetCapturedStderr()), 1u);
}

TEST_F(LogPipe, AReaderThatHasEndedIsReported) {
  std::signal(SIGPIPE, SIG_IGN);
  testing::internal::CaptureStderr();
  const auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  close_reader();
  log->logger().info("a line");
  EXPECT_THAT(log->problem(), HasSubstr("Broken pipe"));
  testing::internal::GetCapturedStderr();
}

TEST_F(LogPipe, WithoutAReaderItIsNotOpened) {
  close_reader();
  const auto log = sm::Log::open(options);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error(), HasSubstr("No such device or address"));
}

TEST_F(LogTest, AFileThatWasDeletedOrCannotBeOpenedAgainIsAProblem) {
  options.log_file = dir / "sub/opensm.log";
  std::filesystem::create_directory(dir / "sub");
  auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  std::filesystem::remove(options.log_file);
  EXPECT_THAT(log->problem(), HasSubstr("was deleted while it is open"));
  std::filesystem::remove(dir / "sub");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(log->reopen());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("Cannot open file"));
  EXPECT_THAT(log->problem(), HasSubstr("lines go to the file that was opened before"));
  std::filesystem::create_directory(dir / "sub");
  EXPECT_TRUE(log->reopen());
  EXPECT_EQ(log->problem(), "");
}

TEST_F(LogTest, ConcurrentThreadsWriteCompleteLinesWhileFlagsChangeAndFilesRotate) {
  options.force_log_flush = false;
  options.log_flags = 0x03;
  auto log = sm::Log::open(options);
  ASSERT_TRUE(log);
  constexpr int kThreads = 4, kLines = 2000;
  std::atomic<bool> done = false;
  std::thread operator_thread([&] {
    while (!done) {
      log->set_flags(0x43);
      log->set_flags(0x03);
      log->set_prefix("");
      EXPECT_GE(log->descriptor(), 0);
      EXPECT_TRUE(log->reopen());
    }
  });
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t)
    writers.emplace_back([&log, t] {
      for (int i = 0; i < kLines; ++i) {
        log->logger().info("thread {} line {}", t, i);
        log->logger().debug("not wanted");
        if (i % 500 == 0) log->logger().error("thread {} error", t);
      }
    });
  for (std::thread& writer : writers) writer.join();
  done = true;
  operator_thread.join();
  log->logger().flush();
  const std::regex line(R"([A-Z][a-z]{2} [ 0-9]{2} \d\d:\d\d:\d\d \d{6} \[[0-9A-F]{8}\] )"
                        R"(0x0[12] -> thread \d (line \d+|error))");
  std::istringstream lines(text());
  std::size_t count = 0;
  for (std::string each; std::getline(lines, each); ++count)
    ASSERT_TRUE(std::regex_match(each, line)) << each;
  EXPECT_EQ(count, static_cast<std::size_t>(kThreads * (kLines + kLines / 500)));
}

}  // namespace log_test
