#include "sim/umad/sysfs_tree.h"

#include <gtest/gtest.h>

namespace paths_test {

using sim::umad::classify;
using sim::umad::OurPath;

TEST(UmadPaths, DevicesAreFoundByNumber) {
  EXPECT_EQ(classify("/dev/infiniband/umad0").kind, OurPath::Kind::umad);
  EXPECT_EQ(classify("/dev/infiniband/umad12").number, 12u);
  EXPECT_EQ(classify("//dev//infiniband/./issm3").kind, OurPath::Kind::issm);
  EXPECT_EQ(classify("/dev/infiniband/issm3").number, 3u);
}

TEST(UmadPaths, OtherNamesInDirectoriesOfDevicesAreFiles) {
  for (const char* path :
       {"/dev/infiniband", "/dev/infiniband/", "/dev/infiniband/uverbs0", "/dev/infiniband/umad",
        "/dev/infiniband/umad1x", "/dev/infiniband/umad99999999999"})
    EXPECT_EQ(classify(path).kind, OurPath::Kind::sysfs) << path;
}

TEST(UmadPaths, SysfsPathsAreSimulated) {
  for (const char* path :
       {"/sys/class/infiniband", "/sys/class/infiniband/", "/sys/class/infiniband_mad/abi_version",
        "/sys/class/infiniband/x/ports/1/lid"})
    EXPECT_EQ(classify(path).kind, OurPath::Kind::sysfs) << path;
}

TEST(UmadPaths, OtherPathsAreNotSimulated) {
  for (const char* path :
       {"", "infiniband", "dev/infiniband/umad0", "/dev/infinibandits", "/sys/class/net",
        "/tmp/sys/class/infiniband", "/etc/infiniband-diags/x", "/dev", "/", "/sys/class/infini"})
    EXPECT_EQ(classify(path).kind, OurPath::Kind::none) << path;
  EXPECT_EQ(classify(nullptr).kind, OurPath::Kind::none);
}

TEST(UmadPaths, TidyPathsHaveOneForm) {
  EXPECT_EQ(sim::umad::tidy("//a///b/./c/"), "/a/b/c");
  EXPECT_EQ(sim::umad::tidy("/"), "/");
}

TEST(UmadPaths, PortFilesNameTheirPort) {
  const auto named = sim::umad::port_of("/sys/class/infiniband/ibsim0/ports/2/pkeys/17");
  ASSERT_TRUE(named.named);
  EXPECT_EQ(named.device, "ibsim0");
  EXPECT_EQ(named.port, 2u);
  EXPECT_EQ(named.file, "pkeys/17");
  EXPECT_TRUE(sim::umad::port_of("/sys/class/infiniband/ibsim0/ports/1").named);
  for (const char* path :
       {"/sys/class/infiniband/ibsim0", "/sys/class/infiniband/ibsim0/ports",
        "/sys/class/infiniband/ibsim0/ports/", "/sys/class/infiniband/ibsim0/ports/x/lid",
        "/sys/class/infiniband_mad/umad0/port"})
    EXPECT_FALSE(sim::umad::port_of(path).named) << path;
}

}  // namespace paths_test
