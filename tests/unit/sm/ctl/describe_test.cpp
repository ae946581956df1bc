// Texts of heddlectl describe and events, from answers of the API.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sm/ctl/describe_text.h"

namespace describe_test {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

const Json kPort = Json::parse(R"({
"node_guid":"0x0002c90000000010","description":"n1 mlx5_0","port":1,"node_type":"CA",
"port_state":"Active","port_physical_state":"LinkUp","port_guid":"0x0002c90000000011","lid":5,
"lmc":0,"link_width_active":"4X","link_speed_active":"EDR","neighbor_mtu":4096,"operational_vls":8,
"degraded":true,"peer":{"node_guid":"0x10","description":"leaf-1","port":3},
"p_keys":["0xffff","0x8001"],"conditions":[],"loads":[],"load":null,
"counters":{"reading":"read","age_s":12,"resets":0,"saturated":[],
"totals":{"PortXmitData":700,"SymbolErrorCounter":0},"per_second":{"PortXmitData":2.5}}})");

TEST(Describe, APortIsOnOneScreen) {
  EXPECT_EQ(sm::ctl::port_text(kPort),
            "n1 mlx5_0 port 1 (0x0002c90000000010), CA\n"
            "  state           Active, LinkUp\n"
            "  linked to       leaf-1 port 3\n"
            "  rate            4X EDR (degraded)\n"
            "  MTU, VLs        4096 bytes, 8 data VLs\n"
            "  LID             5, LMC 0, port GUID 0x0002c90000000011\n"
            "  P_Keys          0xffff 0x8001\n"
            "  counters        read 12 s ago\n"
            "     counter       total  per second\n"
            "     PortXmitData  700    2.5\n");
}

TEST(Describe, APortWithoutALinkOrCountersSaysSo) {
  Json port = kPort;
  for (const char* const field : {"link_width_active", "peer", "lid"}) port.erase(field);
  port["port_state"] = "Down";
  port["port_physical_state"] = "Polling";
  port["isolated"] = true;
  port["counters"] = nullptr;
  port["counters_reason"] = "perfmgr is FALSE";
  EXPECT_EQ(sm::ctl::port_text(port),
            "n1 mlx5_0 port 1 (0x0002c90000000010), CA\n"
            "  state           Down, Polling, kept out of use\n"
            "  linked to       -\n"
            "  counters        not read: perfmgr is FALSE\n");
  port["counters"] = {{"age_s", 1}, {"totals", {{"LinkDownedCounter", 0}}}, {"per_second", {}}};
  EXPECT_THAT(sm::ctl::port_text(port), HasSubstr("read 1 s ago\n                  all are 0\n"));
}

TEST(Describe, WhatIsNotKnownOfASilentHostIsSaidSo) {
  Json port = kPort;
  for (const char* const field :
       {"link_width_active", "link_speed_active", "neighbor_mtu", "operational_vls"})
    port.erase(field);
  port["port_state"] = nullptr;
  port["port_physical_state"] = nullptr;
  port["counters"] = {{"reading", "silent"},
                      {"age_s", nullptr},
                      {"totals", Json::object()},
                      {"per_second", Json::object()}};
  EXPECT_EQ(sm::ctl::port_text(port),
            "n1 mlx5_0 port 1 (0x0002c90000000010), CA\n"
            "  state           state not known\n"
            "  linked to       leaf-1 port 3\n"
            "  rate            not known\n"
            "  MTU, VLs        not known\n"
            "  LID             5, LMC 0, port GUID 0x0002c90000000011\n"
            "  P_Keys          0xffff 0x8001\n"
            "  counters        not read: the port does not answer\n");
  port = kPort;
  port["neighbor_mtu"] = 0;
  port["counters"]["reading"] = "silent";
  EXPECT_THAT(sm::ctl::port_text(port),
              testing::AllOf(HasSubstr("MTU not known, 8 data VLs"),
                             HasSubstr("read 12 s ago; not since: the port does not answer\n")));
}

TEST(Describe, ASwitchHasItsPortsInATable) {
  Json up = kPort, down = kPort;
  for (const char* const field : {"link_width_active", "peer", "neighbor_mtu"}) down.erase(field);
  down["port"] = 2;
  down["port_state"] = "Down";
  down["port_physical_state"] = "Disabled";
  Json port0 = down;
  port0["port"] = 0;
  const Json node{
      {"node_guid", "0x0002c90200000010"},
      {"description", "leaf\t1"},
      {"node_type", "Switch"},
      {"system_image_guid", "0x1"},
      {"vendor_id", "0x0002c9"},
      {"device_id", "0xd2f0"},
      {"num_ports", 2},
      {"ports_up", 1},
      {"ports", {{{"port", 0}, {"lid", 12}, {"lmc", 0}}}},
      {"physical_ports", {port0, up, down}},
      {"loads", Json::array()},
      {"switch_info",
       {{"linear_fdb_cap", 49152}, {"linear_fdb_top", 40}, {"multicast_fdb_cap", 4096}}}};
  EXPECT_EQ(sm::ctl::node_text(node),
            "leaf?1 (0x0002c90200000010), Switch, 1 of 2 ports with a link\n"
            "  LID             12 (port 0)\n"
            "  device          vendor 0x0002c9, device 0xd2f0, system image 0x1\n"
            "  tables          LinearFDBCap 49152, LinearFDBTop 40, MulticastFDBCap 4096\n"
            "   port  state           rate               MTU   linked to\n"
            "   1     Active, LinkUp  4X EDR (degraded)  4096  leaf-1 port 3\n"
            "   2     Down, Disabled  -                  -     -\n");
}

TEST(Describe, APathHasRateAndMtuOfEachLink) {
  Json trace = Json::parse(R"({"dlid":7,"sl":1,"arrives":true,"detail":null,"hops":[
{"node_guid":"0x1","description":"n1","in_port":null,"out_port":1,"vl":0,
"link_width_active":"4X","link_speed_active":"EDR","neighbor_mtu":4096},
{"node_guid":"0x2","description":"leaf-1","in_port":3,"out_port":4,"vl":null,
"link_width_active":"4X","link_speed_active":"HDR","neighbor_mtu":2048},
{"node_guid":"0x3","description":"n2","in_port":1,"out_port":null,"vl":null}]})");
  const std::string hops =
      "  \"n1\" (0x1) out 1 on VL 0, 4X EDR, MTU 4096\n"
      "  \"leaf-1\" (0x2) in 3 out 4, 4X HDR, MTU 2048\n"
      "  \"n2\" (0x3) in 1\n";
  EXPECT_EQ(sm::ctl::path_text(trace), hops + "  LID 7 by 2 cables with SL 1\n");
  trace["arrives"] = false;
  trace["detail"] = "a loop";
  EXPECT_EQ(sm::ctl::path_text(trace), hops + "  LID 7 is not reached: a loop\n");
}

TEST(Describe, EventsAreOfEitherEnd) {
  const Json event =
      Json::parse(R"({"id":"1","time":"2026-11-24T10:03:11.123Z","severity":"warning",
"text":"link down","node_guid":"0x1","peer_node_guid":"0x2"})");
  EXPECT_EQ(sm::ctl::event_line(event, false), "10:03:11 warning   link down\n");
  EXPECT_EQ(sm::ctl::event_line(event, true), "2026-11-24 10:03:11 warning   link down\n");
  EXPECT_TRUE(sm::ctl::is_about(event, "0x1"));
  EXPECT_TRUE(sm::ctl::is_about(event, "0x2"));
  EXPECT_FALSE(sm::ctl::is_about(event, "0x3"));
}

}  // namespace describe_test
