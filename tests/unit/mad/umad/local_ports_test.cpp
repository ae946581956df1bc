#include "mad/umad/local_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/mad/umad/fake_umad.h"

namespace local_ports_test {

using fake_umad::kernel;
using mad::umad::choose_port;
using mad::umad::list_local_ports;
using mad::umad::LocalPort;
using testing::HasSubstr;

std::vector<LocalPort> ports_of(std::vector<fake_umad::Port> ports) {
  kernel().reset();
  kernel().ports = std::move(ports);
  return list_local_ports();
}

TEST(LocalPorts, AreListedByDeviceAndNumber) {
  const auto ports = ports_of(
      {{.device = "mlx5_0", .number = 1, .guid = 0x11, .state = 1},
       {.device = "mlx5_0", .number = 2, .guid = 0x12, .state = 2},
       {.device = "mlx5_1", .number = 1, .guid = 0x21, .state = 4, .link_layer = "Ethernet"},
       {.device = "mthca0", .number = 1, .guid = 0x31, .state = 4, .link_layer = "IB"},
       {.device = "old0", .number = 1, .guid = 0x41, .state = 9, .link_layer = ""}});
  std::vector<std::string> texts;
  for (const LocalPort& port : ports) texts.push_back(port.text());
  EXPECT_THAT(texts, testing::ElementsAre("mlx5_0 port 1, GUID 0x0000000000000011, Down",
                                          "mlx5_0 port 2, GUID 0x0000000000000012, Init",
                                          "mlx5_1 port 1, GUID 0x0000000000000021, not InfiniBand",
                                          "mthca0 port 1, GUID 0x0000000000000031, Active",
                                          "old0 port 1, GUID 0x0000000000000041, unknown state"));
}

TEST(ChoosePort, ByGuid) {
  const auto ports = ports_of({{.device = "a", .guid = 0x11}, {.device = "b", .guid = 0x12}});
  EXPECT_EQ(choose_port(ports, mad::Guid{0x12})->device, "b");
}

TEST(ChoosePort, WithoutGuidTheFirstInfiniBandPortWhoseLinkIsUp) {
  EXPECT_EQ(choose_port(ports_of({{.device = "eth", .guid = 1, .link_layer = "Ethernet"},
                                  {.device = "down", .guid = 2, .state = 1},
                                  {.device = "init", .guid = 3, .state = 2},
                                  {.device = "up", .guid = 4}}),
                        std::nullopt)
                ->device,
            "init");
  EXPECT_EQ(choose_port(ports_of({{.device = "down", .guid = 2, .state = 1},
                                  {.device = "down2", .guid = 3, .state = 1}}),
                        std::nullopt)
                ->device,
            "down");
}

TEST(ChoosePort, ListsThePortsWhenNoneMatches) {
  const auto ports = ports_of({{.device = "mlx5_0", .guid = 0x11},
                               {.device = "roce0", .guid = 0x22, .link_layer = "Ethernet"}});
  const auto unknown = choose_port(ports, mad::Guid{0x99});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(),
            "no local port has GUID 0x0000000000000099; there are:\n  mlx5_0 port 1, GUID "
            "0x0000000000000011, Active\n"
            "  roce0 port 1, GUID 0x0000000000000022, not InfiniBand");
  const auto ethernet = choose_port(ports, mad::Guid{0x22});
  ASSERT_FALSE(ethernet);
  EXPECT_THAT(ethernet.error(), HasSubstr("is not an InfiniBand link"));

  EXPECT_EQ(choose_port({}, std::nullopt).error(), mad::umad::kNoPortsText);
  EXPECT_EQ(choose_port({}, mad::Guid{0x99}).error(),
            "no local port has GUID 0x0000000000000099; this machine has no ports");
  const auto none = choose_port(
      ports_of({{.device = "roce0", .guid = 0x22, .link_layer = "Ethernet"}}), std::nullopt);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(),
              HasSubstr("No local ports detected! None of these is InfiniBand:\n  roce0"));
}

TEST(LocalPorts, NoDeviceIsAnEmptyList) { EXPECT_TRUE(ports_of({}).empty()); }

}  // namespace local_ports_test
