#include "sm/sa/port_share.h"

#include <gmock/gmock.h>

#include <map>

#include "sm/sa/report_sender.h"
#include "sm/sa/request_queue.h"
#include "sm/sa/table_answers.h"
#include "sm/sa/transfers.h"

namespace port_share_test {

using namespace sa;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr mad::Guid port(unsigned number) { return mad::Guid{number}; }

/// Counts the amounts that ports take if each requests as much as it gets, in turn.
class Ports {
 public:
  explicit Ports(const ShareLimits& limits) : limits_(limits) {}

  Admission take(unsigned number, std::size_t amount = 1) {
    const InUse in_use{.port = of_port_[number], .all = all_};
    const Admission decision = admission(limits_, port(number), in_use, amount);
    if (decision != Admission::admitted) return decision;
    of_port_[number] += amount;
    all_ += amount;
    return decision;
  }
  void take_all(unsigned ports) {
    for (bool any = true; any;) {
      any = false;
      for (unsigned number = 1; number <= ports; ++number)
        any = take(number) == Admission::admitted || any;
    }
  }
  std::size_t of(unsigned number) { return of_port_[number]; }

 private:
  ShareLimits limits_;
  std::map<unsigned, std::size_t> of_port_;
  std::size_t all_ = 0;
};

struct Shared {
  std::string_view name;
  ShareLimits limits;
};
void PrintTo(const Shared& shared, std::ostream* out) { *out << shared.name; }

class PortShares : public testing::TestWithParam<Shared> {};

TEST_P(PortShares, OfALonePortAreItsBound) {
  if (GetParam().name == "requests") return;  // its bound is above the share of a lone port
  Ports ports(GetParam().limits);
  ports.take_all(1);
  EXPECT_EQ(ports.of(1), GetParam().limits.per_port);
}

TEST_P(PortShares, OfManyPortsThatWantAllLeaveAPlaceToAnother) {
  for (const unsigned many : {1u, 16u, 32u, 100u}) {
    if (many > 32 && GetParam().limits.total < 128) continue;  // reports: those that are late end
    Ports ports(GetParam().limits);
    ports.take_all(many);
    EXPECT_EQ(ports.take(many + 1), Admission::admitted) << many;
    for (unsigned number = 1; number <= many; ++number) EXPECT_GE(ports.of(number), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PortShares,
                         testing::Values(Shared{"requests", RequestQueue::kLimits},
                                         Shared{"unfinished_requests", Assemblies::kLimits},
                                         Shared{"tables", TableAnswers::kTables},
                                         Shared{"gets", TableAnswers::kGets},
                                         Shared{"transfers", Transfers::kPlaces},
                                         Shared{"reports", ReportSender::Limits{}.in_flight}),
                         [](const auto& shared) { return std::string(shared.param.name); });

/// A table of all services takes 11.5 MB.
TEST(PortShare, PortsWithManyLongMessagesLeaveMemoryToShortOnes) {
  Ports ports(Transfers::kMemory);
  for (unsigned round = 0; round < Transfers::kPlaces.per_port; ++round)
    for (unsigned number = 1; number <= 8; ++number) ports.take(number, 11'500'000);
  EXPECT_EQ(ports.take(100, 11'500'000), Admission::admitted);
  for (unsigned number = 200; number < 300; ++number)
    EXPECT_EQ(ports.take(number, 100'000), Admission::admitted);
  EXPECT_EQ(ports.take(101, std::size_t{64} << 20), Admission::full) << "others have to end";
  EXPECT_EQ(ports.take(1, 11'500'000), Admission::refused) << "none ends for a port that has some";
}

TEST(PortShare, AVportHasItsBoundAndCountsInThatOfItsPort) {
  const ShareLimits limits{.total = 100, .per_port = 8, .per_vport = 2};
  const Client vport{port(1), mad::Guid{0x100}};
  EXPECT_EQ(admission(limits, vport, {.port = 1, .own = 1, .all = 1}), Admission::admitted);
  EXPECT_EQ(admission(limits, vport, {.port = 2, .own = 2, .all = 2}), Admission::refused);
  EXPECT_EQ(admission(limits, vport, {.port = 8, .own = 0, .all = 8}), Admission::refused);
  EXPECT_EQ(admission(limits, port(1), {.port = 4, .own = 4, .all = 4}), Admission::admitted);
}

const mad::TimePoint kStart{};
Holding holding(unsigned number, mad::Duration since, std::size_t amount = 1,
                mad::Duration due = 1h) {
  return {.port = port(number), .amount = amount, .since = kStart + since, .due = kStart + due};
}

TEST(Displaced, IsTheOldestOfThePortThatHasTheMost) {
  const std::vector<Holding> holdings{holding(1, 1s), holding(2, 9s), holding(2, 5s),
                                      holding(2, 7s), holding(3, 2s), holding(3, 3s)};
  EXPECT_THAT(find_displaced(holdings, port(9), 1, kStart + 10s), ElementsAre(2));
  EXPECT_THAT(find_displaced(holdings, port(9), 3, kStart + 10s), ElementsAre(2, 4, 3))
      << "until each has one";
  EXPECT_THAT(find_displaced(holdings, port(9), 4, kStart + 10s), IsEmpty()) << "not enough";
  EXPECT_THAT(find_displaced(holdings, port(1), 1, kStart + 10s), ElementsAre(2))
      << "the port has one, and gets no more than others";
  EXPECT_THAT(find_displaced(holdings, port(2), 1, kStart + 10s), IsEmpty());
}

TEST(Displaced, IsDueIfItsPortHasNoMoreThanTheNewcomerWouldHave) {
  const std::vector<Holding> holdings{holding(1, 1s, 1, 30s), holding(2, 2s, 1, 20s)};
  EXPECT_THAT(find_displaced(holdings, port(9), 1, kStart + 10s), IsEmpty());
  EXPECT_THAT(find_displaced(holdings, port(9), 1, kStart + 20s), ElementsAre(1));
  EXPECT_THAT(find_displaced(holdings, port(9), 1, kStart + 30s), ElementsAre(0));
  EXPECT_THAT(find_displaced(holdings, port(1), 1, kStart + 30s), IsEmpty())
      << "it has as many as the others";
}

TEST(Displaced, AreAsManyAsTheAmountTakes) {
  const std::vector<Holding> holdings{holding(1, 1s, 10), holding(1, 2s, 30), holding(1, 3s, 5),
                                      holding(2, 4s, 50, 5s)};
  EXPECT_THAT(find_displaced(holdings, port(9), 11, kStart + 4s), ElementsAre(0, 1));
  EXPECT_THAT(find_displaced(holdings, port(9), 50, kStart + 4s), IsEmpty());
  EXPECT_THAT(find_displaced(holdings, port(9), 50, kStart + 6s), ElementsAre(0, 1, 3));
}

TEST(Displaced, ALongMessageIsDueLater) {
  EXPECT_EQ(time_for(0), 2s);
  EXPECT_EQ(time_for(80'000'000), 12s);
}

}  // namespace port_share_test
