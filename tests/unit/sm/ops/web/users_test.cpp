#include "sm/ops/web/users.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/file_reader.h"
#include "sm/ops/web/authenticator.h"
#include "unit/sm/temporary_directory.h"

namespace sm::web::users_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr HashCost kCheap{.memory_kib = 8, .passes = 1, .lanes = 1};

std::vector<std::string> find_faults(std::string_view text) {
  config::Diagnostics found;
  Users::parse({"users", text}, found);
  std::vector<std::string> texts;
  for (const auto& diagnostic : found) texts.push_back(diagnostic.text());
  return texts;
}

TEST(Password, IsVerifiedByItsHash) {
  const std::string hash = make_hash("secret", kCheap).value();
  EXPECT_THAT(hash, HasSubstr("$argon2id$v=19$m=8,t=1,p=1$"));
  EXPECT_TRUE(is_password_of("secret", hash));
  EXPECT_FALSE(is_password_of("Secret", hash));
  EXPECT_FALSE(is_password_of("", hash));
  EXPECT_NE(hash, make_hash("secret", kCheap).value()) << "each hash has a salt of its own";
}

TEST(Password, TheDummyHashIsOneOfThatCost) {
  const std::string dummy = dummy_hash(kCheap);
  ASSERT_TRUE(cost_of(dummy)) << cost_of(dummy).error();
  EXPECT_EQ(cost_of(dummy)->memory_kib, 8U);
  EXPECT_FALSE(is_password_of("secret", dummy));
}

TEST(Users, AreReadWithRolesAndComments) {
  const std::string hash = make_hash("x", kCheap).value();
  const std::string text = "# operators\n\nalice:admin:" + hash +
                           "\n  prometheus@site.org:read:" + hash + "  # scrape\n";
  config::Diagnostics found;
  const Users users = Users::parse({"users", text}, found);
  EXPECT_THAT(found, IsEmpty());
  ASSERT_NE(users.find("alice"), nullptr);
  EXPECT_EQ(users.find("alice")->role, Role::admin);
  EXPECT_EQ(users.find("prometheus@site.org")->role, Role::read);
  EXPECT_EQ(users.find("bob"), nullptr);
  EXPECT_EQ(cost_of(users.dummy())->memory_kib, 8U) << "as dear as the others";
}

TEST(Users, FaultsHaveLineAndColumn) {
  const std::string hash = make_hash("x", kCheap).value();
  EXPECT_THAT(find_faults("a:read:" + hash + "\na:read:" + hash + "\n b c:read:" + hash +
                          "\nd:root:" + hash + "\ne:read:plain\nf\n"),
              ElementsAre(HasSubstr("users:2:1: error: user a is there twice"),
                          HasSubstr("users:3:2: error: 'b c' is no name"),
                          HasSubstr("users:4:3: error: 'root' is no role; write read, "
                                    "partitions or admin"),
                          HasSubstr("users:5:8: error: the hash is none of argon2id"),
                          HasSubstr("users:6:1: error: this is no user")));
}

TEST(Users, HashesThatCostTooMuchAreRejected) {
  const std::string salt_and_hash = "$" + std::string(22, 'A') + "$" + std::string(43, 'A');
  EXPECT_THAT(find_faults("a:read:$argon2id$v=19$m=4194304,t=1,p=1" + salt_and_hash),
              ElementsAre(HasSubstr("costs more than")));
  EXPECT_THAT(find_faults("a:read:$argon2id$v=19$m=1024,t=1,p=999" + salt_and_hash),
              ElementsAre(HasSubstr("users:1:8")));
  EXPECT_THAT(find_faults("a:read:$argon2i$v=19$m=1024,t=1,p=1" + salt_and_hash),
              ElementsAre(HasSubstr("none of argon2id")));
}

TEST(Users, AFileThatOthersMayReadIsRejected) {
  const TemporaryDirectory dir;
  const std::string path = dir.path() / "users";
  std::ofstream(path) << "a:read:" << make_hash("x", kCheap).value() << '\n';
  const auto faults = [&](mode_t mode) {
    chmod(path.c_str(), mode);
    config::Diagnostics found;
    read_users(path, found);
    return found.empty() ? std::string() : found.front().text();
  };
  EXPECT_EQ(faults(0600), "");
  EXPECT_THAT(faults(0644), HasSubstr("others than its owner may access it (mode 0644)"));
  EXPECT_THAT(faults(0640), HasSubstr("chmod 0600"));
  config::Diagnostics found;
  read_users(dir.path() / "nowhere", found);
  EXPECT_THAT(found.front().text(), HasSubstr("cannot be read: No such file"));
  EXPECT_THAT(found.front().text(), HasSubstr("http-user add"));
  read_users(dir.path(), found);
  EXPECT_THAT(found.back().text(), HasSubstr("is not a file")) << "no advice to change its mode";
}

TEST(Users, OneLineIsReplacedAndTheOthersStay) {
  const std::string text = "# c\na:read:1\nb:read:2\n";
  EXPECT_EQ(with_user(text, "a", "a:admin:3"), "# c\na:admin:3\nb:read:2\n");
  EXPECT_EQ(with_user(text, "d", "d:admin:3"), text + "d:admin:3\n");
  EXPECT_EQ(with_user(text, "b", ""), "# c\na:read:1\n");
}

TEST(BasicCredentials, AreDecodedWithPaddingAndWithout) {
  const auto user = [](std::string_view header) {
    const auto found = basic_credentials(header);
    return found ? found->user + "|" + found->password : "-";
  };
  EXPECT_EQ(user("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "Aladdin|open sesame");
  EXPECT_EQ(user("basic QWxhZGRpbjpvcGVuIHNlc2FtZQ"), "Aladdin|open sesame");
  EXPECT_EQ(user("Basic YTpiOmM="), "a|b:c");
  EXPECT_EQ(user("Basic YT/6"), "-") << "no colon";
  EXPECT_EQ(user("Basic Y*=="), "-");
  EXPECT_EQ(user("Basic "), "-");
  EXPECT_EQ(user("Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "-");
  EXPECT_EQ(user("Basic " + std::string(5000, 'A')), "-");
}

TEST(CredentialCache, ForgetsAfterItsLifeAndBeyondItsBound) {
  CredentialCache cache(std::chrono::seconds(10), 2);
  const Clock::time_point start{};
  cache.add({"a", "1"}, {"a", Role::read}, start);
  EXPECT_TRUE(cache.find({"a", "1"}, start + std::chrono::seconds(9)));
  EXPECT_TRUE(cache.find({"a", "1"}, start + std::chrono::seconds(18))) << "use renews it";
  EXPECT_FALSE(cache.find({"a", "2"}, start));
  EXPECT_FALSE(cache.find({"a", "1"}, start + std::chrono::seconds(29)));
  cache.add({"b", "1"}, {"b", Role::read}, start);
  cache.add({"c", "1"}, {"c", Role::read}, start);
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_FALSE(cache.find({"a", "1"}, start));
  cache.clear();
  EXPECT_FALSE(cache.find({"c", "1"}, start));
}

}  // namespace sm::web::users_test
