#pragma once
// Property tests: one body, many seeds. A failure names its seed; seed_selection.h describes how to
// replay it, and how to run other seeds than the default ones.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "support/seed_selection.h"

namespace seeds {

/// Every test runs all seeds that it has by default: then properties of all of them together ("both
/// cases occur") can be expected.
inline bool are_default() {
  const auto selected = selection();
  return selected && selected->is_default();
}

/// Returns how many of `count` draws of one body belong to the share of this run.
inline int share_of(int count) {
  const auto selected = selection();
  return selected ? std::max(count / static_cast<int>(selected->shares), 1) : count;
}

/// Runs `body(seed)` for the selected seeds, by default 1..count, until one fails. The number of
/// seeds that were run is the test's property "seeds" in GoogleTest's XML and JSON.
template <class Body>
void for_each(std::uint64_t count, Body&& body) {
  const auto selected = selection();
  if (!selected) {
    ADD_FAILURE() << selected.error();
    return;
  }
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::uint64_t ran = 0;
  for (const std::uint64_t seed : selected->of(count)) {
    if (testing::Test::HasFailure()) break;
    SCOPED_TRACE("replay with HEDDLE_SEED=" + std::to_string(seed) +
                 " --gtest_filter=" + info->test_suite_name() + "." + info->name());
    body(seed);
    ++ran;
  }
  static const testing::TestInfo* counted_test = nullptr;
  static std::uint64_t counted = 0;
  if (counted_test != info) counted = 0;  // a test may call this several times
  counted_test = info;
  counted += ran;
  testing::Test::RecordProperty("seeds", std::to_string(counted));
}

}  // namespace seeds
