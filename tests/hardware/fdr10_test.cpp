// FDR10 (option fdr10): MlnxExtPortInfo of devices that have it, refuse it, or do not respond to
// it.

#include <gtest/gtest.h>

#include "hardware/adaptive_lab.h"
#include "mad/attributes/vendor.h"
#include "sim/laboratory.h"
#include "sim/world/vendor_features.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/devices/extended_port_infos.h"

namespace fdr10_test {

using laboratory::Solo;
using mad::AttributeId;
using mad::Method;
using mad::MlnxExtPortInfo;
using namespace std::chrono_literals;

constexpr std::uint16_t kSwitchX = 0xC738, kConnectX3 = 0x1003;
constexpr unsigned kAttempts = 8;  // until a node counts as silent

class Fdr10 : public testing::Test {
 protected:
  Fdr10() : lab(topology::xgft({.children = {2, 2}, .parents = {1, 2}, .cables = {}})) {
    for (sim::NodeModel& node : lab.model.nodes)
      node.info.set_device_id(node.is_switch() ? kSwitchX : kConnectX3);
    for (const sim::PortIndex port : lab.model.ports.indices())
      if (lab.far(port) != sim::kNone) sim::support_fdr10(lab.world.model, port);
  }

  /// True if the port has FDR10 enabled.
  bool is_on(sim::PortIndex port) const {
    const auto& raw = lab.model.ports[port].extras->raw;
    const auto found = raw.find({static_cast<std::uint16_t>(AttributeId::mlnx_ext_port_info), 0});
    return (MlnxExtPortInfo(std::span(found->second).first<mad::kAttributeBytes>())
                .link_speed_enabled() &
            MlnxExtPortInfo::kFdr10) != 0;
  }
  std::size_t ports_on() const {
    std::size_t count = 0;
    for (const sim::PortIndex port : lab.model.ports.indices())
      count += lab.far(port) != sim::kNone && is_on(port);
    return count;
  }
  std::size_t cabled_ports() const {
    std::size_t count = 0;
    for (const sim::PortIndex port : lab.model.ports.indices())
      count += lab.far(port) != sim::kNone;
    return count;
  }
  std::uint64_t requests(Method method) {
    return lab.sent(method, AttributeId::mlnx_ext_port_info);
  }
  /// Everything is read and compared again.
  void sweep() {
    lab.forget_counts();
    lab.heddle().reload(lab.options);
    lab.runtime.run_for(30s);
  }

  Solo lab;
};

TEST_F(Fdr10, IsEnabledOnceAtEveryPortThatSupportsIt) {
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  lab.settle();
  EXPECT_EQ(ports_on(), cabled_ports()) << lab.tail();
  EXPECT_EQ(requests(Method::get), cabled_ports());
  EXPECT_EQ(requests(Method::set), cabled_ports());
  EXPECT_TRUE(lab.says("FDR10 is enabled at 16 ports from the next training of their links on"))
      << lab.tail();
  EXPECT_EQ(lab.complaint(), "") << "no link is restarted for it";
  sweep();
  EXPECT_EQ(requests(Method::get) + requests(Method::set), 0u) << "it is known";

  // A device that restarts may have lost it.
  const sim::PortIndex host = lab.port(sim::NodeIndex{3});
  sim::support_fdr10(lab.world.model, host);
  lab.forget_counts();
  lab.reboot(lab.owning_node(host));
  ASSERT_TRUE(lab.settles()) << lab.tail();
  EXPECT_TRUE(is_on(host)) << lab.tail();
  EXPECT_EQ(requests(Method::set), 1u);
}

TEST_F(Fdr10, FollowsTheOption) {
  lab.options.fdr10 = 0;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(ports_on(), 0u);
  for (const std::uint8_t leave : {std::uint8_t{0}, std::uint8_t{255}}) {
    lab.options.fdr10 = leave;
    sweep();
    EXPECT_EQ(requests(Method::get) + requests(Method::set), 0u) << unsigned{leave};
  }
  lab.options.fdr10 = 1;
  sweep();
  EXPECT_EQ(ports_on(), cabled_ports()) << lab.tail();
  lab.options.fdr10 = 2;
  sweep();
  EXPECT_EQ(ports_on(), 0u) << lab.tail();
  EXPECT_EQ(lab.complaint(), "") << lab.tail();
}

TEST_F(Fdr10, OtherDevicesAreNotAsked) {
  for (sim::NodeModel& node : lab.model.nodes)
    node.info.set_device_id(node.is_switch() ? 0xD2F0 : 0x1021);
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(ports_on(), 0u);
  sweep();
  EXPECT_EQ(requests(Method::get), 0u);
}

TEST_F(Fdr10, DeviceThatRefusesOrIgnoresTheAttributeCostsOneRequest) {
  for (const bool silent : {false, true}) {
    SCOPED_TRACE(silent ? "no response" : "bad status");
    Solo other(topology::xgft({.children = {2, 2}, .parents = {1, 2}, .cables = {}}));
    for (sim::NodeModel& node : other.model.nodes) {
      node.info.set_device_id(node.is_switch() ? kSwitchX : kConnectX3);
      node.health.react = [silent](mad::SmpView smp, mad::PortNum) -> std::optional<sim::Reaction> {
        if (smp.attribute_id() != AttributeId::mlnx_ext_port_info) return std::nullopt;
        if (silent) return sim::Reaction{.status = std::nullopt};
        return sim::Reaction{.status = mad::status::kMethodAttributeUnsupported};
      };
    }
    other.start();
    ASSERT_TRUE(other.comes_up()) << other.tail();
    other.settle();
    EXPECT_FALSE(other.says("Errors during initialization")) << other.tail();
    const std::uint64_t asked = other.sent(Method::get, AttributeId::mlnx_ext_port_info);
    EXPECT_EQ(other.status().sweeps, 1u) << other.tail();
    EXPECT_EQ(asked, other.model.nodes.size() * (silent ? kAttempts : 1));
    other.forget_counts();
    other.heddle().reload(other.options);
    other.runtime.run_for(30s);
    EXPECT_EQ(other.sent(Method::get, AttributeId::mlnx_ext_port_info), 0u);
    EXPECT_EQ(other.complaint(), "") << other.tail();
  }
}

TEST_F(Fdr10, PortThatDoesNotTakeItIsSetOnceForEachTrainingOfItsLink) {
  const sim::PortIndex host = lab.port(sim::NodeIndex{3});
  lab.model.owning_node(host).health.edit_request = [](mad::SmpView smp) {
    if (smp.method() != Method::set || smp.attribute_id() != AttributeId::mlnx_ext_port_info)
      return;
    MlnxExtPortInfo info(smp.data());
    info.set_link_speed_enabled(0);
    smp.set_data(info.bytes());
  };
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  lab.settle();
  EXPECT_FALSE(is_on(host));
  EXPECT_EQ(ports_on(), cabled_ports() - 1);
  EXPECT_EQ(lab.heddle().count("does not take LinkSpeedEnabled 0x1 (FDR10)"), 1u) << lab.tail();
  sweep();
  EXPECT_EQ(requests(Method::set), 0u);
}

TEST(Fdr10OfHostsThatReorder, IsReadWithTheirSlMaskOnce) {
  laboratory::Adaptive adaptive;
  std::size_t hosts = 0, gets = 0, sets = 0;
  for (const sim::PortIndex port : adaptive.model.ports.indices()) {
    sim::NodeModel& node = adaptive.model.owning_node(port);
    if (node.is_switch() || adaptive.far(port) == sim::kNone) continue;
    ++hosts;
    node.info.set_device_id(kConnectX3);
    sim::support_fdr10(adaptive.world.model, port);
    node.health.edit_request = [&](mad::SmpView smp) {
      if (smp.attribute_id() != AttributeId::mlnx_ext_port_info) return;
      ++(smp.method() == Method::get ? gets : sets);
    };
  }
  ASSERT_TRUE(adaptive.start_and_settle()) << adaptive.tail();
  EXPECT_GT(adaptive.enabled(), 0u) << adaptive.tail();
  EXPECT_EQ(sets, 2 * hosts) << "OOOSLMask, and FDR10";
  adaptive.heddle().reload(adaptive.options);
  adaptive.runtime.run_for(30s);
  EXPECT_EQ(sets, 2 * hosts);
  EXPECT_EQ(gets, hosts) << "a Set of FDR10 leaves OOOSLMask known";
}

TEST(Fdr10Models, AreThoseOfOpenSM) {
  const auto asks = [](std::uint32_t vendor, std::uint16_t device) {
    mad::NodeInfo info;
    info.set_vendor_id(vendor);
    info.set_device_id(device);
    return sm::may_have_fdr10(info);
  };
  EXPECT_TRUE(asks(0x0002C9, 0x1003) && asks(0x0002C9, 0x1017) && asks(0x0002C9, 0xC73B) &&
              asks(0x0002C9, 0xCB20) && asks(0x119F, 0x1B02) && asks(0x119F, 0x1BD5));
  EXPECT_FALSE(asks(0x0002C9, 0x1002) || asks(0x0002C9, 0x1018) || asks(0x0002C9, 0xD2F0) ||
               asks(0x119F, 0x1003) || asks(0x0002C9, 0x1B02));
}

}  // namespace fdr10_test
