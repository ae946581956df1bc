// The SMPs that a sweep writes are those of its plan: whole sweeps of random fabrics and changes of
// all kinds, in virtual time.

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "mad/attributes/port_info.h"
#include "mad/format.h"
#include "partitions/load.h"
#include "sim/surveys.h"
#include "sim/world/vendor_features.h"
#include "sim/world/vport_host.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/sweeper.h"
#include "support/scratch.h"
#include "support/seeds.h"
#include "support/sweep_clients.h"

namespace plan_test {

using namespace std::chrono_literals;

/// A SubnSet as it was sent.
struct Sent {
  mad::AttributeId attribute{};
  std::uint32_t modifier = 0;
  std::vector<std::uint8_t> path;
  mad::SmpData data{};
  auto operator<=>(const Sent&) const = default;
};

/// Without LocalPortNum: read only, and the port of the node that received the last request.
mad::SmpData comparable(mad::AttributeId attribute, const mad::SmpData& data) {
  if (attribute != mad::AttributeId::port_info) return data;
  mad::SmpData out{};
  mad::PortInfo info(data);
  info.set_local_port_num({});
  std::ranges::copy(info.bytes(), out.begin());
  return out;
}

std::vector<std::uint8_t> hops_of(const mad::DirectedRoute& route) {
  return {route.hops().begin(), route.hops().end()};
}

topology::Topology random_topology(topology::Random& dice) {
  switch (dice.below(4)) {
    case 0:
      return topology::xgft({.children = {2, 3}, .parents = {1, 2}, .cables = {}});
    case 1:
      return topology::torus({.dimensions = {3, 2}, .hosts_per_switch = 1});
    default:
      return topology::random_graph({.switches = 2 + static_cast<unsigned>(dice.below(6)),
                                     .hosts = 2 + static_cast<unsigned>(dice.below(6)),
                                     .extra_links = static_cast<unsigned>(dice.below(5)),
                                     .seed = dice.below(1'000'000)});
  }
}

class Lab : public surveys::Observer {
 public:
  explicit Lab(const topology::Topology& topology, std::uint64_t seed)
      : Observer(topology, seed, {.timeout = 50ms, .retries = 2}) {
    logger = std::make_shared<spdlog::logger>(
        "plan", std::make_shared<spdlog::sinks::ostream_sink_st>(log));
    logger->set_pattern("%v");
    folder = support::parent_of_scratch() /
             fmt::format("heddle-plan-{}-{}", ::getpid(), static_cast<const void*>(this));
    std::filesystem::create_directory(folder);
    settings.cache_files_dir = settings.dump_files_dir = folder.string();
    settings.enable_subnet_lst = false;
    settings.fsync_high_avail_files = false;
    world.timing.boot = 10ms;
    constexpr std::uint16_t kSwitchX = 0xC738, kConnectX3 = 0x1003;
    for (const sim::NodeIndex node : model.nodes.indices()) {
      if ((seed + node.value) % 3 == 0)
        model.nodes[node].info.set_device_id(model.nodes[node].is_switch() ? kSwitchX : kConnectX3);
    }
    for (const sim::PortIndex port : model.ports.indices()) {
      if ((seed + model.ports[port].node.value) % 3 == 0 && far(port) != sim::kNone)
        sim::support_fdr10(world.model, port);
    }
    for (sim::NodeModel& node : model.nodes) {
      if (!node.is_switch()) continue;
      mad::PortInfo& port0 = info(node.first_port);
      port0.set_capability_mask(port0.capability_mask() | mad::capability::kMulticastFdbTop);
    }
    for (const sim::PortIndex port : model.ports.indices()) {
      if (!model.owning_node(port).is_switch() && far(port) != sim::kNone) hosts.push_back(port);
    }
    conditions.emplace([this] { return runtime.now(); }, *logger);
    sweeper = std::make_unique<sm::Sweeper>(client, *logger, *conditions, clients);
    clients.groups = [this](const fabric::Subnet& subnet) { return groups_on(subnet); };
    clients.registered = [this](const fabric::Subnet& draft) {
      sm::Registered registered;
      for (const fabric::PortIndex index : draft.fabric.end_ports) {
        const fabric::Port& port = draft.fabric.ports[index];
        if (!alias_ports.contains(port.guid) || port.info.port_state() != mad::PortState::init)
          continue;
        mad::GuidInfo content;
        content.set_guid(0, port.guid);
        content.set_guid(1, mad::Guid{0x1400000000000001 + port.guid.value});
        registered.alias_guids.push_back({port.guid, 0, content});
      }
      registered.reregistration = reregister ? 1 : 0;
      return registered;
    };
    tap.on_request = [this](mad::ConstSmpView smp) {
      if (!recording || smp.method() != mad::Method::set) return;
      Sent& set = sent.emplace_back();
      set.attribute = smp.attribute_id();
      set.modifier = smp.attribute_modifier();
      const auto path = smp.initial_path().subspan(1, smp.hop_count());
      set.path.assign(path.begin(), path.end());
      std::ranges::copy(smp.data(), set.data.begin());
      set.data = comparable(set.attribute, set.data);
    };
  }
  ~Lab() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::vector<routing::MulticastGroup> groups_on(const fabric::Subnet& subnet) const {
    std::vector<routing::MulticastGroup> all;
    for (const auto& [mlid, members] : groups) {
      routing::MulticastGroup& group = all.emplace_back();
      group.mlid = mlid;
      for (const sim::PortIndex member : members) {
        const auto found = subnet.fabric.port_of_guid.find(model.ports[member].guid);
        if (found != subnet.fabric.port_of_guid.end()) group.receivers.push_back(found->second);
      }
    }
    return all;
  }

  /// One sweep: what was planned, then what was sent.
  void sweep(bool everything = true, bool trust_tables = true) {
    const auto context = sm::make_context(settings, {}, partitioning);
    const sm::PassRequest order{.everything = everything,
                                .changed = changed_switches(),
                                .trust_tables = trust_tables,
                                .why = "test"};
    preview = tl::unexpected(std::string("not planned"));
    sent.clear();
    const auto both = [&]() -> boost::asio::awaitable<sm::PassResult> {
      sm::Survey survey = co_await sweeper->observe(context, order, true);
      recording = true;
      preview = co_await sweeper->preview(context, order, survey);
      previewed = sent.size();
      sm::PassResult result = co_await sweeper->pass(context, order, std::move(survey));
      recording = false;
      co_return result;
    };
    const auto result = runtime.run(both());
    ASSERT_TRUE(result.has_value());
    end = result->end;
  }

  static std::string first_difference(const std::vector<Sent>& planned,
                                      const std::vector<Sent>& real) {
    std::size_t at = 0;
    while (at < planned.size() && at < real.size() && planned[at] == real[at]) ++at;
    if (at == planned.size() || at == real.size()) return "one more";
    const Sent &a = planned[at], &b = real[at];
    std::string out = fmt::format("{} modifier {:#x} path {} and {} modifier {:#x} path {}",
                                  mad::name(a.attribute), a.modifier, fmt::join(a.path, ","),
                                  mad::name(b.attribute), b.modifier, fmt::join(b.path, ","));
    if (a.attribute == mad::AttributeId::port_info)
      for (const mad::FieldChange& field : mad::diff(mad::PortInfo(a.data), mad::PortInfo(b.data)))
        out += fmt::format(", {} {} and {}", field.name, field.before, field.after);
    return out;
  }

  /// The first difference between what was planned and what was sent; "" if there is none.
  std::string difference() const {
    if (!preview) return "no plan: " + preview.error();
    if (previewed != 0) return "the preview wrote something";
    std::size_t at = 0;
    for (const sm::PlannedStage& stage : preview->plan.stages) {
      std::vector<Sent> planned;
      for (const sm::Write& write : stage.writes)
        planned.push_back({write.attribute, write.modifier,
                           hops_of(*preview->subnet.fabric.route_to(write.port)),
                           comparable(write.attribute, write.data)});
      const auto first = sent.begin() + static_cast<std::ptrdiff_t>(at);
      const auto count = static_cast<std::ptrdiff_t>(std::min(planned.size(), sent.size() - at));
      std::vector<Sent> real(first, first + count);
      std::ranges::sort(planned);
      std::ranges::sort(real);
      if (planned != real)
        return fmt::format("{}: {} were planned, {} sent, {}", text(stage.kind), planned.size(),
                           real.size(), first_difference(planned, real));
      at += planned.size();
    }
    if (at != sent.size())
      return fmt::format("{} were planned, {} were sent, the next one is {}", at, sent.size(),
                         mad::name(sent[at].attribute));
    return "";
  }

  config::Options settings = config::default_options(nullptr, nullptr);
  partitions::Configuration partitioning = partitions::default_configuration();
  std::map<mad::Mlid, std::set<sim::PortIndex>> groups;
  std::set<mad::Guid> alias_ports;
  bool reregister = false;
  std::vector<sim::PortIndex> hosts;
  std::ostringstream log;
  std::shared_ptr<spdlog::logger> logger;
  std::filesystem::path folder;
  std::optional<sm::ConditionLog> conditions;
  support::SweepClients clients;
  std::unique_ptr<sm::Sweeper> sweeper;
  tl::expected<sm::Preview, std::string> preview;
  std::vector<Sent> sent;
  std::size_t previewed = 0;
  bool recording = false;
  sm::SweepEnd end = sm::SweepEnd::errors;
};

/// Changes of the fabric, of what clients registered, and of what is configured.
void change(Lab& lab, topology::Random& dice,
            std::vector<std::pair<sim::PortIndex, sim::PortIndex>>& cut) {
  const auto host = lab.hosts[dice.below(lab.hosts.size())];
  switch (dice.below(10)) {
    case 0: {
      const auto port = static_cast<sim::PortIndex>(dice.below(lab.model.ports.size()));
      const sim::PortIndex far = lab.far(port);
      if (far == sim::kNone || port == lab.own() || far == lab.own()) break;
      lab.world.cut(port);
      cut.emplace_back(port, far);
      break;
    }
    case 1:
      if (cut.empty()) break;
      lab.plug(cut.back().first, cut.back().second);
      cut.pop_back();
      break;
    case 2: {
      const auto node = static_cast<sim::NodeIndex>(dice.below(lab.model.nodes.size()));
      if (node != lab.owning_node(lab.own())) lab.reboot(node);
      break;
    }
    case 3: {
      auto& members =
          lab.groups[mad::Mlid{static_cast<std::uint16_t>(mad::kMlidMin.value + dice.below(70))}];
      if (members.erase(host) == 0) members.insert(host);
      break;
    }
    case 4:
      lab.settings.qos = !lab.settings.qos;
      break;
    case 5:
      lab.settings.routing_engine = {
          std::vector<std::string>{"minhop", "ar_updn", "dfsssp", "lash"}[dice.below(4)]};
      break;
    case 6:
      lab.settings.subnet_timeout = static_cast<std::uint8_t>(10 + dice.below(10));
      lab.settings.packet_life_time = static_cast<std::uint8_t>(10 + dice.below(10));
      break;
    case 7:
      lab.settings.fdr10 = static_cast<std::uint8_t>(dice.below(3));
      break;
    case 8: {
      const mad::Guid guid = lab.model.ports[host].guid;
      if (lab.alias_ports.erase(guid) == 0) lab.alias_ports.insert(guid);
      lab.reregister = dice.percent(50);
      break;
    }
    default: {
      partitions::Configuration made = partitions::default_configuration();
      if (dice.percent(50)) {
        config::Diagnostics findings;
        made = partitions::parse_partitions_conf(
            {"partitions.conf",
             fmt::format("Default=0x7fff, ipoib: ALL, SELF=full;\nred=0x{:x}: {}=full;\n",
                         1 + dice.below(5), lab.model.ports[host].guid)},
            findings);
        ASSERT_TRUE(findings.empty()) << findings.front().text();
      }
      lab.partitioning = made;
      break;
    }
  }
}

TEST(Plan, TheSmpsOfASweepAreExactlyItsPlan) {
  std::uint64_t sweeps = 0, writes = 0;
  std::set<sm::StageKind> stages;
  seeds::for_each(1'000, [&](std::uint64_t seed) {
    topology::Random dice(seed);
    Lab lab(random_topology(dice), seed);
    std::vector<std::pair<sim::PortIndex, sim::PortIndex>> cut;
    if (dice.percent(50)) {
      // CAs that put packets in order have a Set of the attribute that FDR10 is in, too.
      lab.make_adaptive(sim::pfrn_adaptive_routing(),
                        [](const sim::NodeModel& node) { return node.is_switch(); });
      lab.settings.routing_engine = {"ar_updn"};
      lab.settings.enable_ar_by_device_cap = false;
    }
    for (unsigned step = 0; step < 4; ++step) {
      if (step > 0) {
        for (unsigned changes = 1 + static_cast<unsigned>(dice.below(3)); changes > 0; --changes)
          change(lab, dice, cut);
      }
      lab.sweep(step == 0 || dice.percent(50), dice.percent(80));
      ASSERT_EQ(lab.difference(), "") << "step " << step << '\n' << lab.log.str();
      ASSERT_EQ(lab.end, sm::SweepEnd::subnet_up) << lab.log.str();
      ++sweeps;
      writes += lab.sent.size();
      for (const sm::PlannedStage& stage : lab.preview->plan.stages) stages.insert(stage.kind);
    }
    // Nothing is left to do.
    lab.sweep();
    ASSERT_EQ(lab.difference(), "");
    EXPECT_EQ(lab.preview->plan.writes(), lab.reregister ? lab.sent.size() : 0u) << lab.log.str();
  });
  testing::Test::RecordProperty("sweeps", std::to_string(sweeps));
  testing::Test::RecordProperty("writes", std::to_string(writes));
  if (!seeds::are_default()) return;
  for (std::size_t kind = 0; kind < sm::kStageKinds; ++kind) {
    const auto stage = static_cast<sm::StageKind>(kind);
    // These fabrics have no virtual ports (HoldsWhatIsWrittenToVPorts).
    const bool of_vports =
        stage == sm::StageKind::virtualization || stage == sm::StageKind::vport_p_keys ||
        stage == sm::StageKind::vport_settings || stage == sm::StageKind::vport_activation;
    // Their CAs put no packets in order.
    const bool of_reordering =
        stage == sm::StageKind::reordering || stage == sm::StageKind::reordering_withdrawal;
    const bool of_option =
        stage == sm::StageKind::link_restarts || stage == sm::StageKind::optional;
    EXPECT_EQ(stages.contains(stage), !of_option && !of_vports && !of_reordering) << text(stage);
  }
}

/// What hosts do with their vports, and to which partitions these belong.
class VPortChanges {
 public:
  explicit VPortChanges(Lab& lab, topology::Random& dice) : lab_(lab), dice_(dice) {}

  void create_all() {
    for (const sim::PortIndex host : lab_.hosts) {
      sim::enable_virtualization(lab_.world, host, kEach + 1);
      for (std::uint16_t index = 1; index <= kEach; ++index) create(host, index);
    }
  }
  void one() {
    const sim::PortIndex host = any_host();
    const auto index = static_cast<std::uint16_t>(1 + dice_.below(kEach));
    switch (dice_.below(6)) {
      case 0:
        sim::set_vport_guid(lab_.world, host, index, {++guid_});
        break;
      case 1:
        sim::set_vport_guid(lab_.world, host, index, sim::kReleasedGuid);
        break;
      case 2:
        sim::bind_vport(lab_.world, host, index, dice_.percent(50));
        break;
      case 3:
        if (!sim::destroy_vport(lab_.world, host, index)) create(host, index);
        break;
      case 4:
        sim::migrate_vport(lab_.world, {host, index}, {any_host(), index});
        break;
      default:
        repartition();
    }
  }

 private:
  static constexpr std::uint16_t kEach = 3;

  sim::PortIndex any_host() { return lab_.hosts[dice_.below(lab_.hosts.size())]; }
  void create(sim::PortIndex host, std::uint16_t index) {
    sim::create_vport(lab_.world, host, index,
                      {.guid = {++guid_}, .lid_required = dice_.percent(50)});
  }
  void repartition() {
    config::Diagnostics findings;
    lab_.partitioning = partitions::parse_partitions_conf(
        {"partitions.conf",
         fmt::format("Default=0x7fff, ipoib: ALL, ALL_VCAS=full, SELF=full;\n"
                     "red=0x{:x}: {}=full;\n",
                     1 + dice_.below(5), mad::Guid{kFirst + 1 + dice_.below(guid_ - kFirst)})},
        findings);
    ASSERT_TRUE(findings.empty()) << findings.front().text();
  }

  static constexpr std::uint64_t kFirst = 0x5000000000000000;
  Lab& lab_;
  topology::Random& dice_;
  std::uint64_t guid_ = kFirst;
};

TEST(Plan, HoldsWhatIsWrittenToVPorts) {
  std::set<sm::StageKind> stages;
  seeds::for_each(15, [&](std::uint64_t seed) {
    topology::Random dice(seed);
    Lab lab(random_topology(dice), seed);
    VPortChanges changes(lab, dice);
    changes.create_all();
    lab.sweep();
    lab.settings.virt_enabled = 2;
    lab.sweep();
    EXPECT_EQ(lab.preview->plan.writes(sm::StageKind::virtualization), lab.hosts.size());
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(
                  lab.sent, mad::AttributeId::virtualization_info, &Sent::attribute)),
              lab.hosts.size());
    // What has come up when they were switched on.
    for (unsigned sweep = 0; sweep < 2; ++sweep) lab.sweep();
    ASSERT_EQ(lab.sent.size(), 0u) << mad::name(lab.sent.front().attribute);
    for (unsigned step = 0; step < 4; ++step) {
      for (unsigned count = 1 + static_cast<unsigned>(dice.below(4)); count > 0; --count)
        changes.one();
      lab.sweep(dice.percent(70));
      ASSERT_EQ(lab.difference(), "") << "step " << step << '\n' << lab.log.str();
      for (const sm::PlannedStage& stage : lab.preview->plan.stages) stages.insert(stage.kind);
    }
  });
  if (!seeds::are_default()) return;
  for (const sm::StageKind stage :
       {sm::StageKind::virtualization, sm::StageKind::vport_p_keys, sm::StageKind::vport_settings,
        sm::StageKind::vport_activation, sm::StageKind::p_keys, sm::StageKind::forwarding_tables})
    EXPECT_TRUE(stages.contains(stage)) << text(stage);
}

/// A device that does not respond to what is written to it: nothing is written that was not
/// planned, and what would not be safe any more is left out.
TEST(Plan, ASweepThatFailsWritesNothingThatWasNotPlanned) {
  seeds::for_each(100, [](std::uint64_t seed) {
    topology::Random dice(seed);
    Lab lab(random_topology(dice), seed);
    lab.groups[mad::kMlidMin] = {lab.hosts.begin(), lab.hosts.end()};
    sim::NodeModel& node = lab.model.nodes[sim::NodeIndex(dice.below(lab.model.nodes.size()))];
    node.health.ignored_probability = 1;
    node.health.ignored_attribute = static_cast<std::uint16_t>(
        std::vector{mad::AttributeId::linear_forwarding_table, mad::AttributeId::p_key_table,
                    mad::AttributeId::multicast_forwarding_table}[dice.below(3)]);
    lab.sweep();
    ASSERT_TRUE(lab.preview.has_value());
    using Where = std::tuple<mad::AttributeId, std::uint32_t, std::vector<std::uint8_t>>;
    std::set<Where> planned;
    for (const sm::PlannedStage& stage : lab.preview->plan.stages) {
      for (const sm::Write& write : stage.writes)
        planned.emplace(write.attribute, write.modifier,
                        hops_of(*lab.preview->subnet.fabric.route_to(write.port)));
    }
    for (const Sent& set : lab.sent)
      EXPECT_TRUE(planned.contains({set.attribute, set.modifier, set.path}))
          << mad::name(set.attribute);
    node.health.ignored_probability = 0;
    lab.sweep();
    lab.sweep();
    EXPECT_EQ(lab.difference(), "");
    EXPECT_EQ(lab.preview->plan.writes(), 0u) << lab.log.str();
  });
}

}  // namespace plan_test
