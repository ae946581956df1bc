#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sm/store/guid2lid.h"
#include "support/fabrics.h"
#include "support/seeds.h"
#include "unit/sm/temporary_directory.h"

namespace store_guid2lid_test {

using sm::Guid2Lid;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// As OpenSM 3.3.23 writes it (16 hosts, order of a hash table).
constexpr std::string_view kFromOpenSm =
    "0x0002c900000000c1 0x0015 0x0015\n\n"
    "0x0002c90000000041 0x000a 0x000a\n\n"
    "0x0002c90200000110 0x0003 0x0003\n\n";

std::vector<std::string> find_errors(std::string_view text) {
  std::vector<std::string> out;
  for (const sm::FileError& error : sm::parse_guid2lid(text).errors) out.push_back(error.text("f"));
  return out;
}

TEST(Guid2Lid, ReadsOpenSmsFileAndWritesGuidOrder) {
  const sm::ParsedGuid2Lid parsed = sm::parse_guid2lid(kFromOpenSm);
  EXPECT_THAT(parsed.errors, IsEmpty());
  EXPECT_EQ(to_text(parsed.value),
            "0x0002c90000000041 0x000a 0x000a\n\n"
            "0x0002c900000000c1 0x0015 0x0015\n\n"
            "0x0002c90200000110 0x0003 0x0003\n\n");
  EXPECT_EQ(parsed.value.find({0x0002c900000000c1})->first, mad::Lid{0x15});
  EXPECT_EQ(parsed.value.find({0x0002c900000000c2}), nullptr);
}

TEST(Guid2Lid, ReportsEveryDefectWithItsPosition) {
  EXPECT_THAT(find_errors("guid 0x1 0x1\n\n0x0 0x2 0x2\n"),
              ElementsAre("f:1:1: 'guid' is not a port GUID such as 0x0002c90000000001",
                          "f:3:1: '0x0' is not a port GUID such as 0x0002c90000000001"));
  EXPECT_THAT(find_errors("0x1 1 0x1\n0x2 0x2 two\n"),
              ElementsAre("f:1:5: '1' is not a LID such as 0x0001",
                          "f:2:9: 'two' is not a LID such as 0x0001"));
  EXPECT_THAT(find_errors("0x1 0x0 0x0\n0x2 0xbfff 0xc000\n0x3 0x10001 0x10001\n"),
              ElementsAre("f:1:5: LIDs 0x0..0x0 are not within 0x0001..0xbfff",
                          "f:2:5: LIDs 0xbfff..0xc000 are not within 0x0001..0xbfff",
                          "f:3:5: LIDs 0x10001..0x10001 are not within 0x0001..0xbfff"));
  EXPECT_THAT(find_errors("0x1 0x5 0x4\n"),
              ElementsAre("f:1:5: first LID 0x5 is above last LID 0x4"));
  EXPECT_THAT(find_errors("0x1 0x8 0xa\n0x2 0x100 0x1ff\n"),
              ElementsAre("f:1:5: 3 LIDs are not 1, 2, 4, .. or 128 (2^LMC)",
                          "f:2:5: 256 LIDs are not 1, 2, 4, .. or 128 (2^LMC)"));
  EXPECT_THAT(find_errors("0x1 0x6 0x9\n"),
              ElementsAre("f:1:5: 4 LIDs should begin at a multiple of 4, not at 0x6"));
  EXPECT_THAT(
      find_errors("0x1 0x8 0xf\n\n0x2 0x4 0x4\n\n0x3 0xc 0xd\n"),
      ElementsAre("f:5:5: LIDs 0x000c..0x000d overlap those of 0x0000000000000001 in line 1"));
  EXPECT_THAT(
      find_errors("0x1 0x8 0xf\n0x2 0x9 0x9\n0x3 0xe 0xf\n"),
      ElementsAre("f:2:5: LIDs 0x0009..0x0009 overlap those of 0x0000000000000001 in line 1",
                  "f:3:5: LIDs 0x000e..0x000f overlap those of 0x0000000000000001 in line 1"));
}

TEST(Guid2Lid, OfDuplicateGuidsTheFirstIsUsed) {
  const sm::ParsedGuid2Lid parsed =
      sm::parse_guid2lid("0x1 0x5 0x5\n\n0x01 0x6 0x6\n\n0x2 0x6 0x6\n");
  EXPECT_THAT(parsed.errors, IsEmpty());
  ASSERT_EQ(parsed.warnings.size(), 1u);
  EXPECT_EQ(parsed.warnings[0].text("f"), "f:3:1: duplicate 0x0000000000000001; line 1 is used");
  EXPECT_EQ(parsed.value.find({1})->first, mad::Lid{5});
  EXPECT_EQ(parsed.value.entries.size(), 2u);
}

TEST(Guid2LidFile, MissingMeansEmpty) {
  const TemporaryDirectory dir;
  for (const auto& where : {dir.path(), dir / "none"}) {
    const sm::LoadedGuid2Lid loaded = sm::load_guid2lid(where);
    EXPECT_TRUE(loaded.value.entries.empty());
    EXPECT_THAT(loaded.messages, IsEmpty());
    EXPECT_FALSE(loaded.corrupt);
  }
}

TEST(Guid2LidFile, SavedAndLoadedIsTheSame) {
  const TemporaryDirectory dir;
  const Guid2Lid map{{{{1}, {4}, {7}}, {{2}, {1}, {1}}, {{~std::uint64_t{0}}, {0xBFFF}, {0xBFFF}}}};
  ASSERT_TRUE(sm::save_guid2lid(dir / "cache", map, true));  // creates the directory
  EXPECT_EQ(sm::load_guid2lid(dir / "cache").value, map);
}

TEST(Guid2LidFile, CorruptFileIsReportedRenamedAndNotUsed) {
  const TemporaryDirectory dir;
  for (int n = 1; n <= 2; ++n) {
    const std::string text = std::string(kFromOpenSm) + "0x0002c90000000051 0x000a 0x000a\n";
    write_text(dir / "guid2lid", text);
    const sm::LoadedGuid2Lid loaded = sm::load_guid2lid(dir.path());
    EXPECT_TRUE(loaded.corrupt);
    EXPECT_TRUE(loaded.value.entries.empty());
    const std::string file = (dir / "guid2lid").string(),
                      aside = file + ".corrupt-" + std::to_string(n);
    EXPECT_THAT(
        loaded.messages,
        ElementsAre(
            file + ":7:20: LIDs 0x000a..0x000a overlap those of 0x0002c90000000041 in line 3",
            file + " is corrupt and not used; moved to " + aside));
    EXPECT_EQ(text_of(aside), text);
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST(Guid2LidFile, MessagesAboutBinaryDataAreBounded) {
  const TemporaryDirectory dir;
  std::string text;
  topology::Random random(1);
  for (int i = 0; i < 100000; ++i) text += static_cast<char>(random.below(256));
  write_text(dir / "guid2lid", text);
  const sm::LoadedGuid2Lid loaded = sm::load_guid2lid(dir.path());
  EXPECT_TRUE(loaded.corrupt);
  EXPECT_EQ(loaded.messages.size(), 22u);
  EXPECT_THAT(loaded.messages[20], HasSubstr("more like these"));
  for (const std::string& message : loaded.messages)
    EXPECT_TRUE(std::ranges::all_of(message, [](char c) { return c >= 0x20 && c < 0x7F; }))
        << message;
}

TEST(Guid2LidFile, AnUnreadableFileIsNotRenamed) {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir / "guid2lid");
  const sm::LoadedGuid2Lid loaded = sm::load_guid2lid(dir.path());
  EXPECT_FALSE(loaded.corrupt);
  EXPECT_THAT(loaded.messages, ElementsAre(HasSubstr("not a regular file")));
  EXPECT_TRUE(std::filesystem::is_directory(dir / "guid2lid"));
}

TEST(Guid2LidFile, SavingIntoAnUnwritableDirectoryIsAnErrorAndKeepsTheMap) {
  const TemporaryDirectory dir;
  write_text(dir / "file", "x");
  const auto saved = sm::save_guid2lid(
      dir / "file", {}, true);  // a file in place of the directory: fails for root, too
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error(), HasSubstr((dir / "file/guid2lid").string()));
  const auto deep = sm::save_guid2lid(dir / "a/b/c", {}, true);
  ASSERT_FALSE(deep);
  EXPECT_THAT(deep.error(), HasSubstr("cannot create directory"));
  if (::geteuid() == 0) return;
  std::filesystem::create_directory(dir / "locked");
  ASSERT_TRUE(sm::save_guid2lid(dir / "locked", {{{{1}, {1}, {1}}}}, true));
  std::filesystem::permissions(dir / "locked", static_cast<std::filesystem::perms>(0500));
  EXPECT_FALSE(sm::save_guid2lid(dir / "locked", {}, true));
  EXPECT_EQ(sm::load_guid2lid(dir / "locked").value.entries.size(), 1u);
}

TEST(Guid2LidProperty, AnyLegalMapIsReadBackFromTextInAnyOrder) {
  seeds::for_each(500, [](std::uint64_t seed) {
    topology::Random random(seed);
    Guid2Lid map;
    unsigned lid = 1;
    for (std::uint64_t guid = random.next() >> 8; map.entries.size() < 200;
         guid += 1 + random.below(1000)) {
      const unsigned count = 1u << random.below(8);
      lid = (lid + random.below(40) + count - 1) / count * count;
      if (lid + count > 0xC000u) break;
      map.entries.push_back({{guid},
                             {static_cast<std::uint16_t>(lid)},
                             {static_cast<std::uint16_t>(lid + count - 1)}});
      lid += count;
    }
    std::vector<std::string> records;
    for (const auto& entry : map.entries) records.push_back(to_text(Guid2Lid{{entry}}));
    for (std::size_t i = records.size(); i > 1; --i)
      std::swap(records[i - 1], records[random.below(static_cast<std::uint32_t>(i))]);
    std::string text;
    for (const std::string& record : records) text += record;
    const sm::ParsedGuid2Lid parsed = sm::parse_guid2lid(text);
    ASSERT_THAT(parsed.errors, IsEmpty());
    ASSERT_EQ(parsed.value, map);
    // One byte changed: either an error, or another legal map (or the same: digits may change
    // case). Never a crash or a range that overlaps.
    text[random.below(static_cast<std::uint32_t>(text.size()))] =
        static_cast<char>(random.below(256));
    const sm::ParsedGuid2Lid changed = sm::parse_guid2lid(text);
    if (changed.errors.empty()) {
      ASSERT_THAT(find_errors(to_text(changed.value)), IsEmpty());
    }
  });
}

}  // namespace store_guid2lid_test
