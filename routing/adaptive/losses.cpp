#include "routing/adaptive/losses.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <span>

#include "fabric/parallel.h"
#include "routing/adaptive/choices.h"
#include "routing/adaptive/leaves.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::SwitchIndex;

namespace {

/// Holds the input that all losses share.
struct Intact {
  const fabric::SwitchGraph& graph;
  const fabric::ForwardingTables& lfts;
  const Leaves& leaves;
  const Choices& choices;
  std::vector<std::uint64_t> by_members;  // leaves whose packets take any member that is up
};
using Example = std::optional<LossReport::Example>;

/// Bits by switch; clearing them costs only as much as was set.
class SwitchBits {
 public:
  SwitchBits(std::size_t switches, std::size_t words)
      : words_(words), bits_(switches * words, 0), is_used_(switches, 0) {}
  std::span<std::uint64_t> of(SwitchIndex sw) {
    if (is_used_[sw] == 0) used_.push_back(sw);
    is_used_[sw] = 1;
    return std::span(bits_).subspan(sw * words_, words_);
  }
  std::span<const std::uint64_t> read(SwitchIndex sw) const {
    return std::span(bits_).subspan(sw * words_, words_);
  }
  std::span<const SwitchIndex> used() const { return used_; }
  void clear() {
    for (const SwitchIndex sw : used_) {
      std::ranges::fill(std::span(bits_).subspan(sw * words_, words_), std::uint64_t{0});
      is_used_[sw] = 0;
    }
    used_.clear();
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint8_t> is_used_;
  std::vector<SwitchIndex> used_;
};

/// Evaluates one loss after the other, for all destinations at once: starts at the ends of lost
/// links that cannot forward, and goes back to the switches that choose such a path.
class MemberLosses {
 public:
  explicit MemberLosses(const Intact& intact)
      : intact_(intact),
        lost_(intact.graph.port.size(), false),
        unsafe_(intact.graph.switches(), intact.choices.words()),
        cut_(intact.graph.switches(), intact.choices.words()),
        is_queued_(intact.graph.switches(), 0) {}

  /// Adds the loss to the counts and returns a pair that is not kept.
  Example lose(std::span<const ChannelIndex> channels, LossReport& report) {
    for (const ChannelIndex channel : channels) lost_[channel] = true;
    range(channels);
    for (const ChannelIndex channel : channels) stop_at(start(channel), channel);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const SwitchIndex sw = queue_[i];
      is_queued_[sw] = 0;
      go_back(sw);
    }
    queue_.clear();
    Example example = count(report);
    for (const ChannelIndex channel : channels) lost_[channel] = false;
    unsafe_.clear();
    cut_.clear();
    return example;
  }

 private:
  SwitchIndex start(ChannelIndex channel) const {
    return intact_.graph.neighbour[intact_.graph.reverse[channel]];
  }

  /// Sets the range of words that contains all leaves that the loss can affect.
  void range(std::span<const ChannelIndex> channels) {
    first_ = intact_.choices.words();
    end_ = 0;
    for (const ChannelIndex channel : channels) {
      const auto over = intact_.choices.over(channel);
      for (std::size_t word = 0; word < over.size(); ++word) {
        if ((over[word] & intact_.by_members[word]) == 0) continue;
        first_ = std::min(first_, word);
        end_ = std::max(end_, word + 1);
      }
    }
  }

  /// Finds destinations for which no port is left.
  void stop_at(SwitchIndex sw, ChannelIndex channel) {
    const auto over = intact_.choices.over(channel);
    bool any = false;
    for (std::size_t word = first_; word < end_; ++word) {
      std::uint64_t left = 0;
      for (const ChannelIndex other : intact_.graph.channels(sw))
        if (!lost_[other]) left |= intact_.choices.over(other)[word];
      const std::uint64_t dead = over[word] & ~left & intact_.by_members[word];
      if (dead == 0) continue;
      unsafe_.of(sw)[word] |= dead;
      cut_.of(sw)[word] |= dead;
      any = true;
    }
    if (any) enqueue(sw);
  }

  void enqueue(SwitchIndex sw) {
    if (is_queued_[sw] != 0) return;
    is_queued_[sw] = 1;
    queue_.push_back(sw);
  }

  void go_back(SwitchIndex sw) {
    for (const ChannelIndex out : intact_.graph.channels(sw)) {
      const ChannelIndex channel = intact_.graph.reverse[out];
      if (lost_[channel]) continue;
      const SwitchIndex before = intact_.graph.neighbour[out];
      const auto over = intact_.choices.over(channel);
      bool changed = false;
      for (std::size_t word = first_; word < end_; ++word) {
        const std::uint64_t unsafe = over[word] & unsafe_.read(sw)[word];
        if (unsafe == 0) continue;
        if ((unsafe & ~unsafe_.read(before)[word]) != 0) {
          unsafe_.of(before)[word] |= unsafe;
          changed = true;
        }
        const std::uint64_t cut = over[word] & cut_.read(sw)[word] & ~cut_.read(before)[word];
        if (cut == 0) continue;
        const std::uint64_t all = cut & ~open_over(before, word);
        if (all == 0) continue;
        cut_.of(before)[word] |= all;
        changed = true;
      }
      if (changed) enqueue(before);
    }
  }

  /// Returns the destinations to which some choice at the switch still leads.
  std::uint64_t open_over(SwitchIndex sw, std::size_t word) const {
    std::uint64_t open = 0;
    for (const ChannelIndex channel : intact_.graph.channels(sw))
      if (!lost_[channel])
        open |= intact_.choices.over(channel)[word] &
                ~cut_.read(intact_.graph.neighbour[channel])[word];
    return open;
  }

  Example count(LossReport& report) {
    LossReport::Example example;
    bool any = false;
    for (const SwitchIndex sw : unsafe_.used()) {
      if (intact_.leaves.leaf_of[sw] == Leaves::kNone) continue;
      for (std::size_t word = first_; word < end_; ++word) {
        const std::uint64_t unsafe = unsafe_.read(sw)[word], cut = cut_.read(sw)[word];
        if (unsafe == 0) continue;
        report.cut += static_cast<unsigned>(std::popcount(cut));
        report.at_risk += static_cast<unsigned>(std::popcount(unsafe & ~cut));
        const std::uint64_t shown = cut != 0 ? cut : unsafe;
        const LossReport::Pair pair{
            sw,
            intact_.leaves.switches[word * 64 + static_cast<unsigned>(std::countr_zero(shown))]};
        if (!any || (cut != 0 && !example.is_cut)) {
          example.pair = pair;
          example.is_cut = cut != 0;
        }
        any = true;
      }
    }
    return any ? Example(std::move(example)) : std::nullopt;
  }

  const Intact& intact_;
  std::vector<bool> lost_;   // by channel
  SwitchBits unsafe_, cut_;  // by switch: leaves that some choice, or every choice, does not reach
  std::vector<std::uint8_t> is_queued_;
  std::vector<SwitchIndex> queue_;
  std::size_t first_ = 0, end_ = 0;
};

/// Evaluates losses if paths follow the forwarding tables, LID by LID, except at switches whose
/// port for the LID is lost: with fast recovery alone, and to switches without a group.
class RecoveryLosses {
 public:
  explicit RecoveryLosses(const Intact& intact)
      : intact_(intact),
        lost_(intact.graph.port.size(), false),
        state_(intact.graph.switches(), State::kept) {}

  Example lose(std::span<const ChannelIndex> channels, LossReport& report) {
    for (const ChannelIndex channel : channels) lost_[channel] = true;
    for (std::size_t leaf = 0; leaf < intact_.leaves.count(); ++leaf) {
      if ((intact_.by_members[leaf / 64] >> leaf % 64 & 1) != 0) continue;
      if (std::ranges::none_of(channels, [&](ChannelIndex channel) { return uses(channel, leaf); }))
        continue;
      for (const std::uint16_t lid : intact_.leaves.lids_of_hosts(leaf))
        follow(mad::Lid{lid}, leaf, channels);
    }
    for (const ChannelIndex channel : channels) lost_[channel] = false;
    return count(report);
  }

 private:
  enum class State : std::uint8_t { kept, at_risk, cut };

  bool uses(ChannelIndex channel, std::size_t leaf) const {
    return (intact_.choices.over(channel)[leaf / 64] >> leaf % 64 & 1) != 0;
  }
  bool is_static(ChannelIndex channel, mad::Lid lid) const {
    const SwitchIndex sw = intact_.graph.neighbour[intact_.graph.reverse[channel]];
    return intact_.lfts.at(sw, lid) == intact_.graph.port[channel];
  }

  void follow(mad::Lid lid, std::size_t leaf, std::span<const ChannelIndex> channels) {
    recovering_.clear();
    for (const ChannelIndex channel : channels)
      if (uses(channel, leaf) && is_static(channel, lid))
        recovering_.push_back(intact_.graph.neighbour[intact_.graph.reverse[channel]]);
    if (recovering_.empty()) return;
    for (const SwitchIndex sw : recovering_) recover(sw, leaf);
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      const SwitchIndex sw = changed_[i];
      for (const ChannelIndex out : intact_.graph.channels(sw)) {
        const ChannelIndex channel = intact_.graph.reverse[out];
        if (!lost_[channel] && uses(channel, leaf) && is_static(channel, lid))
          set(intact_.graph.neighbour[out], state_[sw]);
      }
      for (const SwitchIndex other : recovering_) recover(other, leaf);
    }
    for (const SwitchIndex sw : changed_) {
      const std::uint32_t from = intact_.leaves.leaf_of[sw];
      if (from != Leaves::kNone) {
        State& worst = pairs_[{from, static_cast<std::uint32_t>(leaf)}];
        worst = std::max(worst, state_[sw]);
      }
    }
    for (const SwitchIndex sw : changed_) state_[sw] = State::kept;
    changed_.clear();
  }

  /// If the static port is lost, a switch takes any other member that is up.
  void recover(SwitchIndex sw, std::size_t leaf) {
    if ((intact_.choices.by_table(sw)[leaf / 64] >> leaf % 64 & 1) != 0) return set(sw, State::cut);
    bool any_kept = false, all_kept = true;
    intact_.choices.for_each(sw, leaf, [&](ChannelIndex channel) {
      if (lost_[channel]) return;
      const State next = state_[intact_.graph.neighbour[channel]];
      any_kept |= next != State::cut;
      all_kept &= next == State::kept;
    });
    set(sw, !any_kept ? State::cut : all_kept ? State::kept : State::at_risk);
  }

  void set(SwitchIndex sw, State state) {
    if (state <= state_[sw]) return;
    state_[sw] = state;
    changed_.push_back(sw);
  }

  Example count(LossReport& report) {
    if (pairs_.empty()) return std::nullopt;
    LossReport::Example example;
    for (const auto& [pair, state] : pairs_) {
      (state == State::cut ? report.cut : report.at_risk) += 1;
      if (example.is_cut || (&pair != &pairs_.begin()->first && state != State::cut)) continue;
      example.pair = {intact_.leaves.switches[pair.first], intact_.leaves.switches[pair.second]};
      example.is_cut = state == State::cut;
    }
    pairs_.clear();
    return example;
  }

  const Intact& intact_;
  std::vector<bool> lost_;               // by channel
  std::vector<State> state_;             // by switch, of the LID that is followed
  std::vector<SwitchIndex> recovering_;  // their port for the LID is lost
  std::vector<SwitchIndex> changed_;     // in order; a switch may be there twice
  std::map<std::pair<std::uint32_t, std::uint32_t>, State> pairs_;  // by leaf and leaf
};

/// Returns the losses to try: each link, or samples; the lower channel stands for a link.
std::vector<std::vector<ChannelIndex>> draw_losses(const fabric::SwitchGraph& graph,
                                                   const LossSettings& settings,
                                                   std::size_t& links) {
  std::vector<ChannelIndex> all;
  for (const ChannelIndex channel : graph.port.indices())
    if (channel < graph.reverse[channel]) all.push_back(channel);
  links = all.size();
  if (!settings.losses.empty()) return settings.losses;
  std::vector<std::vector<ChannelIndex>> out;
  if (settings.links == 1) {
    for (const ChannelIndex channel : all) out.push_back({channel});
    return out;
  }
  if (settings.links == 0 || all.size() < settings.links) return out;
  std::mt19937_64 random(settings.seed);
  for (std::size_t sample = 0; sample < settings.samples; ++sample) {
    std::vector<ChannelIndex>& loss = out.emplace_back();
    while (loss.size() < settings.links) {
      const ChannelIndex link = all[random() % all.size()];
      if (std::ranges::find(loss, link) == loss.end()) loss.push_back(link);
    }
    std::ranges::sort(loss);
  }
  return out;
}

LossReport try_losses(const Intact& intact, std::span<const std::vector<ChannelIndex>> losses) {
  std::map<std::size_t, LossReport> parts;
  std::mutex mutex;
  constexpr std::size_t kStepsWorthAThread = 200'000;
  fabric::in_parallel(losses.size(), kStepsWorthAThread / (intact.graph.port.size() + 1) + 1,
                      [&](std::size_t begin, std::size_t end) {
                        MemberLosses by_members(intact);
                        RecoveryLosses by_lids(intact);
                        LossReport part;
                        std::vector<ChannelIndex> channels;
                        for (std::size_t i = begin; i < end; ++i) {
                          channels = losses[i];
                          for (const ChannelIndex channel : losses[i])
                            channels.push_back(intact.graph.reverse[channel]);
                          Example example = by_members.lose(channels, part);
                          if (Example other = by_lids.lose(channels, part);
                              other && (!example || (other->is_cut && !example->is_cut)))
                            example = std::move(other);
                          part.losses_without_effect += example ? 0u : 1u;
                          if (!example) continue;
                          example->links = losses[i];
                          part.examples.push_back(std::move(*example));
                        }
                        const std::lock_guard lock(mutex);
                        parts.emplace(begin, std::move(part));
                      });
  LossReport all;
  for (auto& [begin, part] : parts) {
    all.at_risk += part.at_risk;
    all.cut += part.cut;
    all.losses_without_effect += part.losses_without_effect;
    std::ranges::move(part.examples, std::back_inserter(all.examples));
  }
  return all;
}

}  // namespace

LossReport lose_links(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                      const fabric::ForwardingTables& lfts, const fabric::AdaptiveGroups* groups,
                      const LossSettings& settings) {
  const Leaves leaves = find_leaves(graph, lids);
  const Choices choices(graph, leaves, lfts, groups);
  Intact intact{graph, lfts, leaves, choices, std::vector<std::uint64_t>(choices.words(), 0)};
  if (groups != nullptr && settings.choice == LocalChoice::any_member)
    for (std::size_t leaf = 0; leaf < leaves.count(); ++leaf)
      if (groups->group_to[leaves.switches[leaf]] != 0)
        intact.by_members[leaf / 64] |= std::uint64_t{1} << leaf % 64;
  std::size_t links = 0;
  const auto losses = draw_losses(graph, settings, links);
  LossReport report = try_losses(intact, losses);
  report.links = links;
  report.losses = losses.size();
  for (std::size_t leaf = 0; leaf < leaves.count(); ++leaf)
    for (const SwitchIndex from : leaves.switches)
      report.pairs += choices.has_channel(from, leaf) ? 1u : 0u;
  report.tried = report.losses * report.pairs;
  report.kept = report.tried - report.at_risk - report.cut;
  if (report.examples.size() > settings.examples) report.examples.resize(settings.examples);
  return report;
}

}  // namespace routing
