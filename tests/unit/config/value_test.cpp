#include "config/value.h"

#include <gmock/gmock.h>
#include <array>

#include "config/nearest.h"
#include "option_samples.h"

namespace config {
namespace value_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Schema, NamesAreUniqueAndFindable) {
  for (const Key& key : keys()) EXPECT_EQ(find_key(key.name), &key) << key.name;
  for (const Key& key : keys()) EXPECT_FALSE(is_foreign_key(key.name)) << key.name;
}

TEST(Schema, EveryFlagSetsAKeyThatExists) {
  for (const Flag& flag : flags()) {
    if (!flag.key.empty()) {
      EXPECT_NE(find_key(flag.key), nullptr) << flag.name;
    }
    if (flag.action == FlagAction::set) {
      EXPECT_NE(flag.argument.empty(), flag.fixed.empty()) << flag.name;
    }
  }
}

TEST(Schema, EveryDefaultIsLegal) {
  for (const Key& key : keys()) {
    Options options;
    for (const std::string& line : value_lines(key, Options{}))
      EXPECT_FALSE(assign(key, line, options)) << key.name;
  }
  EXPECT_THAT(differences(Options{}, Options{}), IsEmpty());
}

TEST(Schema, AllChangedDiffersInEveryKey) {
  EXPECT_EQ(differences(Options{}, all_changed()).size(), keys().size());
}

TEST(Schema, ForeignKeysAreFoundByBinarySearch) {
  for (const char* name : {"hbf_seed", "adaptive_timeout_sl_mask", "verbose_bypass_policy_file",
                           "nvl_anything", "hm_ca_reboot_action", "max_rate_enum"}) {
    EXPECT_TRUE(is_foreign_key(name)) << name;
  }
  EXPECT_FALSE(is_foreign_key("lmc"));
}

TEST(Schema, NearestKey) {
  EXPECT_EQ(nearest_key("swep_interval"), "sweep_interval");
  EXPECT_EQ(nearest_key("SM_PRIORITY"), "sm_priority");
  EXPECT_EQ(nearest_key("virt_enable"), "virt_enabled");
  EXPECT_EQ(nearest("conditons", std::array<std::string_view, 2>{"counters", "conditions"}),
            "conditions");
  EXPECT_EQ(nearest("x", {}), std::nullopt);
  EXPECT_EQ(nearest_key("lcm"), std::nullopt) << "a key of three letters in another order";
  EXPECT_EQ(nearest_key("foo"), std::nullopt);
  EXPECT_EQ(nearest_key(""), std::nullopt);
  EXPECT_EQ(nearest_key(std::string(100000, 'x')), std::nullopt);
}

TEST(Number, Bases) {
  EXPECT_EQ(parse_number("0x1F").value(), 31U);
  EXPECT_EQ(parse_number("017").value(), 15U);
  EXPECT_EQ(parse_number("+17").value(), 17U);
  EXPECT_EQ(parse_number("0").value(), 0U);
  EXPECT_EQ(parse_number("fe80", 16).value(), 0xfe80U);
  EXPECT_EQ(parse_number("0xfe80", 16).value(), 0xfe80U);
  for (const char* wrong :
       {"", "+", "-1", "0x", "08", "1 ", "1a", "++1", "0x+1", "99999999999999999999z"})
    EXPECT_FALSE(parse_number(wrong)) << wrong;
  EXPECT_EQ(parse_number("18446744073709551616").error(), NumberFault::too_large);
}

TEST(Split, KeepsEmptyPartsButNotAnEmptyList) {
  EXPECT_THAT(split(" a, b,,c ", ","), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(split("  ", ","), IsEmpty());
}

TEST(Diagnostic, Text) {
  EXPECT_EQ((Diagnostic{Severity::error, "f", 3, 7, "x is y", "write z"}).text(),
            "f:3:7: error: x is y; write z");
  EXPECT_EQ((Diagnostic{Severity::warning, "f", 0, 0, "x is y", ""}).text(), "f: warning: x is y");
  EXPECT_EQ((Diagnostic{Severity::error, "", 0, 0, "x", ""}).text(), "error: x");
  EXPECT_EQ(in_quotes("a\x1b[0m\n"), "'a\\x1b[0m\\x0a'");
}

TEST(ShownValue, OfASecretIsItsDefaultOrMasked) {
  const Options changed = all_changed();
  std::size_t secrets = 0;
  for (const Key& key : keys()) {
    EXPECT_EQ(shown_value(key, Options{}), value_text(key, Options{})) << key.name;
    EXPECT_EQ(shown_value(key, changed) == kMasked, key.is_secret) << key.name;
    secrets += key.is_secret ? 1 : 0;
  }
  EXPECT_EQ(secrets, 7u) << "m_key, sm_key, sa_key, cc_key, key_mgr_seed, etcd_user, "
                            "event_plugin_options";
  Options options;
  options.etcd_endpoints = {"http://a:b@h:1", "http://h:2"};
  EXPECT_EQ(shown_value(*find_key("etcd_endpoints"), options), "http://MASKED@h:1,http://h:2");
}

}  // namespace value_test
}  // namespace config
