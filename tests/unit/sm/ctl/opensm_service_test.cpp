// How distributions start OpenSM: settings files, units, what the launcher prints.

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sm/ctl/running_opensm.h"
#include "unit/sm/temporary_directory.h"

namespace opensm_service_test {

namespace fs = std::filesystem;
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
                  AllOf(HasSubstr("OSM_HOSTS"), HasSubstr("state_store peers")),
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

/// A /proc, and programs, of our own.
class Processes : public testing::Test {
 protected:
  struct Shown {
    std::string cmdline, users = "0 0 0 0", cgroup = "0::/user.slice/session-1.scope\n";
    fs::path exe;
  };

  void SetUp() override {
    for (const char* const name : {"opensm", "heddle", "bash"}) {
      write_text(dir_ / name, "");
      fs::permissions(dir_ / name, fs::perms{0755});
    }
    own_ = fmt::format("{0} {0} {0} {0}", geteuid());
  }
  /// Adds a process; an empty `exe` is one that may not be read.
  void add(const char* pid, const Shown& process) {
    const fs::path shown = dir_ / "proc" / pid;
    fs::create_directories(shown);
    write_text(shown / "cmdline", process.cmdline);
    write_text(shown / "cgroup", process.cgroup);
    write_text(shown / "status", "Name:\tx\nUmask:\t0022\nUid:\t" + process.users + "\nGid:\t0\n");
    write_text(shown / "environ", std::string("A=b\0OSM_CACHE_DIR=/c\0", 21));
    fs::create_symlink("/srv", shown / "cwd");
    if (!process.exe.empty()) fs::create_symlink(process.exe, shown / "exe");
  }
  sm::ctl::RunningProcesses opensms() const {
    return sm::ctl::running_opensms(dir_ / "proc", geteuid());
  }
  std::string why() const {
    const auto found = opensms();
    EXPECT_THAT(found.trusted, IsEmpty());
    return found.refused.size() == 1 ? found.refused[0].text : "";
  }

  TemporaryDirectory dir_;
  std::string own_;
};

using std::string_literals::operator""s;

TEST_F(Processes, AreFoundByTheirProgram) {
  const fs::path opensm = dir_ / "opensm";
  add("12", {.cmdline = "/usr/sbin/opensm\0-g\0"s + "0x1\0"s,
             .users = own_,
             .cgroup = "12:freezer:/\n1:name=systemd:/system.slice/opensm.service\n",
             .exe = opensm});
  add("7", {.cmdline = "opensm\0"s, .users = own_, .exe = opensm});
  add("8", {.cmdline = "opensm\0"s, .users = own_, .exe = dir_ / "heddle"});
  add("9", {.cmdline = "opensm\0-F\0/tmp/mine\0"s, .users = own_, .exe = dir_ / "bash"});
  add("10", {.cmdline = "bash\0opensm\0"s, .users = own_, .exe = dir_ / "bash"});
  const auto found = opensms();
  EXPECT_THAT(found.refused, IsEmpty());
  ASSERT_EQ(found.trusted.size(), 2u);
  EXPECT_EQ(found.trusted[0].pid, 7);
  EXPECT_EQ(found.trusted[0].unit, "");
  EXPECT_EQ(found.trusted[0].directory, "/srv");
  EXPECT_EQ(found.trusted[1].unit, "opensm.service");
  EXPECT_EQ(found.trusted[1].cache, "/c");
  EXPECT_THAT(found.trusted[1].arguments, ElementsAre(opensm.string(), "-g", "0x1"))
      << "started again by the path of the program";
  const auto heddles = sm::ctl::running_heddles(dir_ / "proc", geteuid());
  ASSERT_EQ(heddles.trusted.size(), 1u);
  EXPECT_EQ(heddles.trusted[0].pid, 8);
}

TEST_F(Processes, OfAnotherUserAreRefused) {
  add("12", {.cmdline = "opensm\0"s,
             .users = fmt::format("{} 0 0 0", geteuid() + 1),
             .exe = dir_ / "opensm"});
  EXPECT_THAT(why(), AllOf(HasSubstr("process 12 is not taken for the opensm"),
                           HasSubstr(fmt::format("runs as user {}", geteuid() + 1))))
      << "the real user of a set-uid program";
}

TEST_F(Processes, WithAProgramThatOthersCanChangeAreRefused) {
  fs::permissions(dir_ / "opensm", fs::perms{0777});
  add("12", {.cmdline = "opensm\0"s, .users = own_, .exe = dir_ / "opensm"});
  EXPECT_THAT(why(), HasSubstr("its program can be written by others"));
  fs::permissions(dir_ / "opensm", fs::perms{0755});
  EXPECT_EQ(opensms().trusted.size(), 1u);
  fs::permissions(dir_.path(), fs::perms{0777});
  EXPECT_THAT(why(), HasSubstr(dir_.path().string() + " can be written by others"));
  fs::permissions(dir_.path(), fs::perms{0700});
}

TEST_F(Processes, WhoseProgramMayNotBeReadAreRefusedByTheirName) {
  add("12", {.cmdline = "/usr/sbin/opensm\0"s, .exe = {}});
  EXPECT_THAT(why(), HasSubstr("its program cannot be read; run heddlectl as root"));
}

TEST(Distrust, NeedsUsersAndProgramOfRootOrTheCaller) {
  constexpr uid_t kCaller = 1000, kOther = 1001;
  using Users = sm::ctl::ProcessFacts::Users;
  const config::FileAccess good{0, S_IFREG | 0755};
  const auto distrust = [](std::optional<Users> users, std::optional<config::FileAccess> program) {
    return sm::ctl::distrust({users, program}, kCaller);
  };
  EXPECT_EQ(distrust(Users{0, 0}, good), "");
  EXPECT_EQ(distrust(Users{kCaller, kCaller}, config::FileAccess{kCaller, S_IFREG | 0700}), "");
  EXPECT_THAT(distrust(Users{kOther, 0}, good), HasSubstr("user 1001"));
  EXPECT_THAT(distrust(Users{0, kOther}, good), HasSubstr("user 1001"));
  EXPECT_THAT(distrust(Users{0, 0}, config::FileAccess{kOther, S_IFREG | 0755}),
              HasSubstr("its program belongs to user 1001"));
  EXPECT_THAT(distrust(Users{0, 0}, config::FileAccess{0, S_IFREG | 0775}), HasSubstr("mode 0775"));
  EXPECT_NE(distrust(std::nullopt, good), "");
  EXPECT_NE(distrust(Users{0, 0}, std::nullopt), "");
}

}  // namespace opensm_service_test
