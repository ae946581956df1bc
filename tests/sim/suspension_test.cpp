// Events while a manager waits for answers: a reload, a change of the fabric (and with it a new
// snapshot), SIGTERM, the end of the process. Each of them at every point at which the coroutines
// of a sweep are suspended.

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <set>
#include <string>

#include "mad/attributes/port_tables.h"
#include "partitions/load.h"
#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"

namespace suspension_test {

using namespace laboratory;
using mad::AttributeId, mad::Method;

// The operator's configuration in these tests. VLs are below 8, which is what simulated ports have.
constexpr sim::ExpectedSlToVl kPairs{0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3};
constexpr sim::ExpectedSlToVl kQuarters{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};

enum class Partitions { only_default, with_a, with_b };

struct Configured {
  bool qos = true;
  sim::ExpectedSlToVl sl_to_vl = kPairs;
  Partitions partitions = Partitions::with_a;
  std::uint8_t max_op_vls = 4;  // code: 8 VLs
};

/// Two switches with two hosts each below two others. H1 and H3 are in the broadcast group, and H3
/// has an alias GUID.
class Lab : public SaLab {
 public:
  Lab() : SaLab(topology::xgft({.children = {2, 2}, .parents = {1, 2}, .cables = {}})) {
    for (sim::PortModel& each : model.ports) each.info.set_guid_cap(8);
  }

  config::Options make_options(const Configured& configured) const {
    config::Options out;
    out.qos = configured.qos;
    out.qos_sets[0].sl2vl = fmt::format("{}", fmt::join(configured.sl_to_vl, ","));
    out.max_op_vls = configured.max_op_vls;
    out.restart_links_for_settings = true;
    return out;
  }
  partitions::Configuration partitioning_of(const Configured& configured) const {
    std::string text = "Default=0x7fff,ipoib : ALL=full ;\n";
    if (configured.partitions == Partitions::with_a)
      text += fmt::format("A=0x10 : {}=full, {} ;\n", find_guid("H1"), find_guid("H2"));
    if (configured.partitions == Partitions::with_b)
      text += fmt::format("B=0x20 : {}, {}=full ;\n", find_guid("H1"), find_guid("H3"));
    config::Diagnostics found;
    partitions::Configuration out =
        partitions::parse_partitions_conf({"partitions.conf", text}, found);
    EXPECT_TRUE(found.empty()) << found.front().text();
    return out;
  }
  mad::Guid find_guid(const std::string& name) const { return model.ports[port(name)].guid; }

  /// A start on an unconfigured fabric.
  void start(const Configured& configured) {
    now = configured;
    Instance& instance = instances.emplace_back(runtime, world, own(), make_options(now));
    instance.stop();
    instance.partitioning = partitioning_of(now);
    instance.start(make_options(now));
    watch_sl_to_vl();
  }
  void reload(const Configured& configured) {
    now = configured;
    heddle().partitioning = partitioning_of(now);
    heddle().reload(make_options(now));
  }
  /// Up, with members of groups and an alias.
  void bring_up(const Configured& configured) {
    start(configured);
    ASSERT_TRUE(heals()) << wrong() << heddle().tail();
    for (const char* name : {"H1", "H3"}) join_group(name);
    mad::GuidInfoRecord record;
    record.set_lid(host("H3").lid());
    mad::GuidInfo guids;
    guids.set_guid(1, mad::Guid{0x1122334455667788});
    record.set_guid_info(guids);
    ASSERT_EQ(read_status("H3", request(Method::set, record, alias_mask())), 0);
    ASSERT_TRUE(heals()) << wrong() << heddle().tail();
    settle();
  }
  /// A switch without hosts.
  sim::NodeIndex spine() const {
    for (const sim::NodeIndex node : model.nodes.indices()) {
      bool has_hosts = !model.nodes[node].is_switch();
      for (unsigned i = 1; i <= model.nodes[node].port_count(); ++i) {
        const sim::PortIndex far = model.ports[port(node, i)].peer;
        has_hosts = has_hosts || (far != sim::kNone && !model.owning_node(far).is_switch());
      }
      if (!has_hosts) return node;
    }
    return sim::NodeIndex{0};
  }
  void join_group(const std::string& name) {
    const auto group = join(name);
    ASSERT_TRUE(group) << heddle().tail();
    mlid = group->mlid();
    members.insert(name);
  }
  static std::uint64_t alias_mask() {
    using G = mad::GuidInfoRecord;
    return bits({G::kLid, G::kBlockNum, G::kGuid0 + 1});
  }

  /// Returns what the hardware must have by the present configuration.
  sim::Expected expected() const {
    sim::Expected out = expected_of(make_options(now));
    if (now.qos) out.sl_to_vl = now.sl_to_vl;
    for (const std::string name : {"H0", "H1", "H2", "H3"}) {
      if (!model.link_up(port(name))) continue;
      std::set<std::uint16_t>& keys = out.p_keys[find_guid(name)];
      keys = {0xffff};
      if (now.partitions == Partitions::with_a && name == "H1") keys.insert(0x8010);
      if (now.partitions == Partitions::with_a && name == "H2") keys.insert(0x0010);
      if (now.partitions == Partitions::with_b && name == "H1") keys.insert(0x0020);
      if (now.partitions == Partitions::with_b && name == "H3") keys.insert(0x8020);
    }
    if (members.empty()) return out;
    sim::ExpectedGroup group{.mlid = mlid, .members = {}};
    for (const std::string& name : members) {
      if (model.link_up(port(name))) group.members.insert(port(name));
    }
    out.groups.push_back(group);
    return out;
  }
  std::string wrong() const {
    if (status().state != mad::SmState::master) return "it is not master";
    return sim::first_complaint(sim::check_subnet(model, own(), expected()));
  }
  /// Nothing is wrong any more, and it stays so.
  bool heals() {
    const mad::TimePoint end = runtime.now() + kSweepsWithErrors;
    while (runtime.now() < end) {
      runtime.run_for(500ms);
      if (!wrong().empty()) continue;
      runtime.run_for(1s);
      if (wrong().empty()) return true;
    }
    return false;
  }

  Configured now;
  mad::Mlid mlid;
  std::set<std::string> members;
  std::string
      bad_mapping;  // the first SLtoVLMappingTable that it wrote and that was not configured

 private:
  /// Every mapping that is written is one that was configured, brought into a port's range.
  void watch_sl_to_vl() {
    heddle().tap().on_request = [this](mad::ConstSmpView smp) {
      if (smp.method() != Method::set || smp.attribute_id() != AttributeId::sl_to_vl_mapping_table)
        return;
      const mad::SlToVlMappingTable table(smp.data());
      const auto is_row = [&](const sim::ExpectedSlToVl& row, unsigned vls) {
        for (std::uint8_t sl = 0; sl < 16; ++sl) {
          if (table.vl({sl}).value != row[sl] % vls) return false;
        }
        return true;
      };
      for (const unsigned vls : {1u, 2u, 4u, 8u, 16u}) {
        if (is_row(kPairs, vls) || is_row(kQuarters, vls)) return;
      }
      if (bad_mapping.empty())
        bad_mapping = fmt::format("{:02x}", fmt::join(std::span(smp.data()).first(8), " "));
    };
  }
};

// ------------------------------------------------------------------------------------------
// single cases

TEST(Suspension, QosThatIsSwitchedOffWhileMappingsAreWrittenWaitsForTheSweep) {
  Lab lab;
  lab.start({.qos = true});
  const auto mappings = [&] { return lab.sent(Method::set, AttributeId::sl_to_vl_mapping_table); };
  ASSERT_TRUE(lab.runtime.run_until([&] { return mappings() >= 3; }, kComesUp));
  const Configured during = lab.now;
  lab.reload({.qos = false, .partitions = Partitions::with_b});
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, kComesUp)) << lab.tail();
  EXPECT_EQ(lab.bad_mapping, "");
  const std::string log = lab.log();
  EXPECT_GT(log.rfind("sweep started"), log.find("SUBNET UP")) << "the next one, after the first";
  lab.now = during;
  EXPECT_EQ(lab.wrong(), "") << "as it was configured when the sweep began";
  EXPECT_NE(lab.status().subnet->vl_tables, nullptr);
  lab.now = {.qos = false, .partitions = Partitions::with_b};
  EXPECT_TRUE(lab.heals()) << lab.wrong() << lab.tail();
  EXPECT_EQ(lab.status().subnet->vl_tables, nullptr);
}

TEST(Suspension, AReloadThatIsTakenBackDuringASweepIsAnOrdinaryOne) {
  Lab lab;
  ASSERT_NO_FATAL_FAILURE(lab.bring_up({}));
  const Configured before = lab.now;
  lab.forget_counts();
  lab.reload(before);
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.gets() > 5; }, kComesUp));
  lab.reload({.partitions = Partitions::with_b});
  lab.reload(before);
  ASSERT_TRUE(lab.heals()) << lab.wrong() << lab.tail();
  EXPECT_FALSE(lab.says("the partitions changed, and nothing else did")) << lab.tail();
}

/// The port is named as it was when the write began: it has another index in the snapshot that came
/// meanwhile, or none.
TEST(Suspension, AnAliasThatIsNotTakenNamesItsPortAcrossSnapshots) {
  Lab lab;
  ASSERT_NO_FATAL_FAILURE(lab.bring_up({}));
  sim::Health& health = lab.node("H3").health;
  health.ignored_probability = 1;
  health.ignored_attribute = static_cast<std::uint16_t>(AttributeId::guid_info);
  mad::GuidInfoRecord record;
  record.set_lid(lab.host("H3").lid());
  mad::GuidInfo guids;
  guids.set_guid(1, mad::Guid{0x99});
  record.set_guid_info(guids);
  lab.host("H3").post(SaLab::request(Method::set, record, Lab::alias_mask()));
  lab.runtime.run_for(100ms);
  const std::size_t sweeps = lab.heddle().count("SUBNET UP");
  lab.world.cut(lab.port("H1"));
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("does not take its alias GUIDs"); }, 10s))
      << lab.tail();
  EXPECT_GT(lab.heddle().count("SUBNET UP"), sweeps) << "another snapshot came meanwhile";
  EXPECT_TRUE(lab.says(fmt::format("\"H3\" ({}) does not take its alias GUIDs (block 0)",
                                   lab.node("H3").info.node_guid())))
      << lab.tail();
}

// ------------------------------------------------------------------------------------------
// every suspension point

/// An operation that is in progress.
struct Operation {
  const char* name;
  bool from_nothing;  // on an unconfigured fabric, else on one that is up
  Configured before;  // if not
  std::function<void(Lab&)> begin;
};
/// An event that interrupts it.
struct Disturbance {
  const char* name;
  std::function<void(Lab&)> happen;
  enum class Then { heals, ends, is_gone } then = Then::heals;
};

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      {"first sweep", true, {}, [](Lab& lab) { lab.start({}); }},
      {"sweep after a reload",
       false,
       {.qos = false, .partitions = Partitions::only_default},
       [](Lab& lab) { lab.reload({}); }},
      {"sweep after a switch restarted",
       false,
       {},
       [](Lab& lab) { lab.world.reboot(lab.spine()); }},
      {"new partitions",
       false,
       {.partitions = Partitions::only_default},
       [](Lab& lab) { lab.reload({}); }},
      {"new VL tables", false, {.sl_to_vl = kQuarters}, [](Lab& lab) { lab.reload({}); }},
      {"join", false, {}, [](Lab& lab) {
         lab.host("H2").post(lab.join_request("H2"));
         lab.members.insert("H2");
       }}};
  return all;
}

const std::vector<Disturbance>& disturbances() {
  using enum Disturbance::Then;
  static const std::vector<Disturbance> all{
      {"reload without qos",
       [](Lab& lab) {
         lab.reload({.qos = false, .partitions = Partitions::with_b, .max_op_vls = 3});
       }},
      {"reload of partitions",
       [](Lab& lab) {
         Configured next = lab.now;
         next.partitions = Partitions::with_b;
         lab.reload(next);
       }},
      {"reload of the VL tables",
       [](Lab& lab) {
         Configured next = lab.now;
         next.sl_to_vl = kQuarters;
         lab.reload(next);
       }},
      {"a host is gone", [](Lab& lab) { lab.world.cut(lab.port("H1")); }},
      {"stop", [](Lab& lab) { lab.heddle().ask_to_stop(); }, ends},
      {"end of the process", [](Lab& lab) { lab.heddle().abandon(); }, is_gone}};
  return all;
}

/// Begins the operation, and lets `disturb` happen at the point with this number; 0: never.
/// Returns how many points there were. A point is where the manager has sent or received something
/// since the last one, and all of its coroutines are suspended again.
std::size_t play(Lab& lab, const Operation& operation, std::size_t at,
                 const std::function<void()>& disturb) {
  std::size_t points = 0;
  std::uint64_t mads = 0;
  bool gone = false;
  if (!operation.from_nothing) {
    lab.bring_up(operation.before);
    if (testing::Test::HasFatalFailure()) return 0;
    mads = lab.heddle().tap().mads;
  }
  operation.begin(lab);
  lab.runtime.at_suspension = [&] {
    if (gone || lab.heddle().tap().mads == mads) return;
    mads = lab.heddle().tap().mads;
    if (++points != at) return;
    gone = true;
    disturb();
  };
  lab.runtime.run_until([&] { return gone; }, kComesUp);
  lab.runtime.at_suspension = {};
  // Threads of the pool end when they will: a run may have a point less than the one that counted.
  if (at > 0 && !gone) disturb();
  return points;
}

void check(Lab& lab, const Disturbance& disturbance) {
  using enum Disturbance::Then;
  if (disturbance.then == is_gone) return;  // ... and all that it waited for
  if (disturbance.then == ends) {
    ASSERT_EQ(lab.heddle().exit_code(10s), 0) << lab.tail();
    return;
  }
  ASSERT_TRUE(lab.heals()) << lab.wrong() << lab.tail();
  ASSERT_EQ(lab.bad_mapping, "") << lab.tail();
  ASSERT_EQ(lab.heddle().ended(), std::nullopt);
}

class SuspensionPoints : public testing::TestWithParam<std::size_t> {};

TEST_P(SuspensionPoints, AnythingMayHappenAtEachOfThem) {
  const Operation& operation = operations()[GetParam()];
  std::size_t points = 0;
  {
    Lab lab;
    points = play(lab, operation, 0, {});
    ASSERT_GT(points, 3u);
    ASSERT_TRUE(lab.heals()) << lab.wrong() << lab.tail();
  }
  RecordProperty("points", static_cast<int>(points));
  seeds::for_each(points * disturbances().size(), [&](std::uint64_t seed) {
    const std::size_t number = (seed - 1) % (points * disturbances().size());
    const Disturbance& disturbance = disturbances()[number / points];
    const std::size_t at = number % points + 1;
    SCOPED_TRACE(
        fmt::format("{}, {} at point {} of {}", operation.name, disturbance.name, at, points));
    Lab lab;
    play(lab, operation, at, [&] { disturbance.happen(lab); });
    if (!testing::Test::HasFatalFailure()) check(lab, disturbance);
  });
}

INSTANTIATE_TEST_SUITE_P(Operations, SuspensionPoints, testing::Range<std::size_t>(0, 6),
                         [](const auto& instance) {
                           std::string name = operations()[instance.param].name;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

}  // namespace suspension_test
