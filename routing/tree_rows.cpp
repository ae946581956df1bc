#include "routing/tree_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "routing/mix.h"
#include "routing/parallel.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

constexpr std::uint8_t kNoPort = mad::kNoPort.value;

class RowMaker {
 public:
  RowMaker(const TreePlan& plan, const TreeTargets& targets, const TreeWays& ways, const Candidates& candidates)
      : plan_(plan), targets_(targets), ways_(ways), candidates_of_(candidates), masks_(plan.input.graph.switches()) {
    const std::size_t size = std::size_t{std::ranges::max(plan.columns.width_max)} * std::ranges::max(plan.columns.cables_max);
    port_of_way_.assign(size, kNoPort);
  }

  void make(SwitchIndex sw, std::span<std::uint8_t> row) {
    begin(sw);
    for (const TreeTargets::Run& run : targets_.runs) {
      if (run.sw == sw) {
        for (std::uint32_t i = run.begin; i < run.end; ++i) row[targets_.lid[i]] = targets_.out[i];
      } else if (select(run.sw)) {
        fill(run, row);
      }
    }
    row[0] = kNoPort;  // where hosts that are not there went
    const std::size_t cap = plan_.input.fabric.switches[sw].info.linear_fdb_cap();
    if (cap < row.size()) std::ranges::fill(row.subspan(cap), kNoPort);
  }

 private:
  using Row = std::span<std::uint8_t>;
  static constexpr std::size_t kWords = 4, kGroupsMax = 64 * kWords;

  void begin(SwitchIndex sw) {
    forget_ways();
    sw_ = sw;
    groups_ = plan_.groups.of(sw);
    std::array<std::uint32_t, kGroupsMax> slots;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      slots[g] = groups_[g].slot;
      for (const std::uint8_t port : plan_.groups.ports(groups_[g])) group_of_port_[port] = static_cast<std::uint8_t>(g);
    }
    candidates_of_.find(sw, std::span(slots).first(groups_.size()), masks_);
    mask_.fill(0);
    candidates_.clear();
    strays_of_port_.fill(0);
    turn_ = static_cast<std::uint32_t>(mix(plan_.input.fabric.nodes[plan_.input.fabric.switches[sw].node].guid.value) >> 40);
  }

  // Takes the candidates for a destination switch; false when it cannot be reached.
  bool select(SwitchIndex to) {
    std::uint64_t any = 0, other = 0;
    for (std::size_t word = 0; word < masks_.words(); ++word) {
      any |= masks_.word(word, to);
      other |= masks_.word(word, to) ^ mask_[word];
    }
    if (any == 0 || other == 0) return any != 0;
    forget_ways();
    candidates_.clear();
    for (std::size_t word = 0; word < masks_.words(); ++word) {
      mask_[word] = masks_.word(word, to);
      for (std::uint64_t bits = mask_[word]; bits != 0; bits &= bits - 1) candidates_.push_back(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
    learn_ways();
    return true;
  }

  // Candidates are all above or all below. Those on another level than the first have no column there.
  void learn_ways() {
    const std::uint32_t level = plan_.levels.level[sw_], other = plan_.levels.level[groups_[candidates_.front()].to];
    const bool in_tree = std::max(level, other) < plan_.levels.height;
    column_level_ = in_tree ? other : 0;
    cable_level_ = in_tree ? std::max(level, other) : 0;
    stride_ = in_tree ? plan_.columns.cables_max[cable_level_] : 1;
    if (column_level_ == 0) return;
    for (const std::size_t g : candidates_) {
      const CableGroup& group = groups_[g];
      if (plan_.levels.level[group.to] != other || plan_.levels.idle[group.to] != 0) continue;
      const auto ports = plan_.groups.ports(group);
      std::uint8_t* const of_column = port_of_way_.data() + plan_.columns.column[group.to] * stride_;
      for (std::size_t cable = 0; cable < stride_; ++cable) of_column[cable] = ports[cable % ports.size()];
    }
  }

  void forget_ways() {
    if (column_level_ == 0) return;
    for (const std::size_t g : candidates_) {
      if (plan_.levels.level[groups_[g].to] != column_level_) continue;
      std::fill_n(port_of_way_.begin() + static_cast<std::ptrdiff_t>(plan_.columns.column[groups_[g].to] * stride_), stride_, kNoPort);
    }
    column_level_ = 0;
  }

  void fill(const TreeTargets::Run& run, Row row) {
    const std::uint16_t* const lid = targets_.lid.data();
    if (candidates_.size() == 1) {
      const auto ports = plan_.groups.ports(groups_[candidates_.front()]);
      if (ports.size() == 1) {
        for (std::uint32_t i = run.begin; i < run.end; ++i) row[lid[i]] = ports[0];
      } else {
        const std::uint8_t* const cable = ways_.cable(cable_level_);
        for (std::uint32_t i = run.begin; i < run.end; ++i) row[lid[i]] = ports[cable[i] % ports.size()];
      }
      return;
    }
    if (column_level_ == 0) {
      for (std::uint32_t i = run.begin; i < run.end; ++i) row[lid[i]] = kNoPort;
      return place_strays(run, row);
    }
    const std::uint16_t* const column = ways_.column(column_level_);
    const std::uint8_t* const cable = ways_.cable(cable_level_);
    const std::uint8_t* const port_of_way = port_of_way_.data();
    std::uint8_t highest = 0;
    if (stride_ == 1) {
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        const std::uint8_t port = port_of_way[column[i]];
        row[lid[i]] = port;
        highest = std::max(highest, port);
      }
    } else {
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        const std::uint8_t port = port_of_way[column[i] * stride_ + cable[i]];
        row[lid[i]] = port;
        highest = std::max(highest, port);
      }
    }
    if (highest == kNoPort) place_strays(run, row);
  }

  // Entries of the run that are still empty.
  void place_strays(const TreeTargets::Run& run, Row row) {
    ports_.clear();
    for (const std::size_t g : candidates_)
      for (const std::uint8_t port : plan_.groups.ports(groups_[g])) {
        ports_.push_back(port);
        used_[port] = 0;
      }
    for (std::uint32_t i = run.begin; i < run.end; ++i) ++used_[row[targets_.lid[i]]];
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      std::uint8_t& entry = row[targets_.lid[i]];
      if (entry != kNoPort || targets_.lid[i] == 0) continue;
      std::size_t at = turn_++ % ports_.size();
      std::tuple<unsigned, unsigned, unsigned> best_cost{};
      for (std::size_t n = 0; n < ports_.size(); ++n) {
        const std::uint8_t port = ports_[at];
        at = at + 1 == ports_.size() ? 0 : at + 1;
        const std::tuple cost(siblings_over(i, group_of_port_[port], row), used_[port], strays_of_port_[port]);
        if (n > 0 && best_cost <= cost) continue;
        best_cost = cost;
        entry = port;
      }
      ++used_[entry];
      if (run.counted) ++strays_of_port_[entry];
    }
  }

  // Other LIDs of the same port that go to the same switch.
  unsigned siblings_over(std::uint32_t i, std::size_t group, Row row) const {
    if (targets_.lid_count[i] == 1) return 0;
    unsigned count = 0;
    const std::uint32_t begin = i - targets_.lid_place[i];
    for (std::uint32_t other = begin; other < begin + targets_.lid_count[i]; ++other) {
      const std::uint8_t port = row[targets_.lid[other]];
      count += other != i && port != kNoPort && group_of_port_[port] == group ? 1u : 0u;
    }
    return count;
  }

  const TreePlan& plan_;
  const TreeTargets& targets_;
  const TreeWays& ways_;
  const Candidates& candidates_of_;
  CandidateMasks masks_;

  // The switch at work.
  SwitchIndex sw_ = kNoIndex;
  std::span<const CableGroup> groups_;
  std::array<std::uint8_t, 256> group_of_port_{};
  std::array<unsigned, 256> strays_of_port_{};
  std::uint32_t turn_ = 0;

  // The candidates at work.
  std::array<std::uint64_t, kWords> mask_{};
  std::vector<std::size_t> candidates_;
  std::uint32_t column_level_ = 0, cable_level_ = 0;  // of the way, where the candidates are looked up; 0: columns do not tell them apart
  std::size_t stride_ = 1;
  std::vector<std::uint8_t> port_of_way_;  // [column][cable]

  std::vector<std::uint8_t> ports_;  // of the candidates
  std::array<unsigned, 256> used_{};
};

}  // namespace

void tree_rows(const TreePlan& plan, const TreeTargets& targets, const TreeWays& ways, const Candidates& candidates, sm::ForwardingTables& lfts) {
  constexpr std::size_t kEntriesWorthAThread = 200'000;
  in_parallel(plan.input.graph.switches(), kEntriesWorthAThread / (targets.entries() + 1) + 1, [&](std::size_t begin, std::size_t end) {
    RowMaker maker(plan, targets, ways, candidates);
    for (std::size_t sw = begin; sw < end; ++sw) maker.make(static_cast<SwitchIndex>(sw), lfts.row(sw));
  });
}

}  // namespace routing
