// Engines that route incrementally by load or on virtual lanes, against a routing from the
// beginning: after every change of a fabric the same hosts are reached, by paths of the same
// length, without a credit loop where that is guaranteed, and the loads do not grow with the number
// of changes.

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "property/changing_fabric.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace load_changes_property_test {

using fabrics::Subnet;
using routing::ChainResult;
using sim::Random;

struct Totals {
  std::size_t steps = 0, incremental = 0, changed = 0;
  std::uint64_t highest = 0, highest_fresh = 0;  // sums of the highest loads
  std::uint64_t vls = 0, vls_fresh = 0;
};

void run(std::uint64_t seed, const std::string& engine, Totals& totals) {
  Random random(seed * 6007 + engine.size());
  property::ChangingFabric fabric(random);
  routing::RoutingOptions options;
  options.nue_max_num_vls = 1 + random.below(3);
  const std::vector<std::string> names{engine};
  const bool is_free_of_loops = routing::find_engine(engine)->promises_no_credit_loops;
  auto before = std::make_unique<Subnet>(fabric.subnet());
  auto last = routing::route_with_chain(names, true,
                                        {before->fabric, before->graph, before->lids, options});
  for (int step = 0; step < 16; ++step) {
    SCOPED_TRACE(step);
    fabric.change();
    auto now = std::make_unique<Subnet>(fabric.subnet());
    const routing::RoutingInput fresh{now->fabric, now->graph, now->lids, options};
    const auto complete = routing::route_with_chain(names, true, fresh);
    tl::expected<ChainResult, routing::Refusal> updated = complete;
    if (last) {
      const routing::PreviousRouting from{*last->memory, last->routing.lfts, last->routing};
      routing::RoutingInput incremental = fresh;
      incremental.previous_routing = &from;
      updated = routing::route_with_chain(names, true, incremental);
    }
    ASSERT_EQ(updated.has_value(), complete.has_value())
        << (updated ? complete.error().why : updated.error().why);
    if (updated) {
      ++totals.steps;
      totals.incremental += updated->incremental ? 1u : 0u;
      totals.changed += updated->incremental && last && updated->routing.lfts != last->routing.lfts;
      const sm::ForwardingTables& lfts = updated->routing.lfts;
      const routing::VerifyReport report =
          routing::verify(now->fabric, now->graph, now->lids, lfts,
                          {.switch_lids_may_be_withheld = is_free_of_loops});
      ASSERT_TRUE(report.ok()) << routing::describe(report, now->fabric, now->lids).front();
      if (is_free_of_loops) {
        ASSERT_TRUE(routing::find_credit_loops(now->graph, now->lids, lfts,
                                               {updated->routing.sls, updated->routing.sl_to_vl},
                                               routing::Traffic::between_hosts)
                        .ok());
      }
      ASSERT_LE(updated->routing.vls, options.vls_max);
      const auto lengths = [&](const ChainResult& of) {
        return routing::path_lengths(now->graph, now->lids, of.routing.lfts);
      };
      if (engine != "nue") {
        ASSERT_EQ(lengths(*updated).mean, lengths(*complete).mean);
      }
      totals.highest += routing::all_to_all(now->graph, now->lids, lfts).worst;
      totals.highest_fresh +=
          routing::all_to_all(now->graph, now->lids, complete->routing.lfts).worst;
      totals.vls += updated->routing.vls;
      totals.vls_fresh += complete->routing.vls;
    }
    last = std::move(updated);
    before = std::move(now);
  }
}

class LoadChanges : public ::testing::TestWithParam<const char*> {};

TEST_P(LoadChanges, KeepTheGuaranteesOfARoutingFromTheBeginning) {
  Totals totals;
  seeds::for_each(120, [&](std::uint64_t seed) { run(seed, GetParam(), totals); });
  RecordProperty("incremental", static_cast<int>(totals.incremental));
  RecordProperty("changed", static_cast<int>(totals.changed));
  RecordProperty("highest_load", std::to_string(totals.highest));
  RecordProperty("highest_load_fresh", std::to_string(totals.highest_fresh));
  if (!seeds::are_default()) return;  // few fabrics are no statistical sample
  EXPECT_GT(totals.incremental, totals.steps / 3) << "of " << totals.steps;
  EXPECT_GT(totals.changed, totals.steps / 20) << "of " << totals.steps;
  EXPECT_LE(10 * totals.highest, 11 * totals.highest_fresh) << "within 10 %";
  EXPECT_LE(10 * totals.vls, 11 * totals.vls_fresh);
}

INSTANTIATE_TEST_SUITE_P(Engines, LoadChanges, ::testing::Values("sssp", "dfsssp", "nue"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace load_changes_property_test
