// Each of several ports in one process has resources of its own.

#include <array>

#include <gtest/gtest.h>

#include "sm/daemon/instance.h"
#include "unit/sm/temporary_directory.h"

namespace instance_test {

constexpr mad::Guid kOne{0x2c90300a1b2c1}, kTwo{0x2c90300a1b2c2};
constexpr std::array kBoth{kOne, kTwo};

config::Options two_ports() {
  config::Options options;
  options.guid = {kOne.value, kTwo.value};
  options.log_file = "/var/log/opensm.log";
  options.cache_files_dir = "/var/cache/opensm";
  options.dump_files_dir = "/var/log/";
  return options;
}

TEST(OptionsFor, ASinglePortHasTheFilesOfOpenSm) {
  config::Options options = two_ports();
  options.guid = {};
  options.subnet_prefix = 0xfec0000000000001;
  const config::Options own = sm::options_for(options, kOne, false);
  EXPECT_EQ(own.guid, config::GuidList{kOne.value});
  EXPECT_EQ(own.log_file, "/var/log/opensm.log");
  EXPECT_EQ(own.cache_files_dir, "/var/cache/opensm");
  EXPECT_EQ(own.dump_files_dir, "/var/log/");
  EXPECT_EQ(own.subnet_prefix, 0xfec0000000000001);
}

TEST(OptionsFor, NoFileThatIsWrittenBelongsToTwoPorts) {
  config::Options options = two_ports();
  options.sa_db_file = "/var/log/opensm-sa.dump";
  const config::Options one = sm::options_for(options, kOne, true);
  EXPECT_EQ(one.log_file, "/var/log/opensm.0x0002c90300a1b2c1.log") << "as Debian's opensm@";
  EXPECT_EQ(one.cache_files_dir, "/var/cache/opensm/0x0002c90300a1b2c1");
  EXPECT_EQ(one.dump_files_dir, "/var/log/0x0002c90300a1b2c1");
  EXPECT_EQ(one.sa_db_file, "/var/log/0x0002c90300a1b2c1/opensm-sa.dump") << "where it is dumped";
  EXPECT_EQ(one.subnet_lst_file, "opensm-subnet.lst") << "in dump_files_dir";
  options.subnet_lst_file = "/run/links.lst";
  const config::Options two = sm::options_for(options, kTwo, true);
  EXPECT_EQ(two.subnet_lst_file, "/run/0x0002c90300a1b2c2/links.lst");
  EXPECT_NE(one.log_file, two.log_file);
}

TEST(OptionsFor, StandardStreamsAreShared) {
  config::Options options = two_ports();
  for (const char* stream : {"stdout", "stderr", "-"}) {
    options.log_file = stream;
    EXPECT_TRUE(sm::logs_to_stream(options));
    EXPECT_EQ(sm::options_for(options, kTwo, true).log_file, stream);
  }
}

TEST(OptionsFor, PrefixesAreInTheOrderOfTheGuids) {
  config::Options options = two_ports();
  EXPECT_EQ(sm::options_for(options, kTwo, true).subnet_prefix, 0xfe80000000000000);
  options.subnet_prefix.values = {0xfe80000000000000, 0xfe80000000000001};
  EXPECT_EQ(sm::options_for(options, kOne, true).subnet_prefix, 0xfe80000000000000);
  EXPECT_EQ(sm::options_for(options, kTwo, true).subnet_prefix, 0xfe80000000000001);
}

TEST(OptionsBesideOthers, TheSecondPortHasItsFilesInDirectoriesOfItsOwn) {
  const TemporaryDirectory dir;
  config::Options options;
  options.log_file = dir / "opensm.log";
  options.cache_files_dir = dir / "cache";
  options.dump_files_dir = dir / "dumps";
  options.subnet_lst_file = dir / "links.lst";
  options.sa_db_file = dir / "dumps/opensm-sa.dump";
  const config::Options one = sm::options_beside_others(options, kOne, kBoth);
  EXPECT_EQ(one.cache_files_dir, options.cache_files_dir);
  EXPECT_EQ(one.dump_files_dir, options.dump_files_dir);
  EXPECT_EQ(one.subnet_lst_file, options.subnet_lst_file);
  const config::Options two = sm::options_beside_others(options, kTwo, kBoth);
  EXPECT_EQ(two.cache_files_dir, dir / "cache/0x0002c90300a1b2c2");
  EXPECT_EQ(two.dump_files_dir, dir / "dumps/0x0002c90300a1b2c2");
  EXPECT_EQ(two.subnet_lst_file, dir / "0x0002c90300a1b2c2/links.lst");
  EXPECT_EQ(two.sa_db_file, dir / "dumps/0x0002c90300a1b2c2/opensm-sa.dump");
  EXPECT_EQ(two.log_file, options.log_file);
  options.sa_db_file = dir / "of_another_sm";
  EXPECT_EQ(sm::options_beside_others(options, kTwo, kBoth).sa_db_file, options.sa_db_file)
      << "where an administrator has put it";
}

TEST(MakeDirectories, CreatesBothOrSaysWhichNot) {
  const TemporaryDirectory dir;
  config::Options options;
  options.cache_files_dir = dir / "a/b";
  options.dump_files_dir = dir / "c/d";
  EXPECT_TRUE(sm::make_directories(options));
  EXPECT_TRUE(std::filesystem::is_directory(dir / "a/b"));
  EXPECT_TRUE(std::filesystem::is_directory(dir / "c/d"));
  write_text(dir / "file", "");
  options.dump_files_dir = dir / "file/d";
  EXPECT_EQ(sm::make_directories(options).error(),
            "cannot create directory " + options.dump_files_dir + ": Not a directory");
}

}  // namespace instance_test
