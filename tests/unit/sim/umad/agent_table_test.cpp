#include "sim/umad/agent_table.h"

#include <gtest/gtest.h>

namespace agent_table_test {

using sim::umad::Agent;
using sim::umad::AgentTable;
using sim::umad::Registration;

Registration methods(std::uint8_t mgmt_class, std::uint64_t mask) {
  return {.qpn = mgmt_class == 0x81 || mgmt_class == 0x01 ? 0u : 1u,
          .mgmt_class = mgmt_class,
          .class_version = 1,
          .methods = {mask, 0}};
}

std::array<std::uint8_t, 256> request(std::uint8_t mgmt_class, std::uint8_t version,
                                      std::uint8_t method, std::uint32_t oui = 0) {
  std::array<std::uint8_t, 256> mad{};
  mad[0] = 1;
  mad[1] = mgmt_class;
  mad[2] = version;
  mad[3] = method;
  mad[37] = static_cast<std::uint8_t>(oui >> 16);
  mad[38] = static_cast<std::uint8_t>(oui >> 8);
  mad[39] = static_cast<std::uint8_t>(oui);
  return mad;
}

TEST(UmadAgents, RequestsGoToClassVersionAndMethod) {
  AgentTable table;
  Agent* smp = *table.add(methods(0x81, 1u << 1), nullptr, 0);
  Agent* traps = *table.add(methods(0x81, 1u << 5), nullptr, 1);
  EXPECT_EQ(table.for_request(request(0x81, 1, 1)), smp);
  EXPECT_EQ(table.for_request(request(0x81, 1, 5)), traps);
  EXPECT_EQ(table.for_request(request(0x81, 2, 1)), nullptr);
  EXPECT_EQ(table.for_request(request(0x81, 1, 2)), nullptr);
  EXPECT_EQ(table.for_request(request(0x01, 1, 1)), nullptr);
}

TEST(UmadAgents, VendorsAreDistinguishedByOui) {
  AgentTable table;
  Registration ours = methods(0x32, 1u << 1);
  ours.oui = 0x001405;
  Registration theirs = ours;
  theirs.oui = 0x0002C9;
  Agent* first = *table.add(ours, nullptr, 0);
  Agent* second = *table.add(theirs, nullptr, 1);
  EXPECT_EQ(table.for_request(request(0x32, 1, 1, 0x001405)), first);
  EXPECT_EQ(table.for_request(request(0x32, 1, 1, 0x0002C9)), second);
  EXPECT_EQ(table.for_request(request(0x32, 1, 1, 0x123456)), nullptr);
}

TEST(UmadAgents, AMethodHasOneOwner) {
  AgentTable table;
  const Agent* owner = *table.add(methods(0x04, 0b0110), nullptr, 0);
  EXPECT_EQ(table.add(methods(0x04, 0b0010), nullptr, 1).error(), EINVAL);
  EXPECT_TRUE(table.add(methods(0x04, 0), nullptr, 1).has_value())
      << "an agent without methods conflicts with none";
  table.remove(*owner);
  EXPECT_TRUE(table.add(methods(0x04, 0b0010), nullptr, 0).has_value());
}

TEST(UmadAgents, InvalidRegistrationsAreRefused) {
  AgentTable table;
  Registration bad = methods(0x81, 0);
  bad.qpn = 1;
  EXPECT_FALSE(table.add(bad, nullptr, 0).has_value()) << "SMPs are for QP 0";
  bad = methods(0x04, 0);
  bad.qpn = 0;
  EXPECT_FALSE(table.add(bad, nullptr, 0).has_value());
  bad.qpn = 2;
  EXPECT_FALSE(table.add(bad, nullptr, 0).has_value());
  bad = methods(0x04, 0);
  bad.rmpp_version = 1;
  EXPECT_FALSE(table.add(bad, nullptr, 0).has_value()) << "no RMPP in this class";
  bad = methods(0x03, 0);
  bad.rmpp_version = 2;
  EXPECT_FALSE(table.add(bad, nullptr, 0).has_value());
  EXPECT_FALSE(table.add(methods(0x30, 0), nullptr, 0).has_value()) << "a vendor without OUI";
  EXPECT_FALSE(table.add(methods(0x60, 0), nullptr, 0).has_value());
}

TEST(UmadAgents, KeysAreNotReusedAtOnceAndNeverTheReservedOne) {
  AgentTable table;
  std::uint16_t before = 0;
  for (int i = 0; i < 70'000; ++i) {
    const Agent* agent = *table.add(methods(0x04, 0), nullptr, 0);
    ASSERT_NE(agent->key, before);
    ASSERT_NE(agent->key, 0);
    ASSERT_NE(agent->key, AgentTable::kOwnKey);
    before = agent->key;
    table.remove(*agent);
  }
}

}  // namespace agent_table_test
