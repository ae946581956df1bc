// Comparison with OpenSM's tables.
#include "unit/routing/opensm_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/engines/distance/distance_engines.h"
#include "routing/graph/channel_table.h"
#include "routing/registry.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"

namespace opensm_tables_test {

using opensm_tables::Recorded;

routing::RoutingResult route(const char* engine, const Recorded& recorded,
                             const routing::RoutingOptions& options) {
  auto result = routing::find_engine(engine)->route(
      {recorded.subnet.fabric, recorded.subnet.graph, recorded.subnet.lids, options});
  EXPECT_TRUE(result) << result.error().why;
  return result ? std::move(*result) : routing::RoutingResult{};
}

// Entries that differ.
std::size_t differences(const Recorded& recorded, const fabric::ForwardingTables& lfts) {
  std::size_t count = 0;
  for (std::size_t sw = 0; sw < lfts.switches(); ++sw)
    for (std::size_t lid = 0; lid <= lfts.lid_top().value; ++lid)
      count +=
          lfts.row(fabric::SwitchIndex{sw})[lid] != recorded.lfts.row(fabric::SwitchIndex{sw})[lid]
              ? 1u
              : 0u;
  return count;
}

struct Sample {
  const char *fabric, *run, *engine;
};
void PrintTo(const Sample& sample, std::ostream* out) {
  *out << sample.fabric << " " << sample.run;
}

class SameAsOpenSm : public testing::TestWithParam<Sample> {};

TEST_P(SameAsOpenSm, EntryByEntry) {
  const Recorded recorded(GetParam().fabric, GetParam().run);
  routing::RoutingOptions options;
  options.lowest_port_first = true;
  EXPECT_EQ(differences(recorded, route(GetParam().engine, recorded, options).lfts), 0u);
}

INSTANTIATE_TEST_SUITE_P(Samples, SameAsOpenSm,
                         testing::Values(Sample{"fattree2-16h", "minhop", "minhop"},
                                         Sample{"fattree3-64h", "minhop", "minhop"},
                                         Sample{"torus-3x3x3", "minhop", "minhop"},
                                         Sample{"dragonfly-4-2-2", "minhop", "minhop"},
                                         Sample{"random-20s-40h", "minhop", "minhop"},
                                         Sample{"random-20s-40h", "minhop-lmc1", "minhop"},
                                         Sample{"fattree2-16h", "updn", "updn"},
                                         Sample{"fattree3-64h", "updn", "updn"},
                                         Sample{"fattree2-16h", "dnup", "dnup"},
                                         Sample{"fattree2-16h", "dor", "dor"},
                                         Sample{"torus-3x3x3", "dor", "dor"}));

TEST(OpenSmTables, FileEngineReproducesThem) {
  const Recorded recorded("dragonfly-4-2-2", "minhop");
  auto file = std::make_shared<routing::ForwardingFile>();
  for (const auto& row : recorded.dump.rows)
    file->rows.push_back({mad::Guid{row.switch_guid}, row.out});
  for (const std::uint64_t guid : recorded.dump.owner_of_lid)
    file->owner_of_lid.push_back(mad::Guid{guid});
  routing::RoutingOptions options;
  options.lfts = file;
  EXPECT_EQ(differences(recorded, route("file", recorded, options).lfts), 0u);

  // The ports have other LIDs, and packets reach each of them over the same path.
  const fabrics::Subnet moved(recorded.subnet.fabric);
  const auto result = routing::file({moved.fabric, moved.graph, moved.lids, options});
  ASSERT_TRUE(result);
  EXPECT_TRUE(routing::verify(moved.fabric, moved.graph, moved.lids, result->lfts).ok());
  for (const fabric::PortIndex port : moved.fabric.end_ports)
    for (std::size_t sw = 0; sw < moved.graph.switches(); ++sw)
      ASSERT_EQ(result->lfts.at(fabric::SwitchIndex{sw}, moved.find_lid(port)),
                recorded.lfts.at(fabric::SwitchIndex{sw}, recorded.subnet.find_lid(port)));
}

TEST(OpenSmTables, VerifierAcceptsThemAndReportsTheLoopsOfMinhopOnATorus) {
  for (const auto& [fabric, engine, loops] :
       {std::tuple("fattree2-16h", "updn", false), std::tuple("fattree3-64h", "minhop", false),
        std::tuple("torus-3x3x3", "minhop", true), std::tuple("dragonfly-4-2-2", "minhop", true),
        std::tuple("dragonfly-4-2-2", "updn-roots", false),
        std::tuple("random-20s-40h", "updn-roots", false)}) {
    const Recorded recorded(fabric, engine);
    EXPECT_TRUE(routing::verify(recorded.subnet.fabric, recorded.subnet.graph, recorded.subnet.lids,
                                recorded.lfts, {.switch_lids_may_be_withheld = true})
                    .ok())
        << fabric << engine;
    const auto found =
        routing::find_credit_loops(recorded.subnet.graph, recorded.subnet.lids, recorded.lfts,
                                   {{}, {}}, routing::Traffic::between_hosts);
    EXPECT_EQ(!found.ok(), loops) << fabric << " " << engine;
  }
}

TEST(OpenSmTables, UpdnWithNamedRootsIsLegalWhereOpenSmIs) {
  for (const char* fabric : {"dragonfly-4-2-2", "random-20s-40h"}) {
    const Recorded recorded(fabric, "updn-roots");
    routing::RoutingOptions options;
    for (const std::uint64_t guid : {0x0002c90200000480u, 0x0002c90200000490u})
      options.roots.push_back(mad::Guid{guid});
    if (std::string(fabric) == "random-20s-40h") {
      std::istringstream list(opensm_tables::read_data("opensm_tables/random-20s-40h.roots"));
      options.roots.clear();
      for (std::string word; list >> word;)
        options.roots.push_back(mad::Guid{std::stoull(word, nullptr, 16)});
    }
    const auto result = route("updn", recorded, options);
    EXPECT_TRUE(routing::verify(recorded.subnet.fabric, recorded.subnet.graph, recorded.subnet.lids,
                                result.lfts, {.switch_lids_may_be_withheld = true})
                    .ok());
    EXPECT_TRUE(routing::find_credit_loops(recorded.subnet.graph, recorded.subnet.lids, result.lfts,
                                           {{}, {}}, routing::Traffic::between_hosts)
                    .ok())
        << fabric;
    // A switch with a downward path takes it even if going up first is shorter: some paths may be
    // one hop longer, but not the longest ones.
    std::size_t hops_ours = 0, hops_theirs = 0;
    unsigned longest_ours = 0, longest_theirs = 0;
    const auto length = [&](const fabric::ForwardingTables& lfts, fabric::SwitchIndex from,
                            mad::Lid lid) {
      unsigned hops = 0;
      for (const routing::ChannelTable channels(recorded.subnet.graph); hops < 64; ++hops) {
        const fabric::ChannelIndex channel = channels.channel(from, lfts.at(from, lid).value);
        if (channel == fabric::kNoIndex) break;
        from = recorded.subnet.graph.neighbour[channel];
      }
      return hops;
    };
    for (std::uint16_t lid = 1; lid <= recorded.subnet.lids.lid_top.value; ++lid)
      for (const fabric::SwitchIndex sw : recorded.subnet.graph.all_switches()) {
        if (recorded.lfts.at(sw, mad::Lid{lid}) == mad::kNoPort) continue;
        const unsigned ours = length(result.lfts, sw, mad::Lid{lid}),
                       theirs = length(recorded.lfts, sw, mad::Lid{lid});
        hops_ours += ours;
        hops_theirs += theirs;
        longest_ours = std::max(longest_ours, ours);
        longest_theirs = std::max(longest_theirs, theirs);
      }
    EXPECT_LE(longest_ours, longest_theirs) << fabric;
    EXPECT_LE(static_cast<double>(hops_ours), 1.01 * static_cast<double>(hops_theirs)) << fabric;
  }
}

}  // namespace opensm_tables_test
