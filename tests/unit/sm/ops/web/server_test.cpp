// The server over real sockets, with curl and openssl as the reference clients.
#include "sm/ops/web/server.h"

#include <openssl/evp.h>
#include <sys/stat.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <fstream>
#include <span>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ops/web/compression.h"
#include "support/require_tool.h"
#include "unit/sm/ops/web/raw_client.h"
#include "unit/sm/temporary_directory.h"

namespace sm::web::server_test {

namespace asio = boost::asio;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr HashCost kCheap{.memory_kib = 8, .passes = 1, .lanes = 1};

struct Output {
  int code = -1;
  std::string text;
};

Output run(const std::string& command) {
  Output output;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return output;
  char part[4096];
  for (std::size_t bytes; (bytes = fread(part, 1, sizeof part, pipe)) > 0;)
    output.text.append(part, bytes);
  output.code = WEXITSTATUS(pclose(pipe));
  return output;
}

/// What happens on the server's threads, for the test to wait for.
struct Seen {
  void add(const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
    changed.notify_all();
  }
  bool wait_for(const std::string& text) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 20s, [&] {
      return std::ranges::any_of(
          lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
    });
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex);
    return lines;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> lines;
};

Route route(Method method, std::string path, Role least,
            std::function<asio::awaitable<Response>(Request)> handler) {
  Route made;
  made.method = method;
  made.path = std::move(path);
  made.least = least;
  made.handler = std::move(handler);
  return made;
}

Handler text(std::string body, std::string etag = {}) {
  return [=](Request) -> asio::awaitable<Response> {
    Response response;
    response.content_type = "text/plain";
    response.body = body;
    response.etag = etag;
    co_return response;
  };
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    limits_.header_time = 10s;
    settings_.listen = {{"127.0.0.1", 0, ""}};
    settings_.users_file = dir_.path() / "users";
    write_users({{"alice", Role::admin}, {"part", Role::partitions}, {"reader", Role::read}});
  }
  ~ServerTest() override {
    if (server_) server_->stop();
  }

  void write_users(const std::vector<std::pair<std::string, Role>>& users,
                   const std::string& password = "pw") {
    std::ofstream file(settings_.users_file);
    for (const auto& [user, role] : users)
      file << user << ':' << name(role) << ':' << make_hash(password, kCheap).value() << '\n';
    file.close();
    chmod(settings_.users_file.c_str(), 0600);
  }

  std::vector<Route> routes() {
    std::vector<Route> all{
        route(Method::get, "/open", Role::none, text("open\n")),
        route(Method::get, "/read", Role::read, text("read\n", "v1")),
        route(Method::get, "/big", Role::none, text(std::string(400'000, 'x'))),
        route(Method::get, "/huge", Role::none,
              [](Request) -> asio::awaitable<Response> {
                Response response;
                response.content_type = "application/octet-stream";
                response.body.assign(60'000'000, 'x');
                co_return response;
              }),
        route(Method::get, "/fails", Role::none,
              [](Request) -> asio::awaitable<Response> {
                throw std::runtime_error("secret detail");
                co_return Response{};
              }),
        route(Method::get, "/echo/{value}", Role::none,
              [](Request request) -> asio::awaitable<Response> {
                Response response;
                response.headers = {{"X-Echo", std::string(request.parameter("value"))}};
                response.body = request.parameter("value");
                co_return response;
              }),
        route(Method::put, "/parts", Role::partitions,
              [this](Request request) -> asio::awaitable<Response> {
                ++changes_;
                Response response;
                response.body = std::to_string(request.body.size());
                co_return response;
              }),
        route(Method::put, "/v1/parts/{name}", Role::partitions, text("")),
        route(Method::get, "/who", Role::read,
              [](Request request) -> asio::awaitable<Response> {
                Response response;
                response.body = request.caller.user + " " + std::string(name(request.caller.role));
                co_return response;
              }),
        route(Method::get, "/three", Role::none,
              [](Request) -> asio::awaitable<Response> {
                Response response;
                response.content_type = "text/plain";
                response.chunks = [i = 0]() mutable -> asio::awaitable<std::optional<std::string>> {
                  if (++i > 3) co_return std::nullopt;
                  co_return "part " + std::to_string(i) + "\n";
                };
                co_return response;
              }),
        route(Method::get, "/halves", Role::read,
              [this](Request) -> asio::awaitable<Response> {
                Response response;
                response.content_type = "text/plain";
                response.chunks = [this,
                                   i = 0]() mutable -> asio::awaitable<std::optional<std::string>> {
                  if (++i > 3) co_return std::nullopt;
                  asio::steady_timer timer(co_await asio::this_coro::executor);
                  while (i == 2 && !second_half_) {
                    timer.expires_after(1ms);
                    co_await timer.async_wait(asio::use_awaitable);
                  }
                  co_return "part " + std::to_string(i) + "\n";
                };
                co_return response;
              }),
        route(Method::get, "/joined", Role::none,
              [](Request) -> asio::awaitable<Response> {
                Response response;
                response.content_type = "text/plain";
                response.headers.emplace_back("Content-Encoding", "gzip");
                response.chunks = [i = 0, joined = GzipJoined()]() mutable
                    -> asio::awaitable<std::optional<std::string>> {
                  if (++i > 5) co_return std::nullopt;
                  if (i == 1) co_return std::string(GzipJoined::begin());
                  if (i == 5) co_return joined.end();
                  const auto part = gzip_part("part " + std::to_string(i - 1) + "\n");
                  joined.add(*part);
                  co_return part->bytes;
                };
                co_return response;
              }),
        route(Method::get, "/events", Role::none, [this](Request) -> asio::awaitable<Response> {
          Response response;
          response.content_type = "text/event-stream";
          auto left = std::shared_ptr<void>(nullptr, [this](void*) { seen_.add("left"); });
          response.chunks =
              [left, first = true]() mutable -> asio::awaitable<std::optional<std::string>> {
            if (first) {
              first = false;
              co_return "data: 1\n\n";
            }
            asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::hours(1));
            co_await timer.async_wait(asio::use_awaitable);
            co_return std::nullopt;
          };
          co_return response;
        })};
    Route json = route(Method::post, "/json", Role::partitions, text("{}"));
    json.request_schema = "Any";
    all.push_back(std::move(json));
    return all;
  }

  void start() {
    auto router = std::make_shared<const Router>(routes());
    server_ = std::make_unique<Server>(Dispatcher::Options{
        .limits = limits_,
        .routes = [router](const Fields&) -> tl::expected<std::shared_ptr<const Router>, Response> {
          return router;
        },
        .elsewhere = elsewhere_,
        .on_change = {},
        .audit = [this](const std::string& line) { seen_.add(line); },
        .log_error = [this](const std::string& line) { seen_.add(line); }});
    const auto found = server_->apply(settings_);
    ASSERT_TRUE(found.empty()) << found.front().text();
  }

  std::uint16_t port() const {
    for (const auto& address : server_->addresses())
      if (!address.is_unix()) return address.port;
    return 0;
  }
  std::string url(const std::string& path, const char* scheme = "http") const {
    return std::string(scheme) + "://localhost:" + std::to_string(port()) + path;
  }
  Output curl(const std::string& arguments, const std::string& path) const {
    return run("curl -sS -m 20 --resolve localhost:" + std::to_string(port()) + ":127.0.0.1 " +
               arguments + " '" + url(path) + "'");
  }
  std::string status(const std::string& arguments, const std::string& path) const {
    return curl("-o /dev/null -w '%{http_code}' " + arguments, path).text;
  }
  std::string exchange(const std::string& request) const {
    return RawClient(port()).exchange(request);
  }

  /// In PEM, self-signed; `name` names files and subject.
  void make_certificate(const std::string& name) {
    const Output made = run(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" +
        name + " -addext subjectAltName=DNS:localhost -keyout " +
        (dir_.path() / (name + ".key")).string() + " -out " +
        (dir_.path() / (name + ".pem")).string());
    ASSERT_EQ(made.code, 0) << made.text;
    chmod((dir_.path() / (name + ".key")).c_str(), 0600);
    settings_.tls_cert = dir_.path() / (name + ".pem");
    settings_.tls_key = dir_.path() / (name + ".key");
  }

  TemporaryDirectory dir_;
  Limits limits_;
  ServerSettings settings_;
  std::function<asio::awaitable<std::optional<Elsewhere>>(const Request&)> elsewhere_;
  Seen seen_;
  std::atomic<int> changes_ = 0;
  std::atomic<bool> second_half_ = false;  // of /halves may be sent
  std::unique_ptr<Server> server_;
};

const std::string kHost = "Host: localhost\r\n";

TEST_F(ServerTest, HeadHasTheLengthAndNoBody) {
  start();
  const std::string answer =
      exchange("HEAD /open HTTP/1.1\r\n" + kHost + "Connection: close\r\n\r\n");
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Length: 5\r\n")));
  EXPECT_THAT(answer, ::testing::EndsWith("\r\n\r\n"));
}

TEST_F(ServerTest, TwoTransferEncodingsEndTheConnection) {
  start();
  const std::string answer = exchange("POST /open HTTP/1.1\r\n" + kHost +
                                      "Transfer-Encoding: chunked\r\n"
                                      "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                                      "GET /open HTTP/1.1\r\n" +
                                      kHost + "\r\n");
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("Connection: close\r\n")));
  EXPECT_THAT(answer, Not(HasSubstr("200 OK"))) << "what follows is not another request";
}

TEST_F(ServerTest, AUserDoesNotTakeAllAnswersInParts) {
  limits_.streams = {.all = 8, .of_user = 2, .of_address = 8};
  start();
  const auto halves = [&](const char* user) {
    auto client = std::make_unique<RawClient>(port());
    client->send(std::string("GET /halves HTTP/1.1\r\nAuthorization: Basic ") + user + "\r\n" +
                 kHost + "\r\n");
    EXPECT_TRUE(client->read_until("\r\n\r\n"));
    return client;
  };
  constexpr const char *kReader = "cmVhZGVyOnB3", *kAlice = "YWxpY2U6cHc=";
  std::vector<std::unique_ptr<RawClient>> clients;
  for (unsigned i = 0; i < 2; ++i) {
    clients.push_back(halves(kReader));
    EXPECT_THAT(clients.back()->received(), StartsWith("HTTP/1.1 200"));
  }
  EXPECT_THAT(halves(kReader)->received(), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(halves(kAlice)->received(), StartsWith("HTTP/1.1 200"));
  second_half_ = true;
  for (const auto& client : clients) EXPECT_TRUE(client->read_until("part 3\n\r\n0\r\n\r\n"));
  // The server may still be ending an answer whose last part has arrived.
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!halves(kReader)->received().starts_with("HTTP/1.1 200"))
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "those have ended";
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInTurn) {
  start();
  RawClient client(port());
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += "GET /echo/v" + std::to_string(i) + " HTTP/1.1\r\n" + kHost + "\r\n";
  client.send(all + "GET /open HTTP/1.1\r\n" + kHost + "Connection: close\r\n\r\n");
  ASSERT_TRUE(client.read_to_end());
  std::size_t at = 0;
  for (int i = 0; i < 50; ++i) {
    at = client.received().find("X-Echo: v" + std::to_string(i) + "\r\n", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST_F(ServerTest, RolesDecide) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  start();
  EXPECT_EQ(status("", "/open"), "200");
  EXPECT_EQ(status("", "/read"), "401");
  EXPECT_THAT(curl("-i", "/read").text, HasSubstr("WWW-Authenticate: Basic realm=\"heddle\""));
  EXPECT_EQ(status("-u reader:pw", "/read"), "200");
  EXPECT_EQ(status("-u reader:wrong", "/read"), "401");
  EXPECT_EQ(status("-u nobody:pw", "/read"), "401");
  EXPECT_EQ(status("-u reader:pw -X PUT", "/parts"), "403");
  EXPECT_THAT(curl("-u reader:pw -X PUT", "/parts").text,
              HasSubstr("user 'reader' has role read; this needs role partitions"));
  EXPECT_EQ(status("-u part:pw -X PUT", "/parts"), "200");
  EXPECT_EQ(changes_, 1);
  EXPECT_EQ(curl("-u alice:pw", "/who").text, "alice admin");
  EXPECT_EQ(curl("-H 'Authorization: Basic YWxpY2U6cHc='", "/who").text, "alice admin");
  EXPECT_EQ(status("-H 'Authorization: Bearer abc'", "/who"), "401");
}

TEST_F(ServerTest, ChangesAndFailedLoginsAreAuditedWithoutSecrets) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  start();
  curl("-u part:pw -X PUT -d hidden-body", "/parts?token=hidden-query");
  curl("-u part:hidden-password", "/read");
  ASSERT_TRUE(seen_.wait_for("PUT /parts: 200"));
  ASSERT_TRUE(seen_.wait_for("login of 'part' at 127.0.0.1:"));
  EXPECT_THAT(seen_.all(), Contains(StartsWith("http: user 'part' at 127.0.0.1:")));
  EXPECT_THAT(seen_.all(), Not(Contains(HasSubstr("hidden"))));
  EXPECT_THAT(seen_.all(), Not(Contains(HasSubstr("Basic"))));
}

TEST_F(ServerTest, FailedLoginsAreSlowedDown) {
  limits_.failed_logins = {.per_second = 0.01, .burst = 3};
  start();
  const auto login = [&](const std::string& token) {
    return exchange("GET /read HTTP/1.1\r\n" + kHost + "Authorization: Basic " + token +
                    "\r\nConnection: close\r\n\r\n");
  };
  const std::string wrong = "cmVhZGVyOng=", right = "cmVhZGVyOnB3";
  EXPECT_THAT(login(right), HasSubstr("200 OK"));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(login(wrong), HasSubstr(" 401 "));
  EXPECT_THAT(login(wrong), AllOf(HasSubstr(" 429 "), HasSubstr("Retry-After: ")));
  EXPECT_THAT(login(right), HasSubstr("200 OK")) << "who is known already is served";
}

/// base64 of user:password.
std::string token(const std::string& user, const std::string& password) {
  const std::string text = user + ":" + password;
  std::string out(4 * ((text.size() + 2) / 3) + 1, '\0');
  out.resize(static_cast<std::size_t>(EVP_EncodeBlock(
      reinterpret_cast<unsigned char*>(out.data()),
      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()))));
  return out;
}

std::string read_as(const std::string& user, const std::string& password) {
  return "GET /read HTTP/1.1\r\n" + kHost + "Authorization: Basic " + token(user, password) +
         "\r\nConnection: close\r\n\r\n";
}

TEST_F(ServerTest, GuessesAtTheSameTimeAreNoMoreThanGuessesInTurn) {
  limits_.failed_logins = {.per_second = 0.01, .burst = 5};
  start();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(std::make_unique<RawClient>(port()));
    clients.back()->send(read_as("reader", "guess" + std::to_string(i)));
  }
  int verified = 0;
  int refused = 0;
  for (const auto& client : clients) {
    ASSERT_TRUE(client->read_to_end());
    verified += client->received().find(" 401 ") != std::string::npos ? 1 : 0;
    refused += client->received().find(" 429 ") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(verified, 5);
  EXPECT_EQ(refused, 55);
}

TEST_F(ServerTest, ManyClientsThatBeginWithOneLoginAreOneGuess) {
  limits_.failed_logins = {.per_second = 0.01, .burst = 2};
  start();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(std::make_unique<RawClient>(port()));
    clients.back()->send(read_as("reader", "pw"));
  }
  for (const auto& client : clients) {
    ASSERT_TRUE(client->read_to_end());
    EXPECT_THAT(client->received(), HasSubstr("200 OK"));
  }
}

TEST_F(ServerTest, WrongLoginsLockNoOtherUserOfTheAddressOut) {
  limits_.failed_logins = {.per_second = 0.01, .burst = 3};
  start();
  for (int i = 0; i < 10; ++i) exchange(read_as("reader", "guess" + std::to_string(i)));
  EXPECT_THAT(exchange(read_as("reader", "pw")), HasSubstr(" 429 "));
  EXPECT_THAT(exchange(read_as("alice", "pw")), HasSubstr("200 OK"));
  for (int i = 0; i < 10; ++i) {
    write_users({{"alice", Role::admin}, {"reader", Role::read}});
    ASSERT_TRUE(server_->apply(settings_).empty());
    EXPECT_THAT(exchange(read_as("alice", "pw")), HasSubstr("200 OK"))
        << "right ones return what they took";
  }
}

TEST_F(ServerTest, GuessesOfManyAddressesMakeAUsersLoginSlowerOnly) {
  limits_.failed_logins = {.per_second = 0.01, .burst = 100};
  limits_.failed_logins_of_user = {.per_second = 10, .burst = 1};
  start();
  const auto before = Clock::now();
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(exchange(read_as("reader", "guess" + std::to_string(i))), HasSubstr(" 401 "));
  EXPECT_GE(Clock::now() - before, 150ms);
  EXPECT_THAT(exchange(read_as("reader", "pw")), HasSubstr("200 OK"));
}

TEST_F(ServerTest, GuessesThatWouldWaitTooLongAreRefused) {
  limits_.failed_logins_of_user = {.per_second = 0.01, .burst = 1};
  limits_.login_delay = 1s;
  start();
  EXPECT_THAT(exchange(read_as("reader", "guess")), HasSubstr(" 401 "));
  EXPECT_THAT(exchange(read_as("reader", "pw")), HasSubstr(" 429 "));
  EXPECT_THAT(exchange(read_as("alice", "pw")), HasSubstr("200 OK"));
}

TEST_F(ServerTest, GuessesOfAnAddressAsManyUsersAreBounded) {
  limits_.failed_logins_of_address = {.per_second = 0.01, .burst = 4};
  start();
  for (int i = 0; i < 4; ++i)
    EXPECT_THAT(exchange(read_as("user" + std::to_string(i), "x")), HasSubstr(" 401 "));
  EXPECT_THAT(exchange(read_as("user4", "x")), HasSubstr(" 429 "));
}

TEST_F(ServerTest, WithoutUsersOnlyOpenRoutesAreServed) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  settings_.users_file.clear();
  start();
  EXPECT_EQ(status("", "/open"), "200");
  EXPECT_EQ(status("", "/read"), "403");
  EXPECT_THAT(curl("-u a:b", "/read").text, HasSubstr("there are no users"));
}

TEST_F(ServerTest, ReadOnlyRejectsChanges) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  settings_.read_only = true;
  start();
  EXPECT_EQ(status("-u part:pw -X PUT", "/parts"), "403");
  EXPECT_EQ(status("-u part:pw", "/read"), "200");
  EXPECT_EQ(changes_, 0);
}

TEST_F(ServerTest, AStandbyNamesTheMaster) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  elsewhere_ = [](const Request&) -> asio::awaitable<std::optional<Elsewhere>> {
    co_return Elsewhere{.master = "0x0002c90300000001 (node-1)", .url = ""};
  };
  start();
  const std::string answer = curl("-i -u part:pw -X PUT", "/parts").text;
  EXPECT_THAT(answer, AllOf(HasSubstr(" 503 "), HasSubstr("0x0002c90300000001 (node-1)")));
  EXPECT_EQ(changes_, 0);
  EXPECT_EQ(status("-u part:pw", "/read"), "200");
}

TEST_F(ServerTest, AStandbyThatKnowsTheMastersUrlSendsClientsThere) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  elsewhere_ = [](const Request&) -> asio::awaitable<std::optional<Elsewhere>> {
    Elsewhere master{.master = "sm-2", .url = "https://sm-2:8443"};
    co_return master;
  };
  start();
  EXPECT_THAT(
      curl("-i -u part:pw -X PUT", "/v1/parts/a%20b?port_guid=0x1&wait=applied&x=%26%0a").text,
      StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(curl("-i -u part:pw -X PUT", "/v1/parts/a%20b?port_guid=0x1&wait=a%26b").text,
              AllOf(StartsWith("HTTP/1.1 307"),
                    HasSubstr("Location: https://sm-2:8443/v1/parts/a%20b?wait=a%26b\r\n")));
  EXPECT_THAT(curl("-i -u part:pw -X PUT", "/parts").text, StartsWith("HTTP/1.1 503"))
      << "clients of other contracts do not follow";
  EXPECT_EQ(changes_, 0);
}

TEST_F(ServerTest, ErrorsAreProblems) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  start();
  const auto answer = [&](const std::string& arguments, const std::string& path) {
    return curl("-i --path-as-is " + arguments, path).text;
  };
  const auto is = [](const std::string& status_line) {
    return AllOf(StartsWith("HTTP/1.1 " + status_line),
                 HasSubstr("Content-Type: application/problem+json"));
  };
  EXPECT_THAT(answer("", "/nothing"), is("404 Not Found"));
  EXPECT_THAT(answer("-X DELETE", "/open"),
              AllOf(is("405 Method Not Allowed"), HasSubstr("Allow: GET, HEAD")));
  EXPECT_THAT(answer("-X BREW", "/open"), is("501 Not Implemented"));
  EXPECT_THAT(answer("", "/echo/%zz"), is("400 Bad Request"));
  EXPECT_THAT(answer("", "/echo/../../etc/passwd"), is("400 Bad Request"));
  EXPECT_THAT(answer("", "/echo/%2e%2e%2f%2e%2e"), is("400 Bad Request"));
  EXPECT_THAT(answer("", "/echo/a%0d%0aSet-Cookie:%20x"), is("400 Bad Request"));
  EXPECT_THAT(answer("-u part:pw -d '{}'", "/json"), is("415 Unsupported Media Type"));
  EXPECT_THAT(answer("-u part:pw -X POST -H 'Content-Type: application/json'", "/json"),
              is("411 Length Required"));
  EXPECT_THAT(answer("-u part:pw -H 'Content-Type: application/json' -d '{}'", "/json"),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer("-u part:pw -H 'Content-Type: application/json' -d '{}' "
                     "-H 'Origin: https://evil.example'",
                     "/json"),
              is("403 Forbidden"));
  const std::string failed = answer("", "/fails");
  EXPECT_THAT(failed, is("500 Internal Server Error"));
  EXPECT_THAT(failed, Not(HasSubstr("secret detail")));
  EXPECT_TRUE(seen_.wait_for("GET /fails: secret detail"));
}

TEST_F(ServerTest, BodiesAreBoundedAndRefusedBeforeTheyAreSent) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  limits_.body_bytes = 100'000;
  start();
  const std::string file = dir_.path() / "body";
  std::ofstream(file) << std::string(3'000'000, 'x');
  // On a busy machine curl would send the body after 1 s, more of it than the server reads on for.
  const std::string waits = "--expect100-timeout 60 -T " + file;
  EXPECT_EQ(status("-u part:pw " + waits, "/parts"), "413");
  EXPECT_EQ(status("-u part:pw -H 'Transfer-Encoding: chunked' " + waits, "/parts"), "413");
  EXPECT_EQ(status(waits, "/parts"), "413");
  std::ofstream(file) << std::string(90'000, 'x');
  EXPECT_EQ(curl("-u part:pw -H 'Expect: 100-continue' -T " + file, "/parts").text, "90000");
  EXPECT_EQ(curl("-u part:pw -H 'Transfer-Encoding: chunked' -T " + file, "/parts").text, "90000");
  EXPECT_EQ(status("-T " + file, "/parts"), "401");
  EXPECT_EQ(status("-H 'X-Long: " + std::string(20'000, 'a') + "'", "/open"), "431");
}

TEST_F(ServerTest, EtagsSaveTheBody) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  start();
  EXPECT_THAT(curl("-i -u reader:pw", "/read").text, HasSubstr("ETag: \"v1\""));
  const std::string same =
      curl("-i -u reader:pw -H 'If-None-Match: \"v0\", W/\"v1\"'", "/read").text;
  EXPECT_THAT(same, AllOf(StartsWith("HTTP/1.1 304"), HasSubstr("ETag: \"v1\"")));
  EXPECT_THAT(same, Not(HasSubstr("read\n")));
  EXPECT_EQ(status("-u reader:pw -H 'If-None-Match: \"v2\"'", "/read"), "200");
}

TEST_F(ServerTest, LargeAnswersAreCompressedForWhoTakesIt) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  start();
  EXPECT_EQ(curl("--compressed", "/big").text, std::string(400'000, 'x'));
  EXPECT_THAT(curl("-i -H 'Accept-Encoding: gzip' -o /dev/null -D -", "/big").text,
              AllOf(HasSubstr("Content-Encoding: gzip"), HasSubstr("Vary: Accept-Encoding")));
  EXPECT_EQ(curl("", "/big").text.size(), 400'000U);
}

TEST_F(ServerTest, ChunksAreSentAsTheyCome) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  start();
  const Output all = curl("-i", "/three");
  EXPECT_THAT(all.text, AllOf(HasSubstr("Transfer-Encoding: chunked"),
                              HasSubstr("part 1\npart 2\npart 3\n")));
  EXPECT_EQ(curl("--http1.0", "/three").text, "part 1\npart 2\npart 3\n");
}

TEST_F(ServerTest, PartsOfAStreamAreOneGzipMember) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  start();
  EXPECT_EQ(curl("--compressed", "/joined").text, "part 1\npart 2\npart 3\n");
  EXPECT_EQ(run("curl -sS -m 20 " + url("/joined") + " | gzip -dc").text,
            "part 1\npart 2\npart 3\n");
}

TEST_F(ServerTest, AStreamEndsWhenItsClientLeaves) {
  start();
  {
    RawClient client(port());
    client.send("GET /events HTTP/1.1\r\n" + kHost + "\r\n");
    ASSERT_TRUE(client.read_until("data: 1"));
  }
  EXPECT_TRUE(seen_.wait_for("left"));
}

TEST_F(ServerTest, AStreamEndsWithTheServer) {
  start();
  RawClient client(port());
  client.send("GET /events HTTP/1.1\r\n" + kHost + "\r\n");
  ASSERT_TRUE(client.read_until("data: 1"));
  const auto before = Clock::now();
  server_->stop();
  EXPECT_LT(Clock::now() - before, 1s);
  EXPECT_TRUE(client.read_to_end());
}

TEST_F(ServerTest, SlowClientsAreEnded) {
  limits_.header_time = 200ms;
  limits_.idle_time = 200ms;
  limits_.grace = 200ms;
  start();
  const std::vector<std::string> beginnings{
      "", "GET /op", "GET /open HTTP/1.1\r\n" + kHost,
      "PUT /parts HTTP/1.1\r\n" + kHost +
          "Authorization: Basic cGFydDpwdw==\r\nContent-Length: 100\r\n\r\nabc",
      "GET /open HTTP/1.1\r\n" + kHost + "\r\n"};
  for (const std::string& beginning : beginnings) {
    RawClient client(port());
    client.send(beginning);
    EXPECT_TRUE(client.read_to_end(15s)) << beginning;
  }
  // One byte at a time makes the time no longer.
  RawClient client(port());
  const auto before = Clock::now();
  const std::string request = "GET /open HTTP/1.1\r\n" + kHost + "X: " + std::string(1000, 'a');
  for (const char c : request) {
    client.send(std::string_view(&c, 1));
    if (client.read_to_end(20ms)) break;
  }
  EXPECT_LT(Clock::now() - before, 8s);
  EXPECT_EQ(client.received(), "");
}

const std::string kOpen = "GET /open HTTP/1.1\r\n" + kHost + "\r\n";

class Connections : public ServerTest {
 protected:
  /// One that has been served, and is idle.
  RawClient& idle(const char* from = nullptr, const std::string& request = kOpen) {
    clients.push_back(std::make_unique<RawClient>(port(), from));
    clients.back()->send(request);
    EXPECT_TRUE(clients.back()->read_until("HTTP/1.1 200"));
    return *clients.back();
  }
  /// One whose answer has no end.
  RawClient& busy(const char* from = nullptr) {
    clients.push_back(std::make_unique<RawClient>(port(), from));
    clients.back()->send("GET /events HTTP/1.1\r\n" + kHost + "\r\n");
    EXPECT_TRUE(clients.back()->read_until("data: 1"));
    return *clients.back();
  }
  static bool is_served(RawClient& client) {
    client.send(kOpen);
    return client.read_until("open\n");
  }
  std::vector<std::unique_ptr<RawClient>> clients;
};

TEST_F(Connections, BeyondThoseOfAnAddressItsLongestIdleOneYields) {
  limits_.connections_before_login = 5;
  start();
  RawClient& first = idle();
  RawClient& second = idle();
  for (int i = 0; i < 3; ++i) idle();
  // Threads of the server may note in another order that they wait for the next request.
  for (const auto& later : std::span(clients).subspan(1)) {
    later->forget();
    EXPECT_TRUE(is_served(*later));
  }
  RawClient sixth(port());
  EXPECT_TRUE(is_served(sixth));
  EXPECT_TRUE(first.read_to_end());
  second.forget();
  EXPECT_TRUE(is_served(second));
  RawClient other(port(), "127.0.0.2");
  EXPECT_TRUE(is_served(other)) << "others are served";
  EXPECT_EQ(server_->counters().yielded, 1U);
}

TEST_F(Connections, OneThatIsServedDoesNotYield) {
  limits_.connections_before_login = 2;
  start();
  busy();
  busy();
  RawClient third(port());
  EXPECT_TRUE(third.read_to_end());
  EXPECT_EQ(server_->counters().rejected, 1U);
}

TEST_F(Connections, WithALoginAnAddressHasMore) {
  limits_.connections_before_login = 2;
  limits_.connections_per_address = 4;
  start();
  const std::string login = "GET /read HTTP/1.1\r\n" + kHost + "Authorization: Basic " +
                            token("reader", "pw") + "\r\n\r\n";
  RawClient& first = idle(nullptr, login);
  idle(nullptr, login);
  RawClient& silent = idle();
  idle();
  RawClient fifth(port());
  EXPECT_TRUE(is_served(fifth));
  EXPECT_TRUE(silent.read_to_end()) << "one without a login";
  first.forget();
  EXPECT_TRUE(is_served(first));
}

TEST_F(Connections, AFloodOfIdleOnesLeavesRoomForOthers) {
  limits_.connections = 20;
  start();
  const std::string login = "GET /read HTTP/1.1\r\n" + kHost + "Authorization: Basic " +
                            token("reader", "pw") + "\r\n\r\n";
  RawClient& known = idle("127.0.0.9", login);
  std::vector<std::unique_ptr<RawClient>> flood;
  for (int i = 0; i < 200; ++i) {
    const std::string from = "127.0.1." + std::to_string(i % 50 + 1);
    flood.push_back(std::make_unique<RawClient>(port(), from.c_str()));
    ASSERT_TRUE(flood.back()->connected());
    if (i % 2 == 0) flood.back()->send("GET /op");  // a head that does not end
  }
  RawClient honest(port(), "127.0.0.8");
  EXPECT_TRUE(is_served(honest));
  known.forget();
  EXPECT_TRUE(is_served(known)) << "those before a login yield first";
  EXPECT_LE(server_->counters().connections, 25U);
  EXPECT_GT(server_->counters().yielded, 150U);
}

TEST_F(ServerTest, AnswersThatAreBeingSentAreBounded) {
  limits_.answers_bytes = 40'000'000;
  limits_.grace = 60s;
  start();
  const std::string huge = "GET /huge HTTP/1.1\r\n" + kHost + "Connection: close\r\n\r\n";
  RawClient slow(port());
  slow.send(huge);
  ASSERT_TRUE(slow.read_until("HTTP/1.1 200"));
  RawClient second(port());
  second.send(huge);
  ASSERT_TRUE(second.read_until("\r\n\r\n"));
  EXPECT_THAT(second.received(), AllOf(HasSubstr(" 503 "), HasSubstr("Retry-After: ")));
  EXPECT_THAT(exchange("GET /open HTTP/1.1\r\n" + kHost + "Connection: close\r\n\r\n"),
              HasSubstr("200 OK"));
  ASSERT_TRUE(slow.read_to_end());
  RawClient third(port());
  third.send(huge);
  EXPECT_TRUE(third.read_until("HTTP/1.1 200")) << "it is as long alone";
}

TEST_F(ServerTest, RequestsOfAnAddressAreBounded) {
  limits_.requests = {.per_second = 0.1, .burst = 10};
  start();
  RawClient client(port());
  std::string all;
  for (int i = 0; i < 15; ++i) all += "GET /open HTTP/1.1\r\n" + kHost + "\r\n";
  client.send(all);
  EXPECT_TRUE(client.read_until(" 429 "));
  // A busy machine has passed a part of the 10 s when the refusal is sent.
  EXPECT_THAT(client.received(), ContainsRegex("Retry-After: ([1-9]|10)\r\n"));
}

TEST_F(ServerTest, HundredsOfClientsAreServedAndLeaveNothing) {
  limits_.connections_before_login = 400;
  start();
  std::atomic<int> served = 0;
  const auto work = [&](int thread) {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 100; ++i) clients.push_back(std::make_unique<RawClient>(port()));
    for (int i = 0; i < 100; ++i) {
      RawClient& client = *clients[static_cast<std::size_t>(i)];
      switch ((i + thread) % 4) {
        case 0:
          client.send("PUT /parts HTTP/1.1\r\n" + kHost +
                      "Authorization: Basic cGFydDpwdw==\r\nContent-Length: 5\r\n\r\nabcde");
          break;
        case 1:
          client.send("GET /big HTTP/1.1\r\n" + kHost + "\r\n");
          break;
        case 2:
          client.send("nonsense\r\n\r\n");
          break;
        default:
          client.send("GET /events HTTP/1.1\r\n" + kHost + "\r\n");
      }
    }
    for (const auto& client : clients)
      if (client->read_until("HTTP/1.1 ", 30s)) ++served;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served, 400);
  EXPECT_EQ(changes_, 100);
  const auto until = Clock::now() + 20s;
  while (server_->counters().connections > 0 && Clock::now() < until)
    std::this_thread::sleep_for(5ms);
  EXPECT_EQ(server_->counters().connections, 0U);
}

TEST_F(ServerTest, TlsIs12OrNewer) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  HEDDLE_REQUIRE_TOOL("openssl", "openssl");
  make_certificate("one");
  start();
  const auto over_tls = [&](const std::string& arguments) {
    return run("curl -sS -m 20 --resolve localhost:" + std::to_string(port()) +
               ":127.0.0.1 --cacert " + settings_.tls_cert + " " + arguments + " " +
               url("/open", "https"));
  };
  EXPECT_EQ(over_tls("").text, "open\n");
  EXPECT_EQ(over_tls("--tls-max 1.2").text, "open\n");
  const auto handshake = [&](const std::string& arguments) {
    return run("openssl s_client -connect 127.0.0.1:" + std::to_string(port()) + " " + arguments +
               " < /dev/null");
  };
  EXPECT_EQ(handshake("-tls1_2").code, 0);
  EXPECT_NE(handshake("-tls1_1 -cipher DEFAULT@SECLEVEL=0").code, 0);
  EXPECT_NE(handshake("-tls1 -cipher DEFAULT@SECLEVEL=0").code, 0);
  EXPECT_NE(handshake("-tls1_2 -cipher AES128-SHA:AES256-SHA").code, 0) << "forward secrecy";
  EXPECT_THAT(handshake("-alpn h2,http/1.1").text, HasSubstr("ALPN protocol: http/1.1"));
  EXPECT_THAT(exchange("GET /open HTTP/1.1\r\n" + kHost + "\r\n"), Not(HasSubstr("200 OK")))
      << "no plain HTTP where TLS is";
}

TEST_F(ServerTest, ReloadTakesTheNewCertificateAndUsers) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  HEDDLE_REQUIRE_TOOL("openssl", "openssl");
  make_certificate("one");
  start();
  const auto get = [&](const std::string& cert, const std::string& user) {
    return run("curl -sS -m 20 -o /dev/null -w '%{http_code}' --resolve localhost:" +
               std::to_string(port()) + ":127.0.0.1 --cacert " +
               (dir_.path() / (cert + ".pem")).string() + " -u " + user + " " +
               url("/read", "https"));
  };
  EXPECT_EQ(get("one", "reader:pw").text, "200");
  make_certificate("two");
  write_users({{"reader", Role::read}}, "new");
  EXPECT_TRUE(server_->apply(settings_).empty());
  EXPECT_NE(get("one", "reader:new").code, 0);
  EXPECT_EQ(get("two", "reader:new").text, "200");
  EXPECT_EQ(get("two", "reader:pw").text, "401") << "what was verified is forgotten";
}

/// A reload may be asked for while a support bundle is sent.
TEST_F(ServerTest, AReloadEndsAStreamOnlyWhereUsersHaveChanged) {
  start();
  const auto stream_over_reload = [&] {
    second_half_ = false;
    RawClient client(port());
    // reader:pw
    client.send("GET /halves HTTP/1.1\r\nAuthorization: Basic cmVhZGVyOnB3\r\n" + kHost + "\r\n");
    EXPECT_TRUE(client.read_until("part 1\n"));
    EXPECT_TRUE(server_->apply(settings_).empty());
    second_half_ = true;
    return client.read_until("part 3\n\r\n0\r\n\r\n");
  };
  EXPECT_TRUE(stream_over_reload());
  write_users({{"alice", Role::admin}, {"reader", Role::read}});
  EXPECT_FALSE(stream_over_reload());
}

TEST_F(ServerTest, WhatIsWrongAtAReloadChangesNothing) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  HEDDLE_REQUIRE_TOOL("openssl", "openssl");
  make_certificate("one");
  start();
  chmod(settings_.tls_key.c_str(), 0644);
  std::ofstream(settings_.users_file) << "reader:boss:x\n";
  settings_.listen.push_back({"127.0.0.1", port(), ""});
  const auto found = server_->apply(settings_);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].text(), HasSubstr("http_tls_key: others than its owner"));
  EXPECT_THAT(found[1].text(), HasSubstr("users:1:8: error: 'boss' is no role"));
  EXPECT_THAT(found[2].text(), HasSubstr("Address already in use"));
  EXPECT_EQ(run("curl -sS -m 20 -k -u reader:pw " + url("/read", "https")).text, "read\n");
}

TEST_F(ServerTest, PasswordsOverTcpNeedTlsOrLoopback) {
  start();
  Dispatcher dispatcher(
      {.limits = {},
       .routes = [router = std::make_shared<const Router>(routes())](const Fields&)
           -> tl::expected<std::shared_ptr<const Router>, Response> { return router; }});
  dispatcher.authenticator().set_users(std::make_shared<const Users>());
  const auto read_status = [&](bool is_private) {
    asio::io_context io;
    unsigned status = 0;
    asio::co_spawn(
        io,
        dispatcher.admit({.method = "GET", .target = "/read", .authorization = "Basic YTpi"},
                         {.address = "192.0.2.1:1",
                          .limited_as = "192.0.2.1",
                          .user = {},
                          .is_private = is_private}),
        [&](const std::exception_ptr&, std::variant<Response, Dispatcher::Admitted> result) {
          status = std::get<Response>(result).status;
        });
    auto guard = asio::make_work_guard(io);
    io.run_one_for(1s);
    while (status == 0) io.run_one_for(1s);
    return status;
  };
  EXPECT_EQ(read_status(false), 403U);
  EXPECT_EQ(read_status(true), 401U);
  dispatcher.configure({.read_only = false, .plain_passwords = true});
  EXPECT_EQ(read_status(false), 401U);
}

TEST_F(ServerTest, OverAUnixSocketRootIsAdministrator) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  const std::string path = dir_.path() / "http.sock";
  settings_.listen = {{"", 0, path}};
  start();
  const auto get = [&](const std::string& arguments) {
    return run(arguments + " curl -sS -m 20 --unix-socket " + path + " http://heddle/who").text;
  };
  if (geteuid() == 0) {
    EXPECT_EQ(get(""), "uid 0 admin");
    chmod(dir_.path().c_str(), 0755);
    EXPECT_THAT(get("setpriv --reuid 65534 --clear-groups --regid 65534"),
                HasSubstr("this needs a user with role read"));
  } else {
    EXPECT_THAT(get(""), HasSubstr(" admin"));
  }
  server_->stop();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ServerTest, TheControlSocketOfAManagerIsForItsOwnerAndAGroup) {
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  const std::string path = dir_.path() / "run" / "0x0000000000000031.sock";
  const std::string manager = "0x0000000000000031";
  settings_.read_only = true;
  start();
  ASSERT_TRUE(server_->open_control({.path = path, .manager = manager, .group = ""}));
  const auto mode = [&] { return std::filesystem::status(path).permissions(); };
  EXPECT_EQ(mode(), std::filesystem::perms{0600});
  const auto curl = [&](const std::string& arguments) {
    return run("curl -sS -m 20 --unix-socket " + path + " " + arguments).text;
  };
  EXPECT_EQ(curl("http://heddle/who"), fmt::format("uid {} admin", geteuid()));
  EXPECT_EQ(curl("-T - -o /dev/null -w '%{http_code}' http://heddle/parts < /dev/null"), "200")
      << "http_read_only is about HTTP";
  EXPECT_TRUE(seen_.wait_for("at control socket, process"));

  Server other(Dispatcher::Options{});
  const auto second = other.open_control({.path = path, .manager = manager, .group = ""});
  EXPECT_EQ(second.error(), "control socket " + path + ": another process listens there");
  server_->close_control(manager);
  EXPECT_FALSE(std::filesystem::exists(path));
  const auto nobody = server_->open_control({.path = path, .manager = manager, .group = "nobodys"});
  EXPECT_THAT(nobody.error(), HasSubstr("control_group: there is no group \"nobodys\""));
  EXPECT_FALSE(std::filesystem::exists(path));
  if (geteuid() == 0) {
    ASSERT_TRUE(server_->open_control({.path = path, .manager = manager, .group = "daemon"}));
    EXPECT_EQ(mode(), std::filesystem::perms{0660});
  }
}

TEST_F(ServerTest, AUnixSocketReplacesAStaleOneOnly) {
  const std::string path = dir_.path() / "http.sock";
  settings_.listen = {{"", 0, path}};
  std::ofstream(path) << "precious";
  Server other(Dispatcher::Options{});
  const auto found = other.apply(settings_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].text(), HasSubstr("there is a file that is no socket"));
  std::filesystem::remove(path);
  start();
  const auto again = other.apply(settings_);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_THAT(again[0].text(), HasSubstr("another process listens there"));
}

}  // namespace sm::web::server_test
