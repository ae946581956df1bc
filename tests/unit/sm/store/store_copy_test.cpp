// Copies of a store: records by key and revision, how histories relate, and the texts of both.
#include "sm/store/peers/store_copy.h"
#include "mad/format.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sm/store/peers/peer_messages.h"

namespace sm::peers {
namespace store_copy_test {

Term term(std::uint32_t number, std::uint64_t id, std::uint32_t last) {
  return {.number = number, .id = id, .last = last};
}
TermHistory history(const std::vector<Term>& terms) {
  TermHistory out;
  for (const Term& each : terms) out.add(each);
  return out;
}
Position position(std::uint32_t number, std::uint32_t sequence, std::uint64_t id) {
  return {.revision = make_revision(number, sequence), .id = id};
}

TEST(TermHistoryTest, ContainsEarlierStatesOfItsTermsOnly) {
  const TermHistory one = history({term(1, 11, 5), term(3, 33, 7)});
  EXPECT_EQ(one.head(), position(3, 7, 33));
  EXPECT_TRUE(one.contains({}));
  EXPECT_TRUE(one.contains(position(1, 5, 11)));
  EXPECT_FALSE(one.contains(position(1, 6, 11)));
  EXPECT_FALSE(one.contains(position(1, 5, 12)));
  EXPECT_FALSE(one.contains(position(3, 8, 33)));
  EXPECT_EQ(one.until(make_revision(3, 2)).head(), position(3, 2, 33));
  EXPECT_EQ(one.until(make_revision(2, 9)).head(), position(1, 5, 11));
}

TEST(TermHistoryTest, CommonStateIsTheLatestOfBoth) {
  const TermHistory one = history({term(1, 11, 5), term(2, 21, 7)});
  const TermHistory other = history({term(1, 11, 6), term(2, 22, 9)});
  EXPECT_EQ(one.common(other), position(1, 5, 11));
  EXPECT_EQ(one.common(history({term(1, 12, 6)})), Position{});
  // After a merge, a manager with either branch is behind it.
  TermHistory merged = history({term(1, 11, 6), term(2, 21, 7), term(2, 22, 9), term(3, 31, 4)});
  EXPECT_TRUE(merged.contains(one.head()));
  EXPECT_TRUE(merged.contains(other.head()));
  EXPECT_EQ(merged.head(), position(3, 4, 31));
}

TEST(TermHistoryTest, ForgetsItsOldestTerms) {
  TermHistory one;
  for (std::uint32_t number = 1; number <= TermHistory::kTermsMax + 10; ++number)
    one.add(term(number, number, 1));
  EXPECT_EQ(one.terms().size(), TermHistory::kTermsMax);
  EXPECT_FALSE(one.contains(position(10, 1, 10)));
  EXPECT_TRUE(one.contains(position(11, 1, 11)));
}

TEST(StoreCopyTest, LinesOfRecordsAreReadBack) {
  for (const std::string& text : {std::string("plain"), std::string(), std::string("a b+c%d\n\\"),
                                  std::string("\0\x7f\xff", 3), std::string(3000, 'x')}) {
    const Record record{.revision = make_revision(7, 9), .key = "key " + text, .value = text};
    const auto read = parse_record(to_line(record));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, record);
  }
  const Record deleted{.revision = make_revision(1, 1), .key = "k", .words = "later words"};
  EXPECT_EQ(*parse_record(to_line(deleted)), deleted);
}

TEST(StoreCopyTest, RecordsOfUnknownKindsAreKeptAndPassedOn) {
  const std::string line = "rename 100000002 a%2fb c+d further words";
  const auto read = parse_record(line);
  ASSERT_TRUE(read) << read.error();
  EXPECT_FALSE(read->is_known);
  StoreCopy copy;
  copy.put(*read);
  const auto records = copy.after(0, 10);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(to_line(records[0]), "rename 100000002 a/b c+d further words");
}

TEST(StoreCopyTest, LinesThatAreNoRecordsAreRefused) {
  for (const char* const line :
       {"", "set", "set 1 k v", "set 100000000 k v", "set 100000001", "set 100000001 k",
        "set 100000001 %zz v", "set 100000001 k %4", "set ffffffffffffffff1 k v",
        "set -100000001 k v", "term 1 2 3", "delete 100000001 "})
    EXPECT_FALSE(parse_record(line)) << line;
  EXPECT_FALSE(parse_record("set 100000001 k " + std::string(kRecordBytesMax, 'v')));
}

TEST(StoreCopyTest, DeletionsAreForgottenInTheirOrderAndOldCopiesMustBeginAgain) {
  StoreCopy copy;
  const auto count = static_cast<std::uint32_t>(StoreCopy::kDeletedMax);
  for (std::uint32_t number = 1; number <= count + 2; ++number)
    copy.put({.revision = make_revision(1, number), .key = fmt::format("{}", number)});
  EXPECT_EQ(copy.entries().size(), count);
  EXPECT_EQ(copy.forgotten(), make_revision(1, 2));
  EXPECT_FALSE(copy.reaches_back_to(make_revision(1, 1)));
  EXPECT_TRUE(copy.reaches_back_to(make_revision(1, 2)));
}

TEST(StoreCopyTest, RandomChangesGiveTheContentOfAMap) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    StoreCopy copy, reader;
    std::map<std::string, std::string> model;
    StoreRevision cursor = 0;
    std::uint32_t number = 1, sequence = 0;
    for (int step = 0; step < 2000; ++step) {
      if (random() % 50 == 0) {
        ++number;
        sequence = 0;
      }
      const std::string key = fmt::format("key/{}", random() % 40);
      Record record{.revision = make_revision(number, ++sequence), .key = key};
      if (random() % 4 != 0) record.value = fmt::format("value {}", step);
      if (record.value)
        model[key] = *record.value;
      else
        model.erase(key);
      copy.put(std::move(record));
      if (random() % 20 != 0) continue;
      // A reader that was away takes what is missing, in parts.
      const std::size_t limit = 1 + random() % 30;
      for (auto part = copy.after(cursor, limit); !part.empty(); part = copy.after(cursor, limit)) {
        cursor = part.back().revision;
        for (Record& each : part) reader.put(std::move(each));
      }
      std::map<std::string, std::string> content;
      for (const auto& [name, entry] : reader.entries())
        if (entry.value) content[name] = *entry.value;
      ASSERT_EQ(content, model);
      EXPECT_EQ(reader.bytes(), copy.bytes());
    }
  }
}

// ------------------------------------------------------------------------------------------
// Messages

template <class T>
T sent(const T& message) {
  FrameBuffer buffer;
  const std::string frame = to_frame(message);
  for (const char c : frame) {  // byte by byte
    EXPECT_FALSE(buffer.next().value());
    buffer.append({&c, 1});
  }
  const auto text = buffer.next();
  const auto read = parse_message(text.value().value());
  return std::get<T>(read.value());
}

TEST(PeerMessagesTest, MessagesAreReadBack) {
  const Hello hello = sent(Hello{.versions = {.newest = 3, .oldest = 2},
                                 .subnet_prefix = 0xfe80000000000000,
                                 .port = {0x1234},
                                 .leader = {0x5678},
                                 .lost = true,
                                 .history = history({term(1, 11, 5), term(2, 22, 6)})});
  EXPECT_EQ(hello.versions.newest, 3u);
  EXPECT_EQ(hello.subnet_prefix, 0xfe80000000000000u);
  EXPECT_EQ(hello.port, mad::Guid{0x1234});
  EXPECT_EQ(hello.leader, mad::Guid{0x5678});
  EXPECT_TRUE(hello.lost);
  EXPECT_EQ(hello.history.head(), position(2, 6, 22));
  const Batch batch =
      sent(Batch{.begins_full = true,
                 .has_more = true,
                 .history = history({term(1, 11, 5)}),
                 .records = {{.revision = make_revision(1, 2), .key = "a", .value = "b"},
                             {.revision = make_revision(1, 4), .key = "c"}},
                 .at = make_revision(1, 5)});
  EXPECT_TRUE(batch.begins_full && batch.has_more);
  EXPECT_EQ(batch.at, make_revision(1, 5));
  ASSERT_EQ(batch.records.size(), 2u);
  EXPECT_EQ(batch.records[0].value, "b");
  EXPECT_EQ(sent(Acknowledgement{position(3, 4, 5)}).position, position(3, 4, 5));
  EXPECT_EQ(sent(Refusal{"because"}).why, "because");
}

/// A peer may send many short frames at once, and ends of reads fall into frames.
TEST(PeerMessagesTest, FramesAreReturnedInOrderWhereverAReadEnds) {
  std::string bytes;
  constexpr std::uint64_t kFrames = 5000;
  for (std::uint64_t number = 1; number <= kFrames; ++number)
    bytes += to_frame(Status{.leader = {number}});
  for (const std::size_t part : {std::size_t{7}, std::size_t{65536}}) {
    FrameBuffer buffer;
    std::uint64_t number = 0;
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      buffer.append(std::string_view(bytes).substr(at, part));
      for (auto frame = buffer.next(); frame && *frame; frame = buffer.next()) {
        const auto message = parse_message(**frame);
        ASSERT_TRUE(message);
        ASSERT_EQ(std::get<Status>(*message).leader, mad::Guid{++number});
      }
    }
    EXPECT_EQ(number, kFrames);
  }
}

TEST(PeerMessagesTest, LaterVersionsMayAddLinesAndMessages) {
  const auto hello =
      parse_message("hello 2 1 more\nsubnet 1 x\nport 2\nleader 0\nlost 0\nflavour new\n");
  ASSERT_TRUE(hello) << hello.error();
  EXPECT_TRUE(std::holds_alternative<Hello>(*hello));
  const auto other = parse_message("praise 1 2 3\nlines\n");
  ASSERT_TRUE(other);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*other));
}

TEST(PeerMessagesTest, BadTextsAreRefused) {
  for (const char* const text :
       {"", "\x16\x03\x01", "GET / HTTP/1.1", "hello", "hello 1 2\nsubnet 1\nport 2\nleader 0\n",
        "hello 1 1\nsubnet 1\n", "batch", "batch 0 0 0", "batch 100000001 2 0 0",
        "batch 100000001 0 0 0\nset 100000002 k v\n",
        "batch 100000005 0 0 0\nset 100000002 k v\nset 100000002 l v\n", "batch zz 0 0 0",
        "acknowledge 1", "status"})
    EXPECT_FALSE(parse_message(text)) << text;
  FrameBuffer buffer;
  buffer.append("\x7f\xff\xff\xff");  // 2 GB
  EXPECT_FALSE(buffer.next());
}

TEST(PeerMessagesTest, ManagersAgreeOnTheLatestVersionThatBothHave) {
  EXPECT_EQ(agree({.newest = 2, .oldest = 1}, {.newest = 1, .oldest = 1}), 1u);
  EXPECT_EQ(agree({.newest = 2, .oldest = 1}, {.newest = 3, .oldest = 2}), 2u);
  EXPECT_EQ(agree({.newest = 1, .oldest = 1}, {.newest = 3, .oldest = 2}), std::nullopt);
}

}  // namespace store_copy_test
}  // namespace sm::peers
