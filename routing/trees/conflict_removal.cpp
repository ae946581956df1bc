#include "routing/trees/conflict_removal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <ranges>

#include "routing/graph/channel_table.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

constexpr unsigned kHopsMax = 64;

/// The cost of one flow more where there are so many. A link with three flows stands for a third of
/// the bandwidth, so it costs more than any number of links with two.
constexpr std::array<float, 256> kWeight = [] {
  std::array<float, 256> out{};
  float weight = 1;
  for (std::size_t load = 0; load < out.size(); ++load) {
    out[load] = weight;
    weight *= load == 0 ? 6.0f : load < 20 ? 30.0f : 1.015f;
  }
  return out;
}();
constexpr float kLost = 1e34f;  // of a path that does not arrive

/// Holds the candidates of all switches, by switch and destination switch.
class CandidateLists {
 public:
  CandidateLists(const fabric::SwitchGraph& graph, const Candidates& candidates) : graph_(graph) {
    CandidateMasks masks(graph.switches());
    std::vector<ChannelIndex> channels;
    for (const SwitchIndex sw : graph.all_switches()) {
      channels.clear();
      for (const ChannelIndex channel : graph.channels(sw)) channels.push_back(channel);
      candidates.find(sw, channels, masks);
      first_.push_back(words_.size());
      words_of_.push_back(static_cast<std::uint8_t>(masks.words()));
      for (const SwitchIndex to : graph.all_switches())
        for (std::size_t word = 0; word < masks.words(); ++word)
          words_.push_back(masks.word(word, to));
    }
  }
  /// Fills `out` with the channels from `sw` that lead on towards `to`.
  void find(SwitchIndex sw, SwitchIndex to, std::vector<ChannelIndex>& out) const {
    out.clear();
    const std::uint64_t* const words = words_.data() + first_[sw] + to * words_of_[sw];
    for (std::size_t word = 0; word < words_of_[sw]; ++word)
      for (std::uint64_t bits = words[word]; bits != 0; bits &= bits - 1)
        out.push_back(graph_.offsets[sw] +
                      static_cast<std::uint32_t>(word * 64 +
                                                 static_cast<std::size_t>(std::countr_zero(bits))));
  }

 private:
  const fabric::SwitchGraph& graph_;
  std::vector<std::size_t> first_;
  std::vector<std::uint8_t> words_of_;
  std::vector<std::uint64_t> words_;
};

/// Consecutive samples of shifts.
struct Samples {
  std::uint32_t begin, end;
};

using Load = std::uint16_t;  // flows; a cable between two fabrics may have as many as hosts

class ConflictRemover {
 public:
  ConflictRemover(const RoutingInput& input, const Candidates& candidates,
                  std::span<const OrderedHost> hosts, unsigned stride,
                  fabric::ForwardingTables& lfts)
      : graph_(input.graph),
        lists_(input.graph, candidates),
        channels_(input.graph),
        hosts_(hosts),
        stride_(std::max(1u, stride)),
        samples_((hosts.size() + stride_ - 1) / stride_),
        lfts_(lfts),
        load_(graph_.port.size() * samples_, 0),
        next_(graph_.switches(), kNoIndex),
        sources_(graph_.switches()),
        hops_(graph_.switches(), 0) {
    for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
      if (i == 0 || hosts_[i].sw != hosts_[i - 1].sw) blocks_.push_back({hosts_[i].sw, i, i});
      blocks_.back().end = i + 1;
    }
  }

  std::size_t run(unsigned passes) {
    for (std::uint32_t to = 0; to < hosts_.size(); ++to) {
      trace(to);
      for (std::size_t hops = far_.size(); hops-- > 1;)
        for (const SwitchIndex sw : far_[hops]) {
          for (const Samples& part : sources_[sw]) add(next_[sw], part, 1);
          pass_on(sw, hosts_[to].sw);
        }
      clear();
    }
    if (std::ranges::none_of(load_, [](Load load) { return load > 1; })) return 0;
    std::size_t moved = 0;
    for (unsigned pass = 0; pass < passes; ++pass)
      for (std::uint32_t to = 0; to < hosts_.size(); ++to) moved += improve(to);
    return moved;
  }

 private:
  struct Block {  // hosts of one switch in sequence
    SwitchIndex sw;
    std::uint32_t begin, end;
  };

  Load* loads(ChannelIndex channel) { return load_.data() + channel * samples_; }

  ChannelIndex channel_to(SwitchIndex sw, mad::Lid lid) const {
    return channels_.channel(sw, lfts_.at(sw, lid).value);
  }

  /// Adds the samples in which hosts begin .. end send to host `to`.
  void add_samples(std::uint32_t to, std::uint32_t begin, std::uint32_t end,
                   std::vector<Samples>& out) const {
    const auto count = static_cast<std::uint32_t>(hosts_.size());
    const auto add_range = [&](std::uint32_t first, std::uint32_t last) {  // shifts first..last
      const Samples part{(first + stride_ - 1) / stride_, last / stride_ + 1};
      if (part.begin < part.end) out.push_back(part);
    };
    // Host i reaches `to` by the shift to - i, modulo the number of hosts.
    if (begin <= to) add_range(to - (std::min(end, to + 1) - 1), to - begin);
    if (end > to + 1) {
      const std::uint32_t from = std::max(begin, to + 1);
      add_range(to + count - (end - 1), to + count - from);
    }
  }

  /// Follows the paths to a host: fills next_, far_ and sources_ (those of hosts on the switch).
  void trace(std::uint32_t to) {
    const OrderedHost& host = hosts_[to];
    for (const Block& block : blocks_) {
      if (block.sw == host.sw) continue;
      join(block.sw, host);
      if (next_[block.sw] != kNoIndex) add_samples(to, block.begin, block.end, sources_[block.sw]);
    }
  }

  /// Adds a switch, and those on its path, to the switches with packets to a host.
  void join(SwitchIndex sw, const OrderedHost& host) {
    path_.clear();
    for (; sw != host.sw && next_[sw] == kNoIndex; sw = graph_.neighbour[next_[sw]]) {
      next_[sw] = channel_to(sw, host.lid);
      path_.push_back(sw);
      if (next_[sw] != kNoIndex) continue;
      for (const SwitchIndex on : path_) next_[on] = kNoIndex;  // a table on the way is too small
      return;
    }
    std::size_t hops = sw == host.sw ? 0 : hops_[sw];
    for (const SwitchIndex on : path_ | std::views::reverse) {
      hops_[on] = static_cast<std::uint16_t>(++hops);
      if (far_.size() <= hops) far_.resize(hops + 1);
      far_[hops].push_back(on);
    }
  }

  /// Adds the samples of a switch to those of the next one.
  void pass_on(SwitchIndex sw, SwitchIndex last) {
    const SwitchIndex other = graph_.neighbour[next_[sw]];
    if (other == last) return;
    sources_[other].insert(sources_[other].end(), sources_[sw].begin(), sources_[sw].end());
  }

  void clear() {
    for (std::vector<SwitchIndex>& some : far_) {
      for (const SwitchIndex sw : some) {
        next_[sw] = kNoIndex;
        sources_[sw].clear();
      }
      some.clear();
    }
  }

  void add(ChannelIndex channel, Samples part, int what) {
    Load* const load = loads(channel);
    for (std::uint32_t i = part.begin; i < part.end; ++i)
      load[i] = static_cast<Load>(load[i] + what);
  }

  void add_path(SwitchIndex sw, SwitchIndex last, std::span<const Samples> parts, int what) {
    for (unsigned hops = 0; sw != last && hops < kHopsMax; ++hops) {
      for (const Samples& part : parts) add(next_[sw], part, what);
      sw = graph_.neighbour[next_[sw]];
    }
  }

  float weight(ChannelIndex channel, std::span<const Samples> parts) {
    const Load* const load = loads(channel);
    float sum = 0;
    for (const Samples& part : parts)
      for (std::uint32_t i = part.begin; i < part.end; ++i)
        sum += kWeight[std::min<std::size_t>(load[i], kWeight.size() - 1)];
    return sum;
  }

  const fabric::SwitchGraph& graph_;
  const CandidateLists lists_;
  const ChannelTable channels_;
  const std::span<const OrderedHost> hosts_;
  const std::uint32_t stride_;
  const std::size_t samples_;
  fabric::ForwardingTables& lfts_;
  std::vector<Load> load_;  // [channel][sample]
  std::vector<Block> blocks_;
  std::vector<ChannelIndex> next_;             // by switch, for the current host
  std::vector<std::vector<Samples>> sources_;  // by switch, for the current host
  std::vector<std::uint16_t> hops_;            // by switch, for the current host
  std::vector<std::vector<SwitchIndex>> far_;  // by hops: switches with packets to the host
  std::vector<SwitchIndex> path_;
  std::vector<ChannelIndex> found_;

  std::size_t improve(std::uint32_t to);
  ChannelIndex best_channel(SwitchIndex sw, const OrderedHost& host);
};

ChannelIndex ConflictRemover::best_channel(SwitchIndex sw, const OrderedHost& host) {
  const std::span<const Samples> parts = sources_[sw];
  ChannelIndex best = next_[sw];
  float least = -1;
  const auto path_weight = [&](ChannelIndex channel) {
    float sum = weight(channel, parts);
    SwitchIndex at = graph_.neighbour[channel];
    for (unsigned hops = 0; at != host.sw; ++hops) {
      const ChannelIndex next = next_[at] != kNoIndex ? next_[at] : channel_to(at, host.lid);
      if (next == kNoIndex || hops > kHopsMax || (least >= 0 && sum >= least)) return kLost;
      sum += weight(next, parts);
      at = graph_.neighbour[next];
    }
    return sum;
  };
  least = path_weight(best);
  for (const ChannelIndex channel : found_) {
    if (channel == next_[sw]) continue;
    const float sum = path_weight(channel);
    if (sum >= least) continue;
    least = sum;
    best = channel;
  }
  return best;
}

std::size_t ConflictRemover::improve(std::uint32_t to) {
  const OrderedHost& host = hosts_[to];
  trace(to);
  std::size_t moved = 0;
  for (std::size_t hops = far_.size(); hops-- > 1;)
    for (std::size_t n = 0; n < far_[hops].size(); ++n) {
      const SwitchIndex sw = far_[hops][n];
      lists_.find(sw, host.sw, found_);
      if (found_.size() > 1 && !sources_[sw].empty()) {
        add_path(sw, host.sw, sources_[sw], -1);
        if (const ChannelIndex best = best_channel(sw, host); best != next_[sw]) {
          next_[sw] = best;
          lfts_.writable_row(sw)[host.lid.value] = graph_.port[best].value;
          ++moved;
          join(graph_.neighbour[best], host);
        }
        add_path(sw, host.sw, sources_[sw], 1);
      }
      pass_on(sw, host.sw);
    }
  clear();
  return moved;
}

}  // namespace

RemovalEffort effort_for(std::size_t hosts, std::size_t channels) {
  constexpr std::size_t kFewHosts = 2000, kBytesMax = std::size_t{128} << 20;
  const std::size_t stride = std::max(hosts <= kFewHosts ? std::size_t{1} : std::size_t{4},
                                      hosts * channels * sizeof(Load) / kBytesMax + 1);
  return {.stride = static_cast<unsigned>(stride), .passes = 2};
}

std::size_t remove_conflicts(const RoutingInput& input, const Candidates& candidates,
                             std::span<const OrderedHost> hosts, const RemovalEffort& effort,
                             fabric::ForwardingTables& lfts) {
  if (hosts.size() < 2) return 0;
  return ConflictRemover(input, candidates, hosts, effort.stride, lfts).run(effort.passes);
}

}  // namespace routing
