#include "routing/verify/verify.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/graph/candidates.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/hops.h"

namespace routing {

using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;
using EndPort = fabric::SwitchGraph::EndPort;

namespace {

constexpr std::size_t kEntryValues = 256;  // values that an entry can have
constexpr std::size_t kVerifyTileLids = fabric::kLftBlockLids;

class Verifier {
 public:
  Verifier(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
           const fabric::LidMap& lids, const fabric::ForwardingTables& lfts, VerifyRules rules)
      : fabric_(fabric),
        graph_(graph),
        lids_(lids),
        lfts_(lfts),
        rules_(rules),
        switches_(graph.switches()),
        component_(components(graph)) {
    survey();
  }

  /// Verifies all LIDs.
  VerifyReport verify_all() {
    find_shortest();
    return run();
  }
  VerifyReport verify_again(const VerifyReport& before, const std::vector<bool>& changed);

 private:
  using Step = std::uint16_t;                                 // the next switch, or one of these:
  Step dead() const { return static_cast<Step>(switches_); }  // an exit that leads to no switch
  Step drops() const { return static_cast<Step>(switches_ + 1); }  // 0xFF
  bool steps_fit() const { return switches_ + 1 < 0xFFFF; }

  void survey();
  void find_shortest();
  VerifyReport run() const;
  void run(std::size_t tile_begin, std::size_t tile_end);
  void fill_tile(std::size_t tile);
  bool may_withhold(const EndPort& owner, SwitchIndex from) const {
    if (owner.is_switch() && rules_.switch_lids_may_be_withheld) return true;
    if (has_hosts_[from] != 0) return false;
    return rules_.switches_without_hosts_may_drop ||
           (rules_.inside_lids_may_be_withheld && owner.is_inside && has_hosts_[owner.sw] == 0);
  }
  bool may_withhold_path(const EndPort& owner) const {
    return std::ranges::all_of(path_, [&](SwitchIndex at) { return may_withhold(owner, at); });
  }
  bool delivers(SwitchIndex sw, mad::PortNum out) const;
  bool arrives(Step* step, mad::Lid lid, const EndPort& owner) const;
  void examine(mad::Lid lid, const EndPort& owner);
  void add(TableProblem::Kind kind, SwitchIndex sw, mad::Lid lid);

  const fabric::Fabric& fabric_;
  const fabric::SwitchGraph& graph_;
  const fabric::LidMap& lids_;
  const fabric::ForwardingTables& lfts_;
  const VerifyRules rules_;
  const std::size_t switches_;
  const std::vector<std::uint32_t> component_;
  std::vector<std::uint32_t> component_size_;
  std::vector<const EndPort*> end_of_port_;  // by port; null: not attached to a switch
  std::vector<std::uint8_t> has_hosts_;      // by switch
  std::vector<std::uint32_t> cap_;           // per switch, entries
  std::uint32_t cap_min_ = 0xFFFFFFFFu;
  std::vector<std::uint8_t> is_verified_;  // by LID: 1 if it need not be followed
  std::vector<SwitchIndex> next_;          // [switch][port]: the switch there, or kNoIndex
  std::vector<Step> exits_;                // the same as steps
  std::vector<Step>
      tile_;  // [LID of the tile][switch], then dead() and drops(), which lead to themselves
  std::size_t tile_pitch_ = 0;
  enum class Outcome : std::uint8_t {
    unknown,
    on_path,
    arrives,
    lost,
    withheld,
    without_path,
    stopped
  };
  std::vector<Outcome> outcome_;
  std::vector<SwitchIndex> path_;
  VerifyReport report_;
};

void Verifier::survey() {
  component_size_.assign(switches_ == 0 ? 0 : 1 + *std::ranges::max_element(component_), 0);
  report_.components.resize(component_size_.size());
  for (std::size_t sw = switches_; sw-- > 0;) {
    ++component_size_[component_[sw]];
    report_.components[component_[sw]].first = SwitchIndex(sw);
    ++report_.components[component_[sw]].switches;
  }
  end_of_port_.assign(fabric_.ports.size(), nullptr);
  has_hosts_.assign(switches_, 0);
  for (const EndPort& end : graph_.end_ports) {
    end_of_port_[end.port] = &end;
    if (end.is_host()) has_hosts_[end.sw] = 1;
  }
  next_.assign(switches_ * kEntryValues, kNoIndex);
  cap_.resize(switches_);
  for (SwitchIndex sw{0}; sw < switches_; ++sw) {
    cap_[sw] = fabric_.switches[sw].info.linear_fdb_cap();
    cap_min_ = std::min(cap_min_, cap_[sw]);
    if (cap_[sw] <= lids_.lid_top.value) report_.small_switches.push_back(sw);
    for (const fabric::ChannelIndex i : graph_.channels(sw))
      next_[sw * kEntryValues + graph_.port[i].value] = graph_.neighbour[i];
  }
  if (!steps_fit()) return;
  exits_.resize(next_.size());
  std::ranges::transform(next_, exits_.begin(), [&](SwitchIndex sw) {
    return sw == kNoIndex ? dead() : static_cast<Step>(sw);
  });
  for (std::size_t sw = 0; sw < switches_; ++sw)
    exits_[sw * kEntryValues + mad::kNoPort.value] = drops();
  tile_pitch_ = (switches_ + 2 + 31) / 32 * 32 +
                32;  // whole cache lines, and not all columns in the same sets of the cache
  tile_.resize(kVerifyTileLids * tile_pitch_);
}

// Most engines use shortest paths, so these are checked first, switch by switch. If each hop is
// nearer to the owner, all paths of the LID arrive, and it is verified.
void Verifier::find_shortest() {
  is_verified_.assign(lids_.lid_top.value + std::size_t{1}, 0);
  const auto hops = unit_hops(graph_);
  if (!hops || is_verified_.size() > lfts_.pitch() || lfts_.switches() != switches_) return;
  struct Owner {
    SwitchIndex last_switch = kNoIndex;
    std::uint8_t out = 0;
  };
  std::vector<Owner> owners(is_verified_.size());
  for (std::size_t lid = 0; lid < is_verified_.size(); ++lid) {
    const PortIndex port = lids_.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
    if (port == kNoIndex || end_of_port_[port] == nullptr) continue;
    const EndPort& end = *end_of_port_[port];
    owners[lid] = {end.sw, end.out.value};
    is_verified_[lid] = lid < cap_min_ ? 1 : 0;
  }
  const std::vector<std::uint8_t> weights(graph_.port.size(), 1);
  const ShortestPaths paths(graph_, *hops, weights);
  const ChannelTable channel_table(graph_);
  std::mutex mutex;
  constexpr std::size_t kEntriesWorthAThread = 500'000;
  fabric::in_parallel(switches_, kEntriesWorthAThread / is_verified_.size() + 1,
                      [&](std::size_t begin, std::size_t end) {
                        std::vector<std::uint8_t> good(is_verified_.size(), 1);
                        CandidateMasks masks(switches_);
                        std::vector<fabric::ChannelIndex> channels;
                        for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
                          channels.resize(graph_.degree(sw));
                          std::iota(channels.begin(), channels.end(), graph_.offsets[sw]);
                          paths.find(sw, channels, masks);
                          const std::uint8_t* const lft = lfts_.row(sw).data();
                          const std::uint8_t* const exits = channel_table.channel_indices(sw);
                          for (std::size_t lid = 0; lid < good.size(); ++lid) {
                            const auto [last_switch, out] = owners[lid];
                            if (last_switch == kNoIndex) continue;
                            const std::uint8_t exit = exits[lft[lid]];
                            const bool nearer =
                                last_switch == sw ? lft[lid] == out
                                : exit != ChannelTable::kNoChannel
                                    ? (masks.word(exit / 64u, last_switch) >> exit % 64u & 1u) != 0
                                    : lft[lid] == mad::kNoPort.value &&
                                          component_[sw] != component_[last_switch];
                            if (!nearer) good[lid] = 0;
                          }
                        }
                        const std::lock_guard lock(mutex);
                        for (std::size_t lid = 0; lid < good.size(); ++lid)
                          is_verified_[lid] = std::min(is_verified_[lid], good[lid]);
                      });
}

VerifyReport Verifier::verify_again(const VerifyReport& before, const std::vector<bool>& changed) {
  is_verified_.resize(lids_.lid_top.value + std::size_t{1});
  for (std::size_t lid = 0; lid < is_verified_.size(); ++lid)
    is_verified_[lid] = lid < changed.size() && changed[lid] ? 0 : 1;
  VerifyReport report = run();
  for (const VerifyReport::Withheld& held : before.withheld) {
    const std::size_t lid = held.lid.value;
    if (lid >= is_verified_.size() || is_verified_[lid] == 0 || lids_.owner(held.lid) == kNoIndex)
      continue;
    report.withheld.push_back(held);
    report.withheld_count += held.switches;
  }
  std::ranges::sort(report.withheld, {}, &VerifyReport::Withheld::lid);
  return report;
}

/// Runs copies of this object on all processors.
VerifyReport Verifier::run() const {
  constexpr std::size_t kEntriesWorthAThread = 200'000;
  std::mutex mutex;
  std::vector<std::pair<std::size_t, VerifyReport>> parts;  // by first tile
  fabric::in_parallel(lids_.lid_top.value / kVerifyTileLids + 1,
                      kEntriesWorthAThread / (kVerifyTileLids * (switches_ + 1)) + 1,
                      [&](std::size_t begin, std::size_t end) {
                        Verifier part = *this;
                        part.run(begin, end);
                        const std::lock_guard lock(mutex);
                        parts.emplace_back(begin, std::move(part.report_));
                      });
  std::ranges::sort(parts, {}, &std::pair<std::size_t, VerifyReport>::first);
  VerifyReport all = report_;
  for (const auto& [begin, part] : parts) {
    const std::size_t left = VerifyReport::kProblemsListed - all.problems.size();
    all.problems.insert(
        all.problems.end(), part.problems.begin(),
        part.problems.begin() + static_cast<std::ptrdiff_t>(std::min(left, part.problems.size())));
    all.withheld.insert(all.withheld.end(), part.withheld.begin(), part.withheld.end());
    all.problem_count += part.problem_count;
    all.lost += part.lost;
    all.withheld_count += part.withheld_count;
    all.without_path += part.without_path;
    all.stopped_by_small += part.stopped_by_small;
    for (std::size_t i = 0; i < all.components.size(); ++i)
      all.components[i].lids += part.components[i].lids;
  }
  std::ranges::sort(all.components, [](const ConnectedComponent& a, const ConnectedComponent& b) {
    return a.switches != b.switches ? a.switches > b.switches : a.first < b.first;
  });
  return all;
}

void Verifier::run(std::size_t tile_begin, std::size_t tile_end) {
  for (std::size_t tile = tile_begin; tile < tile_end; ++tile) {
    bool filled = false;
    for (std::size_t i = 0; i < kVerifyTileLids; ++i) {
      const auto value = tile * kVerifyTileLids + i;
      if (value > lids_.lid_top.value) break;
      const mad::Lid lid{static_cast<std::uint16_t>(value)};
      const PortIndex port = lids_.owner(lid);
      if (port == kNoIndex || end_of_port_[port] == nullptr) continue;
      const EndPort& owner = *end_of_port_[port];
      ++report_.components[component_[owner.sw]].lids;
      report_.without_path += switches_ - component_size_[component_[owner.sw]];
      if (is_verified_[value] != 0) continue;
      if (steps_fit()) {
        if (!filled) fill_tile(tile);
        filled = true;
        if (arrives(tile_.data() + i * tile_pitch_, lid, owner)) continue;
      }
      examine(lid, owner);
    }
  }
}

// Converts the entries of 64 LIDs to steps, one column per LID. A block of a switch's table is one
// cache line; so is the part of each column that is written.
void Verifier::fill_tile(std::size_t tile) {
  for (const SwitchIndex sw : graph_.all_switches()) {
    const Step* const exits = exits_.data() + sw * kEntryValues;
    Step* out = tile_.data() + sw;
    if (tile >= lfts_.blocks()) {
      for (std::size_t i = 0; i < kVerifyTileLids; ++i, out += tile_pitch_) *out = drops();
    } else {
      for (const std::uint8_t port : lfts_.block(sw, tile)) {
        *out = exits[port];
        out += tile_pitch_;
      }
    }
  }
}

// Follows a LID from all switches at once, twice as far in each round. True if all switches of the
// owner's component arrive, and all others drop.
bool Verifier::arrives(Step* step, mad::Lid lid, const EndPort& owner) const {
  if (lid.value >= cap_min_ || lfts_.at(owner.sw, lid) != owner.out) return false;
  const auto last_switch = static_cast<Step>(owner.sw);
  step[last_switch] = last_switch;
  step[dead()] = dead();
  step[drops()] = drops();
  for (std::size_t hops = 1; hops < switches_ * 2; hops *= 2) {
    for (std::size_t sw = 0; sw < switches_; ++sw) step[sw] = step[step[sw]];
    if (hops == 1) continue;  // few fabrics have paths of so few hops only
    std::uint32_t arrived_count = 0;
    for (std::size_t sw = 0; sw < switches_; ++sw)
      arrived_count += step[sw] == last_switch ? 1u : 0u;
    if (arrived_count == component_size_[component_[last_switch]])
      return arrived_count == switches_ || arrived_count + static_cast<std::uint32_t>(std::count(
                                                               step, step + switches_, drops())) ==
                                               switches_;
  }
  return false;
}

/// True if the port leads to the switch itself, or to a CA or router.
bool Verifier::delivers(SwitchIndex sw, mad::PortNum out) const {
  const fabric::Node& node = fabric_.nodes[fabric_.switches[sw].node];
  if (out.value == 0 || out.value > node.num_ports) return out.value == 0;
  const PortIndex port = node.first_port + out.value;
  return fabric_.is_link_up(port) && !fabric_.owning_node(fabric_.ports[port].peer).is_switch();
}

// Follows a LID from each switch until it meets a path with a known outcome, and reports problems.
void Verifier::examine(mad::Lid lid, const EndPort& owner) {
  outcome_.assign(switches_, Outcome::unknown);
  VerifyReport::Withheld withheld{.lid = lid, .first = kNoIndex};
  for (SwitchIndex from{0}; from < switches_; ++from) {
    path_.clear();
    SwitchIndex sw = from;
    Outcome end = Outcome::unknown;
    const auto problem = [&](TableProblem::Kind kind, SwitchIndex at) {
      add(kind, at, lid);
      return Outcome::lost;
    };
    while (end == Outcome::unknown) {
      if (outcome_[sw] == Outcome::on_path) {
        const auto loop = std::ranges::find(path_, sw);
        end = problem(TableProblem::Kind::loop, *std::min_element(loop, path_.end()));
        break;
      }
      if (outcome_[sw] != Outcome::unknown) {
        end = outcome_[sw];
        if (end == Outcome::withheld && !may_withhold_path(owner))
          end = problem(TableProblem::Kind::no_entry, sw);
        break;
      }
      outcome_[sw] = Outcome::on_path;
      path_.push_back(sw);
      const mad::PortNum out = lfts_.at(sw, lid);
      const bool has_path = component_[sw] == component_[owner.sw];
      if (lid.value >= cap_[sw])
        end = out == mad::kNoPort ? has_path ? Outcome::stopped : Outcome::without_path
                                  : problem(TableProblem::Kind::beyond_table, sw);
      else if (out == mad::kNoPort)
        end = !has_path                  ? Outcome::without_path
              : may_withhold_path(owner) ? Outcome::withheld
                                         : problem(TableProblem::Kind::no_entry, sw);
      else if (sw == owner.sw && out == owner.out)
        end = Outcome::arrives;
      else if (const SwitchIndex next = next_[sw * kEntryValues + out.value]; next != kNoIndex)
        sw = next;
      else {
        end = problem(
            delivers(sw, out) ? TableProblem::Kind::wrong_port : TableProblem::Kind::dead_exit, sw);
      }
    }
    for (const SwitchIndex at : path_) {
      outcome_[at] = end;
      if (end == Outcome::withheld) {
        withheld.first = withheld.switches++ == 0 ? at : std::min(withheld.first, at);
        ++report_.withheld_count;
      }
      report_.lost += end == Outcome::lost && component_[at] == component_[owner.sw] ? 1u : 0u;
      report_.stopped_by_small += end == Outcome::stopped ? 1u : 0u;
    }
  }
  if (withheld.switches > 0) report_.withheld.push_back(withheld);
}

void Verifier::add(TableProblem::Kind kind, SwitchIndex sw, mad::Lid lid) {
  ++report_.problem_count;
  if (report_.problems.size() < VerifyReport::kProblemsListed)
    report_.problems.push_back({kind, sw, lid, lfts_.at(sw, lid)});
}

std::string dead_exit_reason(const fabric::Fabric& fabric, SwitchIndex sw, mad::PortNum out) {
  const fabric::Node& node = fabric.nodes[fabric.switches[sw].node];
  if (out.value > node.num_ports) return "which does not exist";
  const fabric::Port& port = fabric.ports[node.first_port + out.value];
  if (port.peer == kNoIndex) return "which has no link";
  if (fabric.ports[port.peer].node == port.node) return "whose link leads back to the same switch";
  return "whose link is not up";
}

}  // namespace

VerifyReport verify(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                    const fabric::LidMap& lids, const fabric::ForwardingTables& lfts,
                    VerifyRules rules) {
  return Verifier(fabric, graph, lids, lfts, rules).verify_all();
}

VerifyReport verify_again(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                          const fabric::LidMap& lids, const fabric::ForwardingTables& lfts,
                          VerifyRules rules, const VerifyReport& before,
                          const std::vector<bool>& changed) {
  return Verifier(fabric, graph, lids, lfts, rules).verify_again(before, changed);
}

std::string text(const TableProblem& problem, const fabric::Fabric& fabric,
                 const fabric::LidMap& lids) {
  std::string what =
      fmt::format("switch {} and LID {} of {}", fabric.name(fabric.switches[problem.sw].node),
                  problem.lid, fabric.port_name(lids.owner(problem.lid)));
  switch (problem.kind) {
    case TableProblem::Kind::no_entry:
      return fmt::format("{}: no entry, although a path exists", what);
    case TableProblem::Kind::dead_exit:
      return fmt::format("{}: out of port {}, {}", what, problem.out,
                         dead_exit_reason(fabric, problem.sw, problem.out));
    case TableProblem::Kind::wrong_port:
      return fmt::format("{}: port {} delivers to another", what, problem.out);
    case TableProblem::Kind::loop:
      return fmt::format("{}: forwarding loop, out of port {}", what, problem.out);
    case TableProblem::Kind::beyond_table:
      return fmt::format("{}: an entry for port {}, but the table ends at LID {}", what,
                         problem.out,
                         static_cast<int>(fabric.switches[problem.sw].info.linear_fdb_cap()) - 1);
  }
  return what;
}

namespace {

/// Adds a line for each kind of LID that some switches drop, with the number of pairs of switches.
void describe_gaps(const VerifyReport& report, const fabric::Fabric& fabric,
                   const fabric::LidMap& lids, std::vector<std::string>& out) {
  enum Kind : std::uint8_t { to_switch, to_inside, to_host };
  constexpr std::array<std::string_view, 3> kWhat{
      "to LIDs of switches: no path without a possible credit loop",
      "to CAs inside of switches: no path without a possible credit loop",
      "without hosts to hosts: no path in the tables"};
  const auto kind_of = [&](PortIndex port) {
    const fabric::Node& node = fabric.owning_node(port);
    if (node.is_switch()) return to_switch;
    const PortIndex peer = fabric.ports[port].peer;
    return peer != kNoIndex && fabric::is_inside_switch(node, fabric.owning_node(peer)) ? to_inside
                                                                                        : to_host;
  };
  std::array<std::uint64_t, 3> pairs{};
  std::array<const VerifyReport::Withheld*, 3> firsts{};
  for (const VerifyReport::Withheld& held : report.withheld) {
    const Kind kind = kind_of(lids.owner(held.lid));
    if (firsts[kind] == nullptr) firsts[kind] = &held;
    pairs[kind] += held.switches;
  }
  for (const Kind kind : {to_switch, to_inside, to_host})
    if (const VerifyReport::Withheld* const first = firsts[kind]; first != nullptr)
      out.push_back(
          fmt::format("{} pair{} from switches {}, and no entry: the first is from {} "
                      "to LID {} of {}",
                      pairs[kind], pairs[kind] == 1 ? "" : "s", kWhat[kind],
                      fabric.name(fabric.switches[first->first].node), first->lid,
                      fabric.port_name(lids.owner(first->lid))));
}

}  // namespace

std::vector<std::string> describe(const VerifyReport& report, const fabric::Fabric& fabric,
                                  const fabric::LidMap& lids, std::size_t problems_max) {
  std::vector<std::string> out;
  const std::size_t shown = std::min(problems_max, report.problems.size());
  out.reserve(shown);
  for (std::size_t i = 0; i < shown; ++i) out.push_back(text(report.problems[i], fabric, lids));
  if (report.problem_count > shown)
    out.push_back(fmt::format("and {} more entries like these", report.problem_count - shown));
  if (report.lost > 0)
    out.push_back(fmt::format("{} pairs of switch and LID are cut off by them", report.lost));
  describe_gaps(report, fabric, lids, out);
  for (std::size_t i = 1; i < report.components.size() && i <= problems_max; ++i) {
    const ConnectedComponent& component = report.components[i];
    const std::string first = fabric.name(fabric.switches[component.first].node);
    out.push_back(component.switches == 1
                      ? fmt::format("switch {} is cut off from the fabric", first)
                      : fmt::format("{} switches with {} LIDs are cut off from the fabric, among "
                                    "them {}",
                                    component.switches, component.lids, first));
  }
  for (std::size_t i = 0; i < report.small_switches.size() && i < problems_max; ++i) {
    const fabric::Switch& sw = fabric.switches[report.small_switches[i]];
    out.push_back(
        fmt::format("the forwarding table of switch {} holds {} LIDs only; the highest LID is {}",
                    fabric.name(sw.node), sw.info.linear_fdb_cap(), lids.lid_top));
  }
  if (report.stopped_by_small > 0)
    out.push_back(fmt::format("{} pairs of switch and LID are cut off by tables that are too small",
                              report.stopped_by_small));
  return out;
}

}  // namespace routing
