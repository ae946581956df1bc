#include "sm/ops/view.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

namespace sm::shared_view_test {

namespace asio = boost::asio;

/// Two contexts instead of two threads: what each has to do is done when the test says so.
class SharedViewTest : public ::testing::Test {
 protected:
  void ask(std::vector<std::shared_ptr<const View>>& into) {
    asio::co_spawn(server_, shared_.views()(),
                   [&into](const std::exception_ptr&, std::shared_ptr<const View> view) {
                     into.push_back(std::move(view));
                   });
    run(server_);
  }
  static void run(asio::io_context& io) {
    io.restart();
    io.poll();
  }
  std::shared_ptr<const View> read() {
    ++reads_;
    return gone_ ? nullptr : std::make_shared<const View>();
  }

  asio::io_context control_, server_;
  int reads_ = 0;
  bool gone_ = false;
  std::shared_ptr<const View> first_ = std::make_shared<const View>();
  SharedView shared_{control_.get_executor(), [this] { return read(); }, first_};
  std::vector<std::shared_ptr<const View>> got_;
};

TEST_F(SharedViewTest, OneTurnServesAllWhoWait) {
  for (int i = 0; i < 10; ++i) ask(got_);
  EXPECT_TRUE(got_.empty());
  run(control_);
  run(server_);
  EXPECT_EQ(reads_, 1);
  ASSERT_EQ(got_.size(), 10U);
  EXPECT_EQ(got_.front(), got_.back());
}

TEST_F(SharedViewTest, NothingIsReusedWhileSomethingChangesOrAfterIt) {
  shared_.change_begins();
  for (int i = 0; i < 3; ++i) {
    ask(got_);
    run(control_);
    run(server_);
  }
  EXPECT_EQ(reads_, 3);
  shared_.change_ends();
  ask(got_);
  run(control_);
  run(server_);
  EXPECT_EQ(reads_, 4);
  EXPECT_NE(got_[2], got_[3]);
}

TEST_F(SharedViewTest, AChangeBetweenQuestionAndAnswerMakesTheNextOneRead) {
  ask(got_);
  run(control_);
  shared_.change_begins();
  shared_.change_ends();
  run(server_);
  ask(got_);
  run(control_);
  run(server_);
  EXPECT_EQ(reads_, 2);
}

TEST_F(SharedViewTest, WithoutAManagerTheLastViewIsTheAnswer) {
  gone_ = true;
  ask(got_);
  run(control_);
  run(server_);
  ASSERT_EQ(got_.size(), 1U);
  EXPECT_EQ(got_[0], first_);
}

}  // namespace sm::shared_view_test
