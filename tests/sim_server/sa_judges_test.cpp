// Subnet administration as its clients see it: the same questions to Heddle and to OpenSM on two
// equal fabrics, answers compared field by field. Every difference is meant, and listed here.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "mad/records/inform_info.h"
#include "mad/records/mc_member_record.h"
#include "mad/records/service_record.h"
#include "sim_server/preloaded.h"

namespace harness {
namespace {

using ::testing::HasSubstr;

const std::string kPartitions =
    "Default=0x7fff, ipoib : ALL=limited, SELF=full ;\n"
    "Storage=0x10, ipoib, rate=3, mtu=4, sl=0, defmember=full : 0x0002c90000000001, "
    "0x0002c90000000011, 0x0002c90000000021=limited ;\n"
    "Other=0x20, defmember=full : 0x0002c90000000031 ;\n";

/// Heddle does not read the P_Key tables of ports between switches (nothing is enforced there),
/// OpenSM shows them as it found them: empty.
enum class Empty : std::uint8_t { counted, left_out };

/// A question, and the fields in whose values the two managers differ on purpose.
struct Question {
  std::vector<std::string> argv;  // behind "saquery"
  std::string fields =
      {};  // names in saquery's print, separated by |; "*": only the number of records counts
  Empty empty_tables = Empty::counted;
};

/// Records as blocks of text, in an order of their own: neither manager promises one.
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

// Fields that differ on purpose.
constexpr const char* kActivity = "ActCount";
constexpr const char* kLocalPort = "LocalPort";  // by which of its ports a switch was asked
constexpr const char* kCapabilities =
    "Capability mask 2";  // Heddle knows NDR, XDR and their PortInfo fields, OpenSM 3.3.23 does not

std::vector<Question> all_queries() {
  return {
      {{"CPI"}, kCapabilities},
      {{"NR"}},
      {{"NR", "1"}},
      {{"NR", "4711"}},
      {{"PIR"}, kLocalPort},
      {{"PIR", "1"}, kLocalPort},
      {{"PIR", "1/1"}},
      {{"LR"}},
      {{"LR", "1"}},
      {{"LR", "3/1"}},
      {{"SWIR"}},
      {{"SWIR", "3"}},
      {{"LFTR"}, "*"},  // balanced otherwise
      {{"LFTR", "3/0"}, "*"},
      {{"MFTR"}, "*"},  // other trees
      {{"SMIR"}, kActivity},
      {{"SMIR", "1"}, kActivity},
      {{"SL2VL"}},
      {{"VLAR"}},
      {{"PKTR"}},
      {{"--smkey", "1", "PKTR"}, "", Empty::left_out},
      {{"--smkey", "1", "PKTR", "1"}},
      {{"GIR"}},
      {{"GIR", "1/0"}},
      {{"SR"}},
      {{"IIR"}},
      {{"MCMR"}},
      {{"--smkey", "1", "MCMR"}},
      {{"PR"}},
      {{"--src-to-dst", "1:5"}},
      {{"--src-to-dst", "H1-0 mlx5_0:H2-2 mlx5_0"}},
      {{"PR", "--slid", "1"}},
      {{"PR", "--dlid", "5"}},
      {{"PR", "--slid", "1", "--dlid", "5"}},
      {{"PR", "--slid", "1", "--dlid", "4711"}},
      {{"PR", "--sgid", "fe80::2:c900:0:1", "--dgid", "fe80::2:c900:0:11"}},
      {{"--sgid-to-dgid", "fe80::2:c900:0:1-fe80::2:c900:0:11"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--pkey", "0xffff"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--pkey", "0x8010"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--mtu", "0x84"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--mtu", "0x81"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--mtu", "0x45"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--mtu", "0x05"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--rate", "0x82"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--rate", "0x43"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--sl", "3"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--sl", "0"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--reversible", "1"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--numb_path", "3"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--tclass", "7", "--flow_label", "99", "--hop_limit",
        "0"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--pkt_lifetime", "0x90"}},
      {{"PR", "--slid", "1", "--dlid", "5", "--qos_class", "0"}},
      {{"-p"}},
      {{"-N"}},
      {{"-D"}},
      {{"-L", "H1-0 mlx5_0"}},
      {{"-l", "H1-0 mlx5_0"}},
      {{"-G", "H1-0 mlx5_0"}},
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

/// Left out, since OpenSM does otherwise on purpose or by mistake: it takes blanks out of
/// port-name, so that the group is empty, and heeds no path-bits.
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

std::vector<Question> policy_queries() {
  constexpr const char* kRepeated = "qos_class|service_id";   // what was asked; OpenSM says 0
  constexpr const char* kForm = "qos_class|service_id|pkey";  // OpenSM says the P_Key as the level
                                                              // has it, Heddle as the source has it
  const auto path = [](unsigned from, unsigned to, std::vector<std::string> more) {
    std::vector<std::string> argv{"PR", "--sgid", fmt::format("fe80::2:c900:0:{:x}", from),
                                  "--dgid", fmt::format("fe80::2:c900:0:{:x}", to)};
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  };
  std::vector<Question> queries{{{"CPI"}, kCapabilities}, {{"PR"}}, {{"MCMR"}}, {{"-g"}}};
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
  for (const std::vector<std::string>& wish :
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
    queries.push_back({path(0x11, 0x21, wish)});
    queries.push_back({path(0x11, 0x21, wish), kRepeated});
    queries.back().argv.insert(queries.back().argv.end(), {"--qos_class", "1"});
  }
  return queries;
}

class SaJudges : public ::testing::Test {
 protected:
  void SetUp() override {
    if (program_of(SmKind::heddle).empty()) GTEST_SKIP() << "this build has no heddle";
  }
  void start(const std::optional<std::string>& partitions = {}, const std::string& conf = {}) {
    for (const SmKind kind : {SmKind::opensm, SmKind::heddle}) {
      // Heddle goes on with OpenSM's LIDs.
      std::map<std::string, std::string> cache;
      if (!managers_.empty()) cache["guid2lid"] = read_file(managers_.front().dir / "guid2lid");
      managers_.push_back(on(kind).start_manager(kind, "H0-0", conf, {}, partitions, cache));
      ASSERT_TRUE(managers_.back().says("SUBNET UP"))
          << read_file(managers_.back().log) << read_file(managers_.back().dir / "stderr");
    }
    // OpenSM writes its links' states once more after that.
    for (const auto& manager : managers_) Preloaded::wait_quiet(manager);
  }
  Preloaded& on(SmKind kind) { return kind == SmKind::opensm ? opensm_ : heddle_; }

  /// Where partitions keep ports apart, two things differ on purpose. OpenSM takes an external port
  /// of a switch, whose table it has never filled, for one that everybody may know of; Heddle shows
  /// it to who may know of the switch: its records are some of OpenSM's. And OpenSM hides links
  /// between two limited members from full ones, who may know of both.
  void compare_in_partitions(const std::string& host) {
    for (const Question& question : all_queries()) {
      const std::string& what = question.argv.back();
      const bool of_links = what.starts_with("L") || what == "-x" || question.argv.front() == "LR";
      const bool of_ports = what == "PIR" || what == "SL2VL" || what == "VLAR" || what == "PKTR";
      if (of_links && what != "LFTR") continue;
      if (of_ports) {
        compare_as_part(question, host);
      } else {
        compare({question}, host);
      }
    }
  }
  void compare_as_part(const Question& question, const std::string& host) {
    std::vector<std::string> argv{"saquery"};
    argv.insert(argv.end(), question.argv.begin(), question.argv.end());
    SCOPED_TRACE(fmt::format("{}", fmt::join(argv, " ")));
    const auto theirs = records(opensm_.run(argv, host).out, question.fields),
               ours = records(heddle_.run(argv, host).out, question.fields);
    EXPECT_EQ(theirs.empty(), ours.empty());
    EXPECT_TRUE(std::ranges::includes(theirs, ours)) << fmt::format("{}", fmt::join(ours, ""));
  }
  void compare(const std::vector<Question>& questions, const std::string& host = "H1-0") {
    for (const Question& question : questions) {
      std::vector<std::string> argv{"saquery"};
      argv.insert(argv.end(), question.argv.begin(), question.argv.end());
      SCOPED_TRACE(fmt::format("{}", fmt::join(argv, " ")));
      const Finished theirs = opensm_.run(argv, host), ours = heddle_.run(argv, host);
      EXPECT_EQ(theirs.exit.code, ours.exit.code) << theirs.err << ours.err;
      const std::string fields = question.fields == "*" ? "" : question.fields;
      auto expected = records(theirs.out, fields), got = records(ours.out, fields);
      if (question.empty_tables == Empty::left_out) {
        for (auto* blocks : {&expected, &got}) {
          std::erase_if(*blocks, [](const std::string& block) {
            return block.find("PKey Table") != std::string::npos &&
                   !std::regex_search(block, std::regex("0x(?!0000\\b)[0-9a-f]{4}\\b"));
          });
        }
      }
      EXPECT_EQ(expected.size(), got.size()) << ours.out.substr(0, 2000);
      if (question.fields == "*") continue;
      EXPECT_EQ(fmt::format("{}", fmt::join(expected, "")), fmt::format("{}", fmt::join(got, "")));
    }
  }
  /// One request to both; what sa_poke printed.
  std::pair<std::string, std::string> poke(const std::vector<std::string>& arguments,
                                           const std::string& host = "H1-0") {
    std::vector<std::string> argv{SA_POKE_PROGRAM};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return {opensm_.out(argv, host), heddle_.out(argv, host)};
  }

  Preloaded opensm_{"fattree2-16h", HEDDLE_SIM_PROGRAM},
      heddle_{"fattree2-16h", HEDDLE_SIM_PROGRAM};
  std::vector<Preloaded::Manager> managers_;
};

template <class Record>
std::string hex(const Record& record) {
  std::string text;
  for (const std::uint8_t byte : record.bytes()) text += fmt::format("{:02x}", byte);
  return text;
}

TEST_F(SaJudges, EveryQueryOfSaqueryIsAnsweredAlike) {
  start();
  compare(all_queries());
}

TEST_F(SaJudges, AndInPartitions) {
  start(kPartitions);
  for (const char* host : {"H0-0", "H1-0", "H3-1"}) {
    SCOPED_TRACE(host);
    compare_in_partitions(host);
  }
}

TEST_F(SaJudges, AndByAQosPolicy) {
  const std::filesystem::path policy = opensm_.fabric().new_dir("policy") / "qos-policy.conf";
  write_file(policy, kPolicy);
  start(kPolicyPartitions, fmt::format("qos TRUE\nqos_policy_file {}\n", policy.string()));
  compare(policy_queries(), "H0-1");
  compare({{{"PR"}}, {{"MCMR"}}}, "H0-0");
}

constexpr const char* kSet = "2";
constexpr const char* kGet = "1";
constexpr const char* kDelete = "0x15";

/// What no tool sends: both answer with the same status.
TEST_F(SaJudges, RawRequestsGetTheSameStatus) {
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
      {kSet, "0x38", "0", kJoin, "0", member(other, 1)},  // not there, and not enough to create it
      {kSet, "0x38", "0", kCreate, "0", member(other, 2)},  // nobody would keep it alive
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
      {kSet, "0x03", "0", "0", "0", hex(inform)},  // takes it back
      {kGet, "0x11", "0", "0", "0", ""},           // many match
      {kGet, "0x35", "0", "0x30", "0", ""},        // LIDs 0
  };
  for (const std::vector<std::string>& request : requests) {
    const auto [theirs, ours] = poke(request);
    EXPECT_EQ(theirs.substr(0, theirs.find('\n')), ours.substr(0, ours.find('\n')))
        << fmt::format("{}", fmt::join(request, " "));
  }
  // A method that an attribute does not have: OpenSM is silent and lets the client wait, Heddle
  // says so.
  const auto [theirs, ours] = poke({kDelete, "0x11", "0", "0", "0", ""});
  EXPECT_THAT(theirs, HasSubstr("no answer"));
  EXPECT_THAT(ours, HasSubstr("status 0x000c"));
}

TEST_F(SaJudges, ToolsThatAskItByTheWay) {
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

}  // namespace
}  // namespace harness
