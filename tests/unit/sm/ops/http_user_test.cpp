// heddlectl http-user, by its command line.
#include <sys/stat.h>

#include <iostream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ctl/commands/command_line.h"
#include "sm/ops/web/users.h"
#include "unit/sm/temporary_directory.h"

namespace sm::http_user_test {

using ::testing::HasSubstr;

class HttpUser : public ::testing::Test {
 protected:
  struct Result {
    int code;
    std::string out, err;
  };
  Result run(std::vector<std::string> words, const std::string& typed = {}) {
    words.insert(words.begin(), {"heddlectl", "http-user"});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    std::istringstream in(typed);
    std::ostringstream out, err;
    auto* const old_in = std::cin.rdbuf(in.rdbuf());
    auto* const old_out = std::cout.rdbuf(out.rdbuf());
    auto* const old_err = std::cerr.rdbuf(err.rdbuf());
    const int code = commands::CommandLine().run(static_cast<int>(argv.size()), argv.data());
    std::cin.rdbuf(old_in);
    std::cin.clear();
    std::cout.rdbuf(old_out);
    std::cerr.rdbuf(old_err);
    return {code, out.str(), err.str()};
  }
  web::Users users() const {
    config::Diagnostics found;
    web::Users read = web::read_users(file_, found);
    EXPECT_TRUE(found.empty());
    return read;
  }

  TemporaryDirectory dir_;
  const std::string file_ = dir_ / "users";
};

TEST_F(HttpUser, AddsChangesListsAndRemoves) {
  const mode_t before = umask(0);
  EXPECT_EQ(run({"add", file_, "alice", "--role", "admin"}, "secret\n").code, 0);
  umask(before);
  struct stat status{};
  stat(file_.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(users().find("alice")->role, web::Role::admin);
  EXPECT_TRUE(web::is_password_of("secret", users().find("alice")->hash));
  EXPECT_EQ(run({"passwd", file_, "alice"}, "other\n").code, 0);
  EXPECT_TRUE(web::is_password_of("other", users().find("alice")->hash));
  EXPECT_EQ(users().find("alice")->role, web::Role::admin) << "the role stays";
  EXPECT_EQ(run({"add", file_, "bob"}, "x\n").code, 0);
  EXPECT_THAT(run({"list", file_}).out, ::testing::MatchesRegex("alice +admin\nbob +read\n"));
  EXPECT_EQ(run({"remove", file_, "alice"}).code, 0);
  EXPECT_EQ(users().find("alice"), nullptr);
}

TEST_F(HttpUser, WhatIsWrongChangesNothing) {
  ASSERT_EQ(run({"add", file_, "alice"}, "secret\n").code, 0);
  const std::string text = text_of(file_);
  EXPECT_THAT(run({"add", file_, "alice"}, "x\n").err, HasSubstr("user alice already exists"));
  EXPECT_THAT(run({"passwd", file_, "bob"}, "x\n").err, HasSubstr("there is no user bob"));
  EXPECT_THAT(run({"add", file_, "bob"}, "\n").err, HasSubstr("no password was given"));
  EXPECT_EQ(run({"add", file_, "b:b"}, "x\n").code, 2);
  EXPECT_EQ(run({"add", file_, "bob", "--role", "root"}, "x\n").code, 2);
  EXPECT_EQ(text_of(file_), text);
  write_text(file_, "alice:boss:x\n");
  EXPECT_THAT(run({"add", file_, "bob"}, "x\n").err, HasSubstr("users:1:7: error: 'boss'"));
}

}  // namespace sm::http_user_test
