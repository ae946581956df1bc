// How distributions start OpenSM: settings files, units, what the launcher prints.

#include "sm/ctl/opensm_service.h"

#include <fstream>

#include <gmock/gmock.h>

#include "sm/ctl/running_opensm.h"
#include "unit/sm/temporary_directory.h"

namespace opensm_service_test {

using sm::ctl::find_service;
using sm::ctl::launcher_ports;
using sm::ctl::shell_command;
using sm::ctl::shell_settings;
using sm::ctl::unread_settings;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ShellSettings, AreTheAssignmentsOfAFile) {
  EXPECT_THAT(shell_settings("# PORTS=1\nPORTS=ALL # all\n\n export GUIDS=\"0x1 0x2\"\nA='b c'\n"
                             "if [ x = y ]; then\nPRIORITY=\nPORTS=NONE"),
              ElementsAre(Pair("A", "b c"), Pair("GUIDS", "0x1 0x2"), Pair("PORTS", "NONE"),
                          Pair("PRIORITY", "")));
}

TEST(ShellSettings, ThoseThatTheLauncherDoesNotReadAreNamedWithWhatToDo) {
  const auto settings =
      shell_settings("GUIDS=0x1\nOSM_HOSTS=\"a b\"\nSWEEP=10\nDEBUG=\nOPTIONS='-p 5'\n");
  EXPECT_THAT(
      unread_settings("/etc/sysconfig/opensm", settings, {"GUIDS", "PRIORITY"}),
      ElementsAre(AllOf(HasSubstr("/etc/sysconfig/opensm: OPTIONS: "), HasSubstr("HEDDLE_OPTIONS")),
                  AllOf(HasSubstr("OSM_HOSTS"), HasSubstr("etcd")),
                  AllOf(HasSubstr("SWEEP"), HasSubstr("opensm.conf"))));
  EXPECT_THAT(unread_settings("f", settings, {"GUIDS", "OSM_HOSTS", "SWEEP", "OPTIONS"}),
              IsEmpty());
}

TEST(ServiceOf, IsTheUnitThatStopsAllOfThem) {
  EXPECT_EQ(find_service("opensm@0x0002c90300000001.service"), "opensm.service");
  EXPECT_EQ(find_service("opensm.service"), "opensm.service");
  EXPECT_EQ(find_service("opensmd.service"), "opensmd.service");
  EXPECT_EQ(find_service("ufm-enterprise.service"), "");
  EXPECT_EQ(find_service(""), "");
}

TEST(LauncherPorts, HaveTheirFlags) {
  EXPECT_THAT(
      launcher_ports("0x1\nheddle: something\n0x2 -F /etc/x -p 3\n"),
      ElementsAre(Pair("0x1", IsEmpty()), Pair("0x2", ElementsAre("-F", "/etc/x", "-p", "3"))));
}

TEST(ShellCommand, CanBePastedIntoAShell) {
  EXPECT_EQ(shell_command({"/usr/sbin/opensm", "-f", "it's a log", ""},
                          {{"OSM_CACHE_DIR", "/var/my cache"}}, "/tmp"),
            R"(cd /tmp && OSM_CACHE_DIR='/var/my cache' /usr/sbin/opensm -f 'it'\''s a log' '')");
}

TEST(RunningOpenSms, AreThoseOfProcThatAreNotHeddle) {
  const TemporaryDirectory proc;
  const auto process = [&](const char* pid, const std::string& cmdline, const char* exe,
                           const char* cgroup) {
    const auto shown = proc.path() / pid;
    std::filesystem::create_directories(shown);
    std::ofstream(shown / "cmdline", std::ios::binary) << cmdline;
    std::ofstream(shown / "cgroup") << cgroup;
    std::ofstream(shown / "environ", std::ios::binary)
        << std::string("A=b\0OSM_CACHE_DIR=/c\0", 21);
    std::filesystem::create_symlink(exe, shown / "exe");
  };
  using std::string_literals::operator""s;
  process("12", "/usr/sbin/opensm\0-g\0"s + "0x1\0"s, "/usr/sbin/opensm",
          "12:freezer:/\n1:name=systemd:/system.slice/opensm.service\n");
  process("7", "opensm\0"s, "/usr/sbin/opensm", "0::/user.slice/session-1.scope\n");
  process("8", "opensm\0"s, "/usr/sbin/heddle", "0::/system.slice/opensm.service\n");
  process("9", "bash\0opensm\0"s, "/bin/bash", "");
  const auto found = sm::ctl::running_opensms(proc.path());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].pid, 7);
  EXPECT_EQ(found[0].unit, "");
  EXPECT_EQ(found[1].unit, "opensm.service");
  EXPECT_EQ(found[1].cache, "/c");
  EXPECT_THAT(found[1].arguments, ElementsAre("/usr/sbin/opensm", "-g", "0x1"));
}

}  // namespace opensm_service_test
