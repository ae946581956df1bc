// Relative names of files, for a process that leaves its directory.
#include <gtest/gtest.h>

#include "config/reload.h"

namespace absolute_paths_test {

TEST(AbsolutePaths, RelativeNamesAreBelowTheBase) {
  config::Options options;
  options.root_guid_file = "roots";
  options.torus_config = "../torus.conf";
  options.cache_files_dir = "cache/";
  options.http_users_file = "users";
  options.pid_file = "run/heddle.pid";
  options.node_name_map_name = "names";
  options.log_file = "heddle.log";
  options.state_tls_ca = "ca.pem";
  config::make_paths_absolute(options, "/srv/ib");
  EXPECT_EQ(options.root_guid_file, "/srv/ib/roots");
  EXPECT_EQ(options.torus_config, "/srv/torus.conf");
  EXPECT_EQ(options.cache_files_dir, "/srv/ib/cache/");
  EXPECT_EQ(options.http_users_file, "/srv/ib/users");
  EXPECT_EQ(options.pid_file, "/srv/ib/run/heddle.pid");
  EXPECT_EQ(options.node_name_map_name, "/srv/ib/names");
  EXPECT_EQ(options.log_file, "/srv/ib/heddle.log");
  EXPECT_EQ(options.state_tls_ca, "/srv/ib/ca.pem");
}

TEST(AbsolutePaths, OthersStay) {
  const config::Options before;
  config::Options options;
  options.log_file = "stdout";
  config::make_paths_absolute(options, "/srv/ib");
  EXPECT_EQ(options.log_file, "stdout");
  EXPECT_EQ(options.partition_config_file, before.partition_config_file);
  EXPECT_EQ(options.dump_files_dir, before.dump_files_dir);
  EXPECT_EQ(options.subnet_lst_file, before.subnet_lst_file) << "a name in dump_files_dir";
  EXPECT_EQ(options.root_guid_file, "");
  EXPECT_EQ(options.etcd_prefix, before.etcd_prefix);
}

}  // namespace absolute_paths_test
