#pragma once
// A Worker is a thread for work that takes longer than a page.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <type_traits>
#include <utility>

namespace sm::web {

/// Lets the control thread run first where processors are short: this thread gets a nice value.
/// Where that is not allowed, nothing happens.
void lower_priority_of_this_thread();

class Worker {
 public:
  Worker() { boost::asio::post(pool_, lower_priority_of_this_thread); }
  ~Worker() { pool_.join(); }

  /// Acts as run(), without waiting for it. Objects that `work` refers to must outlive the Worker.
  /// An exception of `work` (no memory, for example) is dropped: the next call does the work again.
  template <class Work>
  void post(Work work) {
    boost::asio::post(pool_, [work = std::move(work)] {
      try {
        work();
      } catch (const std::exception&) {
        return;
      }
    });
  }

  /// Runs work in the order of the calls; the coroutine continues on its own executor. `work` owns
  /// what it refers to: the coroutine may be destroyed during the work. The caller names it
  /// (`run(std::move(work))`): GCC 12 destroys temporaries of a co_await twice.
  template <class Work>
  boost::asio::awaitable<std::invoke_result_t<Work&>> run(Work&& work) {
    return boost::asio::co_spawn(pool_, computed(std::forward<Work>(work)),
                                 boost::asio::use_awaitable);
  }

 private:
  template <class Work>
  static boost::asio::awaitable<std::invoke_result_t<Work&>> computed(Work work) {
    co_return work();
  }

  boost::asio::thread_pool pool_{1};
};

}  // namespace sm::web
