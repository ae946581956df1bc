// heddlectl's lists on a live subnet, compared with what infiniband-diags says of it; its commands;
// the group that may use the control socket.

#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "ibsim/fixture.h"
#include "unit/sm/temporary_directory.h"

namespace harness {
namespace heddlectl_lists_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

class HeddlectlLists : public OnIbsim {
 protected:
  void start(const std::string& conf, std::vector<std::string> flags = {}) {
    start_fabric(sample_net("fattree2-16h"));
    // Others than the owner of the scratch directory shall be able to reach the socket.
    run_dir_ = std::filesystem::path(::testing::TempDir()) /
               ("heddlectl-lists-" + std::to_string(getpid()));
    SmOptions options{.kind = SmKind::heddle, .conf = "force_log_flush TRUE\n" + conf};
    options.args = std::move(flags);
    options.env = {{"HEDDLE_RUN_DIR", run_dir_.string()}};
    heddle_ = &start_sm(options);
    ASSERT_TRUE(heddle_->wait_subnet_up()) << heddle_->tail();
  }
  void TearDown() override {
    OnIbsim::TearDown();
    std::error_code ignored;
    std::filesystem::remove_all(run_dir_, ignored);
  }
  Finished heddlectl(std::vector<std::string> arguments, std::vector<std::string> before = {}) {
    before.insert(before.end(), {"env", "-u", "LD_PRELOAD", "HEDDLE_RUN_DIR=" + run_dir_.string(),
                                 HEDDLECTL_PROGRAM});
    before.insert(before.end(), arguments.begin(), arguments.end());
    return fabric().run(before);
  }
  nlohmann::json json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Finished finished = heddlectl(std::move(arguments));
    EXPECT_TRUE(finished.ok()) << finished.err;
    return nlohmann::json::parse(finished.out);
  }
  SubnetManager& heddle() { return *heddle_; }
  const std::filesystem::path& run_dir() const { return run_dir_; }
  /// Returns the name of the manager's control socket.
  std::string socket_name() const {
    for (const auto& entry : std::filesystem::directory_iterator(run_dir_))
      if (entry.path().extension() == ".sock") return entry.path().filename();
    return {};
  }
  /// With a port of the fabric, the one of the manager.
  Finished heddlectl_on_fabric(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HEDDLECTL_PROGRAM);
    return fabric().run(arguments, {.env = {{"HEDDLE_RUN_DIR", run_dir_.string()}}});
  }
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path file = fabric().dir() / name;
    std::ofstream(file) << text;
    return file.string();
  }

 private:
  std::filesystem::path run_dir_;
  SubnetManager* heddle_ = nullptr;
};

std::uint64_t find_guid(const nlohmann::json& text) {
  return std::stoull(text.get<std::string>(), nullptr, 0);
}

TEST_F(HeddlectlLists, AgreeWithInfinibandDiags) {
  start("");
  Problems problems;
  const Cabling found = discover(fabric(), {}, problems);
  ASSERT_TRUE(problems.empty()) << text_of(problems);

  std::set<std::uint64_t> nodes, guids;
  const auto all_nodes = json({"nodes"}), all_lids = json({"lids"});
  for (const auto& node : all_nodes.at("nodes")) nodes.insert(find_guid(node.at("node_guid")));
  for (const auto& [guid, node] : found.nodes) guids.insert(guid);
  EXPECT_EQ(nodes, guids);

  const auto links = json({"links"});
  EXPECT_EQ(links.at("links").size(), found.cables.size());
  for (const auto& link : links.at("links")) EXPECT_EQ(link.at("port_state"), "Active") << link;

  const Finished info = fabric().run({"iblinkinfo", "-l"});
  std::size_t could_be = 0, degraded = 0;
  std::istringstream lines(info.out);
  for (std::string line; std::getline(lines, line);)
    could_be += line.find("Could be") != std::string::npos;
  for (const auto& link : links.at("links")) degraded += link.at("degraded").get<bool>();
  EXPECT_EQ(could_be, 2 * degraded) << "a line for each end";

  std::map<std::uint64_t, unsigned> lid_of_node;
  for (const auto& lid : all_lids.at("lids"))
    lid_of_node[find_guid(lid.at("node_guid"))] = lid.at("lid").get<unsigned>();
  EXPECT_EQ(lid_of_node.size(), found.end_ports.size());
  for (const auto& [port, end_port] : found.end_ports)
    EXPECT_EQ(lid_of_node[port.node_guid], end_port.lid) << port.text();

  const nlohmann::json groups = json({"groups"}).at("groups");
  const Finished saquery = fabric().run({"saquery", "-g"});
  ASSERT_TRUE(saquery.ok()) << saquery.err;
  ASSERT_FALSE(groups.empty());
  for (const auto& group : groups) {
    EXPECT_THAT(saquery.out, HasSubstr(group.at("mgid").get<std::string>()));
    EXPECT_EQ(json({"groups", group.at("mgid").get<std::string>()}).at("mlid"), group.at("mlid"));
  }
  EXPECT_EQ(json({"partitions", "0x7fff"}).at("members").size(), found.end_ports.size());
  EXPECT_EQ(json({"sms"}).at("managers")[0].at("state"), "Master");
  for (const char* const list :
       {"nodes", "links", "lids", "groups", "partitions", "sms", "conditions", "status"})
    EXPECT_TRUE(heddlectl({list}).ok()) << list;
}

/// The port by which the request came: smpquery's are routed by LID, which ibsim delivers to port 0
/// of a switch; a manager's are by directed route.
std::string without_local_port(std::string text) {
  const std::size_t at = text.find("LocalPort:");
  if (at != std::string::npos) text.erase(at, text.find('\n', at) - at);
  return text;
}

/// Byte by byte, but for LocalPort of a switch: PortInfo without extended speeds in the request, a
/// CA's SL to VL mapping at 0,0 only, M_Keys not displayed, as smpquery has them.
TEST_F(HeddlectlLists, ShowPrintsWhatSmpqueryPrints) {
  start("");
  const auto all = json({"lids"});
  std::string host, of_switch;
  for (const auto& lid : all.at("lids"))
    (lid.at("node_type") == "Switch" ? of_switch : host) = lid.at("lid").dump();
  struct Case {
    std::string operation, lid, port;
  };
  for (const Case& each : {Case{"nodeinfo", host, ""},
                           {"nodeinfo", of_switch, ""},
                           {"portinfo", host, ""},
                           {"portinfo", host, "1"},
                           {"portinfo", of_switch, ""},
                           {"portinfo", of_switch, "1"},
                           {"switchinfo", of_switch, ""},
                           {"pkeys", host, ""},
                           {"pkeys", host, "1"},
                           {"pkeys", of_switch, ""},
                           {"pkeys", of_switch, "1"},
                           {"sl2vl", host, ""},
                           {"sl2vl", of_switch, "1"},
                           {"vlarb", host, "1"},
                           {"vlarb", of_switch, ""},
                           {"vlarb", of_switch, "1"}}) {
    std::vector<std::string> query{"smpquery", each.operation, each.lid};
    if (!each.port.empty()) query.push_back(each.port);
    const Finished smpquery = fabric().run(query);
    ASSERT_TRUE(smpquery.ok()) << smpquery.err;
    const Finished shown = heddlectl(
        {"show", each.operation, each.port.empty() ? each.lid : each.lid + ":" + each.port});
    EXPECT_TRUE(shown.ok()) << shown.err;
    const bool all_of_it = each.lid == host;
    EXPECT_EQ(all_of_it ? shown.out : without_local_port(shown.out),
              all_of_it ? smpquery.out : without_local_port(smpquery.out))
        << each.operation << " " << each.lid << " " << each.port;
  }
  EXPECT_EQ(heddlectl({"show", "PI", "H0-0:1"}).out, heddlectl({"show", "portinfo", "1:1"}).out);
  EXPECT_THAT(heddlectl({"show", "pkeys", "nobody"}).err,
              HasSubstr("nothing here is called \"nobody\""));
  EXPECT_THAT(heddlectl({"show", "switchinfo", host}).err, HasSubstr("is no switch"));
  EXPECT_EQ(heddlectl({"show", "weather", host}).exit.code, 2);
}

TEST_F(HeddlectlLists, OrdersAreCarriedOut) {
  start("");
  const std::size_t mark = heddle().log_end();
  EXPECT_TRUE(heddlectl({"log-level", "ERROR,INFO,VERBOSE"}).ok());
  EXPECT_TRUE(heddlectl({"resweep"}).ok());
  EXPECT_TRUE(heddle().wait_log("PUT /v1/log-level: 200", mark)) << heddle().tail();
  EXPECT_TRUE(heddle().wait_log("log_flags is 0x07 from now on", mark)) << heddle().tail();
  EXPECT_TRUE(heddle().wait_log("SUBNET UP", mark)) << heddle().tail();
  const Finished wrong = heddlectl({"log-level", "LOUD"});
  EXPECT_EQ(wrong.exit.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'LOUD' is not a log level; write"));
}

/// Without a restart, to another engine and back; a key that is removed has its default again.
TEST_F(HeddlectlLists, ReloadChangesTheRoutingEngine) {
  const std::string usual = "force_log_flush TRUE\nconnect_roots TRUE\n";
  start("perfmgr TRUE\nconnect_roots TRUE\n");
  const auto option = [&](const std::string& key) {
    const auto published =
        fabric().run({"env", "-u", "LD_PRELOAD", "curl", "-s", "--unix-socket",
                      (run_dir() / socket_name()).string(), "http://heddle/v1/options"});
    const nlohmann::json parsed = nlohmann::json::parse(published.out);
    for (const auto& row : parsed.at("options"))
      if (row.at("key") == key) return row;
    return nlohmann::json();
  };
  HEDDLE_REQUIRE_TOOL("curl", "curl");
  EXPECT_THAT(option("perfmgr").at("from").get<std::string>(), HasSubstr("opensm.conf:2"));
  for (const std::string engine : {"updn", "ftree", "minhop"}) {
    SCOPED_TRACE(engine);
    write_file(heddle().home() / "opensm.conf", usual + "routing_engine " + engine + "\n");
    const Finished reloaded = heddlectl({"reload"});
    EXPECT_TRUE(reloaded.ok()) << reloaded.err;
    EXPECT_THAT(reloaded.out,
                AllOf(HasSubstr("reloaded, routing_engine"),
                      HasSubstr("the tables in use are those of routing engine " + engine + "\n"),
                      testing::Not(HasSubstr("restart"))));
    EXPECT_EQ(reloaded.out.find("perfmgr") != std::string::npos, engine == "updn");
    expect_good_fabric();
  }
  EXPECT_TRUE(option("perfmgr").at("default").get<bool>());
  EXPECT_FALSE(option("perfmgr").contains("from"));
}

TEST_F(HeddlectlLists, MembersOfControlGroupNeedNotBeRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become somebody else";
  HEDDLE_REQUIRE_TOOL("setpriv", "util-linux");
  const struct group* const daemon = getgrnam("daemon");
  ASSERT_NE(daemon, nullptr);
  start("control_group daemon\n");
  const auto as = [](const std::string& group) {
    return std::vector<std::string>{"setpriv", "--reuid", "65534",
                                    "--regid", group,     "--clear-groups"};
  };
  const Finished member = heddlectl({"resweep"}, as(std::to_string(daemon->gr_gid)));
  EXPECT_TRUE(member.ok()) << member.err;
  const Finished stranger = heddlectl({"sms"}, as("65534"));
  EXPECT_EQ(stranger.exit.code, 1);
  EXPECT_THAT(stranger.err,
              HasSubstr("only root may, and the group that the option control_group"));
  write_file(heddle().home() / "opensm.conf", "force_log_flush TRUE\n");
  EXPECT_THAT(heddlectl({"reload"}).out, HasSubstr("reloaded, control_group took effect"));
  EXPECT_FALSE(heddlectl({"sms"}, as(std::to_string(daemon->gr_gid))).ok());
}

/// With a terminal as standard output, as `script` makes one.
TEST_F(HeddlectlLists, StatusIsRepeatedAndHasColourOnATerminalOnly) {
  HEDDLE_REQUIRE_TOOL("script", "bsdutils");
  start("m_key 0x1122334455667788\n");  // ibsim does not take it: a condition, which has a colour
  const auto on_terminal = [&](const std::string& setting, const std::string& limit) {
    return fabric()
        .run({"env", "-u", "LD_PRELOAD", "HEDDLE_RUN_DIR=" + run_dir().string(), "TERM=xterm",
              setting, "script", "-qec",
              limit + HEDDLECTL_PROGRAM " status" + (limit.empty() ? "" : " --watch"), "/dev/null"})
        .out;
  };
  EXPECT_THAT(on_terminal("A=1", ""), HasSubstr("\x1b["));
  EXPECT_THAT(on_terminal("NO_COLOR=1", ""), testing::Not(HasSubstr("\x1b[")));
  EXPECT_THAT(on_terminal("TERM=dumb", ""), testing::Not(HasSubstr("\x1b[")));
  EXPECT_THAT(on_terminal("A=1", "timeout 1 "), HasSubstr("\x1b[H\x1b[2J")) << "at the same place";

  const std::string watched =
      heddlectl({"status", "--watch"}, {"timeout", "3"}).out;  // again after two seconds
  EXPECT_THAT(watched, testing::Not(HasSubstr("\x1b")));
  const std::size_t first = watched.find("Master, priority");
  ASSERT_NE(first, std::string::npos) << watched;
  EXPECT_NE(watched.find("Master, priority", first + 1), std::string::npos) << watched;
}

TEST_F(HeddlectlLists, DiffFindsNoDifferenceUntilALinkIsGone) {
  start("sweep_interval 1\n");
  const std::string saved = write("saved.net", fabric().run({"ibnetdiscover"}).out);
  const std::string recorded = (fabric().dir() / "saved.rec").string();
  const Finished recording = heddlectl_on_fabric({"record", recorded});
  ASSERT_TRUE(recording.ok()) << recording.err;
  for (const std::string& file : {saved, recorded}) {
    const Finished same = heddlectl({"diff", file});
    EXPECT_EQ(same.exit.code, 0) << same.out << same.err;
    EXPECT_THAT(same.out, HasSubstr("no difference: 24 nodes and 32 links as saved"));
  }

  const std::size_t mark = heddle().log_end();
  fabric().unlink("S1_0-0", 5);
  fabric().unlink("H1-1", 1);
  Finished differs;
  for (int i = 0; i < 100 && differs.out.find("\n2 differences") == std::string::npos; ++i) {
    ASSERT_TRUE(heddle().wait_log("SUBNET UP", mark)) << heddle().tail();
    differs = heddlectl({"diff", recorded});
    usleep(100'000);
  }
  EXPECT_EQ(differs.exit.code, 1) << differs.out << differs.err;
  EXPECT_THAT(differs.out, HasSubstr("node missing: \"H1-1 mlx5_0\" (0x"));
  EXPECT_THAT(differs.out, HasSubstr("link missing: "));
  EXPECT_THAT(differs.out, HasSubstr("\"S1_0-0\" (0x0002c90200000100) port 5"));
  const auto found = nlohmann::json::parse(heddlectl({"diff", "--json", saved}).out);
  EXPECT_FALSE(found.at("same"));
  EXPECT_EQ(found.at("differences").size(), 2u) << found;
  const Finished backwards = heddlectl({"diff", "--topology", saved, recorded});
  EXPECT_EQ(backwards.exit.code, 0) << backwards.out;
  EXPECT_EQ(heddlectl({"diff", "/nonexistent"}).exit.code, 2);
  EXPECT_EQ(heddlectl({"diff", "--guid", "0x1", saved}).exit.code, 2);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Keys in the configuration, on the command line and in files that it names; none of them is in
/// the archive, and what is published is.
TEST_F(HeddlectlLists, SupportBundleHasNoSecrets) {
  HEDDLE_REQUIRE_TOOL("tar", "tar");
  const TemporaryDirectory directory;
  const std::filesystem::path secrets = directory.path();
  const auto secret_file = [&](const char* name, const char* text) {
    std::ofstream(secrets / name) << text << '\n';
    std::filesystem::permissions(
        secrets / name, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return (secrets / name).string();
  };
  std::ofstream(secrets / "partitions.conf") << "Default=0x7fff, ipoib : ALL=full ;\n";
  start(
      "m_key 0x1122334455667788\nsa_key 0xa1a2a3a4a5a6a7a8\n"
      "etcd_endpoints http://admin:hunter3@127.0.0.1:1\netcd_user someone-secret\n"
      "etcd_password_file " +
          secret_file("password", "hunter2secret") + "\n" + "state_store_key_file " +
          secret_file("key", "0123456789abcdef0123456789abcdef") + "\npartition_config_file " +
          (secrets / "partitions.conf").string() + "\n",
      {"--smkey", "99aabbccddeeff01"});
  EXPECT_THAT(heddle().out(), HasSubstr("Loading Cached Option:m_key = MASKED"));
  // An earlier build, or OpenSM, has written them to its log.
  std::ofstream(heddle().home() / "opensm.log.1")
      << " Loading Cached Option:m_key = 0x1122334455667788\n SM Key <0x99aabbccddeeff01>\n";
  const std::string archive = (fabric().dir() / "bundle.tar.gz").string();
  write("bundle.tar.gz", "an older file, for all to read");
  const Finished made = heddlectl_on_fabric({"support-bundle", archive});
  ASSERT_TRUE(made.ok()) << made.err;
  EXPECT_EQ(std::filesystem::status(archive).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  const std::filesystem::path unpacked = fabric().new_dir("unpacked");
  ASSERT_TRUE(fabric().run({"tar", "-C", unpacked.string(), "-xzf", archive}).ok());
  std::map<std::string, std::string> members;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(unpacked))
    if (entry.is_regular_file())
      members[entry.path().lexically_relative(unpacked).string()] = read_file(entry.path());
  for (const auto& [name, text] : members) {
    EXPECT_EQ(name.find("guid2mkey"), std::string::npos);
    for (const char* const secret :
         {"1122334455667788", "1234605616436508552", "a1a2a3a4a5a6a7a8", "99aabbccddeeff01",
          "hunter", "someone-secret", "0123456789abcdef"})
      EXPECT_EQ(lower(text).find(secret), std::string::npos) << secret << " is in " << name;
  }
  const auto member = [&](const std::string& end) {
    for (const auto& [name, text] : members)
      if (name.ends_with(end)) return text;
    ADD_FAILURE() << "no member *" << end << "; left out: " << made.err;
    return std::string();
  };
  EXPECT_THAT(member("/README"), HasSubstr("left-out.txt"));
  EXPECT_THAT(member("/versions.txt"), HasSubstr("commit: "));
  const auto published = nlohmann::json::parse(member(".json")).at("resources");
  EXPECT_EQ(published.at("/v1/subnet").at("body").at("state"), "Master");
  EXPECT_THAT(published.at("/v1/options").dump(),
              AllOf(HasSubstr("\"etcd_endpoints\""), HasSubstr("MASKED@127.0.0.1")));
  EXPECT_THAT(published.at("/v1/topology").dump(), HasSubstr("S2_0-3"));
  EXPECT_FALSE(published.at("/v1/partitions").at("body").at("partitions").empty());
  EXPECT_THAT(member(".rec"), HasSubstr("end nodes=24"));
  EXPECT_THAT(member((heddle().home() / "opensm.log").string()), HasSubstr("SUBNET UP"));
  EXPECT_THAT(member((heddle().home() / "opensm.log.1").string()),
              AllOf(HasSubstr("m_key = MASKED"), HasSubstr("SM Key <MASKED>")));
}

}  // namespace heddlectl_lists_test
}  // namespace harness
