// Tests the bounds of HTTP requests, with a server at the other end of a pair of sockets.

#include "sm/http/http_client.h"

#include <gmock/gmock.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>

namespace http_client_test {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using sm::HttpClient;
using sm::HttpLimits;
using testing::HasSubstr;
using testing::StartsWith;

class HttpClientTest : public testing::Test {
 protected:
  HttpClientTest() { asio::local::connect_pair(server, socket); }

  void answers(const std::string& text) { asio::write(server, asio::buffer(text)); }
  sm::HttpResult<sm::HttpAnswer> get(HttpLimits limits = {}) {
    HttpClient client(std::move(socket), limits);
    sm::HttpRequest request{.target = "/a"};
    request.fields = {{"Host", "h"}, {"X-A", "b"}};
    auto result = asio::co_spawn(io, client.exchange(std::move(request)), asio::use_future);
    io.run();
    return result.get();
  }
  std::string received() {
    std::string text(1024, '\0');
    text.resize(server.read_some(asio::buffer(text)));
    return text;
  }

  asio::io_context io;
  asio::local::stream_protocol::socket server{io}, socket{io};
};

TEST_F(HttpClientTest, ReturnsTheAnswer) {
  answers("HTTP/1.1 404 Not here\r\nContent-Length: 3\r\n\r\nabc");
  const auto answer = get();
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->status, 404u);
  EXPECT_EQ(answer->reason, "Not here");
  EXPECT_EQ(answer->body, "abc");
  EXPECT_EQ(received(), "GET /a HTTP/1.1\r\nHost: h\r\nX-A: b\r\n\r\n");
}

TEST_F(HttpClientTest, SilenceEndsTheRequest) {
  answers("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na");
  const auto answer = get({.silence = 1ms});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, boost::beast::error::timeout);
}

TEST_F(HttpClientTest, ACallIsBoundedAsAWhole) {
  answers("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
  // The body arrives in bytes, each of them well before the limit.
  const auto drip = [](asio::local::stream_protocol::socket& to) -> asio::awaitable<void> {
    asio::steady_timer timer(to.get_executor());
    for (int i = 0; i < 100; ++i) {
      boost::system::error_code error;
      asio::write(to, asio::buffer("a", 1), error);
      if (error) co_return;
      timer.expires_after(5ms);
      co_await timer.async_wait(asio::use_awaitable);
    }
  };
  asio::co_spawn(io, drip(server), asio::detached);
  const auto answer = get({.call = 50ms});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, boost::beast::error::timeout);
}

TEST_F(HttpClientTest, ABodyBeyondTheLimitIsAnError) {
  answers("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
  const auto answer = get({.body_bytes = 2});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, boost::beast::http::error::body_limit);
}

TEST_F(HttpClientTest, ReadsAnAnswerThatCameBeforeTheEndOfTheRequest) {
  answers("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  server.close();
  const auto answer = get();
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->status, 503u);
}

TEST_F(HttpClientTest, AServerThatClosesIsAnError) {
  server.close();
  const auto answer = get();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().text, HasSubstr("/a: "));
}

TEST_F(HttpClientTest, OnlyAddressesOfThisMachineArePrivateWithoutTls) {
  asio::ssl::context tls(asio::ssl::context::tls_client);
  HttpClient client(io.get_executor(), tls, {.only_private = true});
  config::HttpEndpoint far{.tls = false, .host = "192.0.2.1", .port = 80};
  auto result = asio::co_spawn(io, client.connect(std::move(far)), asio::use_future);
  io.run();
  const sm::HttpResult<void> connected = result.get();
  ASSERT_FALSE(connected);
  EXPECT_FALSE(connected.error().code) << "nothing was sent";
  EXPECT_THAT(connected.error().text, StartsWith("http://192.0.2.1:80: "));
  EXPECT_FALSE(client.is_open());
}

}  // namespace http_client_test
