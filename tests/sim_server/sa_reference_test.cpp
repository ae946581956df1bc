// Subnet administration of Heddle and of OpenSM: the same queries on two equal fabrics, responses
// compared field by field. Every intended difference is listed here.

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "mad/format.h"
#include "mad/records/inform_info.h"
#include "mad/records/mc_member_record.h"
#include "mad/records/service_record.h"
#include "sim_server/preloaded.h"

namespace harness {
namespace sa_reference_test {

using ::testing::HasSubstr;

const std::string kPartitions =
    "Default=0x7fff, ipoib : ALL=limited, SELF=full ;\n"
    "Storage=0x10, ipoib, rate=3, mtu=4, sl=0, defmember=full : 0x0002c90000000001, "
    "0x0002c90000000011, 0x0002c90000000021=limited ;\n"
    "Other=0x20, defmember=full : 0x0002c90000000031 ;\n";

/// Heddle does not read the P_Key tables of ports between switches (nothing is enforced there),
/// OpenSM returns them as it found them: empty.
enum class Empty : std::uint8_t { counted, left_out };

/// Which hosts find at least one record: a comparison of two empty responses must be intended.
enum class Finds : std::uint8_t {
  always,
  full_members,   // with kPartitions, hosts that share a partition with all others: H0-0
  but_for_h3_1,   // a query about H1-0, with which H3-1 shares no partition
  unpartitioned,  // a query about two ports that are visible to each other only there
  never,
  unknown,  // policy_queries(): OpenSM's records are the expectation
};

/// A query, and the fields whose values differ on purpose.
struct Query {
  std::vector<std::string> argv;  // after "saquery"
  std::string fields =
      {};  // names in saquery's print, separated by |; kOwnTables: compared with the switches
  Empty empty_tables = Empty::counted;
  Finds finds = Finds::always;

  Query but(Finds hosts) const {
    Query other = *this;
    other.finds = hosts;
    return other;
  }
};

/// Forwarding tables by switch LID: unicast LID -> port, or MLID -> ports as a mask. Entries that
/// drop are left out.
using Tables = std::map<unsigned, std::map<unsigned, unsigned long>>;
constexpr unsigned long kLftDrops = 255;

/// The output of "saquery LFTR" or "saquery MFTR".
Tables tables_of_records(const std::string& text) {
  Tables tables;
  unsigned lid = 0, position = 0;
  static const std::regex kLid(R"(\s*LID\.+(\d+))"), kPosition(R"(\s*Position\.+(\d+))"),
      kEntry(R"(\s*(0x[0-9a-f]+|\d+)\s+(0x[0-9a-f]+|\d+)\s*)");
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::smatch m;
    if (std::regex_match(line, m, kLid)) {
      lid = static_cast<unsigned>(std::stoul(m[1]));
      position = 0;
      tables[lid];
    } else if (std::regex_match(line, m, kPosition)) {
      position = static_cast<unsigned>(std::stoul(m[1]));
    } else if (std::regex_match(line, m, kEntry)) {
      const auto to = static_cast<unsigned>(std::stoul(m[1], nullptr, 0));
      const unsigned long value = std::stoul(m[2], nullptr, 0);
      const bool multicast = to >= 0xC000;
      if (multicast ? value == 0 : value == kLftDrops) continue;
      tables[lid][to] |= multicast ? value << (16 * position) : value;
    }
  }
  return tables;
}

/// The output of "dump_mfts", read from the switches, by GUID: a column of two characters for each
/// port.
std::map<std::uint64_t, std::map<unsigned, unsigned long>> parse_dump_mfts(
    const std::string& text) {
  std::map<std::uint64_t, std::map<unsigned, unsigned long>> tables;
  std::uint64_t guid = 0;
  static const std::regex kSwitch(R"(Multicast mlids .* guid (0x[0-9a-f]+) .*)"),
      kRow(R"((0x[c-f][0-9a-f]{3}) .*)");
  constexpr std::size_t kPort0 = 12;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::smatch m;
    if (std::regex_match(line, m, kSwitch)) {
      guid = std::stoull(m[1], nullptr, 16);
      tables[guid];
    } else if (std::regex_match(line, m, kRow)) {
      unsigned long& mask = tables[guid][static_cast<unsigned>(std::stoul(m[1], nullptr, 16))];
      for (std::size_t at = kPort0; at < line.size(); ++at) {
        if (line[at] == 'x') mask |= 1ul << ((at - kPort0) / 2);
      }
    }
  }
  return tables;
}

/// Records as blocks of text, sorted: neither manager defines an order.
std::vector<std::string> records(const std::string& text, const std::string& fields) {
  std::vector<std::string> blocks;
  const std::regex meant("^[\\s#]*(" + (fields.empty() ? std::string("nothing") : fields) +
                         ")\\b.*");
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    if (blocks.empty() || line.front() != '\t') blocks.emplace_back();
    if (!std::regex_match(line, meant)) blocks.back() += line + "\n";
  }
  std::ranges::sort(blocks);
  return blocks;
}

/// Routing differs between managers: records are compared with the tables of the switches of the
/// same fabric, read by SMP.
constexpr const char* kOwnTables = "*";

// Fields that differ on purpose.
constexpr const char* kActivity = "ActCount";
constexpr const char* kLocalPort = "LocalPort";  // the port by which a switch was reached
constexpr const char* kCapabilities =
    "Capability mask 2";  // Heddle knows NDR, XDR and their PortInfo fields, OpenSM 3.3.23 does not

std::vector<Query> all_queries() {
  return {
      {{"CPI"}, kCapabilities},
      {{"NR"}},
      {{"NR", "1"}},
      Query{{"NR", "4711"}}.but(Finds::never),
      {{"PIR"}, kLocalPort},
      {{"PIR", "1"}, kLocalPort},
      {{"PIR", "1/1"}},
      {{"LR"}},
      {{"LR", "1"}},
      {{"LR", "3/1"}},
      Query{{"SWIR"}}.but(Finds::full_members),
      Query{{"SWIR", "3"}}.but(Finds::full_members),
      Query{{"LFTR"}, kOwnTables}.but(Finds::full_members),  // balanced otherwise
      Query{{"LFTR", "3/0"}, kOwnTables}.but(Finds::full_members),
      Query{{"MFTR"}, kOwnTables}.but(Finds::full_members),  // other trees
      {{"SMIR"}, kActivity},
      {{"SMIR", "1"}, kActivity},
      {{"SL2VL"}},
      {{"VLAR"}},
      Query{{"PKTR"}}.but(Finds::never),
      {{"--smkey", "1", "PKTR"}, "", Empty::left_out},
      {{"--smkey", "1", "PKTR", "1"}},
      {{"GIR"}},
      {{"GIR", "1/0"}},
      {{"SR"}},
      {{"IIR"}},
      {{"MCMR"}},
      {{"--smkey", "1", "MCMR"}},
      {{"PR"}},
      Query{{"--src-to-dst", "1:5"}}.but(Finds::full_members),
      Query{{"--src-to-dst", "H1-0 mlx5_0:H2-2 mlx5_0"}}.but(Finds::unpartitioned),
      {{"PR", "--slid", "1"}},
      Query{{"PR", "--dlid", "5"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "4711"}}.but(Finds::never),
      Query{{"PR", "--sgid", "fe80::2:c900:0:1", "--dgid", "fe80::2:c900:0:11"}}.but(
          Finds::full_members),
      Query{{"--sgid-to-dgid", "fe80::2:c900:0:1-fe80::2:c900:0:11"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--pkey", "0xffff"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--pkey", "0x8010"}}.but(Finds::never),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--mtu", "0x84"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--mtu", "0x81"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--mtu", "0x45"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--mtu", "0x05"}}.but(Finds::never),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--rate", "0x82"}}.but(Finds::never),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--rate", "0x43"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--sl", "3"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--sl", "0"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--reversible", "1"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--numb_path", "3"}}.but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--tclass", "7", "--flow_label", "99",
             "--hop_limit", "0"}}
          .but(Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--pkt_lifetime", "0x90"}}.but(
          Finds::full_members),
      Query{{"PR", "--slid", "1", "--dlid", "5", "--qos_class", "0"}}.but(Finds::full_members),
      {{"-p"}},
      {{"-N"}},
      {{"-D"}},
      Query{{"-L", "H1-0 mlx5_0"}}.but(Finds::but_for_h3_1),
      Query{{"-l", "H1-0 mlx5_0"}}.but(Finds::but_for_h3_1),
      Query{{"-G", "H1-0 mlx5_0"}}.but(Finds::but_for_h3_1),
      {{"-O", "1"}},
      {{"-U", "0x0002c90000000001"}},
      {{"-s"}, kLocalPort},
      {{"-g"}},
      {{"-m"}},
      {{"-m", "0xc000"}},
      {{"-x"}},
      {{"-c"}, kCapabilities},
      {{"-S"}},
      {{"-I"}},
  };
}

const std::string kPolicyPartitions =
    "Default=0x7fff, ipoib : ALL=full ;\n"
    "Storage=0x10, ipoib, sl=1, defmember=full : 0x0002c90000000001, 0x0002c90000000011, "
    "0x0002c90000000021=limited ;\n"
    "Other=0x20, ipoib, defmember=full : 0x0002c90000000001, 0x0002c90000000031, "
    "0x0002c90000000011 ;\n";

/// Not tested, since OpenSM differs: it removes blanks from port-name, so that the group is empty,
/// and ignores path-bits.
const std::string kPolicy = R"(
port-groups
  port-group
    name: by guid
    port-guid: 0x0002c90000000021, 0x0002c90000000030-0x0002c90000000031
  end-port-group
  port-group
    name: storage
    partition: Storage
  end-port-group
  port-group
    name: others
    pkey: 0x8020
  end-port-group
  port-group
    name: manager
    node-type: SELF
  end-port-group
  port-group
    name: switches
    node-type: SWITCH
  end-port-group
end-port-groups
qos-levels
  qos-level
    name: DEFAULT
    sl: 1
  end-qos-level
  qos-level
    name: limits
    sl: 2
    mtu-limit: 3
    rate-limit: 2
    packet-life: 9
  end-qos-level
  qos-level
    name: keys
    sl: 3
    pkey: 0x10
  end-qos-level
  qos-level
    name: five
    sl: 5
  end-qos-level
  qos-level
    name: six
    sl: 6
  end-qos-level
end-qos-levels
qos-match-rules
  qos-match-rule
    qos-class: 1, 100-0xfff
    qos-level-name: limits
  end-qos-match-rule
  qos-match-rule
    qos-class: 2
    qos-level-name: keys
  end-qos-match-rule
  qos-match-rule
    destination: by guid
    qos-class: 3
    qos-level-name: five
  end-qos-match-rule
  qos-match-rule
    source: storage
    destination: storage
    qos-class: 4
    qos-level-name: five
  end-qos-match-rule
  qos-match-rule
    source: manager
    qos-class: 5
    qos-level-name: five
  end-qos-match-rule
  qos-match-rule
    destination: manager, others
    qos-class: 5
    qos-level-name: six
  end-qos-match-rule
  qos-match-rule
    destination: switches
    qos-class: 6
    qos-level-name: six
  end-qos-match-rule
end-qos-match-rules
qos-ulps
  default                                      : 9
  sdp, port-num 30000                          : 8
  sdp                                          : 10
  rds                                          : 11
  iser, port-num 5-9                           : 13
  iser                                         : 12
  ipoib, pkey 0x0020                           : 4
  any, service-id 0x6234                       : 13
  any, source-port-guid 0x0002c90000000071     : 6
  any, source-target-port-guid 0x0002c90000000031-0x0002c90000000041 : 14
  any, pkey 0x0010                             : 7
end-qos-ulps
)";

std::vector<Query> policy_queries() {
  constexpr const char* kRepeated =
      "qos_class|service_id";  // the requested value; OpenSM returns 0
  constexpr const char* kForm = "qos_class|service_id|pkey";  // OpenSM returns the P_Key of the
                                                              // level, Heddle that of the source
  const auto path = [](unsigned from, unsigned to, std::vector<std::string> more) {
    std::vector<std::string> argv{"PR", "--sgid", fmt::format("fe80::2:c900:0:{:x}", from),
                                  "--dgid", fmt::format("fe80::2:c900:0:{:x}", to)};
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  };
  std::vector<Query> queries{{{"CPI"}, kCapabilities}, {{"PR"}}, {{"MCMR"}}, {{"-g"}}};
  for (const unsigned to : {0x01u, 0x21u, 0x31u, 0x11u}) {
    for (const char* qos_class : {"0", "1", "3", "4", "5", "6", "99", "101"})
      queries.push_back({path(0x11, to, {"--qos_class", qos_class}), kRepeated});
    queries.push_back({path(0x11, to, {"--qos_class", "2"}), kForm});
    for (const char* p_key : {"0x7fff", "0xffff", "0x10", "0x8010", "0x20", "0x8020"}) {
      queries.push_back({path(0x11, to, {"--pkey", p_key})});
      queries.push_back({path(0x11, to, {"--pkey", p_key, "--qos_class", "2"}), kRepeated});
    }
    for (const char* service :
         {"0x17530", "0x10001", "0x10648ca", "0x1060cbc", "0x1060007", "0x6234", "0x6235", "0"}) {
      queries.push_back({path(0x11, to, {"--service_id", service}), kRepeated});
    }
  }
  queries.push_back({path(0x11, 0x01, {"--service_id", "0x6234", "--pkey", "0x10"}), kRepeated});
  queries.push_back({path(0x11, 0x01, {"--service_id", "0x6234", "--qos_class", "1"}), kRepeated});
  for (const std::vector<std::string>& constraints :
       std::vector<std::vector<std::string>>{{"--mtu", "0x84"},
                                             {"--mtu", "0x83"},
                                             {"--mtu", "0x44"},
                                             {"--rate", "0x82"},
                                             {"--rate", "0x83"},
                                             {"--rate", "0x02"},
                                             {"--pkt_lifetime", "0x90"},
                                             {"--pkt_lifetime", "0x8a"},
                                             {"--pkt_lifetime", "0x89"},
                                             {"--pkt_lifetime", "0x48"},
                                             {"--sl", "2"},
                                             {"--sl", "1"}}) {
    queries.push_back({path(0x11, 0x21, constraints)});
    queries.push_back({path(0x11, 0x21, constraints), kRepeated});
    queries.back().argv.insert(queries.back().argv.end(), {"--qos_class", "1"});
  }
  for (const char* mtu : {"0x84", "0x83", "0x44", "0x02", "0x04", "0xc4"})
    queries.push_back({path(0x11, 0x91, {"--mtu", mtu})});  // of a Tavor HCA
  for (Query& query : queries) query.finds = Finds::unknown;
  return queries;
}

template <class Record>
std::string hex(const Record& record) {
  std::string text;
  for (const std::uint8_t byte : record.bytes()) text += fmt::format("{:02x}", byte);
  return text;
}

class SaReference : public ::testing::Test {
 protected:
  explicit SaReference(const std::string& net = sample_net("fattree2-16h"))
      : opensm_(net, HEDDLE_SIM_PROGRAM), heddle_(net, HEDDLE_SIM_PROGRAM) {}
  void SetUp() override {
    HEDDLE_REQUIRE_TOOL("opensm", "opensm");
    HEDDLE_REQUIRE_TOOL("saquery", "infiniband-diags");
  }
  void start(const std::optional<std::string>& partitions = {}, const std::string& conf = {}) {
    for (const SmKind kind : {SmKind::opensm, SmKind::heddle}) {
      // Heddle keeps OpenSM's LIDs.
      std::map<std::string, std::string> cache;
      if (!managers_.empty()) cache["guid2lid"] = read_file(managers_.front().dir / "guid2lid");
      managers_.push_back(on(kind).start_manager(kind, "H0-0", conf, {}, partitions, cache));
      ASSERT_TRUE(managers_.back().says("SUBNET UP"))
          << read_file(managers_.back().log) << read_file(managers_.back().dir / "stderr");
    }
    // OpenSM writes its links' states again after that.
    for (const auto& manager : managers_) Preloaded::wait_quiet(manager);
  }
  Preloaded& on(SmKind kind) { return kind == SmKind::opensm ? opensm_ : heddle_; }

  /// Registers the same with both managers, so that there are records of every type: two members of
  /// the broadcast group at different leaves, a service and a subscription.
  void register_clients() {
    const auto member = [](std::uint64_t guid) {
      mad::McMemberRecord record;
      record.set_mgid({0xff12401bffff0000, mad::Guid{0xffffffff}});
      record.set_port_gid({0xfe80000000000000, mad::Guid{guid}});
      record.set_join_state(1);
      return hex(record);
    };
    mad::ServiceRecord service;
    service.set_service_id(77);
    service.set_service_gid({0xfe80000000000000, mad::Guid{0x0002c90000000001}});
    mad::InformInfo subscribe;
    subscribe.set_lid_range_begin(mad::kPermissiveLid);
    subscribe.set_is_generic(1);
    subscribe.set_type(0xFFFF);
    subscribe.set_trap_number(66);
    subscribe.set_producer_type(4);
    subscribe.set_subscribe(1);
    const std::vector<std::pair<std::string, std::vector<std::string>>> requests{
        {"H1-0", {"2", "0x38", "0", "0x10003", "0", member(0x0002c90000000041)}},
        {"H2-2", {"2", "0x38", "0", "0x10003", "0", member(0x0002c900000000a1)}},
        {"H0-0", {"2", "0x31", "0", "3", "0", hex(service)}},
        {"H0-0", {"2", "0x03", "0", "0", "0", hex(subscribe)}}};
    for (const auto& [host, request] : requests) {
      const auto [theirs, ours] = poke(request, host);
      ASSERT_THAT(theirs, HasSubstr("status 0x0000"));
      ASSERT_THAT(ours, HasSubstr("status 0x0000"));
    }
    // Both write the group's tree after the response.
    for (const SmKind kind : {SmKind::opensm, SmKind::heddle}) {
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      const auto connected = [&] {
        std::size_t in_tree = 0;
        for (const auto& [guid, table] : parse_dump_mfts(on(kind).out({"dump_mfts"}, "H0-0")))
          in_tree += table.contains(0xC000);
        return in_tree >= 3;  // two leaves and a spine
      };
      while (!connected()) ASSERT_LT(std::chrono::steady_clock::now(), deadline) << find_name(kind);
    }
    for (const auto& manager : managers_) Preloaded::wait_quiet(manager);
  }

  static bool finds(const Query& query, const std::string& host, bool in_partitions) {
    switch (query.finds) {
      case Finds::always:
      case Finds::unknown:
        return true;
      case Finds::full_members:
        return !in_partitions || host == "H0-0";
      case Finds::but_for_h3_1:
        return !in_partitions || host != "H3-1";
      case Finds::unpartitioned:
        return !in_partitions;
      case Finds::never:
        return false;
    }
    return false;
  }

  /// With ports in different partitions, three differences are intended:
  ///  - OpenSM takes an external port of a switch, whose table it has never written, as visible to
  ///  every requester. Heddle returns a port's records to requesters that may access its node.
  ///  - OpenSM hides a link between two limited members from a full one, which may access both, and
  ///  returns links of switches to requesters that may not access them. Heddle returns a link to
  ///  requesters that may access both its ends.
  ///  - Heddle does not read P_Key tables of ports between switches.
  void compare_in_partitions(const std::string& host) {
    const std::set<unsigned> known = known_lids(host);
    ASSERT_EQ(known.size(), host == "H0-0" ? 24u : 2u);
    for (const Query& query : all_queries()) {
      const std::string& what = query.argv.back();
      const bool of_links =
          (what.starts_with("L") && what != "LFTR") || what == "-x" || query.argv.front() == "LR";
      const bool of_ports = what == "PIR" || what == "SL2VL" || what == "VLAR" || what == "PKTR";
      if (of_links) {
        compare_links(query, host, known);
      } else if (of_ports && query.finds != Finds::never) {
        compare_ports(query, host, known);
      } else {
        compare({query}, host, true);
      }
    }
  }
  /// LIDs of the ports that the host may access, by OpenSM's NodeRecords.
  std::set<unsigned> known_lids(const std::string& host) {
    std::set<unsigned> lids;
    for (const std::string& block : records(opensm_.out({"saquery", "NR"}, host), ""))
      lids.insert(read_lid(block));
    return lids;
  }
  /// The first LID of a record: its subject.
  static unsigned read_lid(const std::string& block) {
    std::smatch m;
    static const std::regex kLid(R"(\b(?:lid|LID|EndPortLid|FromLID)\.+(\d+))");
    return std::regex_search(block, m, kLid) ? static_cast<unsigned>(std::stoul(m[1])) : 0u;
  }
  static std::string title(const Query& query) {
    return fmt::format("saquery {}", fmt::join(query.argv, " "));
  }
  Finished run_query(SmKind kind, const Query& query, const std::string& host) {
    std::vector<std::string> argv{"saquery"};
    argv.insert(argv.end(), query.argv.begin(), query.argv.end());
    return on(kind).run(argv, host);
  }
  /// Queries both managers concurrently. OpenSM's response, then Heddle's.
  std::pair<Finished, Finished> query_both(const Query& query, const std::string& host) {
    auto theirs =
        std::async(std::launch::async, [&] { return run_query(SmKind::opensm, query, host); });
    Finished ours = run_query(SmKind::heddle, query, host);
    return {theirs.get(), std::move(ours)};
  }
  /// Expects exactly those of OpenSM's records whose nodes the host may access.
  void compare_ports(const Query& query, const std::string& host, const std::set<unsigned>& known) {
    SCOPED_TRACE(title(query));
    const auto [theirs, ours] = query_both(query, host);
    auto expected = records(theirs.out, query.fields), got = records(ours.out, query.fields);
    std::erase_if(expected,
                  [&](const std::string& block) { return !known.contains(read_lid(block)); });
    leave_out_empty(query, expected, got);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(fmt::format("{}", fmt::join(expected, "")), fmt::format("{}", fmt::join(got, "")));
  }
  /// Expects exactly the links of the topology file between nodes that the host may access.
  void compare_links(const Query& query, const std::string& host, const std::set<unsigned>& known) {
    SCOPED_TRACE(title(query));
    std::set<std::string> expected;
    const std::map<std::uint64_t, unsigned> lids = lids_of_nodes();
    const std::regex requested(query.argv.size() == 1   ? ".*"
                               : query.argv[1] == "3/1" ? "3 1 .*"
                                                        : query.argv[1] + " .*");
    for (const Cable& cable : opensm_.fabric().cabling().cables) {
      for (const auto& [from, to] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
        const unsigned here = lids.at(from.node_guid), there = lids.at(to.node_guid);
        const std::string link = fmt::format("{} {} {} {}", here, from.port, to.port, there);
        if (known.contains(here) && known.contains(there) && std::regex_match(link, requested))
          expected.insert(link);
      }
    }
    std::set<std::string> got;
    const std::string ours = run_query(SmKind::heddle, query, host).out;
    static const std::regex kLink(
        R"(FromLID\.+(\d+)\s+FromPort\.+(\d+)\s+ToPort\.+(\d+)\s+ToLID\.+(\d+))");
    for (std::sregex_iterator at(ours.begin(), ours.end(), kLink), end; at != end; ++at)
      got.insert(at->format("$1 $2 $3 $4"));
    EXPECT_EQ(expected, got);
    EXPECT_EQ(expected.empty(), host != "H0-0") << "a limited member may access no switch";
  }
  /// By NodeGUID, for nodes that have one LID: OpenSM's, which Heddle keeps.
  std::map<std::uint64_t, unsigned> lids_of_nodes() {
    std::map<std::uint64_t, unsigned> lids;
    static const std::regex kGuid(R"(node_guid\.+(0x[0-9a-f]+))");
    for (const std::string& block : records(opensm_.out({"saquery", "NR"}, "H0-0"), "")) {
      std::smatch m;
      if (std::regex_search(block, m, kGuid))
        lids[std::stoull(m[1], nullptr, 16)] = read_lid(block);
    }
    return lids;
  }
  /// A manager's records of its switches' tables equal the tables. The records are complete: every
  /// switch of the query is there; one without an entry of a group has an empty record from Heddle,
  /// and none from OpenSM.
  void compare_with_switches(SmKind kind, const Query& query, const std::string& text) {
    SCOPED_TRACE(find_name(kind));
    const bool unicast = query.argv.front() == "LFTR";
    const std::map<std::uint64_t, unsigned> lids = lids_of_nodes();
    Tables in_switches;
    if (unicast) {
      for (const auto& [guid, ports] : parse_dump_fts(on(kind).out({"dump_fts"}, "H0-0"))) {
        auto& table = in_switches[lids.at(guid)];
        for (unsigned lid = 0; lid < ports.size(); ++lid)
          if (ports[lid] != kLftDrops) table[lid] = ports[lid];
      }
    } else {
      for (const auto& [guid, masks] : parse_dump_mfts(on(kind).out({"dump_mfts"}, "H0-0")))
        in_switches[lids.at(guid)] = masks;
    }
    ASSERT_EQ(in_switches.size(), 8u);
    if (query.argv.size() > 1)
      std::erase_if(in_switches, [](const auto& table) { return table.first != 3; });
    Tables recorded = tables_of_records(text);
    if (!unicast && kind == SmKind::opensm)
      std::erase_if(in_switches, [](const auto& table) { return table.second.empty(); });
    EXPECT_EQ(recorded, in_switches);
  }
  static void leave_out_empty(const Query& query, std::vector<std::string>& expected,
                              std::vector<std::string>& got) {
    if (query.empty_tables != Empty::left_out) return;
    for (auto* blocks : {&expected, &got}) {
      std::erase_if(*blocks, [](const std::string& block) {
        return block.find("PKey Table") != std::string::npos &&
               !std::regex_search(block, std::regex("0x(?!0000\\b)[0-9a-f]{4}\\b"));
      });
    }
  }
  /// Returns the number of queries that found records.
  std::size_t compare(const std::vector<Query>& queries, const std::string& host = "H1-0",
                      bool in_partitions = false) {
    std::size_t found = 0;
    for (const Query& query : queries) {
      SCOPED_TRACE(title(query));
      const auto [theirs, ours] = query_both(query, host);
      EXPECT_EQ(theirs.exit.code, ours.exit.code) << theirs.err << ours.err;
      const bool own_tables = query.fields == kOwnTables;
      const std::string fields = own_tables ? "" : query.fields;
      auto expected = records(theirs.out, fields), got = records(ours.out, fields);
      leave_out_empty(query, expected, got);
      if (query.finds != Finds::unknown) {
        EXPECT_EQ(!expected.empty(), finds(query, host, in_partitions)) << theirs.out;
      }
      EXPECT_EQ(expected.empty(), got.empty()) << ours.out.substr(0, 2000);
      found += !got.empty();
      if (own_tables) {
        if (got.empty()) continue;
        compare_with_switches(SmKind::opensm, query, theirs.out);
        compare_with_switches(SmKind::heddle, query, ours.out);
        continue;
      }
      EXPECT_EQ(expected.size(), got.size()) << ours.out.substr(0, 2000);
      EXPECT_EQ(fmt::format("{}", fmt::join(expected, "")), fmt::format("{}", fmt::join(got, "")));
    }
    return found;
  }
  /// One request to both; the output of sa_poke.
  std::pair<std::string, std::string> poke(const std::vector<std::string>& arguments,
                                           const std::string& host = "H1-0") {
    std::vector<std::string> argv{SA_POKE_PROGRAM};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return {opensm_.out(argv, host), heddle_.out(argv, host)};
  }

  Preloaded opensm_, heddle_;
  std::vector<Preloaded::Manager> managers_;
};

TEST_F(SaReference, EveryQueryOfSaqueryHasTheSameAnswer) {
  start();
  register_clients();
  compare(all_queries());
}

TEST_F(SaReference, QueriesInPartitionsHaveTheSameAnswers) {
  start(kPartitions);
  register_clients();
  for (const char* host : {"H0-0", "H1-0", "H3-1"}) {
    SCOPED_TRACE(host);
    compare_in_partitions(host);
  }
}

/// H2-1 and H3-1 are Tavor HCAs.
class SaReferenceWithTavors : public SaReference {
 protected:
  SaReferenceWithTavors() : SaReference(with_tavors()) {}

 private:
  static std::string with_tavors() {
    std::string net = sample_net("fattree2-16h");
    for (const char* guid : {"caguid=0x2c90000000090\n", "caguid=0x2c900000000d0\n"}) {
      const std::size_t at = net.find(guid);
      EXPECT_NE(at, std::string::npos) << guid;
      net.insert(at, "vendid=0x2c9\ndevid=0x5a44\n");
    }
    return net;
  }
};

TEST_F(SaReferenceWithTavors, PathsByQosPolicyAndQuirksAreTheSame) {
  const std::filesystem::path policy = opensm_.fabric().new_dir("policy") / "qos-policy.conf";
  write_file(policy, kPolicy);
  start(kPolicyPartitions,
        fmt::format("qos TRUE\nenable_quirks TRUE\nqos_policy_file {}\n", policy.string()));
  const std::vector<Query> queries = policy_queries();
  EXPECT_GT(compare(queries, "H0-1"), queries.size() / 2) << "most of them find a path";
  compare({{{"PR"}}, {{"MCMR"}}}, "H0-0");
}

constexpr const char* kSet = "2";
constexpr const char* kGet = "1";
constexpr const char* kDelete = "0x15";

/// Requests that no tool sends: both answer with the same status.
TEST_F(SaReference, RawRequestsGetTheSameStatus) {
  start();
  using M = mad::McMemberRecord;
  const auto member = [](mad::Gid mgid, std::uint8_t state) {
    M record;
    record.set_mgid(mgid);
    record.set_port_gid({0xfe80000000000000, mad::Guid{0x0002c90000000041}});  // H1-0
    record.set_join_state(state);
    record.set_q_key(0x0b1b);
    record.set_p_key(mad::kDefaultPKeyFull);
    return hex(record);
  };
  const mad::Gid broadcast{0xff12401bffff0000, mad::Guid{0xffffffff}},
      other{0xff12401bffff0000, mad::Guid{0x1234}}, wrong{0xfe80000000000000, mad::Guid{1}};
  constexpr const char *kJoin = "0x10003", *kCreate = "0x130c7";
  mad::ServiceRecord service;
  service.set_service_id(77);
  service.set_service_gid({0xfe80000000000000, mad::Guid{0x0002c90000000041}});
  mad::InformInfo inform;
  inform.set_lid_range_begin(mad::kPermissiveLid);
  inform.set_is_generic(1);
  inform.set_type(0xFFFF);
  inform.set_trap_number(66);
  inform.set_producer_type(4);
  mad::InformInfo subscribe = inform;
  subscribe.set_subscribe(1);
  const std::vector<std::vector<std::string>> requests = {
      {kSet, "0x38", "0", kJoin, "0", member(broadcast, 1)},
      {kSet, "0x38", "0", kJoin, "0", member(broadcast, 1)},  // again
      {kSet, "0x38", "0", "0x3", "0", member(broadcast, 1)},  // no JoinState
      {kSet, "0x38", "0", kJoin, "0",
       member(other, 1)},  // does not exist, and the mask is too small to create it
      {kSet, "0x38", "0", kCreate, "0", member(other, 2)},  // no full member
      {kSet, "0x38", "0", kCreate, "0", member(other, 1)},
      {kSet, "0x38", "0", kCreate, "0", member(wrong, 1)},  // no multicast GID
      {kSet, "0x38", "0", kCreate, "0", member({}, 1)},     // any MGID
      {kGet, "0x38", "0", "1", "0", member(broadcast, 1)},
      {kDelete, "0x38", "0", kJoin, "0", member(broadcast, 4)},  // a state that it does not have
      {kDelete, "0x38", "0", kJoin, "0", member(broadcast, 1)},
      {kDelete, "0x38", "0", kJoin, "0", member(broadcast, 1)},  // again
      {kSet, "0x31", "0", "3", "0", hex(service)},
      {kSet, "0x31", "0", "1", "0", hex(service)},  // no GID
      {kDelete, "0x31", "0", "7", "0", hex(service)},
      {kDelete, "0x31", "0", "7", "0", hex(service)},  // again
      {kSet, "0x03", "0", "0", "0", hex(subscribe)},
      {kSet, "0x03", "0", "0", "0", hex(inform)},  // unsubscribes
      {kGet, "0x11", "0", "0", "0", ""},           // many match
      {kGet, "0x35", "0", "0x30", "0", ""},        // LIDs 0
  };
  for (const std::vector<std::string>& request : requests) {
    const auto [theirs, ours] = poke(request);
    EXPECT_EQ(theirs.substr(0, theirs.find('\n')), ours.substr(0, ours.find('\n')))
        << fmt::format("{}", fmt::join(request, " "));
  }
  // A method that an attribute does not have: OpenSM does not answer, Heddle returns a status.
  const auto [theirs, ours] = poke({kDelete, "0x11", "0", "0", "0", ""});
  EXPECT_THAT(theirs, HasSubstr("no answer"));
  EXPECT_THAT(ours, HasSubstr("status 0x000c"));
}

TEST_F(SaReference, OtherToolsThatQueryTheSa) {
  start();
  EXPECT_THAT(heddle_.out({"smpquery", "-G", "nodeinfo", "0x0002c90000000041"}, "H2-0"),
              HasSubstr("0x0002c90000000040"));
  heddle_.start({"ibping", "-S"}, "H3-0", heddle_.fabric().new_dir("ibping"));
  std::string pings;
  for (int tries = 0; tries < 20 && pings.find("3 received") == std::string::npos; ++tries) {
    pings = heddle_.run({"ibping", "-f", "-c", "3", "-G", "0x0002c900000000c1"}, "H1-1").out;
  }
  EXPECT_THAT(pings, HasSubstr("3 packets transmitted, 3 received"));
}

}  // namespace sa_reference_test
}  // namespace harness
