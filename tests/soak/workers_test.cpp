#include "soak/workers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <map>

namespace workers_test {

using namespace std::chrono_literals;

TEST(SoakWorkers, ACrashOrATimeoutIsOneFailure) {
  std::map<std::uint64_t, soak::Ended> all;
  soak::for_each_seed(
      {1, 2, 3, 4, 5, 6}, {.jobs = 3, .processor = 1s},
      [](std::uint64_t seed) -> std::string {
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        if (seed == 2) std::fputs("second part\n", stderr);
        if (seed == 2) std::raise(SIGABRT);
        if (seed == 3)
          for (volatile unsigned forever = 1; forever != 0;) {
          }
        if (seed == 4) ::_exit(3);
        if (seed == 5) return std::string(300'000, 'x');
        return seed == 6 ? "" : "complaint";
      },
      [&](const soak::Ended& ended) {
        EXPECT_TRUE(all.emplace(ended.seed, ended).second);
        return true;
      });
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[1].text, "complaint");
  EXPECT_EQ(all[1].crash, "");
  EXPECT_EQ(all[2].crash.substr(0, 37), "second part ends with signal 6 (Abort") << all[2].crash;
  EXPECT_EQ(all[3].crash, "takes too long");
  EXPECT_GT(all[3].seconds, 0.5);
  EXPECT_EQ(all[4].crash, "ends with exit code 3");
  EXPECT_EQ(all[5].text.size(), 300'000u);
  EXPECT_EQ(all[6].text + all[6].crash, "");
}

TEST(SoakWorkers, NoMoreAreStartedAfterTheTimeLimit) {
  std::size_t ended = 0;
  soak::for_each_seed(
      {1, 2, 3, 4, 5}, {.jobs = 1}, [](std::uint64_t) { return std::string(); },
      [&](const soak::Ended&) { return ++ended < 2; });
  EXPECT_EQ(ended, 2u);
}

}  // namespace workers_test
