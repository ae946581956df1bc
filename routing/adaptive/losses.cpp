#include "routing/adaptive/losses.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <utility>

#include "fabric/parallel.h"
#include "routing/adaptive/choices.h"
#include "routing/adaptive/leaves.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::SwitchIndex;

namespace {

/// True if the set of leaves, a bit for each, has the leaf.
bool has_leaf(std::span<const std::uint64_t> leaves, std::size_t leaf) {
  return (leaves[leaf / 64] >> leaf % 64 & 1) != 0;
}

/// The forwarding tables by destination: what one loss needs of them is close together in memory.
class TablesByLeaf {
 public:
  /// Leaves out those of `by_members`: packets to them do not follow the tables.
  TablesByLeaf(const fabric::SwitchGraph& graph, const Leaves& leaves,
               const fabric::ForwardingTables& lfts, std::span<const std::uint64_t> by_members) {
    first_.reserve(leaves.count());
    for (std::size_t leaf = 0; leaf < leaves.count(); ++leaf) {
      first_.push_back(ports_.size());
      if (has_leaf(by_members, leaf)) continue;
      for (const SwitchIndex sw : graph.all_switches())
        for (const std::uint16_t lid : leaves.lids_of_hosts(leaf))
          ports_.push_back(lfts.at(sw, mad::Lid{lid}).value);
    }
  }
  /// Returns the ports to which the switch's table leads the leaf's LIDs of hosts, `count` of them.
  std::span<const std::uint8_t> ports(SwitchIndex sw, std::size_t leaf, std::size_t count) const {
    return std::span(ports_).subspan(first_[leaf] + sw * count, count);
  }

 private:
  std::vector<std::size_t> first_;   // by leaf
  std::vector<std::uint8_t> ports_;  // [leaf][switch][LID of a host]
};

/// Holds the input that all losses share.
struct Intact {
  const fabric::SwitchGraph& graph;
  const TablesByLeaf& tables;
  const Leaves& leaves;
  const Choices& choices;
  const std::vector<std::uint64_t>& by_members;  // leaves whose packets take any member that is up

  SwitchIndex start(ChannelIndex channel) const { return graph.neighbour[graph.reverse[channel]]; }
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
    for (const ChannelIndex channel : channels) stop_at(intact_.start(channel), channel);
    narrow_range(channels);
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

  /// Reduces the range to the leaves that some lost link was the last path to: most losses affect
  /// few of those that they could.
  void narrow_range(std::span<const ChannelIndex> channels) {
    std::size_t first = end_, end = first_;
    for (const ChannelIndex channel : channels)
      for (std::size_t word = first_; word < end_; ++word)
        if (unsafe_.read(intact_.start(channel))[word] != 0) {
          first = std::min(first, word);
          end = std::max(end, word + 1);
        }
    first_ = first;
    end_ = end;
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

/// Evaluates losses if paths follow the forwarding tables, except at switches whose port for the
/// LID is lost: with fast recovery alone, and to switches without a group. Up to 64 LIDs of one
/// leaf are followed at once, each as a bit.
class RecoveryLosses {
 public:
  explicit RecoveryLosses(const Intact& intact)
      : intact_(intact),
        lost_(intact.graph.port.size(), false),
        at_risk_(intact.graph.switches(), 0),
        cut_(intact.graph.switches(), 0),
        changes_(intact.graph.switches(), 0) {}

  Example lose(std::span<const ChannelIndex> channels, LossReport& report) {
    for (const ChannelIndex channel : channels) lost_[channel] = true;
    find_affected_leaves(channels);
    for (const std::uint32_t leaf : leaves_) {
      const std::size_t lids = intact_.leaves.lids_of_hosts(leaf).size();
      for (std::size_t at = 0; at < lids; at += kLidsAtOnce)
        follow({.leaf = leaf, .all = lids, .first = at}, channels);
    }
    for (const ChannelIndex channel : channels) lost_[channel] = false;
    return count(report);
  }

 private:
  struct Lids {  // of hosts at a leaf
    std::uint32_t leaf;
    std::size_t all, first;
  };
  static constexpr std::size_t kLidsAtOnce = 64;
  struct Recovering {
    SwitchIndex sw;
    std::uint64_t lids;  // whose port it has lost
  };
  struct LostAt {
    SwitchIndex sw;
    std::vector<std::uint64_t> channels;  // a bit for each of the switch's
  };
  struct Pair {
    std::uint32_t from, to;  // leaves
    bool is_cut;
    auto operator<=>(const Pair&) const = default;
  };

  bool uses(ChannelIndex channel, std::size_t leaf) const {
    return has_leaf(intact_.choices.over(channel), leaf);
  }
  /// Returns the LIDs, as bits, that the switch's table leads over the channel.
  std::uint64_t led_over(ChannelIndex channel, const Lids& lids) const {
    const auto ports = intact_.tables.ports(intact_.start(channel), lids.leaf, lids.all);
    const std::uint8_t port = intact_.graph.port[channel].value;
    std::uint64_t bits = 0;
    for (std::size_t at = 0; at < std::min(kLidsAtOnce, lids.all - lids.first); ++at)
      bits |= std::uint64_t{ports[lids.first + at] == port} << at;
    return bits;
  }

  /// Finds the leaves to which some switch loses its last port, or one that it does not replace.
  void find_affected_leaves(std::span<const ChannelIndex> channels) {
    leaves_.clear();
    lost_at_.clear();
    for (const ChannelIndex channel : channels) {
      const SwitchIndex sw = intact_.start(channel);
      auto at = std::ranges::find(lost_at_, sw, &LostAt::sw);
      if (at == lost_at_.end())
        at = lost_at_.insert(at, {sw, std::vector<std::uint64_t>(intact_.choices.channel_words())});
      const std::size_t number = channel - intact_.graph.offsets[sw];
      at->channels[number / 64] |= std::uint64_t{1} << number % 64;
    }
    for (std::uint32_t leaf = 0; leaf < intact_.leaves.count(); ++leaf) {
      if (has_leaf(intact_.by_members, leaf)) continue;
      if (std::ranges::any_of(lost_at_, [&](const LostAt& at) { return is_affected(at, leaf); }))
        leaves_.push_back(leaf);
    }
  }
  bool is_affected(const LostAt& at, std::uint32_t leaf) const {
    const auto choices = intact_.choices.channels(at.sw, leaf);
    std::uint64_t lost = 0, left = 0;
    for (std::size_t word = 0; word < choices.size(); ++word) {
      lost |= choices[word] & at.channels[word];
      left |= choices[word] & ~at.channels[word];
    }
    if (lost == 0) return false;
    return left == 0 || has_leaf(intact_.choices.by_table(at.sw), leaf);
  }

  void follow(const Lids& lids, std::span<const ChannelIndex> channels) {
    const std::uint32_t leaf = lids.leaf;
    recovering_.clear();
    for (const ChannelIndex channel : channels)
      if (uses(channel, leaf))
        if (const std::uint64_t bits = led_over(channel, lids); bits != 0)
          recovering_.push_back({intact_.start(channel), bits});
    for (const Recovering& its : recovering_) recover(its, leaf);
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      const SwitchIndex sw = changed_[i];
      const std::uint64_t changes = std::exchange(changes_[sw], 0);
      if (changes == 0) continue;
      const std::uint64_t at_risk = at_risk_[sw] & changes, cut = cut_[sw] & changes;
      for (const ChannelIndex out : intact_.graph.channels(sw)) {
        const ChannelIndex channel = intact_.graph.reverse[out];
        const SwitchIndex before = intact_.graph.neighbour[out];
        const bool is_no_news =
            ((at_risk & ~(at_risk_[before] | cut_[before])) | (cut & ~cut_[before])) == 0;
        if (is_no_news || lost_[channel] || !uses(channel, leaf)) continue;
        const std::uint64_t led = led_over(channel, lids);
        add(before, led & at_risk, led & cut);
      }
      for (const Recovering& its : recovering_) recover(its, leaf);
    }
    for (const SwitchIndex sw : changed_) {
      const std::uint32_t from = intact_.leaves.leaf_of[sw];
      if (from != Leaves::kNone && (at_risk_[sw] | cut_[sw]) != 0)
        pairs_.push_back({.from = from, .to = leaf, .is_cut = cut_[sw] != 0});
      at_risk_[sw] = cut_[sw] = 0;
    }
    changed_.clear();
  }

  /// If the static port is lost, a switch takes any other member that is up.
  void recover(const Recovering& its, std::size_t leaf) {
    if (has_leaf(intact_.choices.by_table(its.sw), leaf)) return add(its.sw, 0, its.lids);
    std::uint64_t any_open = 0, all_kept = ~std::uint64_t{0};
    intact_.choices.for_each(its.sw, leaf, [&](ChannelIndex channel) {
      if (lost_[channel]) return;
      const SwitchIndex next = intact_.graph.neighbour[channel];
      any_open |= ~cut_[next];
      all_kept &= ~(at_risk_[next] | cut_[next]);
    });
    add(its.sw, its.lids & any_open & ~all_kept, its.lids & ~any_open);
  }

  /// A LID that is cut is no longer at risk.
  void add(SwitchIndex sw, std::uint64_t at_risk, std::uint64_t cut) {
    at_risk &= ~(at_risk_[sw] | cut_[sw] | cut);
    cut &= ~cut_[sw];
    if ((at_risk | cut) == 0) return;
    at_risk_[sw] = (at_risk_[sw] & ~cut) | at_risk;
    cut_[sw] |= cut;
    if (changes_[sw] == 0) changed_.push_back(sw);
    changes_[sw] |= at_risk | cut;
  }

  Example count(LossReport& report) {
    if (pairs_.empty()) return std::nullopt;
    // Among equal pairs, one that is cut comes last, and counts.
    std::ranges::sort(pairs_);
    LossReport::Example example;
    bool any = false;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& its = pairs_[i];
      if (i + 1 < pairs_.size() && pairs_[i + 1].from == its.from && pairs_[i + 1].to == its.to)
        continue;
      (its.is_cut ? report.cut : report.at_risk) += 1;
      if (any && (example.is_cut || !its.is_cut)) continue;
      any = true;
      example.pair = {intact_.leaves.switches[its.from], intact_.leaves.switches[its.to]};
      example.is_cut = its.is_cut;
    }
    pairs_.clear();
    return example;
  }

  const Intact& intact_;
  std::vector<bool> lost_;  // by channel
  std::vector<LostAt> lost_at_;
  std::vector<std::uint32_t> leaves_;         // that the loss affects
  std::vector<std::uint64_t> at_risk_, cut_;  // by switch: LIDs of those that are followed, as bits
  std::vector<std::uint64_t> changes_;        // of these: not passed on yet
  std::vector<Recovering> recovering_;
  std::vector<SwitchIndex> changed_;  // in order; a switch may be there several times
  std::vector<Pair> pairs_;  // that are not kept, by leaf and leaf; equal ones may be there
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
  std::vector<std::uint64_t> by_members(choices.words(), 0);
  if (groups != nullptr && settings.choice == LocalChoice::any_member)
    for (std::size_t leaf = 0; leaf < leaves.count(); ++leaf)
      if (groups->group_to[leaves.switches[leaf]] != 0)
        by_members[leaf / 64] |= std::uint64_t{1} << leaf % 64;
  const TablesByLeaf tables(graph, leaves, lfts, by_members);
  const Intact intact{graph, tables, leaves, choices, by_members};
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
