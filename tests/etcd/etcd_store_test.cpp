// The state store of etcd, on a real server: limits, watches, faults, authentication, TLS.
#include "sm/store/etcd/etcd_store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "etcd/etcd_client.h"
#include "etcd/etcd_server.h"
#include "sm/http/http_client.h"
#include "sm/store/etcd/gateway.h"
#include "support/require_tool.h"

namespace etcd_store_test {

namespace asio = boost::asio;
using etcd_test::EtcdServer;
using sm::StoreFault;
using sm::StoreGuard;
using sm::StoreRevision;
using sm::etcd::EtcdSettings;
using sm::etcd::EtcdStore;
using testing::HasSubstr;
using namespace std::chrono_literals;

class EtcdStoreTest : public testing::Test, protected etcd_test::EtcdClient {
 protected:
  void SetUp() override { HEDDLE_REQUIRE_TOOL("etcd", "etcd-server"); }
  std::vector<sm::StoreEvent> events_after(EtcdStore& store, StoreRevision after,
                                           std::size_t count) {
    constexpr unsigned kQuietWatches = 5;  // on a busy machine the server takes its time
    std::vector<sm::StoreEvent> all;
    for (unsigned quiet = 0; all.size() < count && quiet < kQuietWatches;) {
      auto got = run(store.watch("/a/", after));
      EXPECT_TRUE(got) << got.error().text;
      if (!got) break;
      quiet = got->events.empty() ? quiet + 1 : 0;
      after = got->revision;
      std::ranges::move(got->events, std::back_inserter(all));
    }
    return all;
  }
};

TEST_F(EtcdStoreTest, TransactionsAreSplitFencedAndWatched) {
  EtcdServer server;
  const auto store = open(server.url());
  ASSERT_TRUE(answers(*store)) << server.log();
  const StoreRevision mine = claim(*store);
  const StoreGuard guard{.key = "/a/mastership", .revision = mine};
  std::vector<sm::StoreChange> changes;
  for (unsigned number = 0; number < 600; ++number)  // more than 128, and 3 MB
    changes.push_back({.key = fmt::format("/a/{:03}", number),
                       .value = std::string(5000, static_cast<char>(number))});
  auto made = run(store->commit(guard, changes));
  // On a busy disk the server may not answer in time; the same commit is made again.
  for (unsigned tries = 1; !made && tries < 4; ++tries) made = run(store->commit(guard, changes));
  ASSERT_TRUE(made) << made.error().text;
  const auto content = run(store->read("/a/"));
  ASSERT_TRUE(content) << content.error().text;
  EXPECT_EQ(content->entries.size(), 601u);
  EXPECT_EQ(content->revision, *made);
  EXPECT_EQ(content->entries.at(7).value, std::string(5000, '\7'));
  EXPECT_EQ(events_after(*store, mine, 600).size(), 600u);

  const auto deleted = run(store->commit(guard, {{.key = "/a/007", .value = {}}}));
  ASSERT_TRUE(deleted);
  const auto events = events_after(*store, *made, 1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events.front().key, "/a/007");
  EXPECT_FALSE(events.front().value);
  // Nothing is there to be deleted.
  EXPECT_EQ(run(store->commit(guard, {{.key = "/a/007", .value = {}}})), 0);

  const auto other = open(server.url());
  claim(*other, mine);
  const auto late = run(store->commit(guard, {{.key = "/a/001", .value = "of the old master"}}));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().fault, StoreFault::fenced);
  EXPECT_NE(run(store->read("/a/001"))->entries.front().value, "of the old master");
}

TEST_F(EtcdStoreTest, WatchGoesOnAfterTheServerWasKilledAndSeesThatDataAreLost) {
  EtcdServer server;
  const auto store = open(server.url());
  ASSERT_TRUE(answers(*store)) << server.log();
  const StoreRevision mine = claim(*store);
  const StoreGuard guard{.key = "/a/mastership", .revision = mine};
  ASSERT_TRUE(run(store->commit(guard, {{.key = "/a/1", .value = "1"}})));
  EXPECT_EQ(events_after(*store, mine, 1).size(), 1u);
  server.kill();
  const auto broken = run(store->watch("/a/", mine + 1));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().fault, StoreFault::unreachable);
  EXPECT_EQ(run(store->read("/a/")).error().fault, StoreFault::unreachable);
  server.start();
  ASSERT_TRUE(answers(*store)) << server.log();
  ASSERT_TRUE(run(store->commit(guard, {{.key = "/a/2", .value = "2"}})));
  const auto events = events_after(*store, mine + 1, 1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events.front().key, "/a/2");

  server.kill();
  server.wipe();
  server.start();
  ASSERT_TRUE(answers(*store)) << server.log();
  auto lost = run(store->watch("/a/", mine + 2));
  if (!lost && lost.error().fault == StoreFault::unreachable)  // the old connection's end
    lost = run(store->watch("/a/", mine + 2));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().fault, StoreFault::compacted) << lost.error().text;
}

TEST_F(EtcdStoreTest, AfterACompactionAReadIsRequired) {
  EtcdServer server;
  const auto store = open(server.url());
  ASSERT_TRUE(answers(*store)) << server.log();
  const StoreRevision mine = claim(*store);
  const StoreGuard guard{.key = "/a/mastership", .revision = mine};
  StoreRevision last = 0;
  for (const char* value : {"1", "2", "3"})
    last = *run(store->commit(guard, {{.key = "/a/1", .value = value}}));
  asio::ssl::context tls(asio::ssl::context::tls_client);
  sm::HttpClient raw(io.get_executor(), tls,
                     {.connect = std::chrono::seconds(2), .call = std::chrono::seconds(3)});
  const auto compacted = run([](sm::HttpClient& http, std::string url,
                                StoreRevision at) -> asio::awaitable<sm::StoreResult<unsigned>> {
    (void)co_await http.connect(*config::parse_http_endpoint(url));
    sm::HttpRequest request{.method = "POST", .target = "/v3/kv/compaction"};
    request.fields = {{"Host", "etcd"}};
    request.body = fmt::format(R"({{"revision":"{}"}})", at);
    const auto answer = co_await http.exchange(std::move(request));
    co_return answer ? answer->status : 0u;
  }(raw, server.url(), last));
  ASSERT_EQ(compacted, 200u);
  const auto events = run(store->watch("/a/", mine));
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().fault, StoreFault::compacted) << events.error().text;
}

TEST_F(EtcdStoreTest, PausedServerIsUnreachableAndTheNextEndpointIsUsed) {
  EtcdServer server, other;
  const auto store = open(server.url());
  const auto both = open(EtcdSettings{.endpoints = {*config::parse_http_endpoint(server.url()),
                                                    *config::parse_http_endpoint(other.url())},
                                      .user = {},
                                      .password_file = {},
                                      .ca_file = {}});
  ASSERT_TRUE(answers(*store)) << server.log();
  const StoreRevision mine = claim(*store);
  server.pause();
  const auto late = run(
      store->commit({.key = "/a/mastership", .revision = mine}, {{.key = "/a/1", .value = "1"}}));
  server.resume();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().fault, StoreFault::unreachable);
  ASSERT_TRUE(answers(*store));
  server.kill();
  ASSERT_TRUE(answers(*both));
  EXPECT_TRUE(run(both->read("/a/"))->entries.empty());
}

TEST_F(EtcdStoreTest, FullServerSaysSoAndStillAnswers) {
  EtcdServer server({"--quota-backend-bytes=2000000"});
  const auto store = open(server.url());
  ASSERT_TRUE(answers(*store)) << server.log();
  const sm::StoreResult<StoreRevision> made = fill(*store);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().fault, StoreFault::full) << made.error().text;
  EXPECT_TRUE(run(store->read("/a/")));
}

TEST_F(EtcdStoreTest, LeasesAreKeptUntilTheyEnd) {
  EtcdServer server;
  const auto store = open(server.url());
  ASSERT_TRUE(answers(*store)) << server.log();
  const auto lease = run(store->grant(60s));
  ASSERT_TRUE(lease) << lease.error().text;
  EXPECT_EQ(run(store->keep_alive(*lease)), true);
  EXPECT_EQ(run(store->keep_alive(*lease + 1)), false);
  EXPECT_TRUE(run(store->commit({.key = "/a/mastership", .revision = claim(*store)},
                                {{.key = "/a/1", .value = "1", .lease = *lease}})));
}

/// Simple tokens are known to the process that gave them only: after a restart they are invalid.
TEST_F(EtcdStoreTest, InvalidTokensAreRenewedAndPasswordsProtected) {
  EtcdServer server;
  const auto plain = open(server.url());
  ASSERT_TRUE(answers(*plain)) << server.log();
  asio::ssl::context tls(asio::ssl::context::tls_client);
  sm::HttpClient raw(io.get_executor(), tls,
                     {.connect = std::chrono::seconds(2), .call = std::chrono::seconds(3)});
  const auto enabled =
      run([](sm::HttpClient& http, std::string url) -> asio::awaitable<sm::StoreResult<unsigned>> {
        (void)co_await http.connect(*config::parse_http_endpoint(url));
        unsigned status = 0;
        for (const auto& [target, body] : std::vector<std::pair<std::string, std::string>>{
                 {"/v3/auth/user/add", R"({"name":"root","password":"pass word"})"},
                 {"/v3/auth/role/add", R"({"name":"root"})"},
                 {"/v3/auth/user/grant", R"({"user":"root","role":"root"})"},
                 {"/v3/auth/enable", "{}"}}) {
          sm::HttpRequest request{.method = "POST", .target = target};
          request.fields = {{"Host", "etcd"}};
          request.body = body;
          const auto answer = co_await http.exchange(std::move(request));
          status = answer ? answer->status : 0;
        }
        co_return status;
      }(raw, server.url()));
  ASSERT_EQ(enabled, 200u);
  EXPECT_EQ(run(plain->read("/a/")).error().fault, StoreFault::refused);

  const std::string file = (server.directory() / "password").string();
  harness::write_file(file, "pass word\n");
  ::chmod(file.c_str(), 0644);
  EtcdSettings settings{.endpoints = {*config::parse_http_endpoint(server.url())},
                        .user = "root",
                        .password_file = file,
                        .ca_file = {}};
  const auto store = open(settings);
  const auto readable = run(store->read("/a/"));
  ASSERT_FALSE(readable);
  EXPECT_THAT(readable.error().text, HasSubstr("0644"));
  ::chmod(file.c_str(), 0600);
  const StoreRevision mine = claim(*store);
  EXPECT_EQ(events_after(*store, mine - 1, 1).size(), 1u);
  server.kill();
  server.start();
  ASSERT_TRUE(answers(*store)) << server.log();
  EXPECT_TRUE(run(
      store->commit({.key = "/a/mastership", .revision = mine}, {{.key = "/a/1", .value = "1"}})));

  harness::write_file(file, "another\n");
  const auto wrong = run(open(settings)->read("/a/"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().fault, StoreFault::refused) << wrong.error().text;
}

TEST_F(EtcdStoreTest, TlsRequiresTheServersNameAndAKnownAuthority) {
  HEDDLE_REQUIRE_TOOL("openssl", "openssl");
  const harness::ScratchDir keys;
  const std::string certificate = (keys.path() / "cert").string(),
                    key = (keys.path() / "key").string();
  harness::Process make(harness::Command{
      .argv = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
               "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
               "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate},
      .env = {},
      .cwd = keys.path(),
      .out = keys.path() / "out",
      .err = keys.path() / "err",
      .in_fd = -1,
      .out_fd = -1});
  ASSERT_EQ(make.wait(std::chrono::milliseconds(kLimit))->code, 0)
      << harness::read_file(keys.path() / "err");
  EtcdServer server({"--cert-file=" + certificate, "--key-file=" + key}, "https");
  EtcdSettings settings{.endpoints = {*config::parse_http_endpoint(server.url("localhost"))},
                        .user = {},
                        .password_file = {},
                        .ca_file = certificate};
  const auto store = open(settings);
  ASSERT_TRUE(answers(*store)) << server.log() << run(store->read("/")).error().text;
  const StoreRevision mine = claim(*store);
  EXPECT_EQ(events_after(*store, mine - 1, 1).size(), 1u);

  settings.endpoints = {*config::parse_http_endpoint(server.url("127.0.0.1"))};
  const auto other_name = run(open(settings)->read("/a/"));
  ASSERT_FALSE(other_name);
  EXPECT_THAT(other_name.error().text, HasSubstr("TLS"));

  settings.endpoints = {*config::parse_http_endpoint(server.url("localhost"))};
  settings.ca_file.clear();
  const auto stranger = run(open(settings)->read("/a/"));
  ASSERT_FALSE(stranger);
  EXPECT_THAT(stranger.error().text, HasSubstr("TLS"));
}

TEST(EtcdGateway, DamagedAnswersAreErrors) {
  for (const char* body :
       {"", "x", "[]", "{}", "null", R"({"header":1})", R"({"header":{"revision":"x"}})",
        R"({"header":{"revision":"1"},"kvs":1})", R"({"header":{"revision":"1"},"kvs":[1]})",
        R"({"header":{"revision":"1"},"kvs":[{"key":"*"}]})"}) {
    EXPECT_FALSE(sm::etcd::parse_range(body)) << body;
    EXPECT_FALSE(sm::etcd::parse_watch(body)) << body;
    EXPECT_FALSE(sm::etcd::parse_token(body)) << body;
    EXPECT_FALSE(sm::etcd::parse_keep_alive(body)) << body;
  }
}

}  // namespace etcd_store_test
