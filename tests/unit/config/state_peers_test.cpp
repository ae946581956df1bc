// state_store peers: which addresses and secrets are accepted, and where mistakes are reported.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "config/check.h"
#include "config/http_peer.h"

namespace config::state_peers_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns what is reported of a file with the name f.
std::vector<std::string> findings(const std::string& text) {
  const FileReader reader =
      [&](const std::string& path) -> tl::expected<std::string, std::error_code> {
    if (path == "f") return text;
    return tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory));
  };
  std::vector<std::string> found;
  for (const Diagnostic& finding : check_config("f", reader, Options{}).diagnostics)
    if (finding.file == "f") found.push_back(finding.text());
  return found;
}

/// The line behind which the options under test begin is the third one.
std::string with_key(const std::string& rest) {
  return "state_store peers\nstate_store_key_file /etc/opensm/state-key\n" + rest;
}

TEST(StatePeers, TheOtherHostAndASecretAreEnough) {
  EXPECT_THAT(findings(with_key("state_peers sm-2\n")), IsEmpty());
  EXPECT_THAT(findings("state_store peers\nstate_peers sm-2\nstate_tls_cert c\nstate_tls_key k\n"
                       "state_tls_ca a\n"),
              IsEmpty());
  EXPECT_THAT(findings(with_key("state_peers 192.0.2.1,192.0.2.2,[2001:db8::1],sm-4:7000,"
                                "[2001:db8::2]:7000\nstate_listen 192.0.2.1,[2001:db8::9]:7000\n")),
              IsEmpty())
      << "managers may have the same list, with their own addresses";
}

TEST(StatePeers, MistakesAreReportedAtTheirPlaces) {
  EXPECT_THAT(findings("state_store peers\nstate_peers sm-2\n"),
              ElementsAre(testing::StartsWith(
                  "f:1:13: error: state_store peers needs state_store_key_file, or certificates "
                  "(state_tls_*); sm_key is not used for it")));
  EXPECT_THAT(findings("sm_key 5\nstate_store peers\nstate_peers sm-2\n"),
              ElementsAre(testing::HasSubstr("sm_key is not used for it")));
  EXPECT_THAT(
      findings(with_key("")),
      ElementsAre(testing::StartsWith("f:1:13: error: state_store peers needs state_peers")));
  for (const char* const wrong :
       {"::1", "sm-2:", "sm-2:0", "sm-2:65536", "[sm-2]", "*", "https://sm-2", "unix:/a"})
    EXPECT_THAT(findings(with_key(std::string("state_peers ") + wrong + ",sm-3\n")),
                ElementsAre(testing::AllOf(testing::StartsWith("f:3:13: error: state_peers "),
                                           testing::HasSubstr("is not an address"))))
        << wrong;
  EXPECT_THAT(findings(with_key("state_peers sm-2\nstate_listen sm-1:x\n")),
              ElementsAre(testing::StartsWith("f:4:14: error: state_listen 'sm-1:x' is not")));
  EXPECT_THAT(findings(with_key("state_peers sm-2,sm-2:9350\n")),
              ElementsAre(testing::StartsWith("f:3:13: error: state_peers names sm-2:9350 twice")));
  EXPECT_THAT(
      findings("state_store peers\nstate_peers sm-2\nstate_tls_ca a\n"),
      ElementsAre(testing::StartsWith(
          "f:3:14: error: state_tls_cert, state_tls_key and state_tls_ca need each other")));
  EXPECT_THAT(
      findings(with_key("state_peers a\nstate_tls_cert c\nstate_tls_key k\nstate_tls_ca a\n")),
      ElementsAre(testing::StartsWith("f:2:22: warning: state_store_key_file has no effect with")));
}

TEST(StatePeers, OwnAddressAloneIsNoPeer) {
  constexpr const char* kOwn = "f:3:13: error: state_peers names no address but that of this";
  EXPECT_THAT(findings(with_key("state_peers 192.0.2.1\nstate_listen 192.0.2.1\n")),
              ElementsAre(testing::StartsWith(kOwn)));
  EXPECT_THAT(findings(with_key("state_peers localhost\n")),
              ElementsAre(testing::StartsWith(kOwn)));
  EXPECT_THAT(findings(with_key("state_peers 127.0.0.1:7001\nstate_listen 127.0.0.1:7000\n")),
              IsEmpty())
      << "another manager of this host";
}

TEST(StatePeers, OptionsOfAnotherStoreHaveNoEffect) {
  EXPECT_THAT(findings("state_peers sm-2\n"),
              ElementsAre(testing::StartsWith(
                  "f:1:13: warning: state_peers has no effect with state_store files")));
  EXPECT_THAT(findings("state_listen sm-1\nstate_store etcd\netcd_endpoints https://a\n"
                       "state_store_key_file k\n"),
              ElementsAre(testing::StartsWith(
                  "f:1:14: warning: state_listen has no effect with state_store etcd")));
  EXPECT_THAT(findings(with_key("state_peers sm-2\netcd_user heddle\n")),
              ElementsAre(testing::StartsWith(
                  "f:4:11: warning: etcd_* have no effect with state_store peers")));
  EXPECT_THAT(findings("state_store_key_file k\n"),
              ElementsAre(testing::StartsWith("f:1:22: warning: etcd_* and state_store_key_file "
                                              "have no effect with state_store files")));
}

/// Each of them listens at the first TCP port that is free.
TEST(StatePeers, ManagersOfOneProcessMayHaveAnySubnetPrefixes) {
  const std::string both = "guid 0x1,0x2\n";
  const auto of_subnets = [&](const std::string& prefixes) {
    return findings(with_key("state_peers sm-2\n" + both + "subnet_prefix " + prefixes + "\n"));
  };
  EXPECT_THAT(of_subnets("0xfe80000000000000,0xfe80000000000001"), IsEmpty());
  EXPECT_THAT(of_subnets("0xfe80000000000001,0xfec0000000000011"), IsEmpty());
  EXPECT_THAT(of_subnets("0xfe80000000000000"), IsEmpty());
  EXPECT_THAT(findings(with_key("state_peers sm-2:7000\n" + both +
                                "subnet_prefix 0xfe80000000000000,0xfe80000000000001\n")),
              ElementsAre(testing::AllOf(testing::StartsWith("f:3:13: error: "),
                                         testing::HasSubstr("has a TCP port"))));
  Options options;
  EXPECT_EQ(options.state_port(), 9350);
  options.subnet_prefix = 0xfe8000000000000f;
  EXPECT_EQ(options.state_port(), 9365);
}

TEST(HostAddress, HasItsOwnPortOrTheDefault) {
  for (const auto& [text, shown] : {std::pair("sm-2", "sm-2:9350"), std::pair("sm-2:1", "sm-2:1"),
                                    std::pair("[2001:db8::1]", "[2001:db8::1]:9350"),
                                    std::pair("[2001:db8::1]:7", "[2001:db8::1]:7"),
                                    std::pair("*", "*:9350"), std::pair("*:7", "*:7")}) {
    const auto address = parse_host_address(text, 9350);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), shown);
  }
  for (const char* const text : {"", ":7", "2001:db8::1", "[2001:db8::1", "[]", "sm-2:", "a b"})
    EXPECT_FALSE(parse_host_address(text, 9350)) << text;
}

}  // namespace config::state_peers_test
