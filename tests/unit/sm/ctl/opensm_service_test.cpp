// How distributions start OpenSM: settings files, units, what the launcher prints.

#include "sm/ctl/opensm_service.h"

#include <gmock/gmock.h>

namespace opensm_service_test {

using sm::ctl::launcher_ports;
using sm::ctl::service_of;
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
  EXPECT_EQ(service_of("opensm@0x0002c90300000001.service"), "opensm.service");
  EXPECT_EQ(service_of("opensm.service"), "opensm.service");
  EXPECT_EQ(service_of("opensmd.service"), "opensmd.service");
  EXPECT_EQ(service_of("ufm-enterprise.service"), "");
  EXPECT_EQ(service_of(""), "");
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

}  // namespace opensm_service_test
