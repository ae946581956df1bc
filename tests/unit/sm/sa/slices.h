#pragma once
// Answers in slices are those that are produced at once.

#include <gtest/gtest.h>

#include <algorithm>

#include "sm/sa/query/answer.h"

namespace sa {

/// `whole` and `status`: the answer at once.
inline void expect_same_in_slices(const View& view, const Query& query, const RecordType& type,
                                  const ResponseBuffer& whole, std::size_t limit_bytes,
                                  std::uint16_t status) {
  ResponseBuffer at_once;
  AnswerPosition all;
  answer_slice(view, query, type, at_once, all, limit_bytes, static_cast<std::size_t>(-1));
  // A slice for each step of a long answer is slow.
  constexpr std::size_t kLong = 512;
  const std::size_t unit = 1 + all.steps / 64;
  for (const std::size_t steps : {unit, 7 * unit}) {
    if (steps > unit && all.steps > kLong) break;
    ResponseBuffer out;
    AnswerPosition position;
    std::uint16_t sliced = mad::status::kOk;
    std::size_t slices = 0;
    while (sliced == mad::status::kOk && !position.at_end) {
      const AnswerPlace before = position.next;
      sliced = answer_slice(view, query, type, out, position, limit_bytes, steps);
      ASSERT_TRUE(slices == 0 || position.at_end || sliced != mad::status::kOk ||
                  position.next != before)
          << "slice " << slices;
      if (sliced == mad::status::kOk) {
        ASSERT_LE(position.steps, steps + kStepsBeyondSlice);
      }
      ++slices;
    }
    ASSERT_EQ(sliced, status);
    ASSERT_TRUE(std::ranges::equal(out.bytes(), whole.bytes())) << steps << " steps a slice";
  }
}

}  // namespace sa
