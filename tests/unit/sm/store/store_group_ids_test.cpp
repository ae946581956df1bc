#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>

#include "sm/store/ar_group_ids.h"
#include "sm/sweep/devices/stored_state.h"
#include "unit/sm/temporary_directory.h"

namespace store_group_ids_test {

using namespace sm;

class GroupIdsFile : public testing::Test {
 protected:
  void write(std::string_view text) { write_text(folder / kGroupIdsFile, std::string(text)); }
  std::string error() const {
    const auto loaded = load_group_ids(folder.path());
    return loaded ? "" : loaded.error();
  }
  const TemporaryDirectory folder;
};

TEST_F(GroupIdsFile, IsReadAsItWasWritten) {
  EXPECT_TRUE(load_group_ids(folder.path())->empty()) << "no file";
  const GroupIds ids{{mad::Guid{0x0002c90000000001}, 17}, {mad::Guid{0x0002c90000000002}, 4095}};
  ASSERT_TRUE(save_group_ids(folder.path(), ids, false));
  const auto loaded = load_group_ids(folder.path());
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(*loaded, ids);
}

TEST_F(GroupIdsFile, ADefectIsNamedByItsPlaceAndNothingIsUsed) {
  const std::string head = to_text(GroupIds{});
  write("0x1 1\n");
  EXPECT_EQ(error(), "ar-group-ids:1: the version must be 1");
  for (const char* line : {"0x1 0", "0x1 4096", "1 1", "0x1", "0x0 1", "0x1 1 1", "0x1 one"}) {
    write(head + line + "\n");
    EXPECT_EQ(error(),
              "ar-group-ids:2:1: a NodeGUID and a number from 1 to 4095 are expected, such as "
              "0x0002c90000000001 17")
        << line;
  }
  write(head + "0x1 1\n0x2 1\n");
  EXPECT_EQ(error(), "ar-group-ids:3:1: this switch or this number was there before");
}

/// At a takeover. A switch whose number the other manager gave to another one gets a new one.
TEST_F(GroupIdsFile, NumbersOfAnotherManagerWinAndAreSaved) {
  config::Options options;
  options.cache_files_dir = folder.path().string();
  options.cache_ar_group_id = true;
  ASSERT_TRUE(save_group_ids(folder.path(), {{{1}, 7}, {{2}, 8}, {{4}, 5}}, false));
  spdlog::logger log("test", std::make_shared<spdlog::sinks::null_sink_st>());
  Refusals refusals;
  StoredState stored;
  stored.load(options, refusals, log);
  stored.adopt(GroupIds{{{2}, 7}, {{3}, 9}});
  const GroupIds all{{{2}, 7}, {{3}, 9}, {{4}, 5}};
  EXPECT_EQ(stored.group_ids(), all);
  EXPECT_TRUE(stored.has_failed()) << "they are to be written";
  EXPECT_TRUE(stored.save_group_ids(options, all).empty());
  EXPECT_FALSE(stored.has_failed());
  EXPECT_EQ(*load_group_ids(folder.path()), all);
}

}  // namespace store_group_ids_test
