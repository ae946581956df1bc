// The check of histories, on short ones whose verdict is known.

#include "support/history/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace history_test {

using history::History;
using history::Operation;
using history::Outcome;
using history::TimePoint;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TimePoint at(int second) { return TimePoint{} + std::chrono::seconds(second); }

/// Builds a history of one key, mostly through the manager "A".
class Short {
 public:
  /// A change that takes one second and that another manager holds.
  Short& set(int second, const history::Value& value, std::optional<unsigned> replicated = 1) {
    return add(second, value, Outcome::acknowledged, at(second + 1), replicated);
  }
  Short& without_answer(int second, const history::Value& value, TimePoint end = TimePoint::max()) {
    return add(second, value, Outcome::unknown, end, {});
  }
  Short& refused(int second, const history::Value& value) {
    return add(second, value, Outcome::refused, at(second + 1), {});
  }
  Short& fail(int second) {
    all_.fail("A", at(second));
    return *this;
  }
  Short& divide(int second) {
    all_.divide("A", at(second));
    return *this;
  }
  Short& resign(int second) {
    all_.resign("A", at(second));
    return *this;
  }
  Short& name(int second) {
    all_.name("key", at(second));
    return *this;
  }
  Short& table(int second, bool present) {
    all_.observe("key", present, at(second));
    return *this;
  }
  /// The violations if a client reads this value at the end.
  std::vector<std::string> read(const history::Value& value) {
    History copy = all_;
    copy.add(history::Read{
        .key = "key", .value = value, .invoked = at(100), .ended = at(101), .by = "reader"});
    return copy.violations();
  }
  std::vector<std::string> violations() const { return all_.violations(); }

 private:
  Short& add(int second, const history::Value& value, Outcome outcome, TimePoint end,
             std::optional<unsigned> replicated) {
    Operation operation{.key = "key", .value = value, .outcome = outcome, .manager = "A"};
    operation.invoked = at(second);
    operation.ended = end;
    operation.replicated = replicated;
    all_.add(std::move(operation));
    return *this;
  }
  History all_;
};

TEST(History, AnAcknowledgedChangeMustBeRead) {
  EXPECT_THAT(Short().set(1, "a").read("a"), IsEmpty());
  EXPECT_THAT(Short().set(1, "a").read(std::nullopt),
              ElementsAre(testing::AllOf(HasSubstr("key: reader read nothing"),
                                         HasSubstr("A: 'a', acknowledged, replicated 1"))));
  EXPECT_THAT(Short().read(std::nullopt), IsEmpty());
  EXPECT_THAT(Short().read("a"), testing::SizeIs(1)) << "no client wrote it";
}

TEST(History, ALaterAcknowledgedChangeOverwritesAnEarlierOne) {
  const auto both = [] { return Short().set(1, "a").set(3, "b"); };
  EXPECT_THAT(both().read("b"), IsEmpty());
  EXPECT_THAT(both().read("a"), testing::SizeIs(1)) << "applied out of order";
  EXPECT_THAT(Short().set(1, "a").set(3, std::nullopt).read("a"), testing::SizeIs(1));
  EXPECT_THAT(Short().set(1, "a").set(3, std::nullopt).read(std::nullopt), IsEmpty());
}

TEST(History, OfChangesAtTheSameTimeEitherMayBeTheLast) {
  const auto both = [] { return Short().set(1, "a").set(1, "b"); };
  EXPECT_THAT(both().read("a"), IsEmpty());
  EXPECT_THAT(both().read("b"), IsEmpty());
  EXPECT_THAT(both().read(std::nullopt), testing::SizeIs(1));
}

TEST(History, AChangeWithoutAnAnswerMayHaveBeenMadeOrNot) {
  const auto all = [] { return Short().set(1, "a").without_answer(3, "b"); };
  EXPECT_THAT(all().read("a"), IsEmpty());
  EXPECT_THAT(all().read("b"), IsEmpty());
  EXPECT_THAT(all().read(std::nullopt), testing::SizeIs(1));
  EXPECT_THAT(Short().without_answer(1, "b").set(3, "a").read("b"), IsEmpty())
      << "the request may still be under way";
  EXPECT_THAT(Short().without_answer(1, "b", at(2)).set(3, "a").read("b"), testing::SizeIs(1))
      << "the process that had the request ended before";
}

TEST(History, ARefusedChangeIsNeverRead) {
  EXPECT_THAT(Short().set(1, "a").refused(3, "b").read("a"), IsEmpty());
  EXPECT_THAT(Short().set(1, "a").refused(3, "b").read("b"), testing::SizeIs(1));
}

TEST(History, AChangeThatNoOtherManagerHoldsMayBeLostWithItsManager) {
  const auto alone = [] { return Short().set(1, "a").set(3, "b", 0u); };
  EXPECT_THAT(alone().read("a"), testing::SizeIs(1)) << "its manager did not fail";
  EXPECT_THAT(alone().fail(2).read("a"), testing::SizeIs(1)) << "it failed before";
  EXPECT_THAT(alone().fail(5).read("a"), IsEmpty());
  EXPECT_THAT(alone().fail(5).read("b"), IsEmpty());
  EXPECT_THAT(alone().fail(5).read(std::nullopt), testing::SizeIs(1));
  EXPECT_THAT(Short().set(1, "a").fail(5).read(std::nullopt), testing::SizeIs(1))
      << "another manager held it";
  EXPECT_THAT(Short().set(1, "a", std::nullopt).fail(5).read(std::nullopt), testing::SizeIs(1))
      << "the store holds it";
}

TEST(History, AChangeOfOneOfTwoMastersIsThereWhenTheyHaveMet) {
  const auto alone = [] { return Short().set(1, "a").set(3, "b", 0u); };
  EXPECT_THAT(alone().divide(4).read("a"), testing::SizeIs(1));
  EXPECT_THAT(alone().divide(4).read("b"), IsEmpty());
  EXPECT_THAT(alone().divide(80).read("a"), IsEmpty()) << "they have met a moment ago";
  EXPECT_THAT(Short().set(1, "a").set(3, std::nullopt, 0u).divide(4).read("a"), IsEmpty())
      << "it may not have had what it was to delete";
  EXPECT_THAT(alone().resign(4).read("a"), IsEmpty()) << "it answered at that moment";
  EXPECT_THAT(alone().resign(20).read("a"), testing::SizeIs(1));
}

TEST(History, AMergeExcusesOnlyTheKeysThatItNames) {
  const auto split = [] { return Short().set(1, "a").set(3, "b").set(5, "c"); };
  EXPECT_THAT(split().read("b"), testing::SizeIs(1));
  EXPECT_THAT(split().name(7).read("b"), IsEmpty());
  EXPECT_THAT(split().name(4).read("b"), testing::SizeIs(1)) << "the merge came before the change";
}

TEST(History, ATableMustNotLoseAnAcknowledgedKey) {
  const auto added = [](std::optional<unsigned> replicated = 1) {
    return Short().set(1, "a", replicated).table(9, true);
  };
  EXPECT_THAT(added().table(10, false).violations(), ElementsAre(HasSubstr("key: gone at 10")));
  EXPECT_THAT(Short().set(1, "a").table(8, false).table(9, true).violations(), IsEmpty())
      << "the fabric follows";
  EXPECT_THAT(added().set(10, std::nullopt).table(12, false).violations(), IsEmpty());
  EXPECT_THAT(added().without_answer(10, std::nullopt).table(20, false).violations(), IsEmpty());
  EXPECT_THAT(added().refused(10, std::nullopt).table(20, false).violations(), testing::SizeIs(1));
  EXPECT_THAT(added(0u).fail(10).table(11, false).violations(), testing::SizeIs(1))
      << "a successor does not undo what it does not know";
}

TEST(History, AKeyMayFlickerWhileItIsDeletedAndAddedAgain) {
  const auto changes = [] {
    return Short().set(1, "a").table(9, true).set(10, std::nullopt).set(12, "b");
  };
  EXPECT_THAT(changes().table(13, true).table(14, false).table(15, true).violations(), IsEmpty())
      << "a pass that began between both changes";
  EXPECT_THAT(
      changes().table(13, true).table(14, false).table(16, true).table(17, false).violations(),
      testing::SizeIs(1));
}

}  // namespace history_test
