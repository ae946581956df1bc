// Traces through several subnets, with managers that answer as the API does.

#include "sm/ctl/commands/subnet_trace.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <thread>

namespace sm::commands {
namespace subnet_trace_test {

namespace asio = boost::asio;
using testing::HasSubstr;

constexpr std::uint64_t kA = 0xfec0000000000001, kB = 0xfec0000000000002, kC = 0xfec0000000000003;

/// Subnets A - R1 - B - R2 - C; each router has the port GUIDs 0x<router><subnet>.
struct Net {
  std::map<std::uint64_t, GetApi> managers;
  std::vector<std::string> requests;
  /// Answers of a manager to a resource, in place of what is right.
  std::map<std::pair<std::uint64_t, std::string>, ManagerApi::Answer> answers;

  void add(std::uint64_t prefix, std::vector<std::string> routers,
           std::map<std::uint64_t, std::string> way_out) {
    managers[prefix] = [=, this](const std::string& target) -> ManagerApi::Answer {
      if (const auto wrong = answers.find(std::pair(prefix, target.substr(0, target.find('?'))));
          wrong != answers.end())
        return wrong->second;
      if (target == "/v1/subnet") return Json{{"subnet_prefix", fmt::format("{:#x}", prefix)}};
      requests.push_back(fmt::format("{:x} {}", prefix & 0xF, target));
      if (target.starts_with("/v1/routers")) {
        Json rows = Json::array();
        for (const std::string& router : routers)
          rows.push_back({{"node_guid", router},
                          {"ports", {{{"port_guid", fmt::format("{}{}", router, prefix & 0xF)}}}}});
        return Json{{"routers", rows}};
      }
      Json answer{
          {"forward", {{"arrives", true}, {"hops", Json::array()}, {"dlid", 1}, {"sl", 0}}}};
      for (const auto& [to, router] : way_out)
        if (target.find(fmt::format("to=fec0%3A%3A{}", to & 0xF)) != std::string::npos)
          answer["beyond"] = {{"node_guid", router}};
      return answer;
    };
  }
};

NamedGid gid(std::uint64_t prefix) {
  return *parse_gid(fmt::format("fec0::{}:0:0:0:1", prefix & 0xF));
}

TEST(SubnetTrace, EachPartIsAskedOfTheManagerOfItsSubnet) {
  Net net;
  net.add(kA, {"0x11"}, {{kB, "0x11"}, {kC, "0x11"}});
  net.add(kB, {"0x11", "0x22"}, {{kA, "0x11"}, {kC, "0x22"}});
  net.add(kC, {"0x22"}, {{kA, "0x22"}, {kB, "0x22"}});
  const SubnetTrace there = trace_subnets(net.managers, gid(kA), gid(kC));
  EXPECT_EQ(there.trouble, "");
  ASSERT_EQ(there.parts.size(), 3u);
  EXPECT_EQ(there.parts[0].at("router"), "0x11");
  EXPECT_EQ(there.parts[1].at("subnet_prefix"), "0xfec0000000000002");
  EXPECT_EQ(there.parts[1].at("router"), "0x22");
  EXPECT_FALSE(there.parts[2].contains("router"));
  EXPECT_THAT(net.requests.back(), HasSubstr("3 /v1/routing/path?from=0x223"))
      << "from the router's port there";
  EXPECT_EQ(trace_subnets(net.managers, gid(kC), gid(kA)).parts.size(), 3u);
}

TEST(SubnetTrace, WhatIsMissingIsNamed) {
  Net net;
  net.add(kA, {"0x11"}, {{kB, "0x11"}});
  EXPECT_THAT(trace_subnets(net.managers, gid(kA), gid(kB)).trouble,
              HasSubstr("no manager is known of the subnet behind router 0x11"));
  EXPECT_THAT(trace_subnets(net.managers, gid(kB), gid(kA)).trouble,
              HasSubstr("no manager of subnet 0xfec0000000000002 is known"));
}

TEST(SubnetTrace, AManagerThatDoesNotAnswerIsNamed) {
  Net net;
  net.add(kA, {"0x11"}, {{kB, "0x11"}});
  net.add(kB, {"0x11"}, {{kA, "0x11"}});
  const auto refused = tl::unexpected(std::string("https://sm-2: the password is wrong"));
  net.answers[{kB, "/v1/routers"}] = refused;
  EXPECT_EQ(trace_subnets(net.managers, gid(kA), gid(kB)).trouble,
            "the part behind router 0x11 is missing: subnet 0xfec0000000000002: https://sm-2: the "
            "password is wrong");
  net.answers[{kB, "/v1/subnet"}] = refused;
  EXPECT_EQ(trace_subnets(net.managers, gid(kB), gid(kA)).trouble,
            "subnet 0xfec0000000000002: https://sm-2: the password is wrong");
}

TEST(SubnetTrace, ManagersThatLieAreNamed) {
  Net net;
  net.add(kA, {"0x11"}, {{kB, "0x11"}});
  net.add(kB, {"0x11"}, {{kB, "0x11"}});  // packets for its own subnet leave it
  EXPECT_EQ(trace_subnets(net.managers, gid(kA), gid(kB)).trouble,
            "subnet 0xfec0000000000002: its manager sends packets for it on to router 0x11");
  net.answers[{kB, "/v1/subnet"}] = Json{{"subnet_prefix", "0xfec0000000000009"}};
  EXPECT_THAT(trace_subnets(net.managers, gid(kA), gid(kB)).trouble,
              HasSubstr("says that it is of subnet 0xfec0000000000009"));
  net.answers[{kA, "/v1/routing/path"}] =
      Json{{"forward", {{"arrives", true}, {"hops", Json::array()}, {"dlid", 1}, {"sl", 0}}}};
  EXPECT_EQ(trace_subnets(net.managers, gid(kA), gid(kB)).trouble,
            "subnet 0xfec0000000000001: its manager says that the path ends there, not in subnet "
            "0xfec0000000000002");
  for (const Json& senseless : {Json::array(), Json(7), Json{{"forward", 1}}, Json::object(),
                                Json{{"forward", {{"arrives", true}, {"hops", {1, 2}}}}}}) {
    net.answers[{kA, "/v1/routing/path"}] = senseless;
    EXPECT_THAT(trace_subnets(net.managers, gid(kA), gid(kB)).trouble,
                HasSubstr("is not one of this API"));
  }
}

TEST(SubnetTrace, ALoopOfRoutersIsNamed) {
  Net net;
  net.add(kA, {"0x11", "0x33"}, {{kC, "0x11"}});
  net.add(kB, {"0x11", "0x33"}, {{kC, "0x33"}});
  EXPECT_EQ(trace_subnets(net.managers, gid(kA), gid(kC)).trouble,
            "router 0x33 leads back to subnet 0xfec0000000000001: packets do not arrive");
}

TEST(SubnetTrace, NamesThatAreNoGids) {
  EXPECT_FALSE(parse_gid("H0:1"));
  EXPECT_EQ(parse_gid("fec0::2:2:c903:0:1")->prefix, kB);
}

/// Listens on this machine. Accepts connections, and sends what the test says.
class Peer {
 public:
  explicit Peer(std::string answer = "", std::chrono::milliseconds pause = {})
      : thread_([this, answer = std::move(answer), pause] { serve(answer, pause); }) {}
  ~Peer() {
    ends_ = true;
    thread_.join();
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  std::string url() const {
    return fmt::format("http://127.0.0.1:{}", acceptor_.local_endpoint().port());
  }
  /// Returns the head of the request; valid once the peer was answered.
  const std::string& request() const { return request_; }

 private:
  void serve(const std::string& answer, std::chrono::milliseconds pause) {
    asio::ip::tcp::socket socket(io_);
    acceptor_.async_accept(socket, [&](boost::system::error_code) {
      asio::async_read_until(socket, asio::dynamic_buffer(request_), "\r\n\r\n",
                             [](boost::system::error_code, std::size_t) {});
    });
    while (!ends_ && request_.find("\r\n\r\n") == std::string::npos) {
      io_.restart();
      io_.run_for(std::chrono::milliseconds(10));
    }
    boost::system::error_code left;
    for (const char byte : answer) {
      if (ends_ || left) return;
      asio::write(socket, asio::buffer(&byte, 1), left);
      std::this_thread::sleep_for(pause);
    }
    while (!ends_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  asio::io_context io_;
  asio::ip::tcp::acceptor acceptor_{io_, {asio::ip::make_address("127.0.0.1"), 0}};
  std::string request_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;  // of what is above
};

constexpr const char* kAnswer =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}";

TEST(GetFrom, ASilentPeerIsNotWaitedForLongerThanTheLimit) {
  alarm(60);  // in place of a test that never ends
  for (const auto& [answer, pause] :
       {std::pair("", std::chrono::milliseconds(0)), {kAnswer, std::chrono::milliseconds(100)}}) {
    const Peer peer(answer, pause);
    const auto begin = std::chrono::steady_clock::now();
    const auto got = get_from(peer.url(), "/v1/subnet", "", std::chrono::milliseconds(300));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error(), peer.url() + ": no answer within 0.3 s");
  }
  alarm(0);
}

TEST(GetFrom, APasswordIsSentWithinThisMachineOnlyWithoutTls) {
  {
    const Peer peer(kAnswer);
    const auto got = get_from(peer.url(), "/v1/subnet", "alice:secret");
    ASSERT_TRUE(got) << got.error();
    EXPECT_EQ(got->at("a"), 1);
    EXPECT_THAT(peer.request(), HasSubstr("Authorization: Basic YWxpY2U6c2VjcmV0"));
  }
  // An address that no machine has (RFC 5737): nothing is sent to it.
  const auto refused =
      get_from("http://192.0.2.1:8080", "/v1/subnet", "alice:secret", std::chrono::seconds(5));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("HEDDLE_USER is not sent without TLS"));
  EXPECT_THAT(refused.error(), HasSubstr("write https://"));
}

}  // namespace subnet_trace_test
}  // namespace sm::commands
