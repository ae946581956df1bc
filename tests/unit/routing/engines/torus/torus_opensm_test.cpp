// torus-2QoS compared with OpenSM's: the same ports, and the same SLs in path records.
#include <gtest/gtest.h>

#include "config/torus_file.h"
#include "routing/engines/torus/torus_2qos.h"
#include "unit/routing/opensm_tables.h"

namespace torus_opensm_test {

using opensm_tables::Recorded;

routing::TorusOptions make_options(const std::string& fabric) {
  config::Diagnostics findings;
  const std::string text = opensm_tables::read_data("opensm_tables/" + fabric + ".torus-2QoS.conf");
  const config::TorusFile file = config::parse_torus_file({fabric, text}, findings);
  EXPECT_TRUE(findings.empty());
  routing::TorusOptions options;
  for (unsigned d = 0; d < 3; ++d)
    options.dimensions[d] = {file.dimensions[d].radix, file.dimensions[d].wraps};
  for (const auto& seed : file.seeds) {
    options.seeds.push_back({{}, seed.dateline});
    for (const auto& link : seed.links)
      options.seeds.back().links.push_back(
          {link.dimension, link.plus, mad::Guid{link.from}, mad::Guid{link.to}});
  }
  return options;
}

class TorusLikeOpenSm : public testing::TestWithParam<const char*> {};

TEST_P(TorusLikeOpenSm, SamePortsAndSls) {
  const Recorded recorded(GetParam(), "torus-2QoS");
  const fabrics::Subnet& subnet = recorded.subnet;
  routing::RoutingOptions options;
  options.torus = make_options(GetParam());
  const auto result = routing::torus_2qos({subnet.fabric, subnet.graph, subnet.lids, options});
  ASSERT_TRUE(result) << result.error().why;
  std::size_t differences = 0;
  for (std::size_t sw = 0; sw < subnet.graph.switches(); ++sw)
    for (std::uint16_t lid = 1; lid <= subnet.lids.lid_top.value; ++lid)
      differences += result->lfts.at(fabric::SwitchIndex{sw}, mad::Lid{lid}) !=
                             recorded.lfts.at(fabric::SwitchIndex{sw}, mad::Lid{lid})
                         ? 1u
                         : 0u;
  EXPECT_EQ(differences, 0u);

  std::vector<fabric::SwitchIndex> last_switch(subnet.fabric.ports.size(), fabric::kNoIndex);
  for (const auto& end : subnet.graph.end_ports) last_switch[end.port] = end.sw;
  // A line for each source: its LID, and a digit for each LID from 0 on; -: no path record was
  // requested.
  std::istringstream lines(
      opensm_tables::read_data(std::string("opensm_tables/") + GetParam() + ".torus-2QoS.sls"));
  std::size_t compared = 0;
  std::string sls;
  for (unsigned source = 0; lines >> source >> sls;) {
    for (std::uint16_t lid = 1; lid < sls.size(); ++lid) {
      if (sls[lid] == '-') continue;
      ++compared;
      const fabric::PortIndex from =
                                  subnet.lids.owner(mad::Lid{static_cast<std::uint16_t>(source)}),
                              to = subnet.lids.owner(mad::Lid{lid});
      ASSERT_EQ(result->sls.at(last_switch[from], mad::Lid{lid}, last_switch[to]).value,
                std::stoul(sls.substr(lid, 1), nullptr, 16))
          << source << " to " << lid;
    }
  }
  EXPECT_GE(compared, 200u);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, TorusLikeOpenSm,
                         testing::Values("torus-3x3x3", "torus-3x3x3-lost", "torus-5x5x5-lost",
                                         "torus-4x4x4-cable-lost", "torus-2x5x3", "mesh-3x4x3"));

}  // namespace torus_opensm_test
