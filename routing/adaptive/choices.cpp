#include "routing/adaptive/choices.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "fabric/parallel.h"
#include "routing/graph/channel_table.h"

namespace routing {

using fabric::AdaptiveGroups;
using fabric::ChannelIndex;
using fabric::GroupId;
using fabric::SwitchIndex;

/// Fills the choices of one switch after the other.
class Choices::Builder {
 public:
  Builder(Choices& out, const Leaves& leaves, const fabric::ForwardingTables& lfts,
          const AdaptiveGroups* groups, const ChannelTable& channels)
      : out_(out), leaves_(leaves), lfts_(lfts), groups_(groups), channels_(channels) {}

  void build(SwitchIndex sw) {
    sw_ = sw;
    index_ = channels_.channel_indices(sw);
    lft_ = lfts_.switches() > sw ? lfts_.row(sw) : std::span<const std::uint8_t>();
    std::vector<std::uint64_t>& sets = out_.sets_[sw];
    sets.assign(out_.channel_words_, 0);
    number_of_.clear();
    leaves_in_.assign(1, 0);
    if (groups_ != nullptr) add_groups(*groups_->rows[sw]);
    std::uint16_t* const set_of = out_.set_of_.data() + sw * out_.leaves_;
    for (std::size_t leaf = 0; leaf < out_.leaves_; ++leaf) {
      set_of[leaf] = 0;
      if (leaves_.switches[leaf] == sw) continue;
      const std::uint16_t in_row = set_in_row(leaf);
      set_of[leaf] = in_row != 0 ? in_row : static_set(leaf);
      ++leaves_in_[set_of[leaf]];
      if (in_row == 0 && set_of[leaf] != 0)
        out_.by_table_[sw * out_.words_ + leaf / 64] |= std::uint64_t{1} << leaf % 64;
      if (in_row != 0) count_outside(leaf, groups_->rows[sw]->sets[in_row]);
    }
    fill_over(set_of);
  }
  std::uint64_t outside() const { return outside_; }

 private:
  std::span<std::uint64_t> set(std::size_t number) {
    return std::span(out_.sets_[sw_]).subspan(number * out_.channel_words_, out_.channel_words_);
  }
  std::uint16_t add_set() {
    out_.sets_[sw_].resize(out_.sets_[sw_].size() + out_.channel_words_, 0);
    leaves_in_.push_back(0);
    return static_cast<std::uint16_t>(leaves_in_.size() - 1);
  }
  void add_port(std::uint16_t number, std::size_t port) {
    const std::uint8_t index = index_[port];
    if (index != ChannelTable::kNoChannel)
      set(number)[index / 64] |= std::uint64_t{1} << index % 64;
  }

  void add_groups(const AdaptiveGroups::Row& row) {
    for (std::size_t i = 1; i < row.sets.size(); ++i) {
      const std::uint16_t number = add_set();
      for (std::size_t port = row.sets[i]._Find_first(); port < row.sets[i].size();
           port = row.sets[i]._Find_next(port))
        add_port(number, port);
    }
  }
  /// The sets of a row keep their numbers.
  std::uint16_t set_in_row(std::size_t leaf) const {
    if (groups_ == nullptr) return 0;
    const GroupId group = groups_->group_to[leaves_.switches[leaf]];
    const AdaptiveGroups::Row& row = *groups_->rows[sw_];
    return group == 0 || group >= row.set_of.size() ? std::uint16_t{0} : row.set_of[group];
  }

  std::uint16_t static_set(std::size_t leaf) {
    std::array<std::uint64_t, 4> ports{};
    for (const std::uint16_t lid : leaves_.lids_of_hosts(leaf)) {
      if (lid >= lft_.size() || index_[lft_[lid]] == ChannelTable::kNoChannel) continue;
      ports[lft_[lid] / 64u] |= std::uint64_t{1} << lft_[lid] % 64u;
    }
    if (ports == std::array<std::uint64_t, 4>{}) return 0;
    for (const auto& [known, number] : number_of_)
      if (known == ports) return number;
    const std::uint16_t number = add_set();
    for (std::size_t port = 0; port < 256; ++port)
      if ((ports[port / 64] >> port % 64 & 1) != 0) add_port(number, port);
    number_of_.emplace_back(ports, number);
    return number;
  }

  void count_outside(std::size_t leaf, const fabric::PortSet& members) {
    for (const std::uint16_t lid : leaves_.lids_of(leaf))
      outside_ +=
          lid < lft_.size() && lft_[lid] != mad::kNoPort.value && !members[lft_[lid]] ? 1u : 0u;
  }

  /// A set of many leaves is added as a whole, a set of few leaves leaf by leaf.
  void fill_over(const std::uint16_t* set_of) {
    const std::size_t words = out_.words_;
    members_.assign(leaves_in_.size() * words, 0);
    for (std::size_t leaf = 0; leaf < out_.leaves_; ++leaf)
      if (leaves_in_[set_of[leaf]] >= words)
        members_[set_of[leaf] * words + leaf / 64] |= std::uint64_t{1} << leaf % 64;
    for (std::size_t number = 1; number < leaves_in_.size(); ++number) {
      if (leaves_in_[number] < words) continue;
      for_each_channel(set(number), [&](std::uint64_t* over) {
        for (std::size_t word = 0; word < words; ++word)
          over[word] |= members_[number * words + word];
      });
    }
    for (std::size_t leaf = 0; leaf < out_.leaves_; ++leaf) {
      if (set_of[leaf] == 0 || leaves_in_[set_of[leaf]] >= words) continue;
      for_each_channel(set(set_of[leaf]), [&](std::uint64_t* over) {
        over[leaf / 64] |= std::uint64_t{1} << leaf % 64;
      });
    }
  }
  template <class Visit>
  void for_each_channel(std::span<const std::uint64_t> channels, Visit&& visit) {
    for (std::size_t word = 0; word < channels.size(); ++word)
      for (std::uint64_t bits = channels[word]; bits != 0; bits &= bits - 1) {
        const std::size_t index = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        visit(out_.over_.data() + (out_.graph_.offsets[sw_] + index) * out_.words_);
      }
  }

  Choices& out_;
  const Leaves& leaves_;
  const fabric::ForwardingTables& lfts_;
  const AdaptiveGroups* const groups_;
  const ChannelTable& channels_;
  std::uint64_t outside_ = 0;

  // This is the state of the current switch.
  SwitchIndex sw_{0};
  const std::uint8_t* index_ = nullptr;  // of channels, by port
  std::span<const std::uint8_t> lft_;
  std::vector<std::pair<std::array<std::uint64_t, 4>, std::uint16_t>> number_of_;  // of ports
  std::vector<std::uint32_t> leaves_in_;                                           // by set
  std::vector<std::uint64_t> members_;  // [set][word]: its leaves, if they are many
};

Choices::Choices(const fabric::SwitchGraph& graph, const Leaves& leaves,
                 const fabric::ForwardingTables& lfts, const AdaptiveGroups* groups)
    : graph_(graph),
      leaves_(leaves.count()),
      words_((leaves_ + 63) / 64),
      sets_(graph.switches()),
      set_of_(graph.switches() * leaves_),
      over_(graph.port.size() * words_, 0),
      by_table_(graph.switches() * words_, 0) {
  for (const SwitchIndex sw : graph.all_switches())
    channel_words_ = std::max(channel_words_, (graph.degree(sw) + 63) / 64);
  const ChannelTable channels(graph);
  std::atomic<std::uint64_t> outside = 0;
  constexpr std::size_t kEntriesWorthAThread = 200'000;
  fabric::in_parallel(graph.switches(), kEntriesWorthAThread / (leaves.lids.size() + 1) + 1,
                      [&](std::size_t begin, std::size_t end) {
                        Builder builder(*this, leaves, lfts, groups, channels);
                        for (auto sw = SwitchIndex(begin); sw < end; ++sw) builder.build(sw);
                        outside += builder.outside();
                      });
  outside_ = outside;
}

}  // namespace routing
