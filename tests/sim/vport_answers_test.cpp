// The property of fuzz_vport_answers, for its corpus and for bytes from seeds.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "fabric/topology/random_source.h"
#include "fuzz/sm/vport_answers.h"
#include "support/seeds.h"

namespace vport_answers_test {

TEST(VPortAnswers, OfTheCorpusHarmNoOtherHost) {
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(HEDDLE_VPORT_ANSWERS)) {
    std::ifstream in(file.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
    EXPECT_EQ(vport_answers::Lab().play(input), "") << file.path();
    ++files;
  }
  EXPECT_GE(files, 5u);
}

TEST(VPortAnswers, OfAnyBytesHarmNoOtherHost) {
  seeds::for_each(12, [](std::uint64_t seed) {
    topology::Random dice(seed);
    std::vector<std::uint8_t> input(dice.below(600));
    for (std::uint8_t& byte : input)
      byte = static_cast<std::uint8_t>(dice.percent(40) ? 0 : dice.below(256));
    ASSERT_EQ(vport_answers::Lab().play(input), "");
  });
}

}  // namespace vport_answers_test
