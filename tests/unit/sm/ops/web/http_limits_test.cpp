// Token buckets, what the request parser refuses, and the head of answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ops/web/compression.h"
#include "sm/ops/web/dispatcher.h"
#include "sm/ops/web/listener.h"
#include "sm/ops/web/request_parser.h"
#include "sm/ops/web/session.h"
#include "sm/ops/web/token_buckets.h"

namespace sm::web::limits_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

TEST(TokenBuckets, GiveABurstAndThenTheRate) {
  TokenBuckets buckets({.per_second = 10, .burst = 2}, 10);
  const Clock::time_point start{};
  EXPECT_EQ(buckets.take("a", start), 0ms);
  EXPECT_EQ(buckets.take("a", start), 0ms);
  EXPECT_EQ(buckets.take("a", start), 100ms);
  EXPECT_EQ(buckets.take("b", start), 0ms) << "others have buckets of their own";
  EXPECT_EQ(buckets.take("a", start + 100ms), 0ms);
  EXPECT_EQ(buckets.take("a", start + 100ms), 100ms);
}

TEST(TokenBuckets, TokensAreTakenAheadAndGivenBack) {
  TokenBuckets buckets({.per_second = 10, .burst = 1}, 10);
  const Clock::time_point start{};
  EXPECT_EQ(buckets.take_ahead("a", start, 150ms), 0ms);
  EXPECT_EQ(buckets.take_ahead("a", start, 150ms), 100ms);
  EXPECT_EQ(buckets.take_ahead("a", start, 150ms), std::nullopt) << "it would be there in 200 ms";
  EXPECT_EQ(buckets.take("a", start), 200ms);
  buckets.give_back("a", start);
  EXPECT_EQ(buckets.take("a", start), 100ms);
  for (int i = 0; i < 5; ++i) buckets.give_back("a", start);
  EXPECT_EQ(buckets.take("a", start), 0ms);
  EXPECT_EQ(buckets.take("a", start), 100ms) << "no more than the burst";
}

TEST(Limits, ConnectionsAreAShareOfTheDescriptors) {
  EXPECT_EQ(limits_within(65'536).connections, Limits().connections);
  EXPECT_EQ(limits_within(1024).connections, 256U);
  EXPECT_EQ(limits_within(10).connections, 16U);
}

TEST(Problem, TextsCannotControlATerminal) {
  const Response response = problem(400,
                                    "\x1b[31m \xc2\x9b"
                                    "2J \xe2\x80\xae \x9b",
                                    "\x7f", "/\xc2\x85");
  for (const char c : response.body) EXPECT_TRUE(c >= ' ' && c <= '~') << response.body;
}

TEST(TokenBuckets, InventedKeysCostNoMemory) {
  TokenBuckets buckets({.per_second = 1, .burst = 1}, 100);
  for (int i = 0; i < 10'000; ++i) buckets.take(fmt::format("{}", i), Clock::time_point{});
  EXPECT_EQ(buckets.size(), 100U);
}

unsigned read_status(std::string bytes, const Limits& limits = {}) {
  RequestParser parser(limits);
  auto state = parser.take(bytes);
  if (state == RequestParser::State::head) {
    parser.read_body();
    state = parser.take(bytes);
  }
  if (state == RequestParser::State::fault) return parser.fault().status;
  return state == RequestParser::State::complete ? 200 : 0;
}

TEST(RequestParser, TakesRequestsOneAfterAnother) {
  std::string bytes =
      "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\n";
  RequestParser parser({});
  ASSERT_EQ(parser.take(bytes), RequestParser::State::head);
  const Head head = parser.head();
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/a");
  EXPECT_TRUE(head.has_body);
  parser.read_body();
  ASSERT_EQ(parser.take(bytes), RequestParser::State::complete);
  EXPECT_EQ(parser.take_body(), "abc");
  EXPECT_EQ(bytes, "GET /b HTTP/1.1\r\n") << "the next one stays";
}

TEST(RequestParser, TakesABodyByteByByte) {
  const std::string whole =
      "PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n";
  RequestParser parser({});
  std::string bytes;
  auto state = RequestParser::State::needs_more;
  for (const char c : whole) {
    ASSERT_EQ(state, RequestParser::State::needs_more);
    bytes += c;
    state = parser.take(bytes);
    if (state != RequestParser::State::head) continue;
    parser.read_body();
    state = RequestParser::State::needs_more;
  }
  EXPECT_EQ(state, RequestParser::State::complete);
  EXPECT_EQ(parser.take_body(), "abcde");
}

TEST(RequestParser, AuthorizationIsNoOrdinaryHeader) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Basic x\r\nX-A: b\r\n\r\n";
  RequestParser parser({});
  ASSERT_EQ(parser.take(bytes), RequestParser::State::head);
  const Head head = parser.head();
  EXPECT_EQ(head.authorization, "Basic x");
  EXPECT_EQ(head.headers, (Fields{{"host", "h"}, {"x-a", "b"}}));
}

TEST(RequestParser, WhatIsMalformedHasItsStatus) {
  const std::string host = "Host: h\r\n";
  EXPECT_EQ(read_status("GET / HTTP/1.1\r\n" + host + "\r\n"), 200U);
  EXPECT_EQ(read_status("GET / HTTP/1.0\r\n\r\n"), 200U);
  EXPECT_EQ(read_status("GET / HTTP/1.1\r\n\r\n"), 400U) << "no Host";
  EXPECT_EQ(read_status("GET / HTTP/1.1\r\n" + host + host + "\r\n"), 400U);
  EXPECT_EQ(read_status("GET / HTTP/3.1\r\n" + host + "\r\n"), 505U);
  EXPECT_EQ(read_status("nonsense\r\n\r\n"), 400U);
  EXPECT_EQ(read_status("GET /a b HTTP/1.1\r\n" + host + "\r\n"), 505U) << "b is no version";
  EXPECT_EQ(read_status("GET / HTTP/1.1\r\n" + host + "X: a\x01z\r\n\r\n"), 400U);
  EXPECT_EQ(read_status("GET / HTTP/1.1\r\n" + host + "No colon\r\n\r\n"), 400U);
  EXPECT_EQ(read_status("GET / HTTP/1.1\r\n" + host +
                        "Authorization: Basic a\r\nAuthorization: Basic b\r\n\r\n"),
            400U);
}

TEST(RequestParser, RequestsThatHideAnotherOneAreRejected) {
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(read_status(start + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            400U);
  EXPECT_EQ(read_status(start + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"),
            400U);
  EXPECT_EQ(read_status(start + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"), 400U);
  EXPECT_EQ(read_status(start + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"), 400U);
  for (const auto& [first, second] :
       {std::pair("chunked", "chunked"), {"gzip", "chunked"}, {"chunked", "gzip"}})
    EXPECT_EQ(read_status(fmt::format("{}Transfer-Encoding: {}\r\nTransfer-Encoding: {}\r\n\r\n"
                                      "0\r\n\r\n",
                                      start, first, second)),
              400U)
        << first << " and " << second;
  EXPECT_EQ(read_status(start + "Content-Length: -1\r\n\r\n"), 400U);
  EXPECT_EQ(read_status(start + "Transfer-Encoding: gzip\r\n\r\n"), 501U);
  EXPECT_EQ(read_status("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400U);
  EXPECT_EQ(read_status(start + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400U);
}

TEST(RequestParser, HeadAndBodyAreBounded) {
  Limits limits;
  limits.header_bytes = 1000;
  limits.body_bytes = 10;
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(read_status(start + "X: " + std::string(2000, 'a'), limits), 431U);
  EXPECT_EQ(read_status(start + "X: " + std::string(2000, 'a') + "\r\n\r\n", limits), 431U);
  EXPECT_EQ(read_status("GET /" + std::string(2000, 'a'), limits), 431U);
  EXPECT_EQ(read_status(start + "Content-Length: 11\r\n\r\n", limits), 413U);
  EXPECT_EQ(read_status(start + "Content-Length: 99999999999999999\r\n\r\n", limits), 413U);
  EXPECT_EQ(read_status(start + "Transfer-Encoding: chunked\r\n\r\n"
                                "6\r\nabcdef\r\n6\r\nabcdef\r\n0\r\n\r\n",
                        limits),
            413U);
  EXPECT_EQ(read_status(start + "Content-Length: 10\r\n\r\n0123456789", limits), 200U);
}

TEST(ResponseHead, HasWhatBrowsersAndCachesNeed) {
  Response response;
  response.content_type = "text/html; charset=utf-8";
  response.body = "abc";
  const std::string head = response_head(response, {});
  EXPECT_THAT(head, ::testing::StartsWith("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_THAT(head, HasSubstr("\r\nContent-Length: 3\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(head, HasSubstr("default-src 'self'"));
  EXPECT_THAT(head, HasSubstr("\r\nCache-Control: no-store\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Access-Control")));
  EXPECT_THAT(head, ::testing::EndsWith("\r\n\r\n"));
}

TEST(ResponseHead, AHeaderCannotBeginAnotherOne) {
  Response response;
  response.headers = {{"Location", "/a\r\nSet-Cookie: x=1"}, {"X-Fine", "b"}};
  const std::string head = response_head(response, {});
  EXPECT_THAT(head, Not(HasSubstr("Set-Cookie")));
  EXPECT_THAT(head, HasSubstr("X-Fine: b\r\n"));
}

TEST(AcceptsGzip, FollowsWeights) {
  EXPECT_TRUE(accepts_gzip("gzip, deflate, br"));
  EXPECT_TRUE(accepts_gzip("deflate;q=0.5, gzip;q=0.1"));
  EXPECT_TRUE(accepts_gzip("*"));
  EXPECT_FALSE(accepts_gzip(""));
  EXPECT_FALSE(accepts_gzip("identity"));
  EXPECT_FALSE(accepts_gzip("gzip;q=0, *"));
  EXPECT_FALSE(accepts_gzip("gzip; q=0.000"));
}

TEST(LimitedAs, OfIpv6TheFirst64BitsCount) {
  const auto of = [](const char* text) { return limited_as(boost::asio::ip::make_address(text)); };
  EXPECT_EQ(of("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(of("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(of("2001:db8::1:2:3:4"), of("2001:db8::9"));
  EXPECT_NE(of("2001:db8::1"), of("2001:db8:0:1::1"));
}

TEST(AuditLog, LinesCannotBeForged) {
  std::vector<std::string> lines;
  AuditLog log([&](const std::string& line) { lines.push_back(line); });
  log.change({.user = "a\nhttp: user \"b", .address = "192.0.2.1:1", .role = Role::admin}, "PUT",
             "/v1/x\x1b[31m", 200);
  log.failed_login("root\r\n", "192.0.2.1:2", "user or password is wrong");
  ASSERT_EQ(lines.size(), 2U);
  for (const std::string& line : lines)
    for (const char c : line) EXPECT_GE(c, ' ') << line;
}

TEST(AuditLog, AFloodOfFailedLoginsIsFewLines) {
  unsigned lines = 0;
  AuditLog log([&](const std::string&) { ++lines; });
  for (int i = 0; i < 1000; ++i) log.failed_login("a", "b", "c");
  EXPECT_LT(lines, 20U);
}

}  // namespace sm::web::limits_test
