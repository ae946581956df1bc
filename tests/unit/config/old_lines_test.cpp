// Secrets in lines that were written earlier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/schema.h"
#include "config/secret_files.h"

namespace old_lines_test {

using config::without_secrets;

TEST(OldLines, AllFormsInWhichSecretsWerePrintedAreMasked) {
  EXPECT_EQ(
      without_secrets("Jan 01 sm heddle[7]:  Loading Cached Option:m_key = 0x1122334455667788\n"
                      "Jan 01 sm heddle[7]:  Loading Cached Option:lmc = 1\n"
                      "Jan 01 sm heddle[7]:  SM Key <0x99aabb>\n"
                      "f:1:1: warning: key_mgr_seed changed from 0x1 to 0x2, which has no "
                      "effect now; restart Heddle\n"
                      "opensm.conf has sa_key 0x77 and\tcc_key: 12345\n"
                      "Loading Cached Option:etcd_user = some one"),
      "Jan 01 sm heddle[7]:  Loading Cached Option:m_key = MASKED\n"
      "Jan 01 sm heddle[7]:  Loading Cached Option:lmc = 1\n"
      "Jan 01 sm heddle[7]:  SM Key <MASKED>\n"
      "f:1:1: warning: key_mgr_seed changed from MASKED, which has no "
      "effect now; restart Heddle\n"
      "opensm.conf has sa_key MASKED and\tcc_key: MASKED\n"
      "Loading Cached Option:etcd_user = MASKED");
}

TEST(OldLines, EverySecretOptionIsKnown) {
  for (const config::Key& key : config::keys()) {
    if (!key.is_secret) continue;
    const std::string line = " Loading Cached Option:" + std::string(key.name) + " = 0x5ec7e7\n";
    EXPECT_EQ(without_secrets(line).find("5ec7e7"), std::string::npos) << key.name;
  }
}

TEST(OldLines, OtherTextStays) {
  for (const char* const text : {"", "\n", "\n\nx", "m_key_lease_period = 60\n",
                                 "set m_key, or let guid2mkey have it: 0x1\n", "m_key = MASKED\n",
                                 "m_key", "the sm_key is the default 1", "SUBNET UP, port 0x10"})
    EXPECT_EQ(without_secrets(text), text);
  EXPECT_EQ(without_secrets("etcd at http://admin:hunter3@127.0.0.1:1 is silent"),
            "etcd at http://MASKED@127.0.0.1:1 is silent");
}

}  // namespace old_lines_test
