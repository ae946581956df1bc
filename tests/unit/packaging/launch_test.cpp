// Which ports the launcher of the units chooses, by the files of several distributions.

#include <sys/wait.h>

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "unit/sm/temporary_directory.h"

namespace launch_test {

using testing::HasSubstr;
namespace fs = std::filesystem;

struct Ended {
  int code = 0;
  std::string text;  // standard output and error
};

/// A machine with two InfiniBand ports, 0x...01 and 0x...02, whose systemctl writes what it is
/// asked for into a file.
class Launch : public testing::Test {
 protected:
  Launch() {
    program("heddlectl", "printf '0x0002c90300000001\\n0x0002c90300000002\\n'");
    program("systemctl", "echo \"$@\" >> '" + (root_ / "systemctl.log").string() + "'");
  }

  void file(const std::string& name, const std::string& text) {
    const fs::path path = root_ / "etc" / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string path(const std::string& name) const { return (root_ / "etc" / name).string(); }
  Ended launch(const std::string& arguments) const {
    const std::string command =
        "LC_ALL=C PATH='" + (root_ / "bin").string() + "':$PATH HEDDLE_ETC='" +
        (root_ / "etc").string() + "' HEDDLE_RUN_DIR='" + (root_ / "run").string() +
        "' HEDDLE_UNITS_DIR='" + (root_ / "units").string() + "' HEDDLE_NETNS_MODE='" +
        path("netns_mode") + "' bash " LAUNCH_SCRIPT " " + arguments + " 2>&1";
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    Ended ended;
    for (int character = 0; (character = std::fgetc(pipe.get())) != EOF;)
      ended.text += static_cast<char>(character);
    const int status = pclose(pipe.release());
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ended;
  }
  std::string ports() const { return launch("ports").text; }
  std::string content(const std::string& name) const {
    std::ostringstream out;
    if (std::ifstream in(root_ / name); in) out << in.rdbuf();
    return std::move(out).str();
  }

 private:
  void program(const std::string& name, const std::string& body) {
    fs::create_directories(root_ / "bin");
    std::ofstream(root_ / "bin" / name) << "#!/bin/sh\n" << body << '\n';
    fs::permissions(root_ / "bin" / name, fs::perms::owner_all);
  }

  TemporaryDirectory directory_;
  fs::path root_ = directory_.path();
};

constexpr const char* kBoth = "0x0002c90300000001\n0x0002c90300000002\n";

TEST_F(Launch, WithoutAnyFileAllPorts) {
  EXPECT_EQ(ports(), kBoth);
  EXPECT_EQ(launch("wanted").code, 0);
  EXPECT_EQ(launch("hotplug-wanted").code, 1);
}

TEST_F(Launch, PortsAsDebiansOpenSmHasIt) {
  file("default/opensm", "# comment\nPORTS=\"0x2c90300000002\"\n");
  EXPECT_EQ(ports(), "0x0002c90300000002\n");
  file("default/opensm", "PORTS=ALL\n");
  EXPECT_EQ(ports(), kBoth);
  file("default/opensm", "PORTS=NONE\n");
  EXPECT_EQ(ports(), "");
  EXPECT_EQ(launch("wanted").code, 1);
}

TEST_F(Launch, OwnFileComesFirst) {
  file("default/opensm", "PORTS=NONE\n");
  file("default/heddle", "#PORTS=ALL\n");
  EXPECT_EQ(ports(), "") << "a comment says nothing";
  file("default/heddle", "PORTS=HOTPLUG\n");
  EXPECT_EQ(ports(), kBoth);
  EXPECT_EQ(launch("hotplug-wanted").code, 0);
}

TEST_F(Launch, GuidsAndPriorityAsRedHatsOpenSmHasThem) {
  file("sysconfig/opensm", "GUIDS=\"0x0002c90300000002 0x0002C90300000001\"\nPRIORITY=15\n");
  EXPECT_EQ(ports(),
            "0x0002c90300000002 --subnet_prefix 0xfe80000000000000 -p 15\n"
            "0x0002c90300000001 --subnet_prefix 0xfe80000000000001 -p 15\n");
  file("sysconfig/opensm", "GUIDS=0x0002c90300000002\n");
  file("rdma/opensm.conf", "sweep_interval 5\n");
  EXPECT_EQ(ports(), "0x0002c90300000002 -F " + path("rdma/opensm.conf") +
                         " --subnet_prefix 0xfe80000000000000\n");
}

TEST_F(Launch, ANumberedFileForEachPort) {
  file("rdma/opensm.conf.1", "# guid 0x5\nguid 0x0002c90300000002\n");
  file("rdma/opensm.conf.2", "sweep_interval 5\n");
  file("sysconfig/opensm", "PRIORITY=3\n");
  EXPECT_EQ(ports(), "0x0002c90300000002 -F " + path("rdma/opensm.conf.1") + " -p 3\n" +
                         "0x0002c90300000001 -F " + path("rdma/opensm.conf.2") + " -p 3\n");
}

/// Ansible (backup: yes), editors and packages leave copies beside a configuration.
TEST_F(Launch, CopiesOfAConfigurationStartNoManagerAndAreNamedInOneLine) {
  file("rdma/opensm.conf", "guid 0x0002c90300000001\n");
  const std::string plain = "0x0002c90300000001 -F " + path("rdma/opensm.conf") + "\n";
  std::string all;
  for (const std::string suffix :
       {"~", ".1.bak", ".1.dpkg-dist", ".1.dpkg-old", ".1.orig", ".1.rpmnew", ".1.rpmsave",
        ".1.swp", ".1~", ".2026-05-13", ".20260513", ".608318.2026-05-13@16:37:05~", ".bak",
        ".rpmsave"}) {
    file("rdma/opensm.conf" + suffix, "guid 0x0002c90300000002\n");
    EXPECT_EQ(ports(), plain) << suffix;
    all += ' ' + path("rdma/opensm.conf" + suffix);
  }
  const Ended ended = launch("start heddle");
  EXPECT_EQ(
      ended.text,
      "heddle: left out, since a port's configuration is opensm.conf.N with N from 0 to 999:" +
          all + "\nstarting heddle@0x0002c90300000001.service\n");
  file("rdma/opensm.conf.2", "guid 0x0002c90300000002\n");
  EXPECT_EQ(ports(), "0x0002c90300000002 -F " + path("rdma/opensm.conf.2") + "\n");
  file("default/heddle", "PORTS=0x0002c90300000001\n");
  EXPECT_EQ(launch("start heddle").text, "starting heddle@0x0002c90300000001.service\n")
      << "files that are not looked at are not named";
}

TEST_F(Launch, ThePortOfThePlainConfiguration) {
  file("opensm/opensm.conf", "guid 0x0002c90300000001\n");
  EXPECT_EQ(ports(), "0x0002c90300000001\n");
  file("opensm/opensm.conf", "guid 0x0000000000000000\n");
  EXPECT_EQ(ports(), kBoth);
  file("rdma/opensm.conf", "guid 0x2c90300000002\n");
  EXPECT_EQ(ports(), "0x0002c90300000002 -F " + path("rdma/opensm.conf") + "\n");
}

TEST_F(Launch, StartsAnInstanceForEachPortWithItsFlags) {
  file("sysconfig/opensm", "GUIDS=\"0x0002c90300000002\"\n");
  const Ended ended = launch("start heddle");
  EXPECT_EQ(ended.code, 0) << ended.text;
  EXPECT_EQ(content("systemctl.log"), "--no-block start heddle@0x0002c90300000002.service\n");
  EXPECT_EQ(content("run/0x0002c90300000002.env"),
            "INSTANCE_OPTIONS=\"--subnet_prefix 0xfe80000000000000\"\n");
  file("default/heddle", "PORTS=ALL\n");
  EXPECT_EQ(launch("start opensm").code, 0);
  EXPECT_THAT(content("systemctl.log"), HasSubstr("start opensm@0x0002c90300000001.service "
                                                  "opensm@0x0002c90300000002.service\n"));
  EXPECT_EQ(content("run/0x0002c90300000002.env"), "") << "not the flags of an earlier start";
}

TEST_F(Launch, WhereRdmaDevicesBelongToOneNamespaceTheUnitsStayInIt) {
  const std::string drop_in = "units/heddle@.service.d/50-rdma-netns.conf";
  file("default/heddle", "PORTS=0x2c90300000001\n");
  file("netns_mode", "N\n");
  ASSERT_EQ(launch("start heddle").code, 0);
  EXPECT_THAT(content(drop_in), HasSubstr("[Service]\nPrivateNetwork=no\n"));
  const std::string start = "--no-block start heddle@0x0002c90300000001.service\n";
  EXPECT_EQ(content("systemctl.log"), "daemon-reload\n" + start);
  launch("start heddle");
  EXPECT_EQ(content("systemctl.log"), "daemon-reload\n" + start + start) << "as it was";
  file("netns_mode", "Y\n");
  launch("start heddle");
  EXPECT_EQ(content(drop_in), "");
  EXPECT_EQ(content("systemctl.log"),
            "daemon-reload\n" + start + start + "daemon-reload\n" + start);
}

TEST_F(Launch, ManagersThatShareStateByPeersHaveTheNetwork) {
  const std::string start =
      "--no-block start heddle@0x0002c90300000001.service "
      "heddle@0x0002c90300000002.service\n";
  const auto drop_in = [&](char port) {
    return content(std::string("units/heddle@0x0002c9030000000") + port +
                   ".service.d/50-heddle-peers.conf");
  };
  const std::string network = "\n[Service]\nPrivateNetwork=no\nIPAddressDeny=\n";
  file("rdma/opensm.conf.1", "guid 0x0002c90300000001\nstate_store peers\nstate_peers sm-2\n");
  file("rdma/opensm.conf.2", "guid 0x0002c90300000002\n#state_store peers\nstate_store etcd\n");
  ASSERT_EQ(launch("start heddle").code, 0);
  EXPECT_THAT(drop_in('1'), HasSubstr(network));
  EXPECT_EQ(drop_in('2'), "") << "only those that need it";
  EXPECT_EQ(content("systemctl.log"), "daemon-reload\n" + start);
  file("rdma/opensm.conf.1", "guid 0x0002c90300000001\n");
  ASSERT_EQ(launch("start heddle").code, 0);
  EXPECT_EQ(drop_in('1'), "") << "no longer";
  EXPECT_EQ(content("systemctl.log"), "daemon-reload\n" + start + "daemon-reload\n" + start);
}

TEST_F(Launch, TheConfigurationThatTheFlagsNameDecidesAboutTheNetwork) {
  const std::string drop_in = "units/heddle@0x0002c90300000001.service.d/50-heddle-peers.conf";
  const auto has_network = [&] {
    EXPECT_EQ(launch("start heddle").code, 0);
    return !content(drop_in).empty();
  };
  file("opensm/opensm.conf", " state_store\tpeers   # both hosts\n");
  EXPECT_TRUE(has_network());
  file("site.yaml", "sm_priority: 5\nstate_store: files\n");
  file("default/heddle", "HEDDLE_OPTIONS=\"-p 5 --config " + path("site.yaml") + "\"\n");
  EXPECT_FALSE(has_network());
  file("site.yaml", "sm_priority: 5\nstate_store: \"peers\"\n");
  EXPECT_TRUE(has_network());
  file("default/heddle", "HEDDLE_OPTIONS=\"-F" + path("site.yaml") + " -p 5\"\n");
  file("opensm/opensm.conf", "state_store files\n");
  EXPECT_TRUE(has_network()) << "the file follows the flag without a blank";
  file("sysconfig/heddle", "HEDDLE_OPTIONS=\"\"\n");
  EXPECT_FALSE(has_network()) << "the later file empties the options";
  file("opensm/opensm.conf", "state_store peers\nstate_store files\n");
  EXPECT_FALSE(has_network()) << "the last line counts";
  file("opensm/opensm.conf", "state_store files\nstate_store peers\n");
  EXPECT_TRUE(has_network());
  file("rdma/opensm.conf", "state_store files\n");
  EXPECT_FALSE(has_network()) << "flags of the instance come last";
}

TEST_F(Launch, APortThatIsNotHereIsNamedAndTheOthersStart) {
  file("default/heddle", "PORTS=\"0x9 0x2c90300000001\"\n");
  const Ended ended = launch("start heddle");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.text, HasSubstr("no InfiniBand port with GUID 0x0000000000000009"));
  EXPECT_EQ(content("systemctl.log"), "--no-block start heddle@0x0002c90300000001.service\n");
}

TEST_F(Launch, MistakesAreNamedWithTheirFileAndNothingStarts) {
  const auto refused = [&](const std::string& name, const std::string& text,
                           const std::string& why) {
    file(name, text);
    const Ended ended = launch("start heddle");
    EXPECT_EQ(ended.code, 78) << ended.text;
    EXPECT_THAT(ended.text, HasSubstr(why));
    fs::remove(path(name));
  };
  refused("default/heddle", "PORTS=\"0x1 mlx5_0\"\n", "default/heddle: 'mlx5_0' is no port GUID");
  refused("sysconfig/opensm", "GUIDS=\"0x1\"\nPRIORITY=16\n", "PRIORITY '16' is no number");
  refused("default/opensm", "PORTS=\"0x1 0x01\"\n", "0x0000000000000001 is named twice");
  EXPECT_EQ(content("systemctl.log"), "");
}

}  // namespace launch_test
