// heddlectl vports: what a daemon says of them, as JSON and as text.

#include "sm/ctl/vports_text.h"

#include <gmock/gmock.h>

#include "mad/format.h"
#include "support/fabrics.h"
#include "support/vports.h"
#include "unit/sm/ops/api/published.h"

namespace sm::ctl {
namespace vports_text_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Hosts "n1 mlx5_0" and "n2 mlx5_0" whose devices can have vports, and one that cannot. At n1: an
/// Active vport with LID 40, and one without a GUID.
nlohmann::ordered_json vports(unsigned virt_enabled) {
  fabrics::Maker maker;
  const NodeIndex sw = maker.sw(8);
  std::vector<PortIndex> hosts;
  for (int i = 0; i < 3; ++i) hosts.push_back(maker.host(sw));
  auto subnet = std::make_shared<Subnet>();
  subnet->fabric = maker.build();
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    Port& port = subnet->fabric.ports[hosts[i]];
    subnet->fabric.nodes[port.node].description.set_text(fmt::format("n{} mlx5_0", i + 1));
    if (i == 2) continue;
    port.info.set_capability_mask(mad::capability::kCapabilityMask2);
    port.info.set_capability_mask2(mad::capability2::kVirtualization);
  }
  subnet->lids = fabrics::assign_lids(subnet->fabric);
  subnet->index();
  subnet->partitions.offsets.assign(subnet->fabric.end_ports.size() + 1, 0);
  if (virt_enabled == 2)
    vports::give(*subnet, {{.port = hosts[0], .guid = {0xA1}, .own_lid = mad::Lid{40}},
                           {.port = hosts[0], .guid = {}, .keys = {}, .hold = VPortHold::no_guid}});
  published::Manager manager(subnet);
  manager.view.status.virt_enabled = virt_enabled;
  api_client::Client client(sm::api_resources(manager.sources()));
  nlohmann::ordered_json answer = client.json("/v1/virtualized-ports");
  answer["virt_enabled"] = client.json("/v1/subnet").at("virt_enabled");
  return answer;
}

TEST(VPortsText, SaysWhyAVportIsNotActive) {
  const std::string text = vports_text(vports(2));
  EXPECT_THAT(text, AllOf(HasSubstr("0x00000000000000a1"), HasSubstr("40 own"), HasSubstr("0xffff"),
                          HasSubstr("no GUID set by the host"), HasSubstr("n2 mlx5_0"),
                          Not(HasSubstr("n3"))));
}

TEST(VPortsText, IsATable) {
  EXPECT_THAT(
      vports_text(vports(2)),
      HasSubstr("  index  GUID                VNodeGUID           state   LID       P_Keys  "
                "why it is not Active\n"));
  EXPECT_THAT(vports_text(vports(2)), HasSubstr("Active  40 own    0xffff\n"));
}

TEST(VPortsText, SaysThatTheyAreNotEnabled) {
  const nlohmann::ordered_json json = vports(0);
  EXPECT_EQ(json.at("virt_enabled"), 0);
  EXPECT_EQ(json.at("ports").size(), 2u);
  EXPECT_THAT(vports_text(json), HasSubstr("no vports are managed: virt_enabled is 0"));
}

TEST(VPortsText, OfOneHost) {
  for (const char* const host : {"n1", "n1 mlx5_0", "0x00000000000000a1"}) {
    const nlohmann::ordered_json json = vports_of_host(vports(2), host);
    ASSERT_EQ(json.at("ports").size(), 1u) << host;
    EXPECT_EQ(json.at("ports")[0].at("host"), "n1 mlx5_0");
  }
  EXPECT_EQ(vports_text(vports_of_host(vports(2), "n")), "no port can have vports\n");
}

TEST(VPortsText, BeforeTheFirstSweepIsEmpty) {
  published::Manager manager(nullptr);
  api_client::Client client(sm::api_resources(manager.sources()));
  EXPECT_EQ(client.json("/v1/virtualized-ports").at("ports").size(), 0u);
}

}  // namespace vports_text_test
}  // namespace sm::ctl
