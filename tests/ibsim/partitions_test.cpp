// partitions.conf with Heddle and OpenSM: one file after the other, each manager on its own fabric
// that keeps its tables in between. After each file all P_Key tables are equal, index by index, and
// so are the groups of the partitions.

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "fabric/topology/read.h"
#include "ibsim/fixture.h"
#include "mad/format.h"
#include "partitions/load.h"
#include "partitions/membership.h"
#include "support/fabrics.h"

namespace harness {
namespace partitions_test {

namespace fs = std::filesystem;

std::vector<fs::path> corpus() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_TEST_DATA) / "partitions"))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

bool asks_for(const fs::path& file, const std::string& word) {
  return file.filename().string().find(word) != std::string::npos;
}

/// Group by group in order of MLID: "mgid q_key mtu t_class p_key rate sl_flow_hop".
std::vector<std::string> groups_in_dump(const std::string& dump) {
  std::map<std::string, std::string> by_mlid;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("MC Group")) continue;
    const auto value = [&](const std::string& name) {
      const std::size_t at = line.find(" " + name + "=0x") + name.size() + 4;
      return line.substr(at, line.find(' ', at) - at);
    };
    by_mlid[value("mlid")] =
        fmt::format("{} {} {} {} {} {} {}", value("mgid"), value("qkey"), value("mtu"),
                    value("tclass"), value("pkey"), value("rate"), value("sl_flow_hop"));
  }
  std::vector<std::string> groups;
  for (const auto& [mlid, group] : by_mlid) groups.push_back(group);
  return groups;
}

std::vector<std::string> groups_of(const fabric::PartitionMap& map) {
  std::vector<std::string> groups;
  for (const fabric::WellKnownGroup& g : map.groups) {
    groups.push_back(fmt::format(
        "{:016x}:0x{:016x} {:08x} {:02x} {:02x} {:04x} {:02x} {:08x}", g.mgid.prefix,
        g.mgid.guid.value, g.q_key, 0x80u | g.mtu, g.t_class, g.p_key.value, 0x80u | g.rate,
        std::uint32_t{g.sl.value} << 28 | g.flow_label << 8 | g.hop_limit));
  }
  return groups;
}

/// One manager on its own fabric.
class Side {
 public:
  Side(SmKind kind, const std::string& net) : kind_(kind), fabric_(net) {}

  /// Runs the manager with this file until the subnet is up, and ends it; returns the SA dump
  /// (OpenSM only).
  std::string run(const fs::path& file) {
    SmOptions options{.kind = kind_,
                      .once = kind_ == SmKind::heddle,
                      .conf = "sa_db_dump TRUE\n",
                      .args = {"--Pconfig", file.string()}};
    if (kind_ == SmKind::heddle) options.conf.clear();
    // Without its files, Heddle would keep keys of the files before, as those of another manager.
    if (kind_ == SmKind::heddle) options.home = home_;
    if (asks_for(file, "both")) options.args.emplace_back("-W");
    if (asks_for(file, "anew")) options.conf += "keep_pkey_indexes FALSE\n";
    SubnetManager sm(fabric_, options);
    EXPECT_TRUE(sm.wait_subnet_up()) << sm.tail();
    if (kind_ == SmKind::opensm) sm.signal(SIGTERM);
    EXPECT_TRUE(sm.wait_exit().has_value()) << sm.tail();
    home_ = sm.home();
    return read_file(sm.home() / "dumps" / "opensm-sa.dump");
  }

  /// Keys by port, of end ports and of the switch ports in front of them.
  std::map<std::string, std::string> tables() {
    if (names_.empty()) find_ports();
    std::vector<std::string> argv{P_KEY_DUMP_PROGRAM};
    for (const auto& [where, name] : names_) argv.push_back(where);
    const Finished dump = fabric_.run(argv);
    EXPECT_TRUE(dump.ok()) << dump.err;
    std::map<std::string, std::string> tables;
    std::istringstream lines(dump.out);
    for (std::string line; std::getline(lines, line);)
      tables[names_.at(line.substr(0, line.find(' ')))] = line.substr(line.find(' '));
    EXPECT_EQ(tables.size(), names_.size());
    return tables;
  }
  void keep_files() { fabric_.keep_files(); }

 private:
  void find_ports() {
    Problems problems;
    const Cabling found = discover(fabric_, "", problems);
    EXPECT_TRUE(problems.empty()) << text_of(problems);
    for (const auto& [port, end] : found.end_ports)
      names_[fmt::format("{}:0", end.lid)] = fmt::format("{:#x}", end.port_guid);
    for (const Cable& cable : found.cables) {
      for (const auto& [end, other] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
        if (!found.nodes.at(end.node_guid).is_switch || found.nodes.at(other.node_guid).is_switch)
          continue;
        names_[fmt::format("{}:{}", found.end_ports.at({end.node_guid, 0}).lid, end.port)] =
            end.text();
      }
    }
  }

  SmKind kind_;
  fs::path home_;  // of the latest run
  IbsimFabric fabric_;
  std::map<std::string, std::string> names_;  // "LID:port" -> name on both fabrics
};

class Partitions : public ::testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_REQUIRE(!umad2sim_library().empty(), "libumad2sim.so", "ibsim-utils");
    HEDDLE_REQUIRE_TOOL("opensm", "opensm");
  }
};

TEST_F(Partitions, TheSameTablesAndGroupsAsOpensmFileAfterFile) {
  const std::vector<fs::path> files = corpus();
  ASSERT_GE(files.size(), 25u);
  fabric::Fabric fabric = fabrics::from_topology(
      topology::read_topology(HEDDLE_TEST_DATA "/topologies/fattree2-16h.net").topology);
  fabric.sm_port = fabric.port_of_guid.at(mad::Guid{0x2c90000000001});
  Side opensm(SmKind::opensm, sample_net("fattree2-16h")),
      heddle(SmKind::heddle, sample_net("fattree2-16h"));
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string() + "\n" + read_file(file));
    const std::string dump = opensm.run(file);
    heddle.run(file);
    const auto wanted = opensm.tables(), got = heddle.tables();
    ASSERT_EQ(wanted.size(), 40u) << "16 hosts, 8 switches, 16 switch ports";
    for (const auto& [port, keys] : wanted) {
      const auto own = got.find(port);
      ASSERT_TRUE(own != got.end()) << port;
      EXPECT_EQ(own->second, keys) << port;
    }
    config::Diagnostics found;
    config::Options options;
    options.allow_both_pkeys = asks_for(file, "both");
    const auto configuration =
        partitions::parse_partitions_conf({file.string(), read_file(file)}, found);
    EXPECT_EQ(groups_of(partitions::partition_map(configuration, fabric, options)),
              groups_in_dump(dump));
  }
  if (HasFailure()) opensm.keep_files(), heddle.keep_files();
}

TEST_F(Partitions, AWrongFileIsRefusedAtStartAndIgnoredAtReload) {
  IbsimFabric fabric(sample_net("fattree2-16h"));
  const fs::path file = fabric.new_dir("conf") / "partitions.conf";
  write_file(file, "A=0x10 : ALL=full ;\nB=0x11 : ALLX ;\n");
  {
    SubnetManager sm(fabric, {.kind = SmKind::heddle, .args = {"-P", file.string()}});
    const std::optional<Exit> exit = sm.wait_exit();
    ASSERT_TRUE(exit.has_value()) << "it runs with a wrong file";
    EXPECT_EQ(exit->code, 1);
    EXPECT_NE(sm.err().find("partitions.conf:2:10: error: 'ALLX' is not a member"),
              std::string::npos)
        << sm.tail();
  }
  write_file(file, "A=0x10 : ALL=full ;\n");
  SubnetManager sm(fabric, {.kind = SmKind::heddle, .args = {"-P", file.string()}});
  ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
  std::size_t mark = sm.log_end();
  write_file(file, "A=0x10 : ALLX ;\n");
  sm.signal(SIGHUP);
  EXPECT_TRUE(
      sm.wait_log("the configuration is rejected: the daemon keeps its configuration", mark))
      << sm.tail();
  ASSERT_TRUE(sm.wait_log("SUBNET UP", mark)) << sm.tail();
  mark = sm.log_end();
  write_file(file, "A=0x10 : ALL=full ;\nB=0x11 : 0x2c90000000041=full ;\n");
  sm.signal(SIGHUP);
  EXPECT_TRUE(sm.wait_log("the new partitions took 2 SubnSet SMPs", mark))
      << "one host's block and its switch port's\n"
      << sm.tail();
}

}  // namespace partitions_test
}  // namespace harness
