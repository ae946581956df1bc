#include "sm/sweep/devices/key_origins.h"

#include <gmock/gmock.h>

#include <fstream>

#include "support/partitioned.h"
#include "unit/sm/temporary_directory.h"

namespace sm {
namespace key_origins_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kRevision = 7;

partitions::KeyOrigins some_origins() {
  partitions::KeyOrigins origins;
  origins.kept = {{.guid = mad::Guid{0x11}, .key = {0x8013}},
                  {.guid = mad::Guid{0x12}, .key = {0x0014}, .index0 = true}};
  origins.is_complete = true;
  origins.former = partitioned::read("Default=0x7fff:ALL=full; A=0x10:0x21,ALL_CAS=full;");
  return origins;
}

class KeyOriginsFile : public testing::Test {
 protected:
  void write(const std::string& text) const {
    std::ofstream(directory.path() / kKeyOriginsFile) << text;
  }
  LoadedKeyOrigins load(std::uint64_t revision = kRevision) const {
    return load_key_origins(directory.path(), revision);
  }

  TemporaryDirectory directory;
};

TEST_F(KeyOriginsFile, HasWhatWasSaved) {
  const partitions::KeyOrigins saved = some_origins();
  const std::string text = key_origins_text(saved, kRevision);
  ASSERT_TRUE(save_key_origins(directory.path(), text, false));
  const LoadedKeyOrigins loaded = load();
  EXPECT_THAT(loaded.messages, IsEmpty());
  EXPECT_EQ(loaded.text, text);
  EXPECT_EQ(loaded.origins.kept, saved.kept);
  EXPECT_TRUE(loaded.origins.is_complete);
  EXPECT_EQ(key_origins_text(loaded.origins, kRevision), text);
}

TEST_F(KeyOriginsFile, IsNotCompleteIfTheJournalHasLostChanges) {
  write(key_origins_text(some_origins(), kRevision));
  EXPECT_FALSE(load(kRevision - 1).origins.is_complete);
  EXPECT_TRUE(load(kRevision + 1).origins.is_complete);
}

TEST_F(KeyOriginsFile, IsCompleteButForTablesThatAreNotRead) {
  partitions::KeyOrigins origins = some_origins();
  origins.pending = {mad::Guid{0x13}, mad::Guid{0x14}};
  const std::string text = key_origins_text(origins, kRevision);
  write(text);
  const LoadedKeyOrigins loaded = load();
  EXPECT_TRUE(loaded.origins.is_complete);
  EXPECT_EQ(loaded.origins.pending, origins.pending);
  EXPECT_EQ(key_origins_text(loaded.origins, kRevision), text);
}

TEST_F(KeyOriginsFile, WithADamagedPendingLineIsNotComplete) {
  write("# heddle-p-key-origins 1.1: text\ncomplete 0\npending x\n");
  EXPECT_FALSE(load().origins.is_complete);
}

TEST_F(KeyOriginsFile, AbsentExplainsNothing) {
  const LoadedKeyOrigins loaded = load();
  EXPECT_THAT(loaded.messages, IsEmpty());
  EXPECT_FALSE(loaded.origins.is_complete);
  EXPECT_THAT(loaded.origins.kept, IsEmpty());
}

TEST_F(KeyOriginsFile, OfAHigherRevisionIsReadAsFarAsItIsKnown) {
  write("# heddle-p-key-origins 1.2: text\ncomplete 0 more\nkept 11 8013 0 more\nunknown 1\n");
  const LoadedKeyOrigins loaded = load();
  EXPECT_THAT(loaded.messages, IsEmpty());
  EXPECT_TRUE(loaded.origins.is_complete);
  EXPECT_THAT(loaded.origins.kept,
              ElementsAre(partitions::KeptKey{.guid = mad::Guid{0x11}, .key = {0x8013}}));
}

TEST_F(KeyOriginsFile, OfAnotherVersionIsNotUsed) {
  write("# heddle-p-key-origins 2: text\ncomplete 0\n");
  const LoadedKeyOrigins loaded = load();
  EXPECT_THAT(loaded.messages, ElementsAre(HasSubstr("the version must be 1")));
  EXPECT_FALSE(loaded.origins.is_complete);
}

TEST_F(KeyOriginsFile, WithADamagedLineIsNotComplete) {
  write("# heddle-p-key-origins 1: text\ncomplete 0\nkept 11 18013 0\n");
  const LoadedKeyOrigins loaded = load();
  EXPECT_THAT(loaded.messages, ElementsAre(HasSubstr("p-key-origins:3: ")));
  EXPECT_FALSE(loaded.origins.is_complete);
}

TEST(NoteConfiguration, DefinitionsOfEarlierFilesDecideWhereBothNameAPort) {
  partitions::KeyOrigins origins;
  const auto before = partitioned::read("A=0x10:ALL=full;"),
             now = partitioned::read("A=0x10:ALL=limited;");
  EXPECT_TRUE(note_configuration(origins, before));
  EXPECT_TRUE(note_configuration(origins, now));
  EXPECT_EQ(origins.former.definitions.back(), before.definitions.back());
  EXPECT_TRUE(note_decided(origins, now));
  EXPECT_FALSE(note_decided(origins, now));
  EXPECT_EQ(origins.former, now);
}

}  // namespace key_origins_test
}  // namespace sm
