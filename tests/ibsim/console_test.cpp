// The console of Heddle and of OpenSM on the same fabric: the same commands, and the fields of both
// answers compared.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "ibsim/fixture.h"

namespace harness {
namespace console_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kConsolePrompt = "OpenSM $ ";

/// A port of 127.0.0.1 that nobody uses now.
std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

/// A session on a console.
class Session {
 public:
  explicit Session(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int time = 0; time < 500; ++time) {
      if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        is_open_ = true;
        return;
      }
      short_pause();
    }
  }
  ~Session() { ::close(socket_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool is_open() const { return is_open_; }
  /// Returns the text up to the next prompt, without it; all of it if no prompt comes within 10 s.
  std::string until_prompt() {
    for (;;) {
      if (const std::size_t at = pending_.find(kConsolePrompt); at != std::string::npos) {
        const std::string text = pending_.substr(0, at);
        pending_.erase(0, at + std::string(kConsolePrompt).size());
        return text;
      }
      pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
      std::array<char, 4096> bytes{};
      const ssize_t count =
          ::poll(&ready, 1, 10'000) > 0 ? ::read(socket_, bytes.data(), bytes.size()) : 0;
      if (count <= 0) return pending_ + "[no prompt]";
      pending_.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }
  std::string ask(const std::string& command) {
    const std::string line = command + "\n";
    EXPECT_EQ(::write(socket_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
    return until_prompt();
  }

 private:
  int socket_;
  bool is_open_ = false;
  std::string pending_;
};

/// Names and values of lines "name : value", in order.
using Fields = std::vector<std::pair<std::string, std::string>>;
Fields list_fields(const std::string& text) {
  static const std::regex kField(R"(^ *([A-Za-z][^:]*?) *: *(.*?) *$)");
  Fields fields;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, match, kField)) fields.emplace_back(match[1], match[2]);
  return fields;
}
std::vector<std::string> names_of(const Fields& fields) {
  std::vector<std::string> names;
  for (const auto& [name, value] : fields) names.push_back(name);
  return names;
}
std::string find_value(const Fields& fields, const std::string& name) {
  for (const auto& [each, value] : fields)
    if (each == name) return value;
  return "[no " + name + "]";
}

/// All that is compared, of one manager.
struct Said {
  std::map<std::string, std::string> text;    // by command
  std::map<std::string, std::string> of_lid;  // of querylid, by GUID, without the LID
};

class ConsoleOnIbsim : public OnIbsim {
 protected:
  void SetUp() override {
    OnIbsim::SetUp();
    if (has_ended()) return;
    start_fabric(sample_net("fattree2-16h"));
  }

  Said said_by(SmKind kind) {
    Said said;
    const std::uint16_t port = free_port();
    SubnetManager& sm =
        start_sm({.kind = kind, .args = {"-q", "loopback", "-C", std::to_string(port)}});
    EXPECT_TRUE(sm.wait_subnet_up()) << sm.tail();
    Session session(port);
    EXPECT_TRUE(session.is_open()) << sm.tail();
    if (!session.is_open()) return said;
    session.until_prompt();
    for (const char* const command :
         {"help", "status", "portstatus", "portstatus ca", "portstatus switch", "portstatus router",
          "querylid 999", "switchbalance verbose", "lidbalance", "loglevel 7", "loglevel",
          "priority 5", "perfmgr", "dump_portguid H0", "dump_portguid ^S1 H1-1", "permodlog",
          "bogus", "sweep off"})
      said.text[command] = session.ask(command);
    said.text["status later"] = session.ask("status");
    for (unsigned lid = 1; lid <= 24; ++lid) {
      const std::string text = session.ask("querylid " + std::to_string(lid));
      said.of_lid[find_value(list_fields(text), "GUID")] = text.substr(text.find('\n') + 1);
    }
    sm.kill();
    return said;
  }
};

std::multiset<std::string> lines_of(const std::string& text) {
  std::multiset<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}
/// The first line has the time that it took.
std::multiset<std::string> counts_of(const std::string& text) {
  // Widths and speeds that are active differ: the managers enable others on ibsim.
  static const std::regex kTime(R"( in \d+ us)"), kRate(R"(\n *\d+ at [^\n]*)");
  return lines_of(std::regex_replace(std::regex_replace(text, kTime, ""), kRate, ""));
}
/// The first word of each line of the list.
std::vector<std::string> commands_of(const std::string& help) {
  static const std::regex kCommand(R"(^([a-z_]+(?:\(pm\))?)(?: .*)?$)");
  std::vector<std::string> names;
  std::istringstream in(help);
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, kCommand)) names.push_back(match[1]);
  return names;
}

TEST_F(ConsoleOnIbsim, AnswersAsOpenSmDoes) {
  const Said opensm = said_by(SmKind::opensm), heddle = said_by(SmKind::heddle);
  ASSERT_FALSE(HasFailure());

  EXPECT_EQ(commands_of(heddle.text.at("help")), commands_of(opensm.text.at("help")));

  for (const char* const when : {"status", "status later"}) {
    const Fields theirs = list_fields(opensm.text.at(when)),
                 ours = list_fields(heddle.text.at(when));
    ASSERT_GT(theirs.size(), 20u) << opensm.text.at(when);
    EXPECT_EQ(names_of(ours), names_of(theirs)) << when;
    for (const char* const name :
         {"SM State", "SM Priority", "SA State", "Routing Engine", "Loaded event plugins",
          "PerfMgr state/sweep state", "QP0 MADs outstanding", "QP0 unicasts sent",
          "SA MADs outstanding", "SA unknown MADs rcvd", "Sweeping enabled",
          "Sweep interval (seconds)", "Ignore existing lfts", "Subnet Init errors",
          "In sweep hop 0", "First time master sweep", "Coming out of standby"})
      EXPECT_EQ(find_value(ours, name), find_value(theirs, name)) << when << ": " << name;
    for (const char* const name : {"QP0 MADs rcvd", "QP0 MADs sent"})
      EXPECT_GT(std::stoul(find_value(ours, name)), 100u) << name;
    EXPECT_EQ(heddle.text.at(when).substr(heddle.text.at(when).find("Known SMs")),
              opensm.text.at(when).substr(opensm.text.at(when).find("Known SMs")));
  }

  for (const char* const command :
       {"portstatus", "portstatus ca", "portstatus switch", "portstatus router"})
    EXPECT_EQ(counts_of(heddle.text.at(command)), counts_of(opensm.text.at(command))) << command;

  ASSERT_EQ(opensm.of_lid.size(), 24u);
  EXPECT_EQ(heddle.of_lid, opensm.of_lid);
  EXPECT_EQ(heddle.text.at("querylid 999"), opensm.text.at("querylid 999"));

  for (const char* const command : {"dump_portguid H0", "dump_portguid ^S1 H1-1"}) {
    EXPECT_EQ(lines_of(heddle.text.at(command)), lines_of(opensm.text.at(command))) << command;
    EXPECT_FALSE(heddle.text.at(command).empty());
  }
  for (const char* const command :
       {"loglevel 7", "priority 5", "permodlog", "sweep off", "lidbalance"})
    EXPECT_EQ(heddle.text.at(command), opensm.text.at(command)) << command;

  // Routes may be others; switches, their ports and the form of lines are the same.
  static const std::regex kCount(R"((Port \d+): \d+|Unbalanced )");
  const auto shape = [](const std::string& text) {
    return lines_of(std::regex_replace(text, kCount, "$1"));
  };
  EXPECT_EQ(shape(heddle.text.at("switchbalance verbose")),
            shape(opensm.text.at("switchbalance verbose")));

  EXPECT_EQ(list_fields(heddle.text.at("perfmgr")), list_fields(opensm.text.at("perfmgr")));
  EXPECT_THAT(heddle.text.at("bogus"), StartsWith("bogus : Command not found\n\n"));
  EXPECT_THAT(opensm.text.at("bogus"), StartsWith("bogus : Command not found\n\n"));
}

/// Each user of the machine can open such a session, and each page can make a browser open one.
TEST_F(ConsoleOnIbsim, OverTcpThereAreNoSecretsNoFilesAndNoHttp) {
  const std::uint16_t port = free_port();
  SubnetManager& sm = start_sm({.kind = SmKind::heddle,
                                .conf = "m_key 0x5ec7e71\nsa_key 0x5ec7e72\n",
                                .args = {"-q", "loopback", "-C", std::to_string(port)}});
  ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
  EXPECT_THAT(sm.out(), HasSubstr("Loading Cached Option:m_key = MASKED"));
  EXPECT_EQ((sm.out() + sm.err() + sm.log()).find("5ec7e7"), std::string::npos);
  {
    Session session(port);
    ASSERT_TRUE(session.is_open());
    session.until_prompt();
    const std::string options = session.ask("dump_conf");
    EXPECT_THAT(options, HasSubstr("\nm_key MASKED\n"));
    EXPECT_EQ(options.find("5ec7e7"), std::string::npos);
    const std::string file = (sm.home() / "written").string();
    EXPECT_THAT(session.ask("dump_portguid file " + file + " ."), HasSubstr("writes no file"));
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_THAT(session.ask("POST / HTTP/1.1\r\nHost: sm\r\n\r\nsweep off"),
                HasSubstr("[no prompt]"));
  }
  Session session(port);
  ASSERT_TRUE(session.is_open());
  session.until_prompt();
  EXPECT_THAT(session.ask("status"), ::testing::ContainsRegex("Sweeping enabled +: 1"));
  EXPECT_THAT(session.ask("dump_portguid (S.*)(.*)(.*)(.*)\\4\\3\\2\\1x"),
              HasSubstr("no back-references"));
  sm.signal(SIGTERM);
  EXPECT_TRUE(sm.wait_exit(Milliseconds(5'000)).has_value());
}

TEST_F(ConsoleOnIbsim, SocketIsRefusedWithAdvice) {
  SubnetManager& sm = start_sm({.kind = SmKind::heddle, .args = {"-q", "socket"}});
  const std::optional<Exit> exit = sm.wait_exit(Milliseconds(20'000));
  ASSERT_TRUE(exit.has_value());
  EXPECT_NE(exit->code, 0);
  EXPECT_THAT(sm.out() + sm.err(), HasSubstr("loopback"));
}

}  // namespace console_test
}  // namespace harness
