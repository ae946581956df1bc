#include "config/option_files.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "config/schema.h"
#include "option_samples.h"
#include "support/seeds.h"

namespace config {
namespace dump_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Options reread(const std::string& text, decltype(&parse_yaml) parse) {
  Options options;
  Diagnostics found;
  parse({"file", text}, options, found);
  EXPECT_FALSE(has_errors(found)) << testing::PrintToString(texts(found));
  return options;
}

TEST(Dump, RoundTripOfDefaultsAndOfAllKeysChanged) {
  for (const Options& options : {Options{}, all_changed()}) {
    EXPECT_THAT(differences(options, reread(dump_opensm_conf(options).value(), parse_opensm_conf)),
                IsEmpty());
    EXPECT_THAT(differences(options, reread(dump_yaml(options), parse_yaml)), IsEmpty());
  }
}

TEST(Dump, RoundTripOfRandomOptions) {
  seeds::for_each(300, [&](std::uint64_t seed) {
    const Options options = random_options(seed, Reader::heddle);
    const auto conf = dump_opensm_conf(options);
    ASSERT_TRUE(conf) << testing::PrintToString(texts(conf.error()));
    ASSERT_THAT(differences(options, reread(*conf, parse_opensm_conf)), IsEmpty());
    ASSERT_THAT(differences(options, reread(dump_yaml(options), parse_yaml)), IsEmpty());
  });
}

TEST(Dump, HasEveryKeyOnceAndAComment) {
  const std::string text = dump_opensm_conf(Options{}).value();
  std::istringstream lines(text);
  std::multiset<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') names.insert(line.substr(0, line.find(' ')));
  }
  for (const Key& key : keys()) {
    EXPECT_EQ(names.count(std::string(key.name)), key.in_opensm && !key.default_counts ? 1U : 0U)
        << key.name;
    EXPECT_THAT(text, HasSubstr(key.help));
  }
  EXPECT_THAT(text, HasSubstr("# CA and router ports get 2^lmc LIDs each\n# Value: a number in "
                              "0..7\n# Default: 0\nlmc 0\n\n"));
  EXPECT_THAT(text, HasSubstr("\n# max_wire_smps_per_device 4\n"));
}

TEST(Dump, ValuesThatOpensmConfCannotExpress) {
  Options options;
  options.log_prefix = "a#b";
  options.log_file = "a\nb";
  const auto text = dump_opensm_conf(options);
  ASSERT_FALSE(text);
  EXPECT_THAT(texts(text.error()),
              ElementsAre("error: log_file 'a\\x0ab' cannot be written in opensm.conf; write the "
                          "configuration as YAML (a name that ends in .yaml)",
                          "error: log_prefix 'a#b' cannot be written in opensm.conf; write the "
                          "configuration as YAML (a name that ends in .yaml)"));
  EXPECT_THAT(differences(options, reread(dump_yaml(options), parse_yaml)), IsEmpty());
}

TEST(Dump, OthersAreShownNoSecret) {
  Options options = all_changed();
  options.m_key = 0x5ec7e71;
  options.sa_key = 0x5ec7e72;
  options.etcd_user = "5ec7e73";
  options.etcd_endpoints = {"http://admin:5ec7e74@127.0.0.1:1"};
  const std::string text = dump_opensm_conf(options, Readers::others).value();
  EXPECT_EQ(text.find("5ec7e7"), std::string::npos);
  for (const Key& key : keys()) {
    if (key.is_secret) {
      EXPECT_THAT(text, HasSubstr("\n" + std::string(key.name) + " MASKED\n"));
    }
  }
  EXPECT_THAT(text, HasSubstr("\netcd_endpoints http://MASKED@127.0.0.1:1\n"));
  EXPECT_THAT(dump_opensm_conf(Options{}, Readers::others).value(),
              HasSubstr("\nsm_key 0x0000000000000001\n"))
      << "the default is no secret";
  options.etcd_user = "5ec7e7#";
  for (const Readers readers : {Readers::owner, Readers::others}) {
    const auto refused = dump_opensm_conf(options, readers);
    if (!refused) {
      EXPECT_EQ(testing::PrintToString(texts(refused.error())).find("5ec7e7"), std::string::npos);
    }
  }
}

TEST(Dump, TheFileNameSelectsTheFormat) {
  EXPECT_THAT(dump_for("x.yaml", Options{}).value(), HasSubstr("\nlmc: 0\n"));
  EXPECT_THAT(dump_for("x.yml", Options{}).value(), HasSubstr("\ndaemon: false\n"));
  EXPECT_THAT(dump_for("x.conf", Options{}).value(), HasSubstr("\nlmc 0\n"));
}

}  // namespace dump_test
}  // namespace config
