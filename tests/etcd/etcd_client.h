#pragma once
// A client of a real etcd server, beside the code under test.

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ibsim/process.h"
#include "mad/format.h"
#include "sm/store/etcd/etcd_store.h"

namespace etcd_test {

class EtcdClient {
 public:
  static constexpr std::chrono::seconds kLimit{20};  // of one call, and until a server answers

  ~EtcdClient() {
    for (const auto& store : stores) store->stop();
    io.restart();
    io.run_for(std::chrono::seconds(1));
  }

  std::shared_ptr<sm::etcd::EtcdStore> open(sm::etcd::EtcdSettings settings) {
    auto store = sm::etcd::EtcdStore::create(io.get_executor(), std::move(settings));
    EXPECT_TRUE(store) << (store ? "" : store.error());
    return stores.emplace_back(*store);
  }
  std::shared_ptr<sm::etcd::EtcdStore> open(const std::string& url) {
    return open(sm::etcd::EtcdSettings{.endpoints = {*config::parse_http_endpoint(url)},
                                       .user = {},
                                       .password_file = {},
                                       .ca_file = {}});
  }
  template <class T>
  sm::StoreResult<T> run(boost::asio::awaitable<sm::StoreResult<T>> call) {
    std::optional<sm::StoreResult<T>> result;
    boost::asio::co_spawn(io, std::move(call),
                          [&](std::exception_ptr error, sm::StoreResult<T> got) {
                            if (error) std::rethrow_exception(error);
                            result = std::move(got);
                          });
    io.restart();
    const auto end = std::chrono::steady_clock::now() + kLimit;
    while (!result && std::chrono::steady_clock::now() < end) {
      if (io.stopped()) io.restart();
      io.run_one_for(std::chrono::milliseconds(100));
    }
    if (!result)
      return tl::unexpected(sm::StoreError{sm::StoreFault::malformed, "it does not end"});
    return std::move(*result);
  }
  /// Until a read succeeds.
  bool answers(sm::etcd::EtcdStore& store) {
    const auto end = std::chrono::steady_clock::now() + kLimit;
    while (std::chrono::steady_clock::now() < end) {
      if (run(store.read("/"))) return true;
      harness::short_pause();
    }
    return false;
  }
  /// The revision of the guard record.
  sm::StoreRevision claim(sm::etcd::EtcdStore& store, sm::StoreRevision from = 0) {
    const auto made = run(store.commit({.key = "/a/mastership", .revision = from},
                                       {{.key = "/a/mastership", .value = "claimed"}}));
    EXPECT_TRUE(made) << made.error().text;
    return made.value_or(0);
  }
  /// Writes until the server's quota is exceeded: how the last write failed.
  sm::StoreResult<sm::StoreRevision> fill(sm::etcd::EtcdStore& store) {
    const sm::StoreGuard guard{.key = "/a/mastership", .revision = claim(store)};
    sm::StoreResult<sm::StoreRevision> made = 0;
    for (unsigned number = 0; made && number < 40; ++number)
      made = run(store.commit(
          guard, {{.key = fmt::format("/a/{}", number), .value = std::string(200'000, 'x')}}));
    return made;
  }

  boost::asio::io_context io{1};
  std::vector<std::shared_ptr<sm::etcd::EtcdStore>> stores;
};

}  // namespace etcd_test
