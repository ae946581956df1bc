// Files with secrets that others than their owner may access.

#include "config/secret_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/check.h"
#include "config/file_reader.h"
#include "unit/config/option_samples.h"
#include "unit/sm/temporary_directory.h"

namespace config {
namespace secret_files_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr fs::perms kOwner = fs::perms::owner_read | fs::perms::owner_write;

class SecretFiles : public testing::Test {
 protected:
  std::string write(std::string_view name, std::string_view text, fs::perms mode) {
    const fs::path path = dir_ / name;
    write_text(path, text);
    fs::permissions(path, mode);
    return path.string();
  }
  std::vector<std::string> findings(std::string_view text, fs::perms mode) {
    return texts(
        exposed_secrets(check_config(write("opensm.conf", text, mode), read_file).options));
  }

  TemporaryDirectory dir_;
};

TEST_F(SecretFiles, KeysOfPortsAreForTheOwnerOnly) {
  constexpr std::string_view kText =
      "lmc 1\nm_key_per_port TRUE\nkey_mgr_seed 0x5f0c\nsm_key 0x7\n";
  EXPECT_THAT(findings(kText, kOwner), IsEmpty());
  for (const auto& [bit, mode] :
       {std::pair{fs::perms::group_read, "0640"}, std::pair{fs::perms::others_read, "0604"},
        std::pair{fs::perms::group_write, "0620"}}) {
    const std::string file = (dir_ / "opensm.conf").string();
    EXPECT_THAT(findings(kText, kOwner | bit),
                ElementsAre(file +
                            ":3:14: error: this file has the secret key_mgr_seed, sm_key, "
                            "and others than its owner may access it (mode " +
                            mode + "); chmod 0600 " + file));
  }
  EXPECT_THAT(findings("m_key 0x12\n", kOwner | fs::perms::others_read),
              ElementsAre(HasSubstr(":1:7: error: this file has the secret m_key, ")));
}

TEST_F(SecretFiles, OtherKeysAreAWarning) {
  const fs::perms others = kOwner | fs::perms::others_read;
  EXPECT_THAT(findings("sa_key 0x12\ncc_key 5\n", others),
              ElementsAre(HasSubstr(":1:8: warning: this file has the secret sa_key, cc_key, ")));
  EXPECT_THAT(findings("sm_key 1\nm_key 0\nlmc 1\nevent_plugin_options x\n", others), IsEmpty());
}

TEST_F(SecretFiles, FlagsAreNotInAFile) {
  Options options;
  options.m_key = 5;
  options.origins["m_key"] = {"command line"};
  EXPECT_THAT(exposed_secrets(options), IsEmpty());
}

TEST_F(SecretFiles, FilesOfOneSecretAreCheckedWithTheirStore) {
  Options options;
  options.etcd_user = "heddle";
  options.etcd_password_file = write("password", "x\n", kOwner | fs::perms::group_read);
  options.state_store_key_file = (dir_ / "none").string();
  EXPECT_THAT(unusable_secret_files(options), IsEmpty()) << "nothing reads them";
  options.state_store = "etcd";
  EXPECT_THAT(texts(unusable_secret_files(options)),
              ElementsAre("error: etcd_password_file " + options.etcd_password_file +
                              ": others than its owner may access it (mode 0640); chmod 0600",
                          "error: state_store_key_file " + options.state_store_key_file +
                              ": cannot be read: No such file or directory"));
  options.state_store = "peers";
  options.state_tls_key = write("tls.key", "x\n", kOwner | fs::perms::others_read);
  EXPECT_THAT(texts(unusable_secret_files(options)),
              ElementsAre("error: state_tls_key " + options.state_tls_key +
                              ": others than its owner may access it (mode 0604); chmod 0600",
                          "error: state_store_key_file " + options.state_store_key_file +
                              ": cannot be read: No such file or directory"))
      << "etcd_password_file belongs to the other store";
}

TEST_F(SecretFiles, WhatPeersRefuseAtTheStartIsReported) {
  Options options;
  options.state_store = "peers";
  options.state_store_key_file = write("key", "fifteen letters\n0123456789\n", kOwner);
  EXPECT_THAT(texts(unusable_secret_files(options)),
              ElementsAre(HasSubstr("its first line has 15 characters")));
  options.state_store_key_file = write("key", "0123456789abcdef", kOwner);
  EXPECT_THAT(texts(unusable_secret_files(options)), IsEmpty());
  options.state_store = "etcd";
  options.state_store_key_file = write("key", "short\n", kOwner);
  EXPECT_THAT(texts(unusable_secret_files(options)), IsEmpty()) << "etcd takes any";
  options.state_store = "peers";
  options.state_tls_key = write("tls.key", "x\n", kOwner);
  options.state_tls_cert = (dir_ / "cert").string();
  options.state_tls_ca = write("ca", "x\n", kOwner);
  EXPECT_THAT(texts(unusable_secret_files(options)),
              ElementsAre("error: state_tls_cert " + options.state_tls_cert +
                          ": cannot be read: No such file or directory"));
}

TEST_F(SecretFiles, AFileThatIsWrittenWithSecretsIsForItsOwner) {
  EXPECT_EQ(configuration_mode({}), 0644u);
  Options options;
  options.sa_key = 7;
  EXPECT_EQ(configuration_mode(options), 0600u);
}

}  // namespace secret_files_test
}  // namespace config
