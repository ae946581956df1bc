#include "routing/sssp.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <cassert>
#include <thread>

#include <fmt/format.h>

#include "routing/destinations.h"
#include "routing/hops.h"
#include "routing/lanes.h"
#include "routing/slot_table.h"
#include "routing/throttled.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

// LIDs of one switch that are routed one after the other.
struct Batch {
  SwitchIndex sw = kNoIndex;
  std::vector<std::uint16_t> lids;
  std::size_t counted = 0;  // so many first ones are of hosts; the ways to switches themselves are no load
};

std::vector<Batch> batches_of(const RoutingInput& input) {
  const PortList compute(input, input.options.compute_nodes), io(input, input.options.io_nodes);
  const std::vector<Target> all = targets(input);
  std::vector<std::uint32_t> hosts(input.graph.switches(), 0);
  for (const Target& target : all) hosts[target.end->sw] += target.is_switch() ? 0u : 1u;
  struct Place {
    unsigned group;  // 0 compute nodes, 1 I/O nodes, 2 others, 3 switches
    std::uint32_t hosts_missing;
    mad::Guid sw;
    mad::PortNum port;
    const Target* target;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  places.reserve(all.size());
  for (const Target& target : all) {
    const unsigned group = target.is_switch() ? 3 : compute.has(target) ? 0 : io.has(target) ? 1 : compute.empty() ? 0 : 2;
    places.push_back({group, kNoIndex - hosts[target.end->sw], input.fabric.nodes[input.fabric.switches[target.end->sw].node].guid, target.end->out, &target});
  }
  std::ranges::sort(places);
  std::vector<Batch> out;
  std::vector<std::size_t> last_of(input.graph.switches(), ~std::size_t{0});  // batch of each switch
  unsigned last_group = 0;
  for (const Place& place : places) {
    const Target& target = *place.target;
    std::size_t& last = last_of[target.end->sw];
    // A switch's own LID comes along with its hosts'.
    if (last == ~std::size_t{0} || !(target.is_switch() || (last + 1 == out.size() && last_group == place.group))) {
      last = out.size();
      out.push_back({target.end->sw, {}, 0});
    }
    last_group = place.group;
    for (unsigned i = 0; i < target.lids.count(); ++i) out[last].lids.push_back(static_cast<std::uint16_t>(target.lids.base.value + i));
    out[last].counted += target.is_switch() ? 0 : target.lids.count();
  }
  return out;
}

// The shortest ways to one switch, nearest sources first.
class Ways {
 public:
  explicit Ways(const RoutingInput& input, const HopTable<std::uint8_t>& hops, const std::vector<std::uint8_t>& open)
      : graph_(input.graph), hops_(hops), sources_(graph_.switches()) {
    for (SwitchIndex sw = 0; sw < graph_.switches(); ++sw) {
      first_.push_back(static_cast<std::uint32_t>(open_.size()));
      for (std::uint32_t slot = graph_.offsets[sw]; slot < graph_.offsets[sw + 1]; ++slot)
        if (open[slot] != 0) open_.push_back({slot, static_cast<std::uint16_t>(graph_.neighbour[slot]), graph_.port[slot].value});
    }
    first_.push_back(static_cast<std::uint32_t>(open_.size()));
    candidates_.resize(open_.size() + 1);
  }

  struct Hop {
    std::uint32_t slot = 0;
    std::uint16_t to = 0;  // a switch has a LID, so there are fewer than 2^16
    std::uint8_t port = 0;
  };
  struct Source {
    SwitchIndex sw;
    std::uint32_t begin, end;  // into hops()
  };
  std::span<const Source> sources() const { return {sources_.data(), count_}; }
  const Hop* hops() const { return candidates_.data(); }

  void find(SwitchIndex to) {
    const std::uint8_t* const distance = hops_.row(to);  // the same both ways: cables are closed in both directions or in none
    std::array<std::uint32_t, 257> begin{};
    for (SwitchIndex sw = 0; sw < graph_.switches(); ++sw) ++begin[distance[sw] + 1u];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    count_ = begin[255];  // all but those without a way
    const std::uint32_t at_home = begin[1];
    sources_.resize(graph_.switches());
    for (SwitchIndex sw = 0; sw < graph_.switches(); ++sw) sources_[begin[distance[sw]]++].sw = sw;
    Hop* next = candidates_.data();
    for (std::size_t i = at_home; i < count_; ++i) {
      Source& source = sources_[i];
      source.begin = static_cast<std::uint32_t>(next - candidates_.data());
      const unsigned nearer = distance[source.sw] - 1u;
      for (std::uint32_t k = first_[source.sw]; k < first_[source.sw + 1]; ++k) {
        *next = open_[k];
        next += distance[open_[k].to] == nearer ? 1 : 0;  // no branch: half of them would go the other way
      }
      source.end = static_cast<std::uint32_t>(next - candidates_.data());
    }
    sources_.erase(sources_.begin(), sources_.begin() + at_home);
    count_ -= at_home;
  }

 private:
  const sm::SwitchGraph& graph_;
  const HopTable<std::uint8_t>& hops_;
  std::vector<Hop> open_;             // all that may be used
  std::vector<std::uint32_t> first_;  // of them, per switch
  std::vector<Source> sources_;
  std::vector<Hop> candidates_;
  std::size_t count_ = 0;
};

// Routes one batch after the other on its own picture of the loads.
class Balancer {
 public:
  Balancer(const RoutingInput& input, const HopTable<std::uint8_t>& hops, const std::vector<std::uint8_t>& open, const std::vector<std::uint32_t>& senders,
           const std::vector<std::uint8_t>& home_port, sm::ForwardingTables& lfts, bool last_of_equals = false)
      : load(input.graph.port.size(), 0),
        input_(input),
        ways_(input, hops, open),
        slots_(input.graph),
        senders_(senders),
        home_port_(home_port),
        lfts_(lfts),
        flip_(last_of_equals ? 0xFFu : 0u),
        cost_(input.graph.switches()),
        carried_(input.graph.switches()),
        via_(input.graph.switches()) {}

  std::vector<std::uint32_t> load;  // per slot: pairs of host LIDs over it

  /// `again`: it was routed before, on tables that hold all LIDs, and chooses once more among what all others have left.
  void route(const Batch& batch, bool again = false) {
    ways_.find(batch.sw);
    ports_.resize(input_.graph.switches() * kLidsAtOnce);
    for (std::size_t first = 0; first < batch.lids.size(); first += kLidsAtOnce) {
      const std::size_t count = std::min(kLidsAtOnce, batch.lids.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        const bool counted = first + i < batch.counted;
        if (again && counted) take_back(mad::Lid{batch.lids[first + i]});
        choose(batch.sw, i);
        if (counted) carry(1);
      }
      write(batch, first, count);
    }
  }

 private:
  static constexpr std::size_t kLidsAtOnce = 64;

  void choose(SwitchIndex home, std::size_t column) {
    const Ways::Hop* const hops = ways_.hops();
    std::uint8_t* const ports = ports_.data() + column * input_.graph.switches();
    std::uint64_t* const cost = cost_.data();
    const std::uint32_t* const loads = load.data();
    const std::uint64_t flip = flip_;
    cost[home] = 0;
    for (const Ways::Source& source : ways_.sources()) {
      // The load and, below it, which candidate it is: so one minimum finds both, and the first (or last) of equals. Loads of ways are below 2^40.
      std::uint64_t best = ~std::uint64_t{0};
      const Ways::Hop* const candidates = hops + source.begin;
      const std::uint32_t count = source.end - source.begin;
      for (std::uint32_t i = 0; i < count; ++i) best = std::min(best, (cost[candidates[i].to] + loads[candidates[i].slot]) << 8 | (i ^ flip));
      const Ways::Hop& hop = candidates[(best & 0xFF) ^ flip];
      cost[source.sw] = best >> 8;
      via_[source.sw] = hop;
      ports[source.sw] = hop.port;
    }
  }

  void take_back(mad::Lid lid) {
    for (const Ways::Source& source : ways_.sources()) {
      const std::uint32_t slot = slots_.slot(source.sw, lfts_.at(source.sw, lid).value);
      assert(slot != kNoIndex);
      via_[source.sw] = {slot, static_cast<std::uint16_t>(input_.graph.neighbour[slot]), 0};
    }
    carry(~std::uint32_t{0});
  }

  // Adds the load of the chosen ways; times -1 (modulo 2^32) takes it away.
  void carry(std::uint32_t times) {
    std::ranges::copy(senders_, carried_.begin());
    const auto sources = ways_.sources();
    for (std::size_t i = sources.size(); i-- > 0;) {
      const SwitchIndex sw = sources[i].sw;
      load[via_[sw].slot] += times * carried_[sw];
      carried_[via_[sw].to] += carried_[sw];
    }
  }

  void write(const Batch& batch, std::size_t first, std::size_t count) {
    const std::uint16_t* const lids = batch.lids.data() + first;
    const auto write_row = [&](SwitchIndex sw, auto&& port_of) {
      const std::size_t cap = input_.fabric.switches[sw].info.linear_fdb_cap();
      std::uint8_t* const row = lfts_.row(sw).data();
      for (std::size_t i = 0; i < count; ++i)
        if (lids[i] < cap) row[lids[i]] = port_of(i);
    };
    const auto sources = ways_.sources();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      constexpr std::size_t kAhead = 12;  // rows that are on their way from memory
      if (i + kAhead < sources.size()) __builtin_prefetch(lfts_.row(sources[i + kAhead].sw).data() + lids[0], 1);
      write_row(sources[i].sw, [&](std::size_t lid) { return ports_[lid * input_.graph.switches() + sources[i].sw]; });
    }
    write_row(batch.sw, [&](std::size_t i) { return home_port_[lids[i]]; });
  }

  const RoutingInput& input_;
  Ways ways_;
  const SlotTable slots_;
  const std::vector<std::uint32_t>& senders_;    // per switch: host LIDs there
  const std::vector<std::uint8_t>& home_port_;  // by LID
  sm::ForwardingTables& lfts_;
  const std::uint64_t flip_;  // turns the order of candidates round
  std::vector<std::uint64_t> cost_;       // per switch: sum of the loads on its way
  std::vector<std::uint32_t> carried_;    // per switch: senders there and behind it
  std::vector<Ways::Hop> via_;
  std::vector<std::uint8_t> ports_;       // [LID of the batch][switch]
};

// Rounds of two batches, one for each balancer; then both see the loads of both.
void route_all(const std::vector<Batch>& batches, Balancer& even, Balancer& odd) {
  std::vector<std::uint32_t> before = even.load;
  const std::size_t rounds = (batches.size() + 1) / 2;
  const auto join_loads = [&]() noexcept {
    for (std::size_t slot = 0; slot < before.size(); ++slot) before[slot] = even.load[slot] = odd.load[slot] = even.load[slot] + odd.load[slot] - before[slot];
  };
  const auto odd_batch = [&](std::size_t round) {
    if (2 * round + 1 < batches.size()) odd.route(batches[2 * round + 1]);
  };
  if (std::thread::hardware_concurrency() < 2) {
    for (std::size_t round = 0; round < rounds; ++round) {
      even.route(batches[2 * round]);
      odd_batch(round);
      join_loads();
    }
    return;
  }
  std::barrier round_done(2, join_loads);
  const std::jthread other([&] {
    for (std::size_t round = 0; round < rounds; ++round) {
      odd_batch(round);
      round_done.arrive_and_wait();
    }
  });
  for (std::size_t round = 0; round < rounds; ++round) {
    even.route(batches[2 * round]);
    round_done.arrive_and_wait();
  }
}

}  // namespace

tl::expected<RoutingResult, Refusal> sssp(const RoutingInput& input) {
  RoutingResult result{.lfts = sm::ForwardingTables(input.graph.switches(), input.lids.lid_top)};
  if (!input.options.hop_weights.empty()) result.notes.push_back("hop weights do not count: ways are weighed by their load");
  const std::vector<std::uint8_t> open = open_slots(input, result.notes);
  const auto hops = unit_hops_over(input.graph, open);
  if (input.graph.switches() > 0xFFFF) return tl::unexpected(Refusal{"there are more switches than LIDs"});
  if (!hops) return tl::unexpected(Refusal{"some switches are more than 254 hops apart"});
  std::vector<std::uint32_t> senders(input.graph.switches(), 0);
  std::vector<std::uint8_t> home_port(input.lids.lid_top.value + std::size_t{1}, mad::kNoPort.value);
  for (const Target& target : targets(input)) {
    if (!target.is_switch()) senders[target.end->sw] += target.lids.count();
    std::fill_n(home_port.begin() + target.lids.base.value, target.lids.count(), target.end->out.value);
  }
  const std::vector<Batch> batches = batches_of(input);
  constexpr std::size_t kBatchesWorthAThread = 200;
  Balancer even(input, *hops, open, senders, home_port, result.lfts);
  if (batches.size() < kBatchesWorthAThread) {
    // The first destinations knew nothing of the others: on small fabrics each of them counts, and choosing again costs little.
    const bool all_fit = std::ranges::all_of(input.fabric.switches, [&](const sm::Switch& sw) { return sw.info.linear_fdb_cap() > input.lids.lid_top.value; });
    for (int pass = 0; pass < (all_fit ? 3 : 1); ++pass)
      for (const Batch& batch : batches) even.route(batch, pass > 0);
    return result;
  }
  // They see the same loads: so that they do not choose the same ways, one takes the first of equals and the other the last.
  Balancer odd(input, *hops, open, senders, home_port, result.lfts, true);
  route_all(batches, even, odd);
  return result;
}

tl::expected<RoutingResult, Refusal> dfsssp(const RoutingInput& input) {
  auto result = sssp(input);
  if (!result) return result;
  const unsigned vls = data_vls(input);
  auto lanes = assign_lanes(input, result->lfts, vls);
  if (!lanes) return tl::unexpected(std::move(lanes.error()));
  result->sls = std::move(lanes->sls);
  result->vls = lanes->vls;
  result->vl_weights = std::move(lanes->weights);
  if (result->vls > 1) result->sl_to_vl = SlToVl::identity(result->vls);
  result->notes.push_back(fmt::format("dfsssp: {} of {} virtual lanes keep packets from waiting for each other in a circle, {} share the load", lanes->needed,
                                      vls, lanes->vls));
  return result;
}

}  // namespace routing
