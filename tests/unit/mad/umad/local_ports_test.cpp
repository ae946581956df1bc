#include "mad/umad/local_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "mad/format.h"
#include "support/scratch.h"
#include "unit/mad/umad/fake_umad.h"

namespace local_ports_test {

using fake_umad::kernel;
using mad::umad::choose_port;
using mad::umad::list_local_ports;
using mad::umad::LocalPort;
using testing::HasSubstr;

std::vector<LocalPort> list_ports(std::vector<fake_umad::Port> ports) {
  kernel().reset();
  kernel().ports = std::move(ports);
  return list_local_ports();
}

TEST(LocalPorts, AreListedByDeviceAndNumber) {
  const auto ports = list_ports(
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
  const auto ports = list_ports({{.device = "a", .guid = 0x11}, {.device = "b", .guid = 0x12}});
  EXPECT_EQ(choose_port(ports, mad::Guid{0x12})->device, "b");
}

TEST(ChoosePort, WithoutGuidTheFirstInfiniBandPortWhoseLinkIsUp) {
  EXPECT_EQ(choose_port(list_ports({{.device = "eth", .guid = 1, .link_layer = "Ethernet"},
                                    {.device = "down", .guid = 2, .state = 1},
                                    {.device = "init", .guid = 3, .state = 2},
                                    {.device = "up", .guid = 4}}),
                        std::nullopt)
                ->device,
            "init");
  EXPECT_EQ(choose_port(list_ports({{.device = "down", .guid = 2, .state = 1},
                                    {.device = "down2", .guid = 3, .state = 1}}),
                        std::nullopt)
                ->device,
            "down");
}

TEST(ChoosePort, ListsThePortsWhenNoneMatches) {
  const auto ports = list_ports({{.device = "mlx5_0", .guid = 0x11},
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
      list_ports({{.device = "roce0", .guid = 0x22, .link_layer = "Ethernet"}}), std::nullopt);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(),
              HasSubstr("No local ports detected! None of these is InfiniBand:\n  roce0"));
}

/// In a network namespace without RDMA devices sysfs shows none, and umad devices are still there.
TEST(LocalPorts, ExclusiveNetworkNamespacesAreNamedWhereNoPortIsSeen) {
  const std::filesystem::path path =
      support::parent_of_scratch() / fmt::format("heddle-netns-mode-{}", ::getpid());
  const std::string file = path.string();
  EXPECT_FALSE(mad::umad::are_namespaces_exclusive(file)) << "older kernels have no such file";
  std::ofstream(file) << "Y\n";
  EXPECT_FALSE(mad::umad::are_namespaces_exclusive(file));
  std::ofstream(file) << "N\n";
  EXPECT_TRUE(mad::umad::are_namespaces_exclusive(file));
  std::filesystem::remove(path);
  EXPECT_EQ(mad::umad::no_ports_text(false), mad::umad::kNoPortsText);
  EXPECT_THAT(mad::umad::no_ports_text(true), HasSubstr("`rdma system` is exclusive"));
}

constexpr std::uint32_t kSmDisabled = 0x400;

TEST(ChoosePort, OfTwoDevicesWithOneGuidTheOneWithASubnetManagementInterface) {
  const auto ports = list_ports({{.device = "a_gsi", .guid = 0x11, .capability_mask = kSmDisabled},
                                 {.device = "b_smi", .guid = 0x11},
                                 {.device = "c_vf", .guid = 0x12, .capability_mask = kSmDisabled}});
  EXPECT_EQ(choose_port(ports, mad::Guid{0x11})->device, "b_smi");
  EXPECT_EQ(choose_port(ports, std::nullopt)->device, "b_smi");
}

TEST(ChoosePort, AFunctionWithoutQp0IsNamedAsSuch) {
  const auto ports = list_ports({{.device = "vf0", .guid = 0x12, .capability_mask = kSmDisabled}});
  for (const auto wanted : {std::optional<mad::Guid>(), std::optional(mad::Guid{0x12})}) {
    const auto chosen = choose_port(ports, wanted);
    ASSERT_FALSE(chosen);
    EXPECT_THAT(chosen.error(), HasSubstr("no subnet manager can run there (IsSMdisabled: a "
                                          "virtual function"));
  }
}

TEST(ChoosePort, OmniPathIsNotChosenUnlessItIsNamed) {
  const auto ports = list_ports(
      {{.device = "hfi1_0", .guid = 0x21}, {.device = "mlx5_0", .guid = 0x22, .state = 1}});
  EXPECT_EQ(choose_port(ports, std::nullopt)->device, "mlx5_0");
  EXPECT_EQ(choose_port(ports, mad::Guid{0x21})->device, "hfi1_0");
  const auto none = choose_port(list_ports({{.device = "opap3s0", .guid = 0x21}}), std::nullopt);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(), HasSubstr("opap3s0 port 1, GUID 0x0000000000000021, Omni-Path"));
}

TEST(ChoosePort, ANodeGuidIsNamedAsSuch) {
  const auto chosen = choose_port(
      list_ports({{.device = "mlx5_0", .guid = 0x11, .node_guid = 0x10}}), mad::Guid{0x10});
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error(),
            "no local port has GUID 0x0000000000000010, which is the NodeGUID of mlx5_0; there "
            "are:\n  mlx5_0 port 1, GUID 0x0000000000000011, Active");
}

TEST(LocalPorts, DevicesForQp1ArePairedWithThoseForQp0) {
  auto ports = list_ports({{.device = "smi", .number = 1, .guid = 0x11},
                           {.device = "smi", .number = 2, .guid = 0x12},
                           {.device = "whole", .number = 1, .guid = 0x21}});
  mad::umad::pair_ports(
      ports, std::vector<mad::umad::DevicePair>{
                 {.smi_device = "whole", .gsi_device = "whole"},
                 {.smi_device = "smi", .gsi_device = "gsi", .smi_number = 1, .gsi_number = 3}});
  std::vector<std::string> devices;
  for (const LocalPort& port : ports)
    devices.push_back(port.gsi_device + " " + std::to_string(port.gsi_number));
  EXPECT_THAT(devices, testing::ElementsAre("gsi 3", "gsi 2", " 0"));
}

TEST(LocalPorts, ThePortBehindAllVirtualFunctionsIsListedAndChosen) {
  for (const unsigned functions : {70u, 127u, 128u, 300u}) {
    std::vector<fake_umad::Port> ports;
    ports.reserve(functions + 1);
    for (unsigned i = 0; i < functions; ++i)
      ports.push_back(
          {.device = fmt::format("a{}", i), .guid = 0x100 + i, .capability_mask = kSmDisabled});
    ports.push_back({.device = "mlx5_99", .guid = 0x11});
    const auto listed = list_ports(std::move(ports));
    EXPECT_EQ(listed.size(), functions + 1);
    EXPECT_EQ(choose_port(listed, std::nullopt).value_or(LocalPort{}).device, "mlx5_99");
    EXPECT_EQ(choose_port(listed, mad::Guid{0x11}).value_or(LocalPort{}).device, "mlx5_99");
  }
}

TEST(LocalPorts, ADeviceBeyondThoseThatLibibumadOpensIsNamed) {
  const auto devices =
      support::parent_of_scratch() / fmt::format("heddle-umad-devices-{}", ::getpid());
  for (const unsigned index : {63u, 64u}) {
    const auto directory = devices / fmt::format("umad{}", index);
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "ibdev") << "mlx5_" << index << '\n';
    std::ofstream(directory / "port") << "1\n";
  }
  EXPECT_THAT(mad::umad::opening_hint(EINVAL, "mlx5_64", 1, devices),
              HasSubstr("it is /dev/infiniband/umad64, and libibumad opens umad0 to umad63"));
  EXPECT_EQ(mad::umad::opening_hint(EINVAL, "mlx5_63", 1, devices),
            mad::umad::refusal_hint(EINVAL));
  std::filesystem::remove_all(devices);
  EXPECT_EQ(mad::umad::opening_hint(EINVAL, "mlx5_64", 1, devices),
            mad::umad::refusal_hint(EINVAL));
}

TEST(ChoosePort, APortWithGuid0IsNotChosenAndNamedAsSuch) {
  const auto ports = list_ports({{.device = "a_vf"}, {.device = "mlx5_0", .guid = 0x11}});
  EXPECT_EQ(choose_port(ports, std::nullopt).value_or(LocalPort{}).device, "mlx5_0");
  EXPECT_FALSE(ports[0].is_manageable());
  EXPECT_THAT(ports[0].text(), HasSubstr("Active; no subnet manager can run there (its port GUID "
                                         "is 0: the device is not configured"));
  EXPECT_FALSE(choose_port(ports, mad::Guid{}));
  const auto none = choose_port(list_ports({{.device = "a_vf"}}), std::nullopt);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(), HasSubstr("None of these is for a subnet manager"));
  EXPECT_THAT(none.error(), HasSubstr("its port GUID is 0"));
}

TEST(LocalPorts, NoDeviceIsAnEmptyList) { EXPECT_TRUE(list_ports({}).empty()); }

}  // namespace local_ports_test
