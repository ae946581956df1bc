// What a support bundle leaves out: secrets, wherever they stand, and nothing else.

#include "sm/ctl/secrets.h"

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include "config/schema.h"

namespace sm::ctl {
namespace secrets_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::string yaml(const std::string& text, const Secrets& secrets = {}) {
  const auto masked = secrets.masked_yaml(text);
  return masked ? *masked : "left out: " + masked.error();
}

TEST(Secrets, NamesAreThoseOfTheSchemaInAnyNotation) {
  for (const char* name : {"m_key", "M_Key", "MKey", "sm_key", "smkey", "--smkey", "sa_key",
                           "cc_key", "etcd_user", "key_mgr_seed"})
    EXPECT_TRUE(config::is_name_of_secret(name)) << name;
  for (const char* name : {"", "P_Key", "Q_Key", "m_key_lease_period", "m_key_lookup", "key",
                           "state_store_key_file", "etcd_password_file", "guid"})
    EXPECT_FALSE(config::is_name_of_secret(name)) << name;
}

TEST(Secrets, ValuesInOpensmConfAreMasked) {
  const Secrets none;
  EXPECT_EQ(none.masked_conf("m_key 0x1122334455667788\n"), "m_key MASKED\n");
  EXPECT_EQ(none.masked_conf("  sm_key\t12345 # old\n"), "  sm_key\tMASKED # old\n");
  EXPECT_EQ(none.masked_conf("M_KEY = 0x12\n"), "M_KEY = MASKED\n") << "a mistake";
  EXPECT_EQ(none.masked_conf("sa_kye 0xbad\n"), "sa_kye MASKED\n") << "misspelled";
  EXPECT_EQ(none.masked_conf("m_key 0xnot hex\n"), "m_key MASKED\n");
  EXPECT_EQ(none.masked_conf("etcd_user root"), "etcd_user MASKED");
  EXPECT_EQ(none.masked_conf("#m_key 0x1234\n# was: sm_key = 77\n"),
            "#m_key MASKED\n# was: sm_key = MASKED\n");
  EXPECT_EQ(none.masked_conf("etcd_endpoints http://u:p@h:1,https://v@h:2\n"),
            "etcd_endpoints http://MASKED@h:1,https://MASKED@h:2\n");
}

TEST(Secrets, WhatIsNoSecretStays) {
  const Secrets none;
  for (const char* const text :
       {"m_key 0x0000000000000000\nsm_key 0x0000000000000001\n",
        "# M_Key set on every end port\n# Value: a number up to 16 digits\n",
        "m_key_lease_period 60\nm_key_protection_level 2\nm_key_lookup TRUE\n",
        "partition_config_file /etc/opensm/partitions.conf\nsubnet_prefix 0xfe80000000000000\n",
        "etcd_password_file /etc/heddle/password\nstate_store_key_file /etc/heddle/key\n",
        "Default=0x7fff, ipoib, q_key=0x0b1b : ALL=full ;\n"})
    EXPECT_EQ(none.masked_conf(text), text);
  for (const char* const text :
       {"M_Key unknown: \"n1\" (0x0002c90300000001), route 0,1, protection level 2: set m_key\n",
        "wrong M_Key: \"n1\" (0x0002c90300000001) port 1 received SubnSet(PortInfo) from LID 4\n",
        "the subnet manager at \"n2\" has another SM_Key; it is treated as absent\n",
        "etcd: wrong password: authentication failed\n", "M_Key added by guid2mkey\n",
        "the password is read from /etc/heddle/password\n", "P_Key 0x8001 of port 12345678\n",
        "https://etcd.example:2379/path@2\n", "a line without an end"})
    EXPECT_EQ(none.masked_text(text), text);
}

TEST(Secrets, ValuesInLogsAndCommandLinesAreMasked) {
  const Secrets none;
  EXPECT_EQ(none.masked_text("SubnSet with M_Key 0x1234, port 5\n"),
            "SubnSet with M_Key MASKED, port 5\n");
  EXPECT_EQ(none.masked_text(" SM Key <0xabcdef>\n"), " SM Key <MASKED>\n");
  EXPECT_EQ(none.masked_text("{\"sm_key\": \"0x77\", \"password\": \"a b\", \"x\": 1}"),
            "{\"sm_key\": \"MASKED\", \"password\": \"MASKED\", \"x\": 1}");
  EXPECT_EQ(none.masked_text("ETCD_PASSWORD=hunter2 password: hunter2\n"),
            "ETCD_PASSWORD=MASKED password: MASKED\n");
  EXPECT_EQ(none.masked_text("ExecStart=heddle -k 0x12 --smkey=beef --cc_key 99 -k0x13\n"),
            "ExecStart=heddle -k MASKED --smkey=MASKED --cc_key MASKED -kMASKED\n");
  const std::vector<std::string> arguments{"heddle", "-g", "0x1", "--smkey", "deadbeef"};
  EXPECT_EQ(none.masked_command_line(arguments), "heddle -g 0x1 --smkey MASKED");
}

TEST(Secrets, PrivateKeysAreMaskedAlsoIfTheirBeginningIsCutOff) {
  const Secrets none;
  const std::string key =
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\ndef=\n-----END RSA PRIVATE KEY-----\n";
  EXPECT_EQ(none.masked_text("a\n" + key + "b\n"), "a\nMASKED\nb\n");
  EXPECT_EQ(none.masked_text(key.substr(key.find("MIIE")) + "b\n"), "MASKED\nb\n");
  EXPECT_EQ(none.masked_text("a\n" + key.substr(0, 45)), "a\nMASKED\n");
}

TEST(Secrets, LearnedValuesAreMaskedInAnyNotation) {
  Secrets secrets;
  secrets.learn_conf("m_key 0x1122334455667788\nsm_key 5\n");
  secrets.learn_guid2mkey("0x0002c90300000001 0x00000000cafe0001\n\n");
  const std::vector<std::string> arguments{"opensm", "-k", "123456"};
  secrets.learn_command_line(arguments);
  secrets.learn("hunter22\n");
  EXPECT_EQ(secrets.masked_text("0x1122334455667788 1122334455667788 1234605616436508552 "
                                "0X1122334455667788, port 5\n"),
            "MASKED MASKED MASKED MASKED, port 5\n");
  EXPECT_EQ(secrets.masked_text("of 0x0002c90300000001: 0xCAFE0001\n"),
            "of 0x0002c90300000001: MASKED\n");
  EXPECT_EQ(secrets.masked_text("0x123456 x-hunter22-x\n"), "MASKED x-MASKED-x\n");
}

TEST(Secrets, YamlIsMaskedInAllItsNotations) {
  EXPECT_EQ(yaml("m_key: 0x1234 # comment\nlmc: 1\n"), "m_key: MASKED # comment\nlmc: 1\n");
  EXPECT_EQ(yaml("\"sm_key\": \"0x12\\\"34\"\n'sa_key': '77''8'\n"),
            "\"sm_key\": MASKED\n'sa_key': MASKED\n");
  EXPECT_EQ(yaml("{m_key: 0x1234, lmc: 2, etcd_user: a b}\n"),
            "{m_key: MASKED, lmc: 2, etcd_user: MASKED}\n");
  EXPECT_EQ(yaml("m_key:\n  0x1234\nlmc: 1\n"), "m_key:\n  MASKED\nlmc: 1\n");
  EXPECT_EQ(yaml("etcd_user: two\n  words\nlmc: 1\n"), "etcd_user: MASKED\nlmc: 1\n");
  EXPECT_EQ(yaml("m_key: &k 0x1234\nsm_key: *k\n"), "m_key: &k MASKED\nsm_key: *k\n");
  EXPECT_EQ(yaml("? m_key\n: !!str 0x1234\n"), "? m_key\n: !!str MASKED\n");
  EXPECT_THAT(yaml("m_key: |\n  0x1234\n  5678\nlmc: 1\n"),
              testing::AllOf(Not(HasSubstr("1234")), Not(HasSubstr("5678")), HasSubstr("lmc: 1")));
  EXPECT_THAT(yaml("m_key: [0x1234, {a: 0x5678}]\nlmc: 1\n"),
              testing::AllOf(Not(HasSubstr("1234")), Not(HasSubstr("5678")), HasSubstr("lmc: 1")));
  EXPECT_EQ(yaml("# sm_key: 0x99\nm_key: 0\nlog_prefix: m_key\n"),
            "# sm_key: MASKED\nm_key: 0\nlog_prefix: m_key\n");
  EXPECT_EQ(yaml("# \xC3\xA4\nlog_prefix: \"\xC3\xA4\"\nm_key: 0x1234\r\nlmc: 1\r\n"),
            "# \xC3\xA4\nlog_prefix: \"\xC3\xA4\"\nm_key: MASKED\r\nlmc: 1\r\n");
  EXPECT_EQ(yaml("partitions:\n  - {name: a, p_key: 0x7fff}\n"),
            "partitions:\n  - {name: a, p_key: 0x7fff}\n");
}

TEST(Secrets, YamlThatCannotBeReadIsLeftOut) {
  const std::string broken = yaml("lmc: 1\nm_key: [0x1234\n");
  EXPECT_THAT(broken, HasSubstr("left out: it is not YAML (line "));
  EXPECT_THAT(broken, Not(HasSubstr("1234")));
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i)
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            ", *a" + std::to_string(i - 1) + "]\n";
  EXPECT_THAT(yaml(bomb), HasSubstr("left out"));
}

}  // namespace secrets_test
}  // namespace sm::ctl
