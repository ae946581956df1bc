#include "sm/agents/visits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>

namespace visits_test {

using testing::ElementsAre, testing::IsEmpty;

struct Counted {
  unsigned place = 0, left = 0;  // requests that are not sent yet
};

/// Place n gets n requests; place 99 cannot be visited.
class Round final : public sm::Visits<unsigned, Counted> {
 public:
  Round(std::vector<unsigned> places, std::size_t visits_max, unsigned requests_max)
      : Visits(std::move(places), {.visits = visits_max, .requests = requests_max}) {}

  /// Sends requests until all are sent; returns their places.
  std::vector<unsigned> send() {
    std::vector<unsigned> places;
    mad::GmpRequest request;
    while (next(request)) {
      in_flight.push_back(request);
      places.push_back(request.modifier);
    }
    return places;
  }
  /// Ends the oldest request.
  void answer(mad::GmpFault fault = mad::GmpFault::none) {
    static constexpr std::array<std::uint8_t, mad::kMadBytes> kNoMad{};
    const mad::GmpRequest request = in_flight.front();
    in_flight.erase(in_flight.begin());
    done(request, {.fault = fault,
                   .data = std::span(kNoMad).first<mad::kGmpDataBytes>(),
                   .mad = std::span(kNoMad)});
  }

  std::vector<mad::GmpRequest> in_flight;
  std::vector<unsigned> closed;
  std::vector<std::uint64_t> cookies;
  bool opens = true, skips_rest = false;

 private:
  bool may_open() const override { return opens; }
  bool open(const unsigned& place, Counted& visit) override {
    visit = {.place = place, .left = place};
    return place != 99;
  }
  bool has_request(const Counted& visit) const override { return visit.left > 0; }
  void fill(Counted& visit, mad::GmpRequest& request) override {
    request.modifier = visit.place;
    request.cookie = 1000 + visit.left--;
  }
  void take(Counted& visit, const mad::GmpRequest& request, const mad::GmpReply& reply) override {
    cookies.push_back(cookie(request));
    if (reply.fault == mad::GmpFault::not_sent) end_unsendable();
    if (skips_rest) visit.left = 0;
  }
  void close(Counted& visit) override { closed.push_back(visit.place); }
};

TEST(Visits, OneRequestOfAVisitAtATime) {
  Round round({2, 1}, 10, 1);
  EXPECT_THAT(round.send(), ElementsAre(2, 1));
  EXPECT_THAT(round.send(), IsEmpty());
  round.answer();
  EXPECT_THAT(round.send(), ElementsAre(2));
  EXPECT_THAT(round.closed, IsEmpty());
  round.answer();
  round.answer();
  EXPECT_THAT(round.closed, ElementsAre(1, 2));
  EXPECT_TRUE(round.is_complete());
}

TEST(Visits, SeveralRequestsOfAVisitUpToItsBound) {
  Round round({3}, 10, 2);
  EXPECT_THAT(round.send(), ElementsAre(3, 3));
  round.answer();
  EXPECT_THAT(round.send(), ElementsAre(3));
}

TEST(Visits, VisitsUpToTheirBoundAreOpen) {
  Round round({1, 2, 3}, 2, 1);
  EXPECT_THAT(round.send(), ElementsAre(1, 2));
  round.answer();
  EXPECT_THAT(round.send(), ElementsAre(3));
}

TEST(Visits, AResponseMayEndAVisitWithQueuedRequests) {
  Round round({3, 1}, 1, 2);
  mad::GmpRequest request;
  ASSERT_TRUE(round.next(request));
  round.in_flight.push_back(request);
  round.skips_rest = true;
  round.answer();
  EXPECT_THAT(round.closed, ElementsAre(3));
  EXPECT_THAT(round.send(), ElementsAre(1));
}

TEST(Visits, PlacesWithoutAVisitAndVisitsWithoutRequestsAreSkipped) {
  Round round({99, 0, 1}, 1, 1);
  EXPECT_THAT(round.send(), ElementsAre(1));
  EXPECT_THAT(round.closed, ElementsAre(0));
}

TEST(Visits, OpenVisitsContinueWhileNoneMayBegin) {
  Round round({2, 1}, 1, 1);
  EXPECT_THAT(round.send(), ElementsAre(2));
  round.opens = false;
  round.answer();
  EXPECT_THAT(round.send(), ElementsAre(2));
  round.answer();
  EXPECT_THAT(round.send(), IsEmpty());
  round.opens = true;
  EXPECT_THAT(round.send(), ElementsAre(1));
}

TEST(Visits, APortThatSendsNothingEndsTheBatch) {
  Round round({2, 1}, 1, 1);
  round.send();
  round.answer(mad::GmpFault::not_sent);
  EXPECT_THAT(round.send(), IsEmpty());
  EXPECT_TRUE(round.is_unsendable());
  EXPECT_FALSE(round.is_complete());
}

TEST(Visits, CookiesBelongToThePolicy) {
  Round round({1, 2}, 10, 1);
  round.send();
  round.answer();
  round.answer();
  EXPECT_THAT(round.cookies, ElementsAre(1001u, 1002u));
}

}  // namespace visits_test
