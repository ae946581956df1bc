#pragma once
// One thread beside the server's does what takes longer than a page.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <type_traits>
#include <utility>

#include "sm/ops/web/low_priority.h"

namespace sm::web {

class Worker {
 public:
  Worker() { boost::asio::post(pool_, lower_priority_of_this_thread); }
  ~Worker() { pool_.join(); }

  /// As run(), without waiting for it. What `work` refers to must live as long as this.
  /// An exception of it (no memory, for example) is dropped: the next call does the work again.
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

  /// One after another, in the order of the calls. The coroutine goes on where it was. What `work`
  /// refers to is its own: the coroutine may be destroyed during the work. The caller names it
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
