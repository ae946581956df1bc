// Adaptive routing with devices that do not answer, answer wrongly once, or refuse.

#include <gtest/gtest.h>

#include "hardware/adaptive_lab.h"
#include "mad/attributes/vendor.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace adaptive_faults_test {

using laboratory::Adaptive;
using mad::AttributeId;
using mad::Method;
using namespace std::chrono_literals;

/// The SLs whose packets the host's port takes in any order.
std::uint16_t accepted_sls(const Adaptive& lab, sim::NodeIndex host) {
  const auto& extras = lab.model.ports[lab.port(host)].extras;
  if (!extras) return 0;
  const auto found =
      extras->raw.find({static_cast<std::uint16_t>(AttributeId::mlnx_ext_port_info), 0});
  if (found == extras->raw.end()) return 0;
  return mad::MlnxExtPortInfo(std::span(found->second).first<mad::kAttributeBytes>()).ooo_sl_mask();
}

/// Counts the switches that choose freely for packets to the host.
std::size_t choosing(Adaptive& lab, sim::NodeIndex host) {
  const std::uint16_t lid = lab.info(lab.port(host)).lid().value;
  std::size_t count = 0;
  for (const sim::NodeIndex sw : lab.switches()) {
    if (!lab.ar_info(sw).enable()) continue;
    const auto entry = lab.device(sw).entry_in_use(lid);
    count += entry && entry->state == mad::ArLidState::free;
  }
  return count;
}

/// Says which host that is Active would drop packets, as they overtake others; "" if none.
std::string drops_by_order(Adaptive& lab) {
  for (const sim::NodeIndex node : lab.model.nodes.indices())
    if (!lab.model.nodes[node].is_switch() && lab.is_host(lab.port(node)) &&
        choosing(lab, node) > 0 && accepted_sls(lab, node) != 0xFFFF)
      return lab.model.nodes[node].description;
  return "";
}

/// Ignores requests for this attribute.
void ignore(sim::NodeModel& node, AttributeId attribute) {
  node.health.ignored_attribute = static_cast<std::uint16_t>(attribute);
  node.health.ignored_probability = 1;
}

TEST(AdaptiveFaults, SwitchesChooseOnlyForHostsThatAcceptPacketsInAnyOrder) {
  Adaptive lab;
  std::string first;
  std::size_t answers = 0;
  for (sim::NodeModel& node : lab.world.model.nodes)
    node.health.edit_response = [&](mad::SmpView smp) {
      if (smp.method() != Method::get_resp || ++answers % 5 != 0) return;
      if (first.empty()) first = drops_by_order(lab);
    };
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(first, "");
  const sim::NodeIndex host = lab.model.find("H5");
  EXPECT_GT(choosing(lab, host), 0u) << lab.tail();
  lab.reboot(host);
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  EXPECT_EQ(accepted_sls(lab, host), 0xFFFF);
  EXPECT_EQ(first, "") << "when it came back";
  lab.options.routing_engine = {"updn"};
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(30s);
  EXPECT_EQ(first, "") << "the CA is set last, when packets keep their order";
  EXPECT_EQ(lab.enabled(), 0u);
}

TEST(AdaptiveFaults, AHostThatDoesNotAnswerGetsPacketsInOrderAndIsAskedAgain) {
  for (const AttributeId attribute : {AttributeId::mlnx_ext_port_info, AttributeId::general_info}) {
    SCOPED_TRACE(mad::name(attribute));
    Adaptive lab;
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    const sim::NodeIndex host = lab.model.find("H5");
    ASSERT_GT(choosing(lab, host), 0u);
    ignore(lab.world.model.nodes[host], attribute);
    lab.reboot(host);
    ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    EXPECT_EQ(choosing(lab, host), 0u) << lab.tail();
    EXPECT_EQ(drops_by_order(lab), "");
    EXPECT_EQ(lab.raised(sm::kAdaptiveConditions.adaptive_routing_refused), 1u) << lab.tail();
    lab.world.model.nodes[host].health.ignored_probability = 0;
    lab.runtime.run_for(1min);  // nothing else happens: a light sweep comes upon it
    EXPECT_EQ(accepted_sls(lab, host), 0xFFFF) << lab.tail();
    EXPECT_GT(choosing(lab, host), 0u) << lab.tail();
    EXPECT_EQ(lab.raised(sm::kAdaptiveConditions.adaptive_routing_refused), 0u);
    // One that never answers costs less and less.
    ignore(lab.world.model.nodes[host], attribute);
    lab.reboot(host);
    ASSERT_TRUE(lab.settles()) << lab.tail();
    lab.runtime.run_for(10min);
    lab.forget_counts();
    lab.runtime.run_for(1h);
    EXPECT_LE(lab.sent(Method::get, attribute), 6u * 12u) << "in an hour";
  }
}

/// While tables are read back, or written.
TEST(AdaptiveFaults, OneFalseAnswerIsNotForEver) {
  for (const Method method : {Method::get, Method::set}) {
    for (const AttributeId attribute :
         {AttributeId::ar_group_table, AttributeId::ar_linear_forwarding_table}) {
      SCOPED_TRACE(fmt::format("{} {}", static_cast<int>(method), mad::name(attribute)));
      Adaptive lab;
      bool is_false = false;
      for (const sim::NodeIndex sw : lab.switches()) {
        lab.world.model.nodes[sw].health.edit_request = [&, method, attribute](mad::SmpView smp) {
          is_false = smp.method() == method && smp.attribute_id() == attribute;
        };
        lab.world.model.nodes[sw].health.edit_response = [&,
                                                          done = false](mad::SmpView smp) mutable {
          if (!is_false || std::exchange(done, true)) return;
          smp.data()[20] ^= 0x10;
        };
      }
      ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
      lab.runtime.run_for(2min);
      EXPECT_EQ(lab.enabled(), lab.switches().size()) << lab.tail();
      EXPECT_EQ(lab.raised(sm::kAdaptiveConditions.adaptive_routing_mismatch), 0u);
      lab.expect_all_arrive();
    }
  }
}

/// Says where an adaptive entry has another static port than the forwarding table; "" if nowhere.
std::string other_static_port(Adaptive& lab) {
  for (const sim::NodeIndex sw : lab.switches()) {
    if (!lab.ar_info(sw).enable()) continue;
    for (std::uint16_t lid = 1; lid < 48; ++lid) {
      const auto entry = lab.device(sw).entry_in_use(lid);
      const auto& lft = lab.model.nodes[sw].sw->lft;
      if (!entry || lid >= lft.size() || lft[lid] == 0xFF) continue;
      if (entry->static_port.value != lft[lid])
        return fmt::format("{} LID {}: {}, not {}", lab.model.nodes[sw].description, lid,
                           entry->static_port.value, lft[lid]);
    }
  }
  return "";
}

/// A switch whose ARInfo is lost holds its tables, but does not choose yet, while they change.
TEST(AdaptiveFaults, StaticPortsFollowTheForwardingTableBeforeASwitchBegins) {
  Adaptive lab;
  const sim::PortIndex away = lab.port(lab.model.find("H15")), its_switch_port = lab.far(away);
  lab.world.cut(away);
  const sim::NodeIndex sw = lab.leaf_of(4);
  lab.device(sw).faults.refusals.push_back(
      {.attribute = static_cast<std::uint16_t>(AttributeId::adaptive_routing_info),
       .sets_only = true});
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_FALSE(lab.ar_info(sw).enable());
  const sim::PortIndex up = lab.uplink(lab.leaf_of(0));
  lab.world.cut(up);
  lab.world.connect(away, its_switch_port);
  ASSERT_TRUE(lab.settles()) << lab.tail();
  lab.device(sw).faults.refusals.clear();
  lab.runtime.run_for(3min);
  EXPECT_EQ(lab.enabled(), lab.switches().size()) << lab.tail();
  EXPECT_EQ(other_static_port(lab), "");
}

/// Groups of the other switches, when a cable returns beside a switch that refuses something.
TEST(AdaptiveFaults, GroupsBesideASwitchThatRefusesGetBackTheirPorts) {
  for (const AttributeId attribute :
       {AttributeId::general_info, AttributeId::adaptive_routing_info, AttributeId::ar_group_table,
        AttributeId::ar_linear_forwarding_table, AttributeId::linear_forwarding_table}) {
    for (const bool is_silent : {false, true}) {
      for (const bool from_the_start : {true, false}) {
        SCOPED_TRACE(fmt::format("{} {} {}", mad::name(attribute), is_silent, from_the_start));
        Adaptive lab;
        const auto refuse = [&] {
          lab.world.model.nodes[lab.leaf_of(4)].health.react =
              [=](mad::SmpView smp, mad::PortNum) -> std::optional<sim::Reaction> {
            if (smp.attribute_id() != attribute || smp.method() != Method::set) return std::nullopt;
            if (is_silent) return sim::Reaction{.status = std::nullopt};
            return sim::Reaction{.status = mad::status::kInvalidValue};
          };
        };
        if (from_the_start && attribute != AttributeId::linear_forwarding_table) refuse();
        ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
        refuse();
        const sim::PortIndex up = lab.uplink(lab.leaf_of(0)), other_end = lab.far(up);
        lab.world.cut(up);
        lab.runtime.run_for(10s);
        lab.world.connect(up, other_end);
        lab.runtime.run_for(30s);
        // The leaf chooses again among both ways up to a host that is not at the one that refuses.
        const std::uint16_t lid = lab.info(lab.port(lab.model.find("H15"))).lid().value;
        const sim::ArSwitch& leaf = lab.device(lab.leaf_of(0));
        const auto entry = leaf.entry_in_use(lid);
        ASSERT_TRUE(entry);
        unsigned members = 0;
        bool has_static = false;
        leaf.for_each_member(entry->group, 0, [&](std::uint8_t port) {
          ++members;
          has_static = has_static || port == entry->static_port.value;
        });
        EXPECT_EQ(members, 2u) << lab.tail();
        EXPECT_TRUE(has_static);
      }
    }
  }
}

/// A switch that refuses forwarding tables goes on as before: that concerns groups of which packets
/// could come back to it, and no others.
TEST(AdaptiveFaults, ACableThatReturnsIsUsedAlthoughASwitchRefusesTables) {
  for (const bool is_silent : {false, true}) {
    SCOPED_TRACE(is_silent);
    Adaptive lab;
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    const sim::PortIndex up = lab.uplink(lab.leaf_of(0)), up_end = lab.far(up);
    const sim::PortIndex other = lab.uplink(lab.leaf_of(12)), other_end = lab.far(other);
    lab.world.cut(other);
    ASSERT_TRUE(lab.settles()) << lab.tail();
    lab.world.model.nodes[lab.leaf_of(2)].health.react =
        [=](mad::SmpView smp, mad::PortNum) -> std::optional<sim::Reaction> {
      if (smp.attribute_id() != AttributeId::linear_forwarding_table || smp.method() != Method::set)
        return std::nullopt;
      if (is_silent) return sim::Reaction{.status = std::nullopt};
      return sim::Reaction{.status = mad::status::kInvalidValue};
    };
    lab.world.cut(up);
    lab.runtime.run_for(10s);
    lab.world.connect(other, other_end);
    lab.runtime.run_for(30s);
    const std::uint16_t lid = lab.info(lab.port(lab.model.find("H8"))).lid().value;
    const sim::ArSwitch& leaf = lab.device(lab.leaf_of(12));
    const auto entry = leaf.entry_in_use(lid);
    ASSERT_TRUE(entry);
    unsigned members = 0;
    leaf.for_each_member(entry->group, 0, [&](std::uint8_t) { ++members; });
    EXPECT_EQ(members, 2u) << lab.tail();
    lab.watch();
    lab.world.model.nodes[lab.leaf_of(2)].health.react = {};
    lab.world.connect(up, up_end);
    lab.runtime.run_for(1min);
    EXPECT_EQ(lab.loops, 0u) << lab.first;
    lab.expect_all_arrive();
  }
}

}  // namespace adaptive_faults_test
