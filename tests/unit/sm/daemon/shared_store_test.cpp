// The settings of state_store peers, as options and files have them.

#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "sm/daemon/shared_store.h"
#include "unit/sm/temporary_directory.h"

namespace shared_store_test {

namespace fs = std::filesystem;
using sm::peers::PeerAddress;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

constexpr mad::Guid kPort{0x2c90300000001};

class PeerSettings : public testing::Test {
 protected:
  PeerSettings() {
    options_.state_store = "peers";
    options_.state_peers = {"sm-2", "[2001:db8::1]:7000"};
    options_.cache_files_dir = "/var/cache/opensm";
    options_.state_store_key_file = file("state-key", "a secret of some length\n", 0600);
  }
  std::string file(const std::string& name, const std::string& text, unsigned mode) const {
    const fs::path path = directory_.path() / name;
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms{mode});
    return path.string();
  }
  tl::expected<sm::peers::PeerSettings, std::string> settings() const {
    return sm::peer_settings(options_, kPort);
  }

  TemporaryDirectory directory_;
  config::Options options_;
};

TEST_F(PeerSettings, HaveTheAddressesAndTheSecret) {
  options_.subnet_prefix = 0xfe80000000000003;
  options_.fsync_high_avail_files = false;
  const auto found = settings();
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->port_guid, kPort);
  EXPECT_EQ(found->subnet_prefix, 0xfe80000000000003);
  EXPECT_EQ(found->file.string(), "/var/cache/opensm/peer-store");
  EXPECT_THAT(found->peers, ElementsAre(PeerAddress{.host = "sm-2", .port = 9353, .ports = 8},
                                        PeerAddress{.host = "2001:db8::1", .port = 7000}));
  EXPECT_THAT(found->listen, ElementsAre(PeerAddress{.host = "*", .port = 9353, .ports = 8}));
  EXPECT_EQ(found->secret, "a secret of some length");
  EXPECT_FALSE(found->certificates);
  EXPECT_FALSE(found->fsync);
  options_.state_listen = {"192.0.2.1"};
  EXPECT_THAT(settings()->listen,
              ElementsAre(PeerAddress{.host = "192.0.2.1", .port = 9353, .ports = 8}));
  options_.state_listen = {"*:7000"};
  EXPECT_THAT(settings()->listen, ElementsAre(PeerAddress{.host = "*", .port = 7000}));
}

TEST_F(PeerSettings, SecretThatOthersMayReadIsRefused) {
  fs::permissions(options_.state_store_key_file, fs::perms{0640});
  EXPECT_THAT(settings().error(), HasSubstr("state-key"));
  EXPECT_THAT(settings().error(), HasSubstr("0640"));
}

TEST_F(PeerSettings, ShortSecretIsRefusedAndSmKeyIsNotTaken) {
  options_.sm_key = 0x4a5be1d06c2f9713;
  options_.state_store_key_file = file("short", "fifteen letters\n", 0600);
  EXPECT_THAT(settings().error(), HasSubstr("has 15 characters, and the secret needs at least 16"));
  options_.state_store_key_file = file("empty", "", 0600);
  EXPECT_THAT(settings().error(), HasSubstr("has 0 characters"));
  options_.state_store_key_file.clear();
  EXPECT_FALSE(settings());
}

TEST_F(PeerSettings, DigestsOfOptionsNeedTheSecret) {
  const auto digest = [&] { return sm::digests_of_peers(options_)->digest("k", "text"); };
  const std::string own = digest();
  EXPECT_EQ(own, digest());
  EXPECT_NE(own, sm::RecordSeal("state_store peers").digest("k", "text"));
  options_.state_store_key_file = file("other-key", "another secret of some length\n", 0600);
  EXPECT_NE(own, digest());
  options_.state_store_key_file = file("short", "fifteen letters\n", 0600);
  EXPECT_FALSE(sm::digests_of_peers(options_));
}

TEST_F(PeerSettings, CertificatesReplaceTheSecret) {
  options_.state_tls_cert = "/etc/opensm/state.pem";
  options_.state_tls_ca = "/etc/opensm/state-ca.pem";
  options_.state_tls_key = file("state.key", "x\n", 0604);
  EXPECT_THAT(settings().error(),
              EndsWith("others than its owner may access it (mode 0604); chmod 0600"));
  fs::permissions(options_.state_tls_key, fs::perms{0600});
  const auto found = settings();
  ASSERT_TRUE(found) << found.error();
  ASSERT_TRUE(found->certificates);
  EXPECT_EQ(found->certificates->ca.string(), options_.state_tls_ca);
  EXPECT_EQ(found->secret, "");
}

}  // namespace shared_store_test
