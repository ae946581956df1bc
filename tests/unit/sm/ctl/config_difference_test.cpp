// heddlectl diff-config: what differs, and how it is shown.
#include "sm/ctl/config_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options.h"
#include "config/schema.h"
#include "sm/ops/rows.h"

namespace sm::ctl {
namespace config_difference_test {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

Json rows(const config::Options& options,
          const std::map<std::string, std::string, std::less<>>& masters = {}) {
  return Json::parse(option_rows(options, masters).dump());
}

TEST(ConfigDifference, OptionsThatMustBeEqualAreCompared) {
  config::Options here, there;
  there.sm_priority = 3;
  there.cache_files_dir = "/elsewhere";
  EXPECT_TRUE(differing_options(rows(here), rows(there)).empty()) << "of one host";
  there.lmc = 2;
  there.m_key = 0x5ec2e7;
  const auto found = differing_options(rows(here), rows(there));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].key, "lmc");
  EXPECT_EQ(found[0].here, "0");
  EXPECT_EQ(found[0].there, "2");
  EXPECT_EQ(found[1].there, "MASKED");
  EXPECT_THAT(config_differences_text(found), HasSubstr("lmc"));
  Json without = rows(there);
  std::erase_if(without.get_ref<Json::array_t&>(),
                [](const Json& row) { return row.at("key") == "lmc"; });
  EXPECT_EQ(differing_options(rows(here), without).size(), 1u) << "of another version";
}

TEST(ConfigDifference, EqualValuesOfTheMasterAreExplained) {
  config::Options options;
  options.m_key = 0x5ec2e7;
  const auto found =
      options_of_master(rows(options, {{"m_key", "MASKED"},
                                       {"lmc", "1"},
                                       {"partition_config_file", options.partition_config_file}}));
  ASSERT_EQ(found.size(), 3u);
  const Json json = config_differences_json(found);
  for (const Json& row : json.at("differences")) {
    const std::string note = row.value("note", "");
    EXPECT_EQ(note, row.at("option") == "lmc"     ? ""
                    : row.at("option") == "m_key" ? "the secrets differ"
                                                  : "the contents of the files differ");
  }
  EXPECT_EQ(config_differences_text({}), "no option differs\n");
}

TEST(ConfigDifference, NothingIsComparedBeforeTheSharedStateHasTheMastersConfiguration) {
  const Json master{{"address", "192.0.2.7:6312"}, {"port_guid", "0x0000000000000002"}},
      third{{"address", "192.0.2.8:6312"}, {"port_guid", "0x0000000000000003"}};
  Json store{{"master", "0x0000000000000002"}, {"has_configuration", true}};
  store["peers"] = Json::array({master, third});
  Json subnet{{"state", "Standby"}, {"store", store}};
  for (const char* const name : {"", "192.0.2.7", "192.0.2.7:6312", "0x2"})
    EXPECT_EQ(why_not_compared(subnet, name), "") << name;
  for (const char* const name : {"192.0.2.8", "0x3"}) {
    EXPECT_TRUE(is_shared_manager(subnet, name));
    EXPECT_THAT(why_not_compared(subnet, name), HasSubstr("is not the master")) << name;
  }
  EXPECT_FALSE(is_shared_manager(subnet, "sm-2.json"));
  subnet["store"]["has_configuration"] = false;
  EXPECT_THAT(why_not_compared(subnet, ""), HasSubstr("does not have the master's configuration"));
  subnet["state"] = "Master";
  EXPECT_THAT(why_not_compared(subnet, ""), HasSubstr("only a standby"));
  EXPECT_THAT(why_not_compared({{"state", "Standby"}}, ""), HasSubstr("only a standby"));
  EXPECT_FALSE(is_shared_manager({{"state", "Standby"}}, "192.0.2.7"));
}

/// Two managers of a subnet have different ones of these.
TEST(ConfigDifference, OptionsOfOneHostAreMarkedInTheTableOfKeys) {
  for (const config::Key& key : config::keys()) {
    const bool is_local = key.name.starts_with("etcd_") || key.name.starts_with("state_") ||
                          key.name.starts_with("log_") || key.name.ends_with("_files_dir");
    EXPECT_TRUE(key.is_of_host || !is_local) << key.name;
  }
  EXPECT_TRUE(config::find_key("guid")->is_of_host);
  for (const char* name : {"guid_routing_order_file", "routing_engine", "subnet_prefix", "m_key",
                           "partition_config_file", "qos_policy_file", "key_mgr_seed"}) {
    ASSERT_NE(config::find_key(name), nullptr) << name;
    EXPECT_FALSE(config::find_key(name)->is_of_host) << name;
  }
}

}  // namespace config_difference_test
}  // namespace sm::ctl
