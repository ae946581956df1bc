#include "sm/sweep/decide/lids.h"

#include <algorithm>
#include <array>
#include <bitset>

#include "fabric/plausible.h"
#include "mad/format.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace sm {
namespace {

constexpr std::size_t kMessagesMax =
    32;                               // a fabric with one LID on all ports must not fill the log
constexpr std::size_t kNamesMax = 8;  // ports or switches that one condition names
constexpr unsigned kLids = mad::kUnicastLidMax.value + 1u;

/// Holds LIDs first..first+count-1; first 0 means that there are none.
struct Range {
  unsigned first = 0, count = 0;
  unsigned end() const { return first + count; }
  bool contains(const Range& other) const { return other.first >= first && other.end() <= end(); }
};

/// A Claimant is an end port that is to have LIDs.
struct Claimant {
  EndPortIndex end_port;
  PortIndex port = kNoIndex;
  std::uint8_t lmc = 0;
  bool running = false;  // Armed or Active
  Range now;             // what PortInfo says, with the LMC that it says
  Range recorded;        // what guid2lid says
  Range given;
  unsigned size() const { return 1u << lmc; }
  /// Returns the range of the desired size at the base of `old`, if alignment and bounds allow it.
  Range at(const Range& old, unsigned limit) const {
    if (old.first == 0 || old.first % size() != 0 || old.first + size() - 1 > limit) return {};
    return {old.first, size()};
  }
};

class Assigner {
 public:
  Assigner(const Fabric& fabric, const LidOptions& options, const Guid2Lid& persisted, bool forget)
      : fabric_(fabric), persisted_(persisted), forget_(forget) {
    collect(options);
    unsigned needed = 0, highest = 0;
    for (const Claimant& c : claimants_) {
      needed += c.size();
      highest = std::max({highest, c.now.first + c.size() - 1, c.recorded.first + c.size() - 1});
    }
    LidLimit limit = lid_limit(fabric, std::max(needed, highest));
    limit_ = limit.highest;
    too_small_ = std::move(limit.too_small);
  }

  LidAssignment run() {
    if (!forget_) keep();
    give_free();
    return result();
  }

 private:
  // --- claimants, in the order in which they get free LIDs
  void collect(const LidOptions& options) {
    IndexVector<PortIndex, EndPortIndex> end_port_of(fabric_.ports.size(), kNoIndex);
    for (const EndPortIndex end_port : fabric_.end_ports.indices())
      end_port_of[fabric_.end_ports[end_port]] = end_port;
    claimants_.reserve(fabric_.end_ports.size());
    const auto add = [&](PortIndex port) {
      if (port == kNoIndex || end_port_of[port] == kNoIndex) return;
      const EndPortIndex end_port = end_port_of[port];
      end_port_of[port] = kNoIndex;  // a port counts once, even if two links seem to end there
      const auto owner = fabric_.port_of_guid.find(fabric_.ports[port].guid);
      if (owner == fabric_.port_of_guid.end() || owner->second != port) return;
      claimants_.push_back(claimant(port, end_port, options));
    };
    for (const Switch& sw : fabric_.switches)
      for (const Port& port : fabric_.node_ports(sw.node))
        if (port.peer != kNoIndex && !fabric_.owning_node(port.peer).is_switch()) add(port.peer);
    for (const PortIndex port : fabric_.end_ports)
      if (!fabric_.owning_node(port).is_switch()) add(port);
    for (const Switch& sw : fabric_.switches) add(fabric_.nodes[sw.node].first_port);
  }

  Claimant claimant(PortIndex index, EndPortIndex end_port, const LidOptions& options) const {
    const Port& port = fabric_.ports[index];
    const Node& node = fabric_.nodes[port.node];
    Claimant out;
    out.port = index;
    out.end_port = end_port;
    const bool many =
        !node.is_switch() ||
        (options.lmc_esp0 && fabric_.switches[node.switch_index].info.enhanced_port_0());
    out.lmc = many ? static_cast<std::uint8_t>(options.lmc & 7u) : std::uint8_t{0};
    if (forget_) return out;
    if (port.known && mad::is_unicast(port.info.lid())) {
      out.now = {port.info.lid().value, 1u << port.info.lmc()};
      out.running = port.info.port_state() >= mad::PortState::armed;
      // Port 0 of a switch has no link and may be Active from the start. The switch runs if any of
      // its links does.
      if (node.is_switch())
        out.running = std::ranges::any_of(
            fabric_.node_ports(port.node).subspan(1),
            [](const Port& p) { return p.known && p.info.port_state() >= mad::PortState::armed; });
    }
    if (const Guid2Lid::Entry* entry = persisted_.find(port.guid)) out.recorded = range_of(*entry);
    return out;
  }

  static Range range_of(const Guid2Lid::Entry& entry) {
    if (!mad::is_unicast(entry.first) || !mad::is_unicast(entry.last) || entry.last < entry.first)
      return {};
    return {entry.first.value, entry.count()};
  }

  // --- kept LIDs; each pass is weaker than the one before
  void keep() {
    for (Claimant& c : claimants_)  // runs with what guid2lid says
      if (c.running && c.recorded.first == c.now.first) try_range(c, within(c, c.now));
    for (Claimant& c : claimants_)  // runs, and guid2lid does not know it
      if (c.running && c.recorded.first == 0) try_range(c, within(c, c.now));
    // A port that runs with other LIDs than recorded gets the recorded ones, unless another port
    // runs with them. Then its present LIDs count as running, which may cost the next port its own.
    for (bool again = true; again;) {
      again = false;
      for (Claimant& c : claimants_)
        if (c.running && c.given.first == 0 && c.recorded.first != 0 &&
            c.recorded.first != c.now.first && !is_free(c.at(c.recorded, limit_)))
          again = try_range(c, within(c, c.now)) || again;
    }
    for (Claimant& c : claimants_) try_range(c, within(c, c.recorded));  // guid2lid
    for (Claimant& c : claimants_)
      try_range(c, c.at(c.recorded,
                        limit_));  // guid2lid, with more LIDs than it recorded (LMC was raised)
    for (Claimant& c : claimants_)
      if (c.running) try_range(c, c.at(c.now, limit_));
    reserve_absent();
    for (Claimant& c : claimants_)
      try_range(c, c.at(c.now, limit_));  // has it, though it does not run
  }

  /// Returns the claimant's range at the base of `old`, if `old` has all LIDs of that range.
  Range within(const Claimant& c, const Range& old) const {
    const Range range = c.at(old, limit_);
    return range.first != 0 && old.contains(range) ? range : Range{};
  }

  bool is_free(const Range& range) const {
    if (range.first == 0 || range.end() > kLids) return false;
    for (unsigned lid = range.first; lid < range.end(); ++lid)
      if (taken_[lid]) return false;
    return true;
  }
  void take(const Range& range) {
    for (unsigned lid = range.first; lid < range.end(); ++lid) taken_.set(lid);
  }
  bool try_range(Claimant& c, const Range& range) {
    if (c.given.first != 0 || !is_free(range)) return false;
    c.given = range;
    take(range);
    return true;
  }

  /// Reserves the LIDs of absent ports, unless another port runs with them.
  void reserve_absent() {
    std::vector<std::uint64_t> present;
    present.reserve(claimants_.size());
    for (const Claimant& c : claimants_) present.push_back(fabric_.ports[c.port].guid.value);
    std::sort(present.begin(), present.end());
    std::uint32_t now = 1;
    for (const Guid2Lid::Entry& entry : persisted_.entries)
      now = std::max(now, entry.absent_since + 1);
    for (Guid2Lid::Entry entry : persisted_.entries) {
      if (std::binary_search(present.begin(), present.end(), entry.guid.value)) continue;
      if (entry.absent_since == 0) entry.absent_since = now;
      const Range range = range_of(entry);
      if (is_free(range)) {
        take(range);
        absent_.push_back(entry);
      } else {
        report([&] {
          return fmt::format(
              "absent port {} loses its reservation of LID {}: a port of the fabric runs with it",
              entry.guid, entry.first);
        });
      }
    }
  }

  // --- new LIDs: the lowest free range
  void give_free() {
    std::array<unsigned, 8> next{};  // by LMC: everything below is taken
    for (unsigned lmc = 0; lmc < next.size(); ++lmc) next[lmc] = 1u << lmc;
    for (Claimant& c : claimants_) {
      if (c.given.first != 0) continue;
      unsigned& first = next[c.lmc];
      while (first + c.size() - 1 <= limit_ && !is_free({first, c.size()})) first += c.size();
      if (first + c.size() - 1 <= limit_)
        try_range(c, {first, c.size()});
      else if (take_from_absent(c))
        for (unsigned lmc = 0; lmc < next.size(); ++lmc)  // more than one port may fit in there
          next[lmc] = std::min(next[lmc], std::max(c.given.first >> lmc, 1u) << lmc);
      else
        without_.push_back(c.port);
    }
  }

  /// Gives up reservations, the least recently seen first, until the claimant's range is free at
  /// one of them.
  bool take_from_absent(Claimant& c) {
    if (!absent_by_age_) {
      std::ranges::sort(absent_, {}, [](const Guid2Lid::Entry& entry) {
        return std::pair(entry.absent_since, entry.guid);
      });
      absent_by_age_ = true;
    }
    std::size_t given_up = 0;
    while (given_up < absent_.size() && c.given.first == 0) {
      const Range range = range_of(absent_[given_up++]);
      for (unsigned lid = range.first; lid < range.end(); ++lid) taken_.reset(lid);
      const Range wanted{range.first - range.first % c.size(), c.size()};
      if (wanted.end() - 1 <= limit_) try_range(c, wanted);
    }
    // Reservations whose LIDs the claimant does not get stay.
    const auto end = absent_.begin() + static_cast<std::ptrdiff_t>(given_up);
    auto kept = absent_.begin();
    for (auto entry = kept; entry != end; ++entry) {
      if (const Range range = range_of(*entry); is_free(range)) {
        take(range);
        *kept++ = *entry;
        continue;
      }
      report([&] {
        return fmt::format(
            "absent port {} loses its reservation of LID {}: no other LID was left for {}",
            entry->guid, entry->first, fabric_.port_name(c.port));
      });
    }
    absent_.erase(kept, end);
    return c.given.first != 0;
  }

  // --- the result
  LidAssignment result() {
    LidAssignment out;
    out.lids.of_end_port.resize(fabric_.end_ports.size());
    unsigned top = 0;
    for (const Claimant& c : claimants_) {
      if (c.given.first == 0) continue;
      out.lids.of_end_port[c.end_port] = {mad::Lid{static_cast<std::uint16_t>(c.given.first)},
                                          c.lmc};
      top = std::max(top, c.given.end() - 1);
    }
    out.lids.lid_top = mad::Lid{static_cast<std::uint16_t>(top)};
    out.lids.port_of_lid.assign(top + 1u, kNoIndex);
    for (const Claimant& c : claimants_)
      for (unsigned lid = c.given.first; lid < c.given.end(); ++lid)
        out.lids.port_of_lid[lid] = c.port;

    for (const EndPortIndex end_port : fabric_.end_ports.indices()) {
      const Port& port = fabric_.ports[fabric_.end_ports[end_port]];
      const LidMap::Range& range = out.lids.of_end_port[end_port];
      if (range.base.value != 0 &&
          (!port.known || port.info.lid() != range.base || port.info.lmc() != range.lmc))
        out.changed.push_back(fabric_.end_ports[end_port]);
    }
    report_moves(out.lids);
    record(out);
    find_limits(out);
    if (unreported_ > 0) messages_.push_back(fmt::format("and {} more LID changes", unreported_));
    out.messages = std::move(messages_);
    return out;
  }

  void report_moves(const LidMap& lids) {
    for (const Claimant& c : claimants_) {
      if (c.given.first == 0 || c.now.first == 0 || c.given.first == c.now.first) continue;
      report([&] {
        return fmt::format("{}: LID {} becomes {}: {}", fabric_.port_name(c.port), c.now.first,
                           c.given.first, why_moved(c, lids));
      });
    }
  }

  std::string why_moved(const Claimant& c, const LidMap& lids) const {
    if (c.recorded.first == c.given.first) return "as recorded in guid2lid";
    if (c.now.first + c.size() - 1 > limit_) return fmt::format("LIDs end at {}", limit_);
    if (c.now.first % c.size() != 0)
      return fmt::format("LMC {} needs a multiple of {}", c.lmc, c.size());
    for (unsigned lid = c.now.first; lid < c.now.first + c.size(); ++lid) {
      const PortIndex winner = lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
      if (winner != kNoIndex)
        return fmt::format("LID {} belongs to {}", lid, fabric_.port_name(winner));
      if (is_absent(lid)) return fmt::format("LID {} is reserved for an absent port", lid);
    }
    return "guid2lid said otherwise";
  }

  bool is_absent(unsigned lid) const {
    return std::ranges::any_of(absent_, [&](const Guid2Lid::Entry& entry) {
      return lid >= entry.first.value && lid <= entry.last.value;
    });
  }

  void record(LidAssignment& out) {
    std::vector<Guid2Lid::Entry>& entries = out.persisted.entries;
    entries = absent_;
    for (const Claimant& c : claimants_) {
      Range range = c.given;
      if (range.first == 0 && is_free(c.recorded)) {  // for the day when there is room for it again
        range = c.recorded;
        take(range);
      }
      if (range.first != 0)
        entries.push_back({fabric_.ports[c.port].guid,
                           mad::Lid{static_cast<std::uint16_t>(range.first)},
                           mad::Lid{static_cast<std::uint16_t>(range.end() - 1)}});
    }
    std::sort(entries.begin(), entries.end(),
              [](const Guid2Lid::Entry& a, const Guid2Lid::Entry& b) { return a.guid < b.guid; });
  }

  void find_limits(LidAssignment& out) {
    // The highest LID that a port needs: one above the limit that was given up, or one for all
    // ports.
    unsigned wanted = 0, all = 0;
    for (const Claimant& c : claimants_) {
      all += c.size();
      for (const Range& range : {c.now, c.recorded})
        if (range.first != 0 && c.given.first != range.first && range.first + c.size() - 1 > limit_)
          wanted = std::max(wanted, range.first + c.size() - 1);
    }
    if (!without_.empty()) wanted = std::max(wanted, all);
    std::vector<std::string> small;
    for (const SwitchIndex sw : too_small_) {
      const Switch& its = fabric_.switches[sw];
      const unsigned cap = its.info.linear_fdb_cap();
      out.conditions.push_back(
          {.id = kLidConditions.lft_too_small,
           .text = has_linear_table(its.info)
                       ? fmt::format("{} has a forwarding table of {} LIDs, fewer than this fabric "
                                     "needs; LIDs from {} are not reached through it",
                                     fabric_.name(its.node), cap, cap)
                       : fmt::format("{} has no linear forwarding table (LinearFDBCap {}): no LID "
                                     "is reached through it; update its firmware, or replace it",
                                     fabric_.name(its.node), cap),
           .guid = fabric_.nodes[its.node].guid});
    }
    for (const SwitchIndex index : fabric_.switches.indices()) {
      if (std::ranges::find(too_small_, index) != too_small_.end()) continue;
      const Switch& sw = fabric_.switches[index];
      const unsigned cap = sw.info.linear_fdb_cap();
      if (cap <= wanted && cap <= mad::kUnicastLidMax.value)
        small.push_back(fmt::format("{} (LinearFDBCap {})", fabric_.name(sw.node), cap));
    }
    if (!small.empty())
      out.conditions.push_back(
          {kLidConditions.lft_too_small,
           fmt::format(
               "forwarding tables end before LID {}, so LIDs above {} are not given out: {}",
               wanted, limit_, joined(small))});
    if (!without_.empty()) {
      std::vector<std::string> names;
      names.reserve(without_.size());
      for (const PortIndex port : without_) names.push_back(fabric_.port_name(port));
      out.conditions.push_back(
          {kLidConditions.lids_exhausted,
           fmt::format("no LID left up to {} for {} port{}: {}", limit_, names.size(),
                       names.size() == 1 ? "" : "s", joined(names))});
    }
  }

  static std::string joined(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < kNamesMax; ++i)
      out += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kNamesMax) out += fmt::format(" and {} more", names.size() - kNamesMax);
    return out;
  }

  void report(const auto& message) {
    if (messages_.size() < kMessagesMax)
      messages_.push_back(message());
    else
      ++unreported_;
  }

  const Fabric& fabric_;
  const Guid2Lid& persisted_;
  bool forget_;
  unsigned limit_ = mad::kUnicastLidMax.value;
  std::vector<SwitchIndex> too_small_;  // switches that do not count for limit_
  std::vector<Claimant> claimants_;
  std::bitset<kLids> taken_;
  std::vector<Guid2Lid::Entry> absent_;
  bool absent_by_age_ = false;
  std::vector<PortIndex> without_;
  std::vector<std::string> messages_;
  std::size_t unreported_ = 0;
};

}  // namespace

LidOptions lid_options(const config::Options& options, bool leaving_standby) {
  return {.lmc = options.lmc,
          .lmc_esp0 = options.lmc_esp0,
          .reassign_lids = options.reassign_lids,
          .honor_guid2lid = !leaving_standby || options.honor_guid2lid_file};
}

LidLimit lid_limit(const Fabric& fabric, unsigned needed) {
  std::vector<std::pair<unsigned, SwitchIndex>> caps;
  LidLimit limit;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const mad::SwitchInfo& info = fabric.switches[sw].info;
    if (has_linear_table(info))
      caps.emplace_back(info.linear_fdb_cap(), sw);
    else
      limit.too_small.push_back(sw);
  }
  std::ranges::sort(caps);
  if (caps.empty()) return limit;
  const std::size_t tolerated = caps.size() < 3 ? 0 : std::max<std::size_t>(caps.size() / 10, 1);
  const unsigned of_others = caps[tolerated].first;
  for (const auto& [cap, sw] : caps) {
    if (cap < of_others && cap <= needed) {
      limit.too_small.push_back(sw);
      continue;
    }
    limit.highest = std::min(limit.highest, cap - 1);
    break;
  }
  return limit;
}

LidAssignment assign_lids(const Fabric& fabric, const LidOptions& options,
                          const Guid2Lid& persisted, bool first_master_sweep) {
  static const Guid2Lid nothing;
  return Assigner(fabric, options, options.honor_guid2lid ? persisted : nothing,
                  options.reassign_lids && first_master_sweep)
      .run();
}

}  // namespace sm
