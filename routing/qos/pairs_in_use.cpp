#include "routing/qos/pairs_in_use.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace routing {

using fabric::SwitchIndex;
using Ports = PairsInUse::Ports;

void PairsInUse::update_from(const fabric::Fabric& fabric) {
  std::vector<mad::Guid> switches;
  std::vector<Place> first{0};
  switches.reserve(fabric.switches.size());
  first.reserve(fabric.switches.size() + 1);
  for (const fabric::Switch& sw : fabric.switches) {
    switches.push_back(fabric.nodes[sw.node].guid);
    first.push_back(first.back() + fabric.nodes[sw.node].num_ports + 1u);
  }
  std::vector<Link> links(first.back());
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const auto ports = fabric.node_ports(fabric.switches[sw].node);
    for (std::size_t number = 1; number < ports.size(); ++number) {
      if (ports[number].peer == fabric::kNoIndex) continue;
      const fabric::Node& far = fabric.owning_node(ports[number].peer);
      if (far.is_switch() && fabric.ports[ports[number].peer].number.value != 0)
        links[first[sw] + number] = {far.switch_index,
                                     fabric.ports[ports[number].peer].number.value, true};
    }
  }
  if (switches != switches_ || first != first_) {
    *this = {};
    switches_ = std::move(switches);
    first_ = std::move(first);
    links_ = std::move(links);
    exits_of_.resize(links_.size());
    exits_.resize(switches_.size());
    relinked_.resize(switches_.size());
    grown_.resize(switches_.size());
    return;
  }
  for (const SwitchIndex sw : fabric.switches.indices()) {
    for (Place place = first_[sw]; place < first_[sw + 1]; ++place)
      if (links[place] != links_[place]) relinked_[sw].set(place - first_[sw]);
  }
  links_ = std::move(links);
}

void PairsInUse::use_from_end_ports(SwitchIndex sw, const Ports& outs) {
  if ((outs & ~exits_[sw]).none()) return;
  exits_[sw] |= outs;
  grown_[sw] = true;
}

void PairsInUse::use(SwitchIndex sw, std::uint8_t in, const Ports& outs) {
  Ports& exits = exits_of_[first_[sw] + in];
  if ((outs & ~exits).none()) return;
  exits |= outs;
  grown_[sw] = true;
  use_from_end_ports(sw, outs);
}

std::vector<SwitchIndex> PairsInUse::take_grown() {
  std::vector<SwitchIndex> out;
  for (std::size_t sw = 0; sw < grown_.size(); ++sw)
    if (grown_[sw]) out.emplace_back(sw);
  grown_.assign(grown_.size(), false);
  return out;
}

/// Adds pairs of LinearForwardingTables. An entry leads to one port, or to two if the held entry
/// differs.
class PairsInUse::Unicast {
 public:
  Unicast(PairsInUse& pairs, const fabric::ForwardingTables& wanted,
          const fabric::ForwardingTables* held, const fabric::ForwardingTables* before)
      : pairs_(pairs),
        wanted_(wanted),
        held_(held != nullptr && held->switches() == wanted.switches() ? held : nullptr),
        before_(before) {}

  void add_all() {
    for (const SwitchIndex sw : wanted_.all_switches()) {
      const bool is_relinked = pairs_.relinked_[sw].any();
      for (std::size_t block = 0; block < wanted_.blocks(); ++block) {
        if (before_ != nullptr && !is_relinked && is_same(before_, sw, block) &&
            (held_ == nullptr || is_same(held_, sw, block)))
          continue;
        for (unsigned i = 0; i < fabric::kLftBlockLids; ++i)
          consider(sw, mad::Lid{static_cast<std::uint16_t>(block * fabric::kLftBlockLids + i)});
      }
    }
  }

 private:
  struct Exits {
    std::uint8_t wanted, held;
  };
  bool is_same(const fabric::ForwardingTables* other, SwitchIndex sw, std::size_t block) const {
    return block < other->blocks() &&
           std::ranges::equal(wanted_.block(sw, block), other->block(sw, block));
  }
  Exits exits(SwitchIndex sw, mad::Lid lid) const {
    const std::uint8_t wanted = wanted_.at(sw, lid).value;
    return {wanted, held_ == nullptr ? wanted : held_->at(sw, lid).value};
  }
  /// 0xFF drops packets, and other ports that the switch does not have lead nowhere.
  bool is_port(SwitchIndex sw, std::uint8_t port) const {
    return port < pairs_.first_[sw + 1] - pairs_.first_[sw];
  }
  Ports ports(SwitchIndex sw, Exits exits) const {
    Ports out;
    if (is_port(sw, exits.wanted)) out.set(exits.wanted);
    if (is_port(sw, exits.held)) out.set(exits.held);
    return out;
  }

  void consider(SwitchIndex sw, mad::Lid lid) {
    const Exits here = exits(sw, lid);
    if (before_ != nullptr && here.wanted == here.held &&
        here.wanted == before_->at(sw, lid).value && !pairs_.relinked_[sw].test(here.wanted))
      return;
    // Other entries lead to the same port in almost all cases.
    const bool is_known = here.wanted == here.held &&
                          (!is_port(sw, here.wanted) || pairs_.exits_[sw].test(here.wanted));
    if (!is_known) pairs_.use_from_end_ports(sw, ports(sw, here));
    lead_on(sw, here.wanted, lid);
    if (here.held != here.wanted) lead_on(sw, here.held, lid);
    if (before_ != nullptr) come_in(sw, here, lid);
  }
  /// Packets that leave by this port continue from the other end of its link.
  void lead_on(SwitchIndex sw, std::uint8_t port, mad::Lid lid) {
    if (!is_port(sw, port)) return;
    const Link& link = pairs_.links_[pairs_.first_[sw] + port];
    if (!link.is_link) return;
    const Exits there = exits(link.far, lid);
    if (there.wanted == there.held &&
        (!is_port(link.far, there.wanted) ||
         pairs_.exits_of_[pairs_.first_[link.far] + link.far_port].test(there.wanted)))
      return;
    pairs_.use(link.far, link.far_port, ports(link.far, there));
  }
  /// Packets enter by links over which neighbours send them; the entries of these neighbours may be
  /// unchanged. Neighbours whose entries change are considered separately.
  void come_in(SwitchIndex sw, Exits here, mad::Lid lid) {
    const Place first = pairs_.first_[sw], ports_end = pairs_.first_[sw + 1] - first;
    for (Place in = 1; in < ports_end; ++in) {
      const Link& link = pairs_.links_[first + in];
      if (link.is_link && wanted_.at(link.far, lid).value == link.far_port)
        pairs_.use(sw, static_cast<std::uint8_t>(in), ports(sw, here));
    }
  }

  PairsInUse& pairs_;
  const fabric::ForwardingTables& wanted_;
  const fabric::ForwardingTables* const held_;
  const fabric::ForwardingTables* const before_;
};

/// Adds pairs of MulticastForwardingTables: an entry leads to a set of ports, but not back.
class PairsInUse::Multicast {
 public:
  Multicast(PairsInUse& pairs, const fabric::MulticastTables* wanted,
            const fabric::MulticastTables* held, const fabric::MulticastTables* before)
      : pairs_(pairs), wanted_(usable(wanted)), held_(usable(held)), before_(usable(before)) {}

  void add_all() {
    const std::size_t blocks = std::max(blocks_of(wanted_), blocks_of(held_));
    for (std::size_t block = 0; block < blocks; ++block) {
      for (std::size_t number = 0; number < pairs_.switches_.size(); ++number) {
        const SwitchIndex sw(number);
        if (pairs_.relinked_[sw].none() && !has_new(sw, block)) continue;
        for (std::size_t i = 0; i < fabric::kMftBlockMlids; ++i)
          consider(sw, mad::Mlid{static_cast<std::uint16_t>(mad::kMlidMin.value +
                                                            block * fabric::kMftBlockMlids + i)});
      }
    }
  }

 private:
  const fabric::MulticastTables* usable(const fabric::MulticastTables* tables) const {
    return tables != nullptr && tables->switches() == pairs_.switches_.size() ? tables : nullptr;
  }
  static std::size_t blocks_of(const fabric::MulticastTables* tables) {
    return tables == nullptr ? 0 : tables->blocks();
  }
  std::size_t ports_end(SwitchIndex sw) const { return pairs_.first_[sw + 1] - pairs_.first_[sw]; }
  std::size_t positions(SwitchIndex sw) const {
    return (ports_end(sw) + fabric::kMftPositionPorts - 1) / fabric::kMftPositionPorts;
  }
  static unsigned mask(const fabric::MulticastTables* tables, SwitchIndex sw, mad::Mlid mlid,
                       std::size_t position) {
    return tables == nullptr ? 0u : tables->mask(sw, mlid, position);
  }
  Ports ports(SwitchIndex sw, mad::Mlid mlid) const {
    Ports out;
    for (std::size_t position = positions(sw); position-- > 0;)
      out = out << fabric::kMftPositionPorts |
            Ports(mask(wanted_, sw, mlid, position) | mask(held_, sw, mlid, position));
    return out;
  }
  /// True if some entry of this block has ports that it did not have before.
  bool has_new(SwitchIndex sw, std::size_t block) const {
    return has_new(wanted_, sw, block) || has_new(held_, sw, block);
  }
  bool has_new(const fabric::MulticastTables* tables, SwitchIndex sw, std::size_t block) const {
    if (block >= blocks_of(tables)) return false;
    constexpr std::array<std::uint8_t, fabric::kMftBytes> kNone{};
    for (std::size_t position = 0; position < std::min(positions(sw), tables->positions());
         ++position) {
      const fabric::MftUnit unit{sw, static_cast<std::uint16_t>(block),
                                 static_cast<std::uint8_t>(position)};
      const bool was = block < blocks_of(before_) && position < before_->positions();
      const std::span<const std::uint8_t, fabric::kMftBytes> before =
          was ? before_->bytes(unit) : std::span(kNone);
      if (!std::ranges::equal(tables->bytes(unit), before)) return true;
    }
    return false;
  }

  void consider(SwitchIndex sw, mad::Mlid mlid) {
    const Ports here = ports(sw, mlid);
    if (here.none()) return;
    pairs_.use_from_end_ports(sw, here);
    for (std::size_t port = 1; port < ports_end(sw); ++port) {
      const Link& link = pairs_.links_[pairs_.first_[sw] + port];
      if (!link.is_link) continue;
      if (here.test(port)) use_but_back(link.far, link.far_port, ports(link.far, mlid));
      if (ports(link.far, mlid).test(link.far_port))
        use_but_back(sw, static_cast<std::uint8_t>(port), here);
    }
  }
  void use_but_back(SwitchIndex sw, std::uint8_t in, Ports outs) {
    pairs_.use(sw, in, outs.reset(in));
  }

  PairsInUse& pairs_;
  const fabric::MulticastTables* const wanted_;
  const fabric::MulticastTables* const held_;
  const fabric::MulticastTables* const before_;
};

void PairsInUse::add(const fabric::Fabric& fabric,
                     std::shared_ptr<const fabric::ForwardingTables> lfts,
                     const fabric::ForwardingTables* held_lfts,
                     std::shared_ptr<const fabric::MulticastTables> mfts,
                     const fabric::MulticastTables* held_mfts) {
  update_from(fabric);
  if (lfts->switches() != switches_.size()) return forget();
  const bool is_comparable = unicast_ != nullptr && unicast_->switches() == lfts->switches();
  Unicast(*this, *lfts, held_lfts, is_comparable ? unicast_.get() : nullptr).add_all();
  Multicast(*this, mfts.get(), held_mfts, multicast_.get()).add_all();
  unicast_ = std::move(lfts);
  multicast_ = std::move(mfts);
  std::ranges::fill(relinked_, Ports{});
}

void PairsInUse::add_multicast(const fabric::Fabric& fabric,
                               std::shared_ptr<const fabric::MulticastTables> mfts,
                               const fabric::MulticastTables* held_mfts) {
  update_from(fabric);
  if (is_empty()) return;
  Multicast(*this, mfts.get(), held_mfts, multicast_.get()).add_all();
  multicast_ = std::move(mfts);
}

}  // namespace routing
