#include "routing/engines/trees/tree_rows.h"

#include <algorithm>
#include <array>
#include <bit>

#include "routing/core/mix.h"
#include "routing/core/parallel.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

constexpr std::uint8_t kNoPort = mad::kNoPort.value;

class RowMaker {
 public:
  RowMaker(const TreePlan& plan, const TreeTargets& targets, const TreeWays& ways,
           const Candidates& candidates)
      : plan_(plan),
        targets_(targets),
        ways_(ways),
        candidates_of_(candidates),
        masks_(plan.input.graph.switches()) {
    const std::size_t size = std::size_t{std::ranges::max(plan.columns.width_max)} *
                             std::ranges::max(plan.columns.cables_max);
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
    drop_ways();
    sw_ = sw;
    groups_ = plan_.groups.of(sw);
    std::array<std::uint32_t, kGroupsMax> slots;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const CableGroup& group = groups_[g];
      const auto ports = plan_.groups.ports(group);
      slots[g] = group.slot;
      level_[g] = plan_.levels.idle[group.to] == 0 ? plan_.levels.level[group.to] : kNoIndex;
      column_[g] = plan_.columns.column[group.to];
      for (const std::uint8_t port : ports) group_of_port_[port] = static_cast<std::uint8_t>(g);
    }
    candidates_of_.find(sw, std::span(slots).first(groups_.size()), masks_);
    mask_.fill(0);
    strays_of_port_.fill(0);
    turn_ = static_cast<std::uint32_t>(
        mix(plan_.input.fabric.nodes[plan_.input.fabric.switches[sw].node].guid.value) >> 40);
  }

  // Takes the candidates for a destination switch; false when it cannot be reached.
  bool select(SwitchIndex to) {
    std::uint64_t any = 0, changed = 0;
    for (std::size_t word = 0; word < masks_.words(); ++word) {
      any |= masks_.word(word, to);
      changed |= masks_.word(word, to) ^ mask_[word];
    }
    if (any == 0 || changed == 0) return any != 0;
    first_ = kGroupsMax;
    only_one_ = true;
    for (std::size_t word = masks_.words(); word-- > 0;) {
      const std::uint64_t bits = masks_.word(word, to);
      if (bits == 0) continue;
      only_one_ &= first_ == kGroupsMax && (bits & (bits - 1)) == 0;
      first_ = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    }
    look_at_level_of(first_);
    for (std::size_t word = 0; word < masks_.words(); ++word) {
      const std::uint64_t before = mask_[word];
      mask_[word] = masks_.word(word, to);
      if (column_level_ == 0) continue;
      for (std::uint64_t bits = before & ~mask_[word]; bits != 0; bits &= bits - 1)
        forget(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      for (std::uint64_t bits = mask_[word] & ~before; bits != 0; bits &= bits - 1)
        learn(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
    return true;
  }

  // Candidates are all above or all below. Those on another level than the first have no column
  // there.
  void look_at_level_of(std::size_t first) {
    const std::uint32_t here = plan_.levels.level[sw_], other = level_[first],
                        cable_level = std::max(here, other);
    const bool in_tree = cable_level < plan_.levels.height;
    if (column_level_ == (in_tree ? other : 0) && cable_level_ == (in_tree ? cable_level : 0))
      return;
    drop_ways();
    column_level_ = in_tree ? other : 0;
    cable_level_ = in_tree ? cable_level : 0;
    stride_ = in_tree ? plan_.columns.cables_max[cable_level_] : 1;
    mask_.fill(0);
  }

  void drop_ways() {
    for_each_candidate([&](std::size_t g) { forget(g); });
    column_level_ = cable_level_ = 0;
  }

  template <class Visit>
  void for_each_candidate(Visit&& visit) const {
    for (std::size_t word = 0; word < kWords; ++word)
      for (std::uint64_t bits = mask_[word]; bits != 0; bits &= bits - 1)
        visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }

  void learn(std::size_t g) {
    if (level_[g] != column_level_) return;
    const auto ports = plan_.groups.ports(groups_[g]);
    std::uint8_t* const of_column = port_of_way_.data() + column_[g] * stride_;
    of_column[0] = ports[0];
    for (std::size_t cable = 1; cable < stride_; ++cable)
      of_column[cable] = ports[cable % ports.size()];
  }

  // If another candidate has the same column, that one's entries are forgotten, too: then they are
  // strays.
  void forget(std::size_t g) {
    if (level_[g] != column_level_) return;
    std::uint8_t* const of_column = port_of_way_.data() + column_[g] * stride_;
    of_column[0] = kNoPort;
    for (std::size_t cable = 1; cable < stride_; ++cable) of_column[cable] = kNoPort;
  }

  void fill(const TreeTargets::Run& run, Row row) {
    const std::uint16_t* const lid = targets_.lid.data();
    const std::uint8_t* const cable = ways_.cable(cable_level_);
    if (only_one_) {
      const auto ports = plan_.groups.ports(groups_[first_]);
      if (ports.size() == 1) {
        for (std::uint32_t i = run.begin; i < run.end; ++i) row[lid[i]] = ports[0];
      } else {
        for (std::uint32_t i = run.begin; i < run.end; ++i)
          row[lid[i]] = ports[cable[i] % ports.size()];
      }
      return;
    }
    if (column_level_ == 0) {
      for (std::uint32_t i = run.begin; i < run.end; ++i) row[lid[i]] = kNoPort;
      return place_strays(run, row);
    }
    const std::uint16_t* const column = ways_.column(column_level_);
    const std::uint8_t* const port_of_way = port_of_way_.data();
    std::uint8_t highest = 0;
    const auto each = [&](std::uint32_t begin, std::uint32_t end, auto&& way_of) {
      for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint8_t port = port_of_way[way_of(i)];
        row[lid[i]] = port;
        highest = std::max(highest, port);
      }
    };
    if (stride_ > 1) {
      each(run.begin, run.end, [&](std::uint32_t i) { return column[i] * stride_ + cable[i]; });
    } else {
      std::uint32_t i = run.begin;
      if (run.consecutive) {
        std::uint8_t* to = row.data() + lid[i];
        for (; i < run.hosts_end; ++i) highest = std::max(highest, *to++ = port_of_way[column[i]]);
      }
      each(i, run.end, [&](std::uint32_t k) { return std::size_t{column[k]}; });
    }
    if (highest == kNoPort) place_strays(run, row);
  }

  // Entries of the run that are still empty.
  void place_strays(const TreeTargets::Run& run, Row row) {
    ports_.clear();
    for_each_candidate([&](std::size_t g) {
      for (const std::uint8_t port : plan_.groups.ports(groups_[g])) {
        ports_.push_back(port);
        used_[port] = 0;
      }
    });
    for (std::uint32_t i = run.begin; i < run.end; ++i) ++used_[row[targets_.lid[i]]];
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      std::uint8_t& entry = row[targets_.lid[i]];
      if (entry != kNoPort || targets_.lid[i] == 0) continue;
      // LIDs of the same host first, then neighbours, then all.
      const auto cost = [&](std::uint8_t port) {
        return std::uint64_t{siblings_over(i, group_of_port_[port], row)} << 48 |
               std::uint64_t{used_[port]} << 24 | strays_of_port_[port];
      };
      std::uint64_t least = ~std::uint64_t{0};
      const std::size_t start = turn_++ % ports_.size();
      for (std::size_t n = 0, at = start; n < ports_.size();
           ++n, at = at + 1 == ports_.size() ? 0 : at + 1) {
        const std::uint64_t other = cost(ports_[at]);
        if (other >= least) continue;
        least = other;
        entry = ports_[at];
      }
      ++used_[entry];
      if (i < run.hosts_end) ++strays_of_port_[entry];
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
  std::array<std::uint32_t, kGroupsMax> level_{},
      column_{};  // of the neighbour, by group; no level if it is idle
  std::array<std::uint8_t, 256> group_of_port_{};
  std::array<std::uint32_t, 256> strays_of_port_{};
  std::uint32_t turn_ = 0;

  // The candidates at work.
  std::array<std::uint64_t, kWords> mask_{};
  std::size_t first_ = 0;
  bool only_one_ = false;
  std::uint32_t
      column_level_ = 0,
      cable_level_ =
          0;  // of the ways, where the candidates are looked up; 0: columns do not tell them apart
  std::size_t stride_ = 1;
  std::vector<std::uint8_t> port_of_way_;  // [column][cable]

  std::vector<std::uint8_t> ports_;  // of the candidates
  std::array<std::uint32_t, 256> used_{};
};

}  // namespace

void tree_rows(const TreePlan& plan, const TreeTargets& targets, const TreeWays& ways,
               const Candidates& candidates, sm::ForwardingTables& lfts) {
  constexpr std::size_t kEntriesWorthAThread = 200'000;
  in_parallel(plan.input.graph.switches(), kEntriesWorthAThread / (targets.entries() + 1) + 1,
              [&](std::size_t begin, std::size_t end) {
                RowMaker maker(plan, targets, ways, candidates);
                for (std::size_t sw = begin; sw < end; ++sw)
                  maker.make(static_cast<SwitchIndex>(sw), lfts.row(sw));
              });
}

}  // namespace routing
