#include "sm/sweep/decide/many_memberships.h"

#include <gmock/gmock.h>

#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "support/fabrics.h"

namespace many_memberships_test {

using fabric::PortIndex;

struct ManyMemberships : testing::Test {
  ManyMemberships() {
    const fabric::NodeIndex sw = maker.sw(8);
    for (PortIndex& host : hosts) host = maker.host(sw);
    fabric = maker.build();
  }

  /// The first host is in `count` groups, as a receiver and as a sender in turn, the second in
  /// three.
  std::vector<fabric::Condition> conditions(unsigned count,
                                            const std::set<mad::Guid>& raised = {}) {
    std::vector<routing::MulticastGroup> groups;
    for (unsigned i = 0; i < std::max(count, 300u); ++i) {
      routing::MulticastGroup& group = groups.emplace_back();
      group.mlid = mad::Mlid{static_cast<std::uint16_t>(0xC000 + i)};
      if (i < count) (i % 2 == 0 ? group.receivers : group.senders).push_back(hosts[0]);
      if (i < 3) group.receivers.push_back(hosts[1]);
    }
    return sm::many_memberships(sm::busy_ports(groups, fabric), fabric, raised);
  }
  mad::Guid guid() const { return fabric.ports[hosts[0]].guid; }

  fabrics::Maker maker;
  fabric::Fabric fabric;
  PortIndex hosts[2];
};

TEST_F(ManyMemberships, AreRaisedAboveTheBound) {
  EXPECT_TRUE(conditions(sm::kMembershipsMany).empty());
  const auto raised = conditions(sm::kMembershipsMany + 1);
  ASSERT_EQ(raised.size(), 1u) << "the second host has three";
  EXPECT_EQ(raised[0].id, routing::kRoutingConditions.memberships_many);
  EXPECT_EQ(raised[0].guid, guid());
  EXPECT_THAT(raised[0].text, testing::AllOf(testing::HasSubstr(fabric.port_name(hosts[0])),
                                             testing::HasSubstr("more than 256 multicast groups")));
  EXPECT_EQ(conditions(1000), raised) << "its text has no number that changes";
}

TEST_F(ManyMemberships, EndBelowThreeQuartersOfTheBound) {
  const std::set<mad::Guid> raised{guid()};
  EXPECT_EQ(conditions(sm::kMembershipsFew, raised).size(), 1u);
  EXPECT_TRUE(conditions(sm::kMembershipsFew - 1, raised).empty());
  EXPECT_TRUE(conditions(sm::kMembershipsFew).empty()) << "it was not raised";
}

}  // namespace many_memberships_test
