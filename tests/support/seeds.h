#pragma once
// Property tests: one body, many seeds. A failure names its seed; HEDDLE_SEED=n runs that one
// alone.

#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace seeds {

/// Runs `body(seed)` for seeds 1..count, until one fails.
template <class Body>
void for_each(std::uint64_t count, Body&& body) {
  const auto run = [&](std::uint64_t seed) {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    SCOPED_TRACE("replay with HEDDLE_SEED=" + std::to_string(seed) +
                 " --gtest_filter=" + info->test_suite_name() + "." + info->name());
    body(seed);
  };
  if (const char* only = std::getenv("HEDDLE_SEED"); only != nullptr) {
    run(std::strtoull(only, nullptr, 0));
    return;
  }
  for (std::uint64_t seed = 1; seed <= count && !testing::Test::HasFailure(); ++seed) run(seed);
}

}  // namespace seeds
