// Congestion control: OpenSM is the reference sender, MAD by MAD, and ibccquery and ibccconfig of
// infiniband-diags are the reference clients.

#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <sstream>

#include "mad/format.h"
#include "sim_server/preloaded.h"

namespace harness {
namespace congestion_reference_test {

using ::testing::AllOf, ::testing::HasSubstr;

/// Two leaves with two hosts each, and a switch above. GUIDs of switches are between those of
/// hosts.
constexpr const char* kNet = R"(
caguid=0x2c90000000010
Ca 1 "H1"
[1] "L1"[1]

caguid=0x2c90000000020
Ca 1 "H2"
[1] "L1"[2]

caguid=0x2c90000000030
Ca 1 "H3"
[1] "L2"[1]

caguid=0x2c90000000040
Ca 1 "H4"
[1] "L2"[2]

switchguid=0x2c90000000018
Switch 4 "L1"
[1] "H1"[1]
[2] "H2"[1]
[4] "S1"[1]

switchguid=0x2c90000000028
Switch 4 "L2"
[1] "H3"[1]
[2] "H4"[1]
[4] "S1"[2]

switchguid=0x2c90000000050
Switch 4 "S1"
[1] "L1"[4]
[2] "L2"[4]
)";

/// A Set, as the simulator's trace has it.
struct Set {
  std::string device, attribute, modifier, key, data;
  bool operator==(const Set&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Set& set) {
  return out << set.device << " " << set.attribute << " " << set.modifier << " " << set.key << " "
             << set.data;
}

/// In the order in which they were sent.
std::vector<Set> sets_of(const std::string& trace) {
  static const std::regex kSent(R"(\S+ \S+ port \d+ sends class 0x21 Set (\S+) (\S+), )"
                                R"(transaction (\S+), CC_Key (\S+), data (\S*) to LID \d+)"),
      kAnswer(R"(\S+ (\S+) port \d+ answers class 0x21 GetResp \S+ \S+, transaction (\S+), .*)");
  std::vector<Set> sets;
  std::map<std::string, std::size_t> by_transaction;
  std::istringstream in(trace);
  for (std::string line; std::getline(in, line);) {
    std::smatch m;
    if (line.find("class 0x21") == std::string::npos) continue;
    if (std::regex_match(line, m, kSent)) {
      if (by_transaction.try_emplace(m[3], sets.size()).second)
        sets.push_back({"", m[1], m[2], m[4], m[5]});
    } else if (std::regex_match(line, m, kAnswer)) {
      if (const auto found = by_transaction.find(m[2]); found != by_transaction.end())
        sets[found->second].device = m[1];
    }
  }
  return sets;
}

/// A fabric of its own, with a manager.
class Traced {
 public:
  Traced(SmKind kind, const std::string& conf) : on_(kNet, HEDDLE_SIM_PROGRAM) {
    trace();
    manager_.emplace(on_.start_manager(kind, "H1", conf));
    EXPECT_TRUE(manager_->says("SUBNET UP"));
  }
  Preloaded& on() { return on_; }

  void reload(const std::string& conf) {
    write_file(manager_->dir / "opensm.conf", conf);
    log_size_ = read_file(manager_->log).size();
    manager_->process.signal(SIGHUP);
  }
  /// Until the sweep after a reload has ended.
  void wait_for_sweep() {
    EXPECT_TRUE(wait_for_text(manager_->log, "SUBNET UP", log_size_, Milliseconds(20'000), [this] {
                  return !manager_->process.running();
                }).has_value());
  }
  /// Sets since the latest call, once there are so many, or no further ones for a while.
  std::vector<Set> new_sets(std::size_t at_least) {
    std::vector<Set> all;
    std::size_t before = 0;
    constexpr int kQuiet = 5;
    for (int quiet = 0; quiet < kQuiet;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::filesystem::path written = file();
      ++files_;
      trace();  // to another file: this one is complete
      text_ += read_file(written);
      all = sets_of(text_);
      quiet = all.size() == before ? quiet + 1 : 0;
      before = all.size();
      if (all.size() >= taken_ + at_least && at_least > 0 && quiet > 1) break;
    }
    std::vector<Set> fresh(all.begin() + static_cast<std::ptrdiff_t>(taken_), all.end());
    taken_ = all.size();
    return fresh;
  }

 private:
  std::filesystem::path file() { return on_.fabric().dir() / fmt::format("trace-{}.txt", files_); }
  void trace() { on_.fabric().console("trace on " + file().string()); }

  Preloaded on_;
  std::optional<Preloaded::Manager> manager_;
  std::string text_;
  std::size_t taken_ = 0;
  unsigned files_ = 0;
  std::size_t log_size_ = 0;
};

class CongestionReference : public ::testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_REQUIRE_TOOL("opensm", "opensm");
    HEDDLE_REQUIRE_TOOL("ibccquery", "infiniband-diags");
  }
};

/// All keys, since OpenSM keeps the values of lines that are gone.
std::string configured(const std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> all{{"control_map", "0x0"},
                                         {"victim_mask", "0x0"},
                                         {"credit_mask", "0x0"},
                                         {"threshold", "0x00"},
                                         {"packet_size", "0"},
                                         {"credit_starvation_threshold", "0x00"},
                                         {"credit_starvation_return_delay", "0:0"},
                                         {"marking_rate", "0"}};
  std::string text =
      "congestion_control TRUE\ncc_key 0x1122334455667788\n"
      "cc_max_outstanding_mads 1\nforce_log_flush TRUE\n";
  std::string of_ca = "cc_ca_cong_setting_port_control 0\ncc_ca_cong_setting_control_map 0\n",
              table = "cc_cct (null)\n";
  for (unsigned sl = 0; sl < 16; ++sl)
    for (const char* key : {"ccti_timer", "ccti_increase", "trigger_threshold", "ccti_min"})
      of_ca += fmt::format("cc_ca_cong_setting_{} {} 0\n", key, sl);
  for (const auto& [key, value] : values) {
    if (key == "cct") {
      table = "cc_cct " + value + "\n";
    } else if (key.starts_with("ca ")) {  // the latest line counts
      of_ca += fmt::format("cc_ca_cong_setting_{} {}\n", key.substr(3, key.find('#') - 3), value);
    } else {
      all.at(key) = value;
    }
  }
  for (const auto& [key, value] : all)
    text += fmt::format("cc_sw_cong_setting_{} {}\n", key, value);
  return text + of_ca + table;
}

std::string table_of(unsigned entries) {
  std::string text;
  for (unsigned n = 0; n < entries; ++n)
    text += fmt::format("{}{}:{}", n > 0 ? "," : "", n % 4, n + entries);
  return text;
}

/// Devices hold zeroes at first, and Heddle reads before it writes: it sends OpenSM's Sets without
/// those of values that a device has, in the same order, with the same keys and data.
TEST_F(CongestionReference, HeddleSendsTheSetsOfOpenSm) {
  const std::map<std::string, std::string> switches{
      {"control_map", "0x1f"},
      {"victim_mask", "0x1fffffffff"},
      {"credit_mask", "0x8000000000000000000000000000000000000000000000000000000000000006"},
      {"threshold", "0x0f"},
      {"packet_size", "8"},
      {"credit_starvation_threshold", "0x0a"},
      {"credit_starvation_return_delay", "1:77"},
      {"marking_rate", "65535"}};
  const std::map<std::string, std::string> cas{
      {"ca port_control", "1"},        {"ca control_map", "0xc003"},
      {"ca ccti_timer#0", "0 150"},    {"ca ccti_timer#15", "15 65535"},
      {"ca ccti_increase#0", "0 1"},   {"ca ccti_increase#1", "1 255"},
      {"ca trigger_threshold", "7 9"}, {"ca ccti_min", "14 3"}};
  std::map<std::string, std::string> everything = switches;
  everything.insert(cas.begin(), cas.end());
  everything["cct"] = table_of(100);
  const std::map<std::string, std::string> configurations[] = {
      {},
      switches,
      {{"threshold", "0x01"}},
      {{"credit_starvation_return_delay", "3:16383"}, {"credit_starvation_threshold", "15"}},
      {{"packet_size", "255"}, {"control_map", "0x4"}},
      cas,
      {{"ca ccti_min", "0 1"}},
      {{"cct", table_of(2)}},  // OpenSM takes one of a single entry as none
      {{"cct", table_of(64)}},
      {{"cct", table_of(65)}},
      {{"cct", table_of(128)}},
      everything,
      {}};
  Traced reference(SmKind::opensm, configured({})), ours(SmKind::heddle, configured({}));
  std::map<std::tuple<std::string, std::string, std::string>, std::string> held;
  bool is_first = true;
  for (const auto& configuration : configurations) {
    SCOPED_TRACE(configured(configuration));
    if (!std::exchange(is_first, false)) {
      reference.reload(configured(configuration));
      ours.reload(configured(configuration));
    }
    reference.wait_for_sweep();
    ours.wait_for_sweep();
    std::vector<Set> expected;
    for (const Set& set : reference.new_sets(0)) {
      std::string& value = held[{set.device, set.attribute, set.modifier}];
      if (value != set.data) expected.push_back(set);
      value = set.data;
    }
    EXPECT_TRUE(configuration.empty() || !expected.empty());
    EXPECT_THAT(ours.new_sets(expected.size()), ::testing::ElementsAreArray(expected));
  }
  EXPECT_GE(held.size(), 3u + 4u * 3u) << "OpenSM writes to every device";
}

TEST_F(CongestionReference, ToolsReadWhatHeddleWroteAndTheAuditMendsWhatTheySet) {
  Traced ours(SmKind::heddle, configured({{"control_map", "0x1f"},
                                          {"threshold", "0x0d"},
                                          {"marking_rate", "77"},
                                          {"credit_starvation_return_delay", "2:99"},
                                          {"ca control_map", "0x0003"},
                                          {"ca ccti_timer", "1 150"},
                                          {"cct", "0:0,1:5"}}) +
                                  "cc_key_enable 2\ncc_key_lease_period 30\naudit_interval 2\n");
  EXPECT_FALSE(ours.new_sets(3 * 2 + 4 * 3).empty());
  const std::string key = "0x1122334455667788", leaf = "0x2c90000000018", host = "0x2c90000000031";
  const auto query = [&](const std::string& what, const std::string& guid) {
    return ours.on().out({"ibccquery", "-c", key, "-G", what, guid}, "H2");
  };
  EXPECT_THAT(query("SwitchCongestionSetting", leaf),
              AllOf(HasSubstr("Control_Map:.....................0x0000001f"),
                    HasSubstr("Threshold:.......................0x0d"),
                    HasSubstr("CS_ReturnDelay:..................0x8063"),
                    HasSubstr("Marking_Rate:....................77")));
  EXPECT_THAT(query("CACongestionSetting", host),
              AllOf(HasSubstr("Control_Map:.....................0x0003"),
                    HasSubstr("SL:..............................1\n"
                              "CCTI_Timer:......................150")));
  EXPECT_THAT(query("CongestionControlTable", host),
              AllOf(HasSubstr("CCTI_Limit:......................1"),
                    HasSubstr("CCT_Shift:.......................1\n"
                              "CCT_Multiplier:..................5")));
  EXPECT_THAT(query("CongestionKeyInfo", host),
              AllOf(HasSubstr("CC_Key:..........................0x1122334455667788"),
                    HasSubstr("CC_KeyProtectBit:................1"),
                    HasSubstr("CC_KeyLeasePeriod:...............30")));
  EXPECT_FALSE(ours.on().run({"ibccquery", "-t", "100", "-G", "CongestionInfo", host}, "H2").ok())
      << "the key protects";
  ours.on().out({"ibccconfig", "-c", key, "-G", "SwitchCongestionSetting", leaf, "0x1F", "0x1",
                 "0x0", "0x3", "8", "0", "0:0", "1"},
                "H2");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::string now;
  do {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << now;
    now = query("SwitchCongestionSetting", leaf);
  } while (now.find("Threshold:.......................0x0d") == std::string::npos ||
           now.find("Marking_Rate:....................77") == std::string::npos);
}

}  // namespace congestion_reference_test
}  // namespace harness
