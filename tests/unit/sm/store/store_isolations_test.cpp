#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/store/isolation_orders.h"
#include "unit/sm/temporary_directory.h"

namespace store_isolations_test {

using sm::StoredIsolation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

StoredIsolation::UnixTime at(std::int64_t seconds) {
  return StoredIsolation::UnixTime(std::chrono::seconds(seconds));
}

sm::LoadedIsolations loaded(const std::string& text) {
  const TemporaryDirectory dir;
  write_text(dir / "isolated-links", text);
  return sm::load_isolations(dir.path());
}

TEST(StoredIsolations, AreReadBack) {
  const std::vector<StoredIsolation> orders{{.node = mad::Guid{0x0002c90200000010},
                                             .port = mad::PortNum{7},
                                             .by = "alice (192.0.2.1:40000)",
                                             .reason = "a \"bad\" cable\n\xff",
                                             .since = at(1'764'000'000),
                                             .is_shared = true},
                                            {.node = mad::Guid{0x0002c90200000020},
                                             .port = mad::PortNum{36},
                                             .since = at(0),
                                             .until = at(1'764'007'200)}};
  const TemporaryDirectory dir;
  ASSERT_TRUE(sm::save_isolations(dir.path(), orders, false));
  const sm::LoadedIsolations found = sm::load_isolations(dir.path());
  EXPECT_THAT(found.messages, IsEmpty());
  ASSERT_EQ(found.orders.size(), 2u);
  EXPECT_EQ(found.orders[0].reason, "a \"bad\" cable\n\xef\xbf\xbd") << "as UTF-8";
  EXPECT_EQ(found.orders[0].by, orders[0].by);
  EXPECT_TRUE(found.orders[0].is_shared);
  EXPECT_FALSE(found.orders[1].is_shared);
  EXPECT_EQ(found.orders[0].since, orders[0].since);
  EXPECT_FALSE(found.orders[0].until);
  EXPECT_EQ(found.orders[1], orders[1]);
}

TEST(StoredIsolations, AreNoneWithoutAFile) {
  const TemporaryDirectory dir;
  const sm::LoadedIsolations found = sm::load_isolations(dir.path());
  EXPECT_THAT(found.orders, IsEmpty());
  EXPECT_THAT(found.messages, IsEmpty());
}

TEST(StoredIsolations, LinesThatAreNoOrdersAreLeftOut) {
  const std::string good =
      R"({"by":"","node_guid":"0x10","port":7,"reason":"","since":5,"later":[1]})";
  for (const char* bad :
       {"hello", "[]", "{}", R"({"by":"","node_guid":"x","port":7,"reason":"","since":5})",
        R"({"by":"","node_guid":"0x10","port":255,"reason":"","since":5})",
        R"({"by":"","node_guid":"0x10","port":7,"reason":"","since":-5})",
        R"({"by":"","node_guid":"0x10","port":7,"reason":"","since":9223372036854775807})",
        R"({"by":"","node_guid":"0x10","port":7,"reason":"","since":5,"until":"x"})"}) {
    const auto found =
        loaded("# heddle-isolated-links 1: x\n" + std::string(bad) + "\n" + good + "\n");
    EXPECT_EQ(found.orders.size(), 1u) << bad;
    EXPECT_THAT(found.messages, ElementsAre(HasSubstr("isolated-links:2: "))) << bad;
  }
}

TEST(StoredIsolations, AFileOfAnotherVersionIsNotUsed) {
  const auto found = loaded("# heddle-isolated-links 2: x\n{}\n");
  EXPECT_THAT(found.orders, IsEmpty());
  EXPECT_THAT(found.messages, ElementsAre(HasSubstr("the version must be 1")));
}

}  // namespace store_isolations_test
