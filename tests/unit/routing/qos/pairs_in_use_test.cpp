// Which pairs of ports packets can use, against packets that are followed one by one.

#include "routing/qos/pairs_in_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "mad/format.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace pairs_in_use_test {

using fabric::SwitchIndex;
using routing::PairsInUse;

constexpr mad::Lid kTop{70};  // two blocks
constexpr std::array<unsigned, 8> kLids{1,  2,  3,  40,
                                        63, 64, 69, 70};  // few: most pairs are not used
constexpr unsigned kMlids = 40;

struct Site {
  explicit Site(std::uint64_t seed)
      : dice(seed),
        fabric(fabrics::from_topology(
            topology::random_graph({.switches = 6, .hosts = 9, .extra_links = 8, .seed = seed}))) {}

  unsigned below(unsigned end) { return static_cast<unsigned>(dice() % end); }
  unsigned ports(SwitchIndex sw) const { return fabric.nodes[fabric.switches[sw].node].num_ports; }
  /// The port at the other end of the link, if that is a switch.
  const fabric::Port* far(SwitchIndex sw, unsigned port) const {
    const fabric::Port& its =
        fabric.ports[fabric.port(fabric.switches[sw].node, {static_cast<std::uint8_t>(port)})];
    if (port == 0 || its.peer == fabric::kNoIndex || !fabric.owning_node(its.peer).is_switch())
      return nullptr;
    return &fabric.ports[its.peer];
  }
  SwitchIndex get_switch(const fabric::Port& port) const {
    return fabric.nodes[port.node].switch_index;
  }
  bool has_senders(SwitchIndex sw, unsigned in) const { return far(sw, in) == nullptr; }

  /// Any tables: of LIDs that lead nowhere, in circles, back, or over links that are gone.
  std::shared_ptr<fabric::ForwardingTables> random_lfts() {
    auto lfts = std::make_shared<fabric::ForwardingTables>(fabric.switches.size(), kTop);
    for (const SwitchIndex sw : fabric.switches.indices())
      for (const unsigned lid : kLids)
        lfts->writable_row(sw)[lid] =
            below(8) == 0 ? 0xFF : static_cast<std::uint8_t>(below(ports(sw) + 2));
    return lfts;
  }
  std::shared_ptr<fabric::ForwardingTables> changed(const fabric::ForwardingTables& before) {
    auto lfts = std::make_shared<fabric::ForwardingTables>(before);
    for (unsigned i = below(6); i > 0; --i) {
      const SwitchIndex sw(below(static_cast<unsigned>(fabric.switches.size())));
      lfts->writable_row(sw)[kLids[below(kLids.size())]] =
          static_cast<std::uint8_t>(below(ports(sw) + 1));
    }
    return lfts;
  }
  std::shared_ptr<fabric::MulticastTables> random_mfts() {
    auto mfts = std::make_shared<fabric::MulticastTables>(fabric.switches.size(), 2);
    mfts->grow(2);
    for (const SwitchIndex sw : fabric.switches.indices())
      for (unsigned i = below(8); i > 0; --i) set(*mfts, sw);
    return mfts;
  }
  std::shared_ptr<fabric::MulticastTables> changed(const fabric::MulticastTables& before) {
    auto mfts = std::make_shared<fabric::MulticastTables>(before);
    for (unsigned i = below(5); i > 0; --i)
      set(*mfts, SwitchIndex(below(static_cast<unsigned>(fabric.switches.size()))));
    return mfts;
  }
  void set(fabric::MulticastTables& mfts, SwitchIndex sw) {
    mfts.set(sw, {static_cast<std::uint16_t>(0xC000 + below(kMlids))},
             {static_cast<std::uint8_t>(below(ports(sw) + 1))});
  }
  void cut_or_mend() {
    if (!cut.empty() && below(2) == 0) {
      const auto [a, b] = cut.back();
      cut.pop_back();
      fabric.ports[a].peer = b;
      fabric.ports[b].peer = a;
      return;
    }
    const fabric::PortIndex a(below(static_cast<unsigned>(fabric.ports.size())));
    const fabric::PortIndex b = fabric.ports[a].peer;
    if (b == fabric::kNoIndex || !fabric.owning_node(a).is_switch() ||
        !fabric.owning_node(b).is_switch())
      return;
    cut.emplace_back(a, b);
    fabric.ports[a].peer = fabric.ports[b].peer = fabric::kNoIndex;
  }

  /// A pair that a packet uses while each switch has one of both tables and that does not count;
  /// "" if there is none.
  std::string missing(const PairsInUse& pairs, const fabric::ForwardingTables& a,
                      const fabric::ForwardingTables& b, const fabric::MulticastTables& m,
                      const fabric::MulticastTables& n) {
    std::vector<bool> first;
    for (std::size_t sw = 0; sw < fabric.switches.size(); ++sw) first.push_back(below(2) == 0);
    const auto follow = [&](auto&& exits) -> std::string {
      std::vector<std::pair<SwitchIndex, unsigned>> open, seen;
      for (const SwitchIndex sw : fabric.switches.indices())
        for (unsigned in = 0; in <= ports(sw); ++in)
          if (has_senders(sw, in)) open.emplace_back(sw, in);
      while (!open.empty()) {
        const auto at = open.back();
        open.pop_back();
        if (std::ranges::find(seen, at) != seen.end()) continue;
        seen.push_back(at);
        for (const unsigned out : exits(at.first, at.second)) {
          if (out == 0 || out > ports(at.first)) continue;
          if (!pairs.contains(at.first, {static_cast<std::uint8_t>(at.second)},
                              {static_cast<std::uint8_t>(out)}))
            return fmt::format("switch {} from {} to {}", at.first.value, at.second, out);
          if (const fabric::Port* next = far(at.first, out))
            open.emplace_back(get_switch(*next), next->number.value);
        }
      }
      return "";
    };
    for (const unsigned number : kLids) {
      const auto lid = static_cast<std::uint16_t>(number);
      std::string found = follow([&](SwitchIndex sw, unsigned) {
        return std::vector<unsigned>{(first[sw] ? a : b).at(sw, {lid}).value};
      });
      if (!found.empty()) return fmt::format("LID {}: {}", lid, found);
    }
    for (unsigned mlid = 0xC000; mlid < 0xC000 + kMlids; ++mlid) {
      std::string found = follow([&](SwitchIndex sw, unsigned in) {
        std::vector<unsigned> outs;
        for (unsigned out = 1; out <= ports(sw); ++out)
          if (out != in &&
              (first[sw] ? m : n)
                  .test(sw, {static_cast<std::uint16_t>(mlid)}, {static_cast<std::uint8_t>(out)}))
            outs.push_back(out);
        return outs;
      });
      if (!found.empty()) return fmt::format("MLID {:#x}: {}", mlid, found);
    }
    return "";
  }

  std::mt19937_64 dice;
  fabric::Fabric fabric;
  std::vector<std::pair<fabric::PortIndex, fabric::PortIndex>> cut;
};

TEST(PairsInUse, AreAllBeforeTablesAreKnown) {
  Site site(1);
  PairsInUse pairs;
  EXPECT_TRUE(pairs.contains(SwitchIndex{0}, {1}, {2}));
  pairs.add_multicast(site.fabric, site.random_mfts(), nullptr);
  EXPECT_TRUE(pairs.contains(SwitchIndex{0}, {1}, {2}));
  EXPECT_TRUE(pairs.take_grown().empty());
  pairs.add(site.fabric,
            std::make_shared<fabric::ForwardingTables>(site.fabric.switches.size(), kTop), nullptr,
            nullptr, nullptr);
  EXPECT_FALSE(pairs.contains(SwitchIndex{0}, {1}, {2}));
  pairs.forget();
  EXPECT_TRUE(pairs.contains(SwitchIndex{0}, {1}, {2}));
}

TEST(PairsInUse, AreThoseThatEntriesOfBothEndsOfALinkLeadThrough) {
  seeds::for_each(20, [](std::uint64_t seed) {
    Site site(seed);
    const auto lfts = site.random_lfts();
    const auto mfts = site.random_mfts();
    PairsInUse pairs;
    pairs.add(site.fabric, lfts, nullptr, mfts, nullptr);
    for (const SwitchIndex sw : site.fabric.switches.indices()) {
      for (unsigned in = 0; in <= site.ports(sw); ++in) {
        for (unsigned out = 1; out <= site.ports(sw); ++out) {
          const fabric::Port* from = site.far(sw, in);
          bool used = false;
          for (std::uint16_t lid = 0; lid < lfts->pitch(); ++lid)
            used = used ||
                   (lfts->at(sw, {lid}).value == out &&
                    (from == nullptr || lfts->at(site.get_switch(*from), {lid}) == from->number));
          for (unsigned mlid = 0xC000; mlid < 0xC000 + kMlids; ++mlid) {
            const mad::Mlid group{static_cast<std::uint16_t>(mlid)};
            used = used || (mfts->test(sw, group, {static_cast<std::uint8_t>(out)}) &&
                            (from == nullptr || (in != out && mfts->test(site.get_switch(*from),
                                                                         group, from->number))));
          }
          ASSERT_EQ(
              pairs.contains(sw, {static_cast<std::uint8_t>(in)}, {static_cast<std::uint8_t>(out)}),
              used)
              << sw.value << ": " << in << " to " << out;
        }
      }
    }
  });
}

TEST(PairsInUse, ContainWhatPacketsUseWhileTablesAndLinksChange) {
  seeds::for_each(30, [](std::uint64_t seed) {
    Site site(seed);
    auto lfts = site.random_lfts();
    auto mfts = site.random_mfts();
    PairsInUse pairs;
    // At first switches hold what another manager wrote.
    const auto foreign = site.random_lfts();
    const auto foreign_mfts = site.random_mfts();
    pairs.add(site.fabric, lfts, foreign.get(), mfts, foreign_mfts.get());
    ASSERT_EQ(site.missing(pairs, *lfts, *foreign, *mfts, *foreign_mfts), "");
    for (unsigned step = 0; step < 12; ++step) {
      const auto held = lfts;
      const auto held_mfts = mfts;
      mfts = site.changed(*held_mfts);
      if (site.below(3) == 0) {
        pairs.take_grown();
        const PairsInUse before = pairs;
        pairs.add_multicast(site.fabric, mfts, held_mfts.get());
        // take_grown() names the switches with pairs that came into use.
        const std::vector<SwitchIndex> grown = pairs.take_grown();
        for (const SwitchIndex sw : site.fabric.switches.indices()) {
          bool grew = false;
          for (unsigned pair = 0; pair < 256u * 256u && !grew; ++pair) {
            const mad::PortNum in{static_cast<std::uint8_t>(pair / 256)},
                out{static_cast<std::uint8_t>(pair % 256)};
            if (in.value > site.ports(sw) || out.value > site.ports(sw)) continue;
            grew = pairs.contains(sw, in, out) && !before.contains(sw, in, out);
          }
          ASSERT_TRUE(!grew || std::ranges::find(grown, sw) != grown.end());
        }
      } else {
        site.cut_or_mend();
        lfts = site.below(8) == 0 ? site.random_lfts() : site.changed(*held);
        pairs.add(site.fabric, lfts, held.get(), mfts, held_mfts.get());
      }
      ASSERT_EQ(site.missing(pairs, *lfts, *held, *mfts, *held_mfts), "") << "step " << step;
    }
  });
}

}  // namespace pairs_in_use_test
