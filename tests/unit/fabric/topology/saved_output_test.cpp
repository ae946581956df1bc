// The output of ibnetdiscover as it comes from terminals, mails and editors.

#include <filesystem>
#include <functional>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/topology/read.h"
#include "unit/sm/temporary_directory.h"

namespace topology {
namespace saved_output_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string sample(const std::string& name) {
  return config::read_file(HEDDLE_TEST_DATA "/infiniband_diags/" + name).value();
}

std::vector<std::string> findings(const TopologyFile& file) {
  std::vector<std::string> texts;
  for (const config::Diagnostic& finding : file.findings) texts.push_back(finding.text());
  return texts;
}

TopologyFile read_text(std::string_view text) { return read_ibnetdiscover({"a.net", text}); }

/// Returns the text with each line replaced by change(line).
std::string by_line(const std::string& text,
                    const std::function<std::string(std::string)>& change) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += change(line) + "\n";
  return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

class SavedOutput : public ::testing::Test {
 protected:
  const std::string text_ = sample("ibnetdiscover.txt");
  const Topology plain_ = read_text(text_).topology;

  void expect_same(const TopologyFile& file) const {
    EXPECT_TRUE(file.ok());
    EXPECT_EQ(file.topology.nodes.size(), 7u);
    EXPECT_EQ(file.topology.links, plain_.links);
  }
};

TEST_F(SavedOutput, IsReadInTheLayoutOfATerminal) {
  expect_same(read_text(text_));
  for (const std::string& text :
       {replaced(text_, "\t", "        "), replaced(text_, "\n", "\r\n"),
        by_line(text_, [](const std::string& line) { return "    " + line; }),
        by_line("DR path slid 0; dlid 0; 0 -> new\nNon-Chassis Nodes\n" + text_,
                [](const std::string& line) { return "\t" + line + "  "; })}) {
    const TopologyFile file = read_text(text);
    expect_same(file);
    EXPECT_THAT(findings(file), IsEmpty());
  }
}

TEST_F(SavedOutput, IsReadInTheEncodingsOfOtherSystems) {
  const TemporaryDirectory dir;
  std::string little = "\xFF\xFE", big = "\xFE\xFF";
  for (const char c : text_) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  for (const std::string& bytes : {"\xEF\xBB\xBF" + text_, little, big}) {
    write_text(dir / "a.net", bytes);
    const TopologyFile file = read_topology((dir / "a.net").string());
    expect_same(file);
    EXPECT_THAT(findings(file), IsEmpty());
  }
}

TEST_F(SavedOutput, LinesOfTheTerminalAroundItAreSkipped) {
  const std::string before = "Last login: Mon Nov 30\n[root@n1 ~]# ibnetdiscover\n",
                    after = "root@n1:~$ exit\n";
  const TopologyFile first = read_text(before + text_), last = read_text(text_ + after),
                     both = read_text(before + text_ + "[root@n1 ~]# \n" + after),
                     beside = read_text(text_.substr(0, text_.find_last_not_of('\n') + 1) +
                                        "\n[root@n1 ~]# \n");
  for (const TopologyFile* const file : {&first, &last, &both, &beside}) expect_same(*file);
  EXPECT_THAT(findings(first),
              ElementsAre("a.net:1:1: warning: skipped before the first node or behind the last "
                          "one: 'Last login: Mon Nov 30' (and 1 more line); save only what "
                          "ibnetdiscover prints"));
  EXPECT_THAT(findings(last), ElementsAre(HasSubstr("'root@n1:~$ exit'; save only")));
  EXPECT_THAT(findings(both), ElementsAre(HasSubstr("(and 3 more lines)")));
  EXPECT_THAT(findings(beside), ElementsAre(HasSubstr("'[root@n1 ~]# '")));
}

TEST_F(SavedOutput, MessagesOfProgramsInsideARecordAreSkipped) {
  const std::string port = "[1]\t\"H-0000000000020030\"",
                    message = "ibwarn: [1234] _do_madrpc: recv failed: Connection timed out\n";
  const TopologyFile one = read_text(replaced(text_, port, message + port)),
                     two = read_text("src/query_smp.c:227; umad bad status 110\n" +
                                     replaced(text_, port, message + port));
  expect_same(one);
  expect_same(two);
  EXPECT_THAT(findings(one),
              ElementsAre(testing::ContainsRegex(
                  "a.net:[0-9]+:1: warning: a message of ibnetdiscover is among its output: "
                  "'ibwarn: [[]1234[]] _do_madrpc: recv failed: Connection timed out'; what it "
                  "could not read is missing here; ")));
  EXPECT_THAT(findings(two), ElementsAre(HasSubstr("a.net:1:1: warning: ")));
}

TEST_F(SavedOutput, LinesOfOtherKindsAmongRecordsAreOneError) {
  const TopologyFile file = read_text(replaced(text_, "\nvendid", "\nwhat is this\n\nvendid"));
  EXPECT_FALSE(file.ok());
  EXPECT_THAT(findings(file),
              ElementsAre(HasSubstr(": warning: skipped before the first node"),
                          HasSubstr("'what is this' is not a keyword of a topology file (and 5 "
                                    "more lines); lines start with ")));
  const TopologyFile typing = read_text("Swich 4 \"S\"\n\nSwitch 4 \"T\"\n");
  EXPECT_THAT(findings(typing), ElementsAre(HasSubstr("a.net:1:1: error: 'Swich 4 \"S\"' is not")));
  EXPECT_FALSE(read_text("Switch 4 \"T\"\n\nvendor = 5\n").ok()) << "a misspelled keyword";
}

TEST_F(SavedOutput, OtherOutputsAreNamed) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {sample("ibnetdiscover-p.txt"),
       "a.net:1:1: error: this is the list of ports of ibnetdiscover -p, which has no nodes; save "
       "what ibnetdiscover prints without -p"},
      {"root@n1:~$ ibnetdiscover -p\n" + sample("ibnetdiscover-p.txt"),
       "a.net:2:1: error: this is the list of ports"},
      {sample("ibnetdiscover-l.txt"), "a.net:1:1: error: this is a list of nodes of"},
      {sample("iblinkinfo.txt"), "a.net:2:1: error: this is the output of iblinkinfo; "},
      {sample("dump_fts.txt"), "a.net:1:1: error: these are forwarding tables; "},
      {"{ SW Ports:24 SystemGUID:0x1\n", "a.net:1:1: error: this is a list of links of OpenSM"},
      {"nodes:\n  - name: S\n", "a.net:1:1: error: this is a topology in YAML; give the file"},
      {"\x2B\x83\xE7\x8F\x01", "a.net:1:1: error: this is a cache file of ibnetdiscover"},
      {"heddle-recording 1\n", "a.net:1:1: error: this is a recording of heddlectl record"},
      {"guid 0x0\nlmc 0\n",
       "a.net:1:1: error: 'guid 0x0' is not a keyword of a topology file (and 1 more line)"},
      {"devid=x\nvendid=y\n", "a.net:1:7: error: devid is not a number"}};
  for (const auto& [text, finding] : rows)
    EXPECT_THAT(findings(read_text(text)), ElementsAre(HasSubstr(finding))) << text;
}

TEST(PortGuids, InventedOnesDifferFromAllThatTheFileStates) {
  // A router of an XDR switch: port 2 has the GUID that port 1 would have.
  const TopologyFile router = read_text(R"(switchguid=0x21(21)
Switch	150 "S-21"		# "switch"
[1]	"H-1"[1](2a)
[149]	"R-28"[2](29)

rtguid=0x28
Rt	8 "R-28"		# "router"
[2](29) 	"S-21"[149]

caguid=0x2a
Ca	1 "H-1"		# "host"
[1](2a) 	"S-21"[1]
)");
  ASSERT_THAT(findings(router), IsEmpty());
  std::set<mad::Guid> all{mad::Guid{0x21}, mad::Guid{0x28}, mad::Guid{0x2a}};
  const Node& node = router.topology.nodes[1];
  EXPECT_EQ(node.port_guid({2}), mad::Guid{0x29});
  for (std::uint8_t port = 1; port <= 8; ++port)
    EXPECT_TRUE(all.insert(node.port_guid({port})).second) << node.port_guid({port}).value;
  // The usual GUID of port 2 of the router is that of a switch.
  const TopologyFile beside = read_text(
      "rtguid=0x10\nRt 2 \"R\"\n[1] \"S\"[1]\n\nswitchguid=0x12\nSwitch 2 \"S\"\n[1] \"R\"[1]\n");
  EXPECT_THAT(findings(beside), IsEmpty());
  // One host has the usual GUIDs, and another one invents GUIDs for ports without a link.
  const TopologyFile hosts = read_text(R"(caguid=0x14
Ca 2 "A"

caguid=0x10
Ca 6 "B"
[1](17) "S"[1]

switchguid=0x90
Switch 2 "S"
[1] "B"[1](17)
)");
  EXPECT_THAT(findings(hosts), IsEmpty());
}

}  // namespace saved_output_test
}  // namespace topology
