#include "mad/computation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <optional>
#include <stdexcept>
#include <thread>

namespace computation_test {

using namespace std::chrono_literals;
namespace asio = boost::asio;

class ComputationTest : public testing::Test {
 protected:
  /// Starts a coroutine that awaits this work.
  void begin(std::function<void()> work) {
    work_ = std::move(work);
    asio::co_spawn(context, computation->run(work_), [this](std::exception_ptr error) {
      has_ended = true;
      if (!error) return;
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& thrown) {
        what = thrown.what();
      }
    });
  }

  std::optional<asio::io_context> storage{std::in_place, 1};
  asio::io_context& context = *storage;
  std::unique_ptr<mad::Runtime> runtime = mad::make_asio_runtime(context.get_executor());
  std::optional<mad::Computation> computation{*runtime};
  bool has_ended = false;
  std::string what;

 private:
  std::function<void()> work_;
};

TEST_F(ComputationTest, TheLoopServesOthersDuringAComputation) {
  std::promise<void> served;
  std::thread::id thread;
  std::future_status outcome{};
  begin([&] {
    thread = std::this_thread::get_id();
    outcome = served.get_future().wait_for(10s);
  });
  asio::post(context, [&] { served.set_value(); });
  context.run();
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(outcome, std::future_status::ready);
  EXPECT_NE(thread, std::this_thread::get_id());
}

/// Files are written by another thread: what waits for a disk does not keep decisions waiting.
TEST_F(ComputationTest, DoesNotWaitForWhatWritesFiles) {
  std::promise<void> computed;
  std::future_status outcome{};
  runtime->run_aside([&] { outcome = computed.get_future().wait_for(10s); }, [] {});
  begin([&] { computed.set_value(); });
  context.run();
  EXPECT_EQ(outcome, std::future_status::ready);
}

TEST_F(ComputationTest, ThrowsWhatTheWorkHasThrown) {
  begin([] { throw std::runtime_error("no memory"); });
  context.run();
  EXPECT_EQ(what, "no memory");
}

TEST_F(ComputationTest, ItsEndWaitsForWhatIsBeingComputed) {
  std::promise<void> begun;
  std::atomic<bool> worked = false;
  begin([&] {
    begun.set_value();
    std::this_thread::sleep_for(50ms);
    worked = true;
  });
  context.poll();
  begun.get_future().wait();
  computation.reset();
  EXPECT_TRUE(worked);
  EXPECT_FALSE(has_ended);
}

TEST_F(ComputationTest, WhatHasNotBegunIsNotComputedAfterItsEnd) {
  std::promise<void> end;
  std::atomic<bool> worked = false;
  runtime->run_aside(
      mad::Runtime::Lane::compute, [&] { end.get_future().wait(); }, [] {});  // the thread is busy
  begin([&] { worked = true; });
  context.poll();
  computation.reset();
  end.set_value();
  runtime.reset();  // all threads have ended
  EXPECT_FALSE(worked);
}

}  // namespace computation_test
