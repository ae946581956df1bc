// The API over real sockets and the server's own threads, above a whole manager in virtual time:
// the thread of the test is the control thread.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "mad/format.h"
#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"
#include "sm/ops/api/api.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/ops/metrics/metrics_resource.h"
#include "sm/ops/view.h"
#include "sm/ops/web/server.h"
#include "support/heap.h"
#include "unit/sm/ops/web/raw_client.h"

namespace served_test {

using laboratory::Solo;
using sm::web::RawClient;
using sm::web::Response;
using sm::web::Role;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr const char* kPortal = "Authorization: Basic cG9ydGFsOmhpZGRlbi1wdw==\r\n";
constexpr const char* kReader = "Authorization: Basic cmVhZGVyOmhpZGRlbi1wdw==\r\n";

class Served : public ::testing::Test {
 protected:
  Served() : site_(topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}})) {
    site_.options.sweep_interval = 0;
    site_.options.audit_interval = 0;
  }

  void serve(const sm::web::Limits& limits) {
    ASSERT_TRUE(site_.start_and_settle()) << site_.tail();
    view_ = std::make_unique<sm::SharedView>(
        site_.runtime.executor(), [this] { return view(); }, view());
    sm::web::Resources all = sm::api_resources({.views = view_->views(),
                                                .group = {},
                                                .join_states = {},
                                                .services = {},
                                                .start = "5f3a1c00"});
    sm::web::Resources partitions = sm::partition_resources(site_.heddle().partition_service());
    sm::web::Resources metrics = sm::metrics_resources(view_->views()).resources;
    for (sm::web::Resources* const part : {&partitions, &metrics})
      std::ranges::move(part->routes, std::back_inserter(all.routes));
    auto router = std::make_shared<const sm::web::Router>(std::move(all.routes));
    server_ = std::make_unique<sm::web::Server>(sm::web::Dispatcher::Options{
        .limits = limits,
        .routes = [router](const sm::web::Fields&)
            -> tl::expected<std::shared_ptr<const sm::web::Router>, Response> { return router; },
        .on_change =
            [view = *view_](bool begins) mutable {
              begins ? view.change_begins() : view.change_ends();
            },
        .audit = [this](const std::string& line) { note(line); },
        .log_error = [this](const std::string& line) { note(line); }});
    const auto found = server_->apply({.listen = {{"127.0.0.1", 0, ""}},
                                       .tls_cert = {},
                                       .tls_key = {},
                                       .users_file = users_file(),
                                       .control_group = {}});
    ASSERT_TRUE(found.empty()) << found.front().text();
    port_ = server_->addresses().front().port;
  }
  void TearDown() override {
    if (server_) server_->stop([this] { site_.runtime.run_for(1ms); });
  }

  /// Lets the manager work until other threads have set `done`.
  void run_until(const std::atomic<bool>& done, const std::function<void()>& turn = {}) {
    while (!done) {
      site_.runtime.run_for(1ms);
      if (turn) turn();
      std::this_thread::sleep_for(500us);
    }
  }
  /// One request on a connection of its own, all of its answer.
  std::string exchange(const std::string& request) {
    std::string answer;
    std::atomic<bool> done = false;
    std::thread client([&] {
      answer = RawClient(port_).exchange(request);
      done = true;
    });
    run_until(done);
    client.join();
    return answer;
  }

  std::shared_ptr<const sm::View> view() {
    const sm::Manager& manager = site_.heddle().manager();
    return std::make_shared<const sm::View>(
        sm::View{.status = manager.status(), .groups = {}, .context = manager.context()});
  }
  partitions::SharedRuntime stored() {
    const sm::PartitionService service = site_.heddle().partition_service();
    const auto outcome = site_.runtime.start(service.snapshot());
    EXPECT_TRUE(site_.runtime.run_until([&] { return outcome->done; }, 1min));
    return outcome->value->stored;
  }

  Solo site_;
  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::uint16_t port_ = 0;

 private:
  void note(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() < 1000) lines_.push_back(line);
  }
  std::string users_file() const {
    const std::string path = folder_.text() + "/users";
    std::ofstream file(path);
    for (const char* const user : {"portal:partitions", "reader:read"}) {
      const auto hash = sm::web::make_hash("hidden-pw", {.memory_kib = 8, .passes = 1, .lanes = 1});
      file << user << ':' << hash.value() << '\n';
    }
    file.close();
    chmod(path.c_str(), 0600);
    return path;
  }

  laboratory::Folder folder_;
  std::unique_ptr<sm::SharedView> view_;
  std::unique_ptr<sm::web::Server> server_;
};

std::string request(const std::string& line, const std::string& headers,
                    const std::string& body = {}) {
  return fmt::format("{} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{}{}\r\n{}", line, headers,
                     body.empty() ? ""
                                  : fmt::format("Content-Type: application/json\r\n"
                                                "Content-Length: {}\r\n",
                                                body.size()),
                     body);
}
std::string change(const std::string& line, const std::string& body,
                   const std::string& headers = {}) {
  return request(line, kPortal + headers, body);
}

struct Bad {
  std::string what, bytes;
  std::string status;     // "" : the connection is closed without an answer
  std::string says = {};  // in the answer
};

std::vector<Bad> bad_requests() {
  const std::string all = "/v1/partitions", one = all + "/0x0010", batch = "/v1/partition-changes";
  const auto create = [&](const std::string& body) { return change("POST " + all, body); };
  const auto get = [](const std::string& target) { return request("GET " + target, kPortal); };
  const auto match = [](const std::string& tags) { return "If-Match: " + tags + "\r\n"; };
  return {
      // Faults of HTTP.
      {"no HTTP", "nonsense\r\n\r\n", "400"},
      {"a head without end", "GET /v1/subnet HTTP/1.1\r\nHost: h\r\nX: ", ""},
      {"a head that is too long",
       request("GET /v1/subnet", "X: " + std::string(20'000, 'a') + "\r\n"), "431"},
      {"a target that is too long", get("/v1/" + std::string(20'000, 'a')), "431"},
      {"a body that is too long",
       request("POST " + all, std::string(kPortal) + "Content-Type: application/json\r\n" +
                                  "Content-Length: 2000000\r\n"),
       "413"},
      {"a chunk that is too long",
       request("POST " + all, std::string(kPortal) + "Content-Type: application/json\r\n" +
                                  "Transfer-Encoding: chunked\r\n") +
           "7fffffff\r\n",
       "413"},
      {"a length that overflows",
       request("POST " + all, std::string(kPortal) + "Content-Type: application/json\r\n" +
                                  "Transfer-Encoding: chunked\r\n") +
           "ffffffffffffffffff\r\n",
       "4"},
      {"two lengths",
       request("POST " + all, std::string(kPortal) + "Content-Type: application/json\r\n" +
                                  "Content-Length: 2\r\nContent-Length: 3\r\n") +
           "{}",
       "400"},
      {"length and chunks",
       request("POST " + all, std::string(kPortal) + "Content-Type: application/json\r\n" +
                                  "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n") +
           "0\r\n\r\n",
       "400"},
      {"a body that ends early",
       request("POST " + all, std::string(kPortal) + "Content-Type: application/json\r\n" +
                                  "Content-Length: 50\r\n") +
           "{",
       ""},
      {"no Host", "GET /v1/subnet HTTP/1.1\r\nConnection: close\r\n\r\n", "400"},
      {"a header with a lone CR", request("GET /v1/subnet", "X: a\rSet-Cookie: b\r\n"), "400"},
      {"a folded header is one header (RFC 9112, 5.2)",
       request("GET /v1/subnet", "X: a\r\n Authorization: Basic cG9ydGFsOmhpZGRlbi1wdw==\r\n"),
       "401"},
      {"a NUL in a header", request("GET /v1/subnet", std::string("X: a\0b\r\n", 8)), "400"},
      {"a line feed in a path", get(all + "/0x10%0d%0aSet-Cookie:%20a"), "400"},
      {"a path that leads out", get("/v1/../../etc/passwd"), "400"},
      {"the same in other letters", get("/v1/%2e%2e/%2e%2e/etc/passwd"), "400"},
      {"the same in one segment", get(all + "/..%2f..%2fetc%2fpasswd"), "400"},
      {"bytes that are no UTF-8", get(all + "/%ff%fe"), "400"},
      {"a method that is not for this", request("DELETE " + all, kPortal), "405", "Allow: "},
      {"no such path", get("/v1/partition"), "404"},
      // Authentication.
      {"no user", request("POST " + all, "", "{}"), "401"},
      {"a wrong password", request("GET " + all, "Authorization: Basic cG9ydGFsOng=\r\n"), "401"},
      {"no scheme", request("GET " + all, "Authorization: cG9ydGFsOmhpZGRlbi1wdw==\r\n"), "401"},
      {"a reader", request("POST " + all, kReader, "{}"), "403", "role partitions"},
      {"a page of another site", change("POST " + all, "{}", "Origin: https://other.example\r\n"),
       "403"},
      {"another type",
       request("POST " + all,
               std::string(kPortal) + "Content-Type: text/plain\r\n" + "Content-Length: 2\r\n") +
           "{}",
       "415"},
      {"no length", request("POST " + all, kPortal), "411"},
      // JSON.
      {"JSON that ends early", create(R"({"p_key": "0x11")"), "400"},
      {"JSON twice", create(R"({"p_key": "0x11"}{})"), "400"},
      {"deep JSON", create(std::string(5000, '[')), "400"},
      {"no object", create("[]"), "400"},
      {"JSON that is no UTF-8", create("{\"p_key\": \"0x11\", \"name\": \"\xff\xfe\"}"), "400"},
      {"a member twice", create(R"({"p_key": "0x11", "p_key": "0x12"})"), "400", "p_key"},
      {"a member of a member twice",
       create(R"({"p_key": "0x11", "members": [{"guid": "0x1", "guid": "0x2"}]})"), "400", "guid"},
      {"an unknown member", create(R"({"p_key": "0x11", "colour": 1})"), "400", "/colour"},
      {"an unknown parameter", get(all + "?colour=red"), "400", "colour"},
      {"another type of a key", create(R"({"p_key": []})"), "400", "/p_key"},
      {"another type of members", create(R"({"p_key": "0x11", "members": 1})"), "400", "/members"},
      {"another type of a flag", create(R"({"p_key": "0x11", "ipoib": "yes"})"), "400", "/ipoib"},
      {"no key", create("{}"), "400", "p_key"},
      // Partitions.
      {"P_Key 0", create(R"({"p_key": "0x0"})"), "400", "/p_key"},
      {"P_Key 0x8000", create(R"({"p_key": "0x8000"})"), "400", "/p_key"},
      {"P_Key 0 in a path", change("PUT " + all + "/0x0", "{}"), "400"},
      {"P_Key 0x8000 in a path", change("PUT " + all + "/0x8000", "{}"), "400"},
      {"a GUID twice", create(R"({"p_key": "0x11", "members": [{"guid": "0x1"}, {"guid": "1"}]})"),
       "400", "/members/1/guid"},
      {"GUID 0", create(R"({"p_key": "0x11", "members": [{"guid": "0x0"}]})"), "400",
       "/members/0/guid"},
      {"a time that is past", create(R"({"p_key": "0x11", "members": [{"guid": "0x1",
                  "expires_at": "2001-01-01T00:00:00Z"}]})"),
       "400", "/members/0/expires_at"},
      {"it exists", create(R"({"p_key": "0x10"})"), "409"},
      {"no ETag", change("PATCH " + one, R"({"sl": 1})"), "428"},
      {"an ETag of before", change("PATCH " + one, R"({"sl": 1})", match("\"0\"")), "412"},
      {"an ETag of before, to delete", request("DELETE " + one, kPortal + match("\"0\"")), "412"},
      {"a weak ETag", change("PATCH " + one, R"({"sl": 1})", match("W/\"1\"")), "4"},
      {"no ETag at all", change("PATCH " + one, R"({"sl": 1})", match("1; drop")), "400"},
      {"two that contradict each other",
       change("PATCH " + one, R"({"sl": 1})", match("*") + match("\"0\"")), "4"},
      {"a change of two that does not fit",
       change("POST " + batch, R"({"changes": [{"op": "add", "p_key": "0x10", "members":
              [{"guid": "0x7"}]}, {"op": "delete", "p_key": "0x10", "if_match": 9999}]})"),
       "412", "/changes/1/if_match"},
      {"an unknown change", change("POST " + batch, R"({"changes": [{"op": "x", "p_key": 1}]})"),
       "400", "/changes/0/op"},
      {"no such partition", change("PATCH " + all + "/0x12", "{}", match("*")), "404"}};
}

TEST_F(Served, BadRequestsChangeNothingAndShowNothing) {
  sm::web::Limits limits;
  limits.header_time = limits.grace = 300ms;
  serve(limits);
  ASSERT_THAT(exchange(change("PUT /v1/partitions/0x10",
                              R"({"name": "jobs", "members": [{"guid": "0x9"}]})")),
              StartsWith("HTTP/1.1 200"));
  const auto before = stored();
  for (const Bad& bad : bad_requests()) {
    const std::string answer = exchange(bad.bytes);
    if (bad.status.empty()) {
      EXPECT_EQ(answer, "") << bad.what;
      continue;
    }
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + bad.status)) << bad.what;
    EXPECT_THAT(answer, HasSubstr("Content-Type: application/problem+json")) << bad.what;
    EXPECT_THAT(answer, HasSubstr(bad.says)) << bad.what;
    EXPECT_THAT(answer, Not(HasSubstr("\nSet-Cookie"))) << bad.what;
    EXPECT_THAT(answer, Not(HasSubstr("root:"))) << bad.what;
    EXPECT_THAT(answer, Not(HasSubstr("hidden-pw"))) << bad.what;
    EXPECT_EQ(stored(), before) << bad.what;
  }
  EXPECT_THAT(lines_, Not(::testing::Contains(HasSubstr("hidden-pw"))));
  EXPECT_THAT(site_.log(), Not(HasSubstr("hidden-pw")));
  EXPECT_THAT(exchange(request("GET /v1/partitions/0x10", kReader)), StartsWith("HTTP/1.1 200"));
}

TEST_F(Served, WhatReadsSendsNoMad) {
  site_.options.perfmgr = true;
  site_.options.perfmgr_sweep_time_s = 3600;
  serve({});
  site_.runtime.run_for(10s);  // the first poll of counters
  const std::uint64_t before = site_.world.statistics.mads_sent;
  for (const char* const target :
       {"/metrics", "/v1/subnet", "/v1/nodes", "/v1/links", "/v1/lids", "/v1/partitions",
        "/v1/groups", "/v1/sms", "/v1/conditions", "/v1/occurrences", "/v1/routing", "/v1/topology",
        "/v1/topology/counters", "/v1/counters", "/v1/nodes/H0", "/v1/events?since=0"}) {
    for (const char* const encoding : {"", "Accept-Encoding: gzip\r\n"})
      EXPECT_THAT(
          exchange(request(fmt::format("GET {}", target), fmt::format("{}{}", kReader, encoding))),
          StartsWith("HTTP/1.1 200"))
          << target;
  }
  EXPECT_EQ(site_.world.statistics.mads_sent, before);
  EXPECT_THAT(exchange(request("GET /metrics", kReader)),
              HasSubstr("infiniband_switch_port_symbol_error_total{"));
}

/// A client that keeps its connection, and nothing of what it has received.
class Client {
 public:
  Client(std::uint16_t port, unsigned number) : raw_(port), number_(number) {}

  /// Round by round: its GUID is added, shown, looked for, removed and added; others read.
  void ask(unsigned round) {
    const std::string guid = fmt::format("{:#018x}", 0x0200'0000'0000'0000u + number_);
    const std::string member = "/v1/partitions/0x0010/members/" + guid;
    switch ((number_ + round) % 4) {
      case 0:
        return send("PUT " + member, R"({"owner": "client"})");
      case 1:
        return send("GET /v1/partitions/0x0010/members?limit=5&cursor=" + guid);
      case 2:
        return send("GET /v1/nodes?limit=5");
      default:
        return send("DELETE " + member);
    }
  }
  /// The status; 0: there is none.
  unsigned answer() {
    if (!raw_.read_until("\r\n\r\n")) return 0;
    const std::string& head = raw_.received();
    const std::size_t end = head.find("\r\n\r\n") + 4;
    const std::size_t length = head.find("Content-Length: ");
    if (length > end) return 0;
    const std::size_t bytes = std::strtoul(head.c_str() + length + 16, nullptr, 10);
    const unsigned status = static_cast<unsigned>(std::strtoul(head.c_str() + 9, nullptr, 10));
    if (!raw_.read_bytes(end + bytes)) return 0;
    raw_.forget();
    return status;
  }

 private:
  void send(const std::string& line, const std::string& body = {}) {
    raw_.send(fmt::format("{} HTTP/1.1\r\nHost: h\r\n{}{}\r\n{}", line, kPortal,
                          body.empty() ? ""
                                       : fmt::format("Content-Type: application/json\r\n"
                                                     "Content-Length: {}\r\n",
                                                     body.size()),
                          body));
  }

  RawClient raw_;
  unsigned number_;
};

/// A connection has two descriptors in this process.
bool raise_descriptors(rlim_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  if (limit.rlim_cur >= wanted) return true;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= wanted;
}

TEST_F(Served, AThousandClientsBesideSweepsLeaveNoMemoryBehind) {
  constexpr unsigned kClients = 1000, kThreads = 4, kWarmRounds = 2, kRounds = 4;
  constexpr unsigned kPortion = 15, kTurnsPerSweep = 200;
  constexpr std::size_t kMayGrow = 1 << 20;  // by 2,000 requests: half a KiB each
  if (!raise_descriptors(2 * kClients + 100)) GTEST_SKIP() << "too few descriptors (ulimit -n)";
  sm::web::Limits limits;
  limits.requests = {.per_second = 1e6, .burst = 1e6};  // they come from one address
  limits.header_time = limits.grace = limits.idle_time = 120s;
  // All connect before the first one logs in: with the usual bound, idle ones make room for others,
  // if the server accepts them sooner than it reads the requests.
  limits.connections_before_login = kClients + 1;
  serve(limits);
  ASSERT_THAT(exchange(change("PUT /v1/partitions/0x0010", R"({"name": "jobs"})")),
              StartsWith("HTTP/1.1 20"));

  std::vector<std::unique_ptr<Client>> clients;
  clients.reserve(kClients);
  for (unsigned i = 0; i < kClients; ++i) clients.push_back(std::make_unique<Client>(port_, i));
  std::atomic<unsigned> failed = 0, busy = 0, last_failure = 0;
  const auto play = [&](unsigned thread, unsigned round) {
    // First all at once; then no more than are answered at a time.
    const unsigned portion = round == 0 ? kClients : kPortion * kThreads;
    for (unsigned begin = 0; begin < kClients; begin += portion) {
      std::vector<unsigned> waiting;
      for (unsigned i = begin + thread; i < std::min(begin + portion, kClients); i += kThreads)
        waiting.push_back(i);
      while (!waiting.empty()) {
        for (const unsigned i : waiting) clients[i]->ask(round);
        // 503: more are being answered than the limit allows; asked again, as the answer says.
        std::erase_if(waiting, [&](unsigned i) {
          const unsigned status = clients[i]->answer();
          if (status == 503) {
            ++busy;
            return false;
          }
          if (status != 200) {
            ++failed;
            last_failure = status;
          }
          return true;
        });
      }
    }
  };
  // The server's threads may still be busy with what they have sent.
  const auto quiet_heap = [&] {
    std::size_t least = ~std::size_t{0};
    for (int i = 0; i < 5; ++i) {
      site_.runtime.run_for(1ms);
      std::this_thread::sleep_for(10ms);
      least = std::min(least, support::heap_bytes());
    }
    return least;
  };
  unsigned sweeps = 0;
  std::size_t heap = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    std::atomic<unsigned> ended = 0;
    std::atomic<bool> done = false;
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        play(thread, round);
        if (++ended == kThreads) done = true;
      });
    unsigned turns = 0;
    run_until(done, [&] {
      if (++turns % kTurnsPerSweep == 1 && site_.heddle().order_resweep()) ++sweeps;
    });
    for (std::thread& thread : threads) thread.join();
    site_.settle();
    site_.forget_counts();  // and what the simulator records
    site_.heddle().forget_log();
    if (round + 1 == kWarmRounds) heap = quiet_heap();
  }
  EXPECT_LT(quiet_heap(), heap + kMayGrow);
  EXPECT_EQ(failed, 0u) << "the last one has status " << last_failure;
  EXPECT_GE(sweeps, kRounds);
  EXPECT_EQ(sim::first_complaint(sim::check_subnet(site_.model, site_.own())), "");
  // A client that added its GUID last, and did not remove it since, is a member; no other is.
  unsigned members = 0;
  for (unsigned i = 0; i < kClients; ++i) {
    bool is_member = false;
    for (unsigned round = 0; round < kRounds; ++round) {
      if ((i + round) % 4 == 0) is_member = true;
      if ((i + round) % 4 == 3) is_member = false;
    }
    members += is_member ? 1 : 0;
    const mad::Guid guid{0x0200'0000'0000'0000u + i};
    EXPECT_EQ(stored()->members().find({0x10, guid}) != nullptr, is_member) << i;
  }
  EXPECT_GT(members, 0u);
}

}  // namespace served_test
