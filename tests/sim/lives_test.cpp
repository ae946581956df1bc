// Lives of fabrics under every engine: hosts come, go, move to free places and to those of others,
// links and switches are lost and back, some while the manager works, requests are lost. After
// every single write packets to all LIDs are followed; what is published after some of the events,
// and in the end, is also given to ibdmchk. `HEDDLE_SEEDS=1..500` are 10,000 events.

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fabric/switch_graph.h"
#include "routing/registry.h"
#include "sim/virtualized.h"
#include "sim/watched.h"
#include "sm/ctl/topology/generators.h"
#include "sm/dumps/dumps.h"
#include "support/require_tool.h"
#include "support/seeds.h"

namespace lives_test {

using watched::Watched;
using namespace std::chrono_literals;

constexpr mad::Duration kRecovers = 60s;
constexpr unsigned kEvents = 20, kEventsToASample = 7;
constexpr std::array kEngines{"minhop", "updn", "dnup", "ftree", "dfsssp", "dmodc",
                              "nue",    "sssp", "dor",  "lash",  "minhop"};

/// Nine switches with one host each, and two free ports.
topology::Topology small_torus() {
  topology::Topology plan = topology::torus({.dimensions = {3, 3}, .hosts_per_switch = 1});
  for (auto& node : plan.nodes)
    if (node.type == topology::NodeType::switch_) node.port_count += 2;
  return plan;
}

/// One life: its events are drawn from the seed.
class Life {
 public:
  explicit Life(std::uint64_t seed)
      : dice_(seed), engine_(kEngines[seed % kEngines.size()]), lab_(topology(seed), seed) {
    lab_.options.routing_engine = {engine_};
    lab_.options.lmc = static_cast<std::uint8_t>(engine_ == "ftree" ? 0 : seed / 7 % 2);
  }

  /// `sample` is called between events, and in the end.
  void run(const std::function<void(const fabric::Subnet&)>& sample) {
    ASSERT_TRUE(lab_.start_and_watch()) << lab_.complaint() << lab_.tail();
    lab_.set_wire({.lost = dice_.chance(0.3) ? 0.02 : 0.0});
    for (unsigned event = 0; event < kEvents; ++event) {
      happen();
      // Half of them while the one before is handled.
      lab_.runtime.run_for(std::chrono::microseconds(dice_.chance(0.5) ? dice_.below(20'000)
                                                                       : dice_.below(4'000'000)));
      if (event % kEventsToASample == kEventsToASample - 1) sample(*lab_.status().subnet);
    }
    for (const auto& [a, b] : links_)
      if (lab_.far(a) == sim::kNone && lab_.far(b) == sim::kNone) lab_.world.connect(a, b);
    for (const sim::NodeIndex node : off_) lab_.world.power(node, true);
    lab_.set_wire({});
    EXPECT_TRUE(lab_.settles(kRecovers)) << engine_ << ": " << lab_.complaint() << lab_.tail();
    lab_.expect_sound();
    EXPECT_GT(lab_.walks, 0u);
    sample(*lab_.status().subnet);
  }

  unsigned lmc() const { return lab_.options.lmc; }

 private:
  topology::Topology topology(std::uint64_t seed) const {
    if (engine_ == "dor" || seed % 5 == 1) return small_torus();
    if (seed % 5 == 0 && engine_ != "ftree" && engine_ != "dmodc")
      return topology::random_graph({.switches = 6, .hosts = 10, .extra_links = 6, .seed = seed});
    return watched::tree();
  }
  sim::PortIndex some(bool host, bool linked) {
    std::vector<sim::PortIndex> all;
    for (const sim::PortIndex port : lab_.model.ports.indices())
      if (lab_.model.owning_node(port).is_switch() != host && lab_.model.ports[port].number != 0 &&
          lab_.owning_node(port) != sim::NodeIndex{0} && (lab_.far(port) != sim::kNone) == linked)
        all.push_back(port);
    return all.empty() ? sim::PortIndex(sim::kNone) : all[dice_.below(all.size())];
  }
  void happen() {
    switch (dice_.below(7)) {
      case 0:
      case 1:
        return unplug_a_host();
      case 2:
      case 3:
        return plug_a_host_in();
      case 4:
        return add_a_link();
      case 5:
        return lose_a_link();
      default:
        return switch_a_node();
    }
  }
  void unplug_a_host() {
    const sim::PortIndex port = some(true, true);
    if (port == sim::kNone) return;
    lab_.world.cut(port);
    unplugged_.push_back(port);
  }
  void plug_a_host_in() {
    const sim::PortIndex to = some(false, false);
    if (to == sim::kNone || unplugged_.empty()) return;
    const std::size_t which = dice_.below(unplugged_.size());
    lab_.world.connect(to, unplugged_[which]);
    unplugged_.erase(unplugged_.begin() + static_cast<std::ptrdiff_t>(which));
  }
  void add_a_link() {
    if (engine_ == "ftree" || engine_ == "dor") return;  // refused by the engine: no longer a tree
    const sim::PortIndex a = some(false, false), b = some(false, false);
    if (a != sim::kNone && lab_.owning_node(a) != lab_.owning_node(b)) lab_.world.connect(a, b);
  }
  void lose_a_link() {
    const sim::PortIndex port = some(false, true);
    if (port == sim::kNone || !lab_.model.owning_node(lab_.far(port)).is_switch()) return;
    links_.emplace_back(port, lab_.far(port));
    lab_.world.cut(port);
  }
  void switch_a_node() {
    const sim::NodeIndex node(1 + dice_.below(lab_.model.nodes.size() - 1));
    if (off_.erase(node) > 0) {
      lab_.world.power(node, true);
    } else if (off_.size() < 2) {
      lab_.world.power(node, false);
      off_.insert(node);
    }
  }

  topology::Random dice_;
  const std::string engine_;
  Watched lab_;
  std::vector<sim::PortIndex> unplugged_;  // hosts' ports
  std::vector<std::pair<sim::PortIndex, sim::PortIndex>> links_;
  std::set<sim::NodeIndex> off_;
};

/// ibdmchk's text about the published tables.
std::string ibdmchk_of(const fabric::Subnet& subnet) {
  const laboratory::Folder folder;
  const std::filesystem::path dir = folder.text();
  const fabric::SwitchGraph graph = make_switch_graph(subnet.fabric);
  const sm::dumps::Tables tables{subnet.fabric, graph, subnet.lids, *subnet.lfts};
  const fabric::PublishedRouting& routing = *subnet.routing;
  std::string command = fmt::format("cd {} && ibdmchk -s lst -f fdbs -m mcfdbs", dir.string());
  const auto write = [&](const char* name, auto&& text) {
    std::ofstream out(dir / name);
    text(out);
  };
  write("lst", [&](std::ostream& out) { out << sm::subnet_lst(subnet.fabric, subnet.lids); });
  write("fdbs", [&](std::ostream& out) { sm::dumps::write_fdbs(out, tables); });
  write("mcfdbs", [](std::ostream&) {});
  write("sls", [&](std::ostream& out) { sm::dumps::write_path_sls(out, tables, routing.sls); });
  command += " -c sls";
  if (!routing.sl_to_vl.empty()) {
    write("sl2vl", [&](std::ostream& out) {
      sm::dumps::write_switch_sl_to_vl(out, subnet.fabric, routing.sl_to_vl);
    });
    command += " -d sl2vl";
  }
  std::string text;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), n);
  pclose(pipe);
  return text;
}

void expect_good_for_ibdmchk(const fabric::Subnet& subnet) {
  const std::string text = ibdmchk_of(subnet);
  const std::string& engine = subnet.routing->engine;
  EXPECT_THAT(text, testing::HasSubstr("CA to CA paths")) << engine;
  if (routing::find_engine(engine)->promises_no_credit_loops) {
    EXPECT_THAT(text, testing::HasSubstr("no credit loops found")) << engine;
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("-E-"))) << engine;
  } else {
    const std::size_t error = text.find("-E-");
    EXPECT_TRUE(error == std::string::npos || text.compare(error, 16, "-E- credit loops") == 0)
        << engine << ": " << text;
  }
}

TEST(Lives, EveryWriteLeavesTablesThatDeliver) {
  const bool has_tool = !support::find_tool("ibdmchk").empty();
  if (support::tools_are_required()) {
    ASSERT_TRUE(has_tool) << support::missing_tool("ibdmchk", "ibutils");
  }
  seeds::for_each(kEngines.size(), [&](std::uint64_t seed) {
    Life life(seed);
    life.run([&](const fabric::Subnet& subnet) {
      // It expects several LIDs of switches, too.
      if (has_tool && life.lmc() == 0) expect_good_for_ibdmchk(subnet);
    });
  });
}

/// A host moves to another switch, and a cable to a third one is plugged in where it was.
TEST(Lives, NoLoopByACableWhereAHostWas) {
  constexpr std::uint64_t kSeed = 86;
  Life life(kSeed);
  life.run([](const fabric::Subnet&) {});
}

}  // namespace lives_test
