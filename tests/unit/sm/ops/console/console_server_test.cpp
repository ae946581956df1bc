#include "sm/ops/console/console_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <list>
#include <thread>

#include "unit/sm/ops/console/status_facts.h"

namespace console_server_test {

namespace asio = boost::asio;
using asio::ip::tcp;
using sm::console::ConsoleServer;
using sm::console::kPrompt;
using testing::EndsWith;
using testing::HasSubstr;

/// Counts the commands that were executed.
std::atomic<unsigned> facts_read = 0;

sm::console::ConsoleActions actions() {
  return {.facts =
              [] {
                ++facts_read;
                return console_facts::make();
              },
          .commands = []() -> sm::OperatorCommands& { throw std::logic_error("no command"); }};
}

/// A blocking client.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(io_) {
    socket_.connect({asio::ip::address_v4::loopback(), port});
  }
  void send(const std::string& text) { asio::write(socket_, asio::buffer(text)); }
  /// What arrives up to and with `end`; what there is if the stream ends before.
  std::string until(std::string_view end) {
    boost::system::error_code error;
    const std::size_t count =
        asio::read_until(socket_, asio::dynamic_buffer(pending_), std::string(end), error);
    const std::string text = pending_.substr(0, error ? pending_.size() : count);
    pending_.erase(0, text.size());
    ended_ = static_cast<bool>(error);
    return text;
  }
  std::string prompt() { return until(kPrompt); }
  bool has_ended() {
    until("nothing like this is ever sent");
    return ended_;
  }
  tcp::endpoint far() { return socket_.remote_endpoint(); }

 private:
  asio::io_context io_;
  tcp::socket socket_;
  std::string pending_;
  bool ended_ = false;
};

class Console : public testing::Test {
 protected:
  void SetUp() override {
    auto made = ConsoleServer::listen(io_.get_executor(), 0, actions());
    ASSERT_TRUE(made) << made.error();
    server_ = std::move(*made);
    thread_ = std::thread([this] { io_.run(); });
  }
  void TearDown() override {
    asio::post(io_, [this] { server_.reset(); });
    thread_.join();
  }
  std::uint16_t port() const { return server_->port(); }

  asio::io_context io_;
  std::unique_ptr<ConsoleServer> server_;
  std::thread thread_;
};

TEST_F(Console, AnswersLinesAndQuitEndsTheSession) {
  Client client(port());
  EXPECT_EQ(client.prompt(), kPrompt);
  client.send("loglevel\n");
  EXPECT_EQ(client.prompt(), "Current log level is 0x83\nOpenSM $ ");
  client.send("priority\nversion\n");
  EXPECT_EQ(client.prompt(), "Current sm-priority is 3\nOpenSM $ ");
  EXPECT_THAT(client.prompt(), HasSubstr("Heddle "));
  client.send("quit\n");
  EXPECT_TRUE(client.has_ended());
  Client next(port());
  EXPECT_EQ(next.prompt(), kPrompt) << "there is room for the next one";
}

TEST_F(Console, ALongLineIsRefusedAndTheSessionGoesOn) {
  Client client(port());
  client.prompt();
  client.send(std::string(100'000, 'x') + "\n");
  EXPECT_THAT(client.prompt(), HasSubstr("more than 1024 bytes"));
  client.send("loglevel\n");
  EXPECT_THAT(client.prompt(), HasSubstr("0x83"));
}

/// A page in a browser of this machine can make it send any of these.
TEST_F(Console, ALineOfHttpEndsTheSessionAndNothingBehindItIsExecuted) {
  const std::string headers = "Host: 127.0.0.1:10000\r\nContent-Type: text/plain\r\n\r\n";
  for (const std::string& sent : std::vector<std::string>{
           "POST / HTTP/1.1\r\n" + headers + "loglevel\n", "GET / HTTP/1.0\r\n\r\nloglevel\n",
           "OPTIONS * HTTP/1.1\r\n" + headers + "loglevel\n",
           "POST /" + std::string(5'000, 'a') + " HTTP/1.1\r\n" + headers + "loglevel\n",
           headers + "loglevel\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nloglevel\n",
           "CONNECT sm:80 HTTP/1.1\nloglevel\n",
           std::string("\x16\x03\x01\x02\x00\n", 6) + "loglevel\n"}) {
    facts_read = 0;
    Client client(port());
    client.prompt();
    client.send(sent);
    EXPECT_TRUE(client.has_ended()) << sent.substr(0, 40);
    EXPECT_EQ(facts_read, 0u) << sent.substr(0, 40);
  }
  Client first(port());
  first.prompt();
  Client second(port());
  second.until("(y/n) ");
  second.send("yes / HTTP/1.1\r\n" + headers + "loglevel\n");
  EXPECT_TRUE(second.has_ended());
  first.send("loglevel\n");
  EXPECT_THAT(first.prompt(), HasSubstr("0x83"));
}

TEST(HttpLine, NoCommandIsOne) {
  for (const char* const line : {"", "status", "status loop\r", "dump_portguid ^S1 [a:b] x/y",
                                 "pm pc leaf-1:3", "perfmgr print_counters GET:1",
                                 "dump_portguid file /tmp/x H0", "?", "LOGLEVEL 7", "help *"})
    EXPECT_FALSE(sm::console::is_of_http(line)) << line;
}

TEST_F(Console, WhoConnectsDuringASessionMayEndIt) {
  Client first(port());
  first.prompt();
  Client second(port());
  EXPECT_THAT(second.until("(y/n) "), HasSubstr("a session is open"));
  second.send("n\n");
  EXPECT_TRUE(second.has_ended());
  first.send("loglevel\n");
  EXPECT_THAT(first.prompt(), HasSubstr("0x83"));
  Client third(port());
  third.until("(y/n) ");
  third.send("y\n");
  EXPECT_EQ(third.prompt(), kPrompt);
  EXPECT_TRUE(first.has_ended());
}

TEST_F(Console, ThoseWhoWaitAreBounded) {
  Client first(port());
  first.prompt();
  std::list<Client> waiting;
  for (unsigned i = 0; i < ConsoleServer::kWaitingMax; ++i)
    waiting.emplace_back(port()).until("(y/n) ");
  Client one_more(port());
  EXPECT_TRUE(one_more.has_ended());
}

TEST_F(Console, StatusLoopRepeatsUntilQ) {
  Client client(port());
  client.prompt();
  client.send("status loop\n");
  for (int time = 0; time < 2; ++time) client.until("SELF\n");
  client.send("q\n");
  client.prompt();
  client.send("loglevel\n");
  EXPECT_THAT(client.prompt(), EndsWith("Current log level is 0x83\nOpenSM $ "));
}

TEST_F(Console, ListensOnTheLoopbackInterfaceOnly) {
  EXPECT_TRUE(Client(port()).far().address().is_loopback());
  const auto other = ConsoleServer::listen(io_.get_executor(), port(), actions());
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error(), HasSubstr("127.0.0.1 port " + std::to_string(port())));
}

TEST(ConsoleTerminal, ServesAPipeUntilItsEnd) {
  int in[2], out[2];
  ASSERT_EQ(::pipe(in), 0);
  ASSERT_EQ(::pipe(out), 0);
  asio::io_context io;
  auto server = ConsoleServer::on_terminal(io.get_executor(), in[0], out[1], actions());
  ASSERT_TRUE(server) << server.error();
  const std::string words = "loglevel\nquit\n";
  ASSERT_EQ(::write(in[1], words.data(), words.size()), static_cast<ssize_t>(words.size()));
  ::close(in[1]);
  io.run();  // ends with the input
  ::close(out[1]);
  server->reset();
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(::read(out[0], text.data(), text.size())));
  EXPECT_EQ(text,
            "OpenSM $ Current log level is 0x83\nOpenSM $ not valid in local mode; use ctl-c\n"
            "OpenSM $ ");
  ::close(in[0]);
  ::close(out[0]);
}

}  // namespace console_server_test
