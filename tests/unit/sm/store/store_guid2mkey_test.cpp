#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/store/cache_files.h"
#include "unit/sm/temporary_directory.h"

namespace store_guid2mkey_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Guid2MKey, SavedAndLoadedIsTheSame) {
  const TemporaryDirectory dir;
  const sm::Guid2MKey map{{{2}, {0xfeedface}}, {{1}, {0}}};
  ASSERT_TRUE(sm::save_guid2mkey(dir.path(), map, true));
  EXPECT_EQ(text_of(dir / "guid2mkey"),
            "0x0000000000000001 0x0000000000000000\n\n0x0000000000000002 0x00000000feedface\n\n");
  EXPECT_EQ(std::filesystem::status(dir / "guid2mkey").permissions(),
            static_cast<std::filesystem::perms>(0600));
  const sm::LoadedGuid2MKey loaded = sm::load_guid2mkey(dir.path());
  EXPECT_EQ(loaded.value, map);
  EXPECT_THAT(loaded.messages, IsEmpty());
}

TEST(Guid2MKey, ValidLinesOfADamagedFileAreUsedAndTheOldFileIsKept) {
  const TemporaryDirectory dir;
  const std::string text = "0x1 0x10\n0x2 secret\n0x1 0x11\n0x0 0x12\n0x3 0x13\n",
                    file = (dir / "guid2mkey").string();
  write_text(file, text);
  const sm::LoadedGuid2MKey loaded = sm::load_guid2mkey(dir.path());
  EXPECT_EQ(loaded.value, (sm::Guid2MKey{{{1}, {0x10}}, {{3}, {0x13}}}));
  EXPECT_THAT(loaded.messages,
              ElementsAre(file + ":3:1: duplicate 0x0000000000000001; the first record is used",
                          file + ":2:5: this is not an M_Key (0x and up to 16 hexadecimal digits)",
                          file + ":4:1: '0x0' is not a port GUID such as 0x0002c90000000001",
                          file + " is corrupt; moved to " + file +
                              ".corrupt-1, its valid records are used"));
  EXPECT_EQ(text_of(file + ".corrupt-1"), text);
  EXPECT_EQ(sm::load_guid2mkey(dir.path()).value, loaded.value);
}

TEST(Guid2MKey, MissingMeansEmpty) {
  const TemporaryDirectory dir;
  EXPECT_TRUE(sm::load_guid2mkey(dir.path()).value.empty());
}

}  // namespace store_guid2mkey_test
