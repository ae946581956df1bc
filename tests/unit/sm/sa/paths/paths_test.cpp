// Paths against an independent walker over the model, port by port, on random fabrics.

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "config/qos_policy_reader.h"
#include "fabric/published_routing.h"
#include "mad/records/path_records.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sa/paths/path_finder.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/registrations.h"
#include "support/fabrics.h"
#include "support/seeds.h"
#include "support/subnets.h"
#include "unit/sm/sa/slices.h"

namespace sa {
namespace paths_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Mask = mad::PathRecordFields::Mask;

struct Answered {
  std::uint16_t status;
  std::vector<mad::PathRecord> paths;
};

/// Builder of a PathRecord query: every field that is set is in the component mask.
struct PathQuery {
  mad::PathRecord record;
  std::uint64_t mask = 0;

  template <mad::FieldName name, class T>
  PathQuery& with(unsigned bit, T value) {
    record.set<name>(value);
    mask |= std::uint64_t{1} << bit;
    return *this;
  }
  PathQuery& slid(mad::Lid lid) { return with<"SLID">(Mask::kSlid, lid); }
  PathQuery& dlid(mad::Lid lid) { return with<"DLID">(Mask::kDlid, lid); }
  PathQuery& sgid(mad::Gid gid) {
    return with<"SGID.prefix">(Mask::kSgid, gid.prefix).with<"SGID.guid">(Mask::kSgid, gid.guid);
  }
  PathQuery& dgid(mad::Gid gid) {
    return with<"DGID.prefix">(Mask::kDgid, gid.prefix).with<"DGID.guid">(Mask::kDgid, gid.guid);
  }
  PathQuery& mtu(mad::Selector selector, unsigned code) {
    return with<"MTUSelector">(Mask::kMtuSelector, selector).with<"MTU">(Mask::kMtu, code);
  }
  PathQuery& rate(mad::Selector selector, unsigned code) {
    return with<"RateSelector">(Mask::kRateSelector, selector).with<"Rate">(Mask::kRate, code);
  }
  PathQuery& life(mad::Selector selector, unsigned code) {
    return with<"PacketLifeTimeSelector">(Mask::kLifeSelector, selector)
        .with<"PacketLifeTime">(Mask::kLife, code);
  }
  PathQuery& numb_path(unsigned count) { return with<"NumbPath">(Mask::kNumbPath, count); }

  Answered send(subnets::Site& site, fabric::PortIndex from,
                mad::Method method = mad::Method::get_table,
                std::size_t limit = kResponseBytesMax) const {
    const Query query{.method = method,
                      .attribute = mad::SaAttributeId::path_record,
                      .modifier = 0,
                      .component_mask = mask,
                      .record = record.bytes(),
                      .from = {.port = from, .lid = {}}};
    ResponseBuffer out;
    Answered answered{answer(site.view(), query, kPathRecord, out, limit), {}};
    expect_same_in_slices(site.view(), query, kPathRecord, out, limit, answered.status);
    for (std::size_t i = 0; i < out.records(); ++i)
      answered.paths.emplace_back(out.record(i).first<mad::PathRecord::kBytes>());
    return answered;
  }
};

unsigned get_mtu(const mad::PathRecord& path) { return path.get<unsigned, "MTU">(); }
unsigned get_rate(const mad::PathRecord& path) { return path.get<unsigned, "Rate">(); }
unsigned get_life(const mad::PathRecord& path) { return path.get<unsigned, "PacketLifeTime">(); }
unsigned get_slid(const mad::PathRecord& path) { return path.get<unsigned, "SLID">(); }
unsigned get_dlid(const mad::PathRecord& path) { return path.get<unsigned, "DLID">(); }
mad::PKey get_p_key(const mad::PathRecord& path) { return path.get<mad::PKey, "P_Key">(); }

// ---- The walker.

struct Walked {
  unsigned mtu = 5, gbps = 100000;
  std::vector<fabric::NodeIndex> nodes;
};
void pass(const fabric::Port& port, bool has_link, Walked& walked) {
  for (const unsigned code : {static_cast<unsigned>(port.info.mtu_cap()),
                              has_link ? static_cast<unsigned>(port.info.neighbor_mtu()) : 0u})
    if (code >= 1 && code <= 5) walked.mtu = std::min(walked.mtu, code);
  const unsigned gbps = mad::rate_gbps(mad::link_rate(port.info));
  if (gbps != 0) walked.gbps = std::min(walked.gbps, gbps);
}
std::optional<Walked> walk(const fabric::Subnet& subnet, fabric::PortIndex from,
                           fabric::PortIndex to, mad::Lid dlid) {
  const fabric::Fabric& fabric = subnet.fabric;
  Walked walked;
  fabric::PortIndex at = from;
  pass(fabric.ports[at], !fabric.owning_node(at).is_switch(), walked);
  walked.nodes.push_back(fabric.ports[at].node);
  for (unsigned hops = 0; at != to; ++hops) {
    if (fabric.owning_node(at).is_switch()) {
      if (hops > 64) return std::nullopt;
      const mad::PortNum out = subnet.lfts->at(fabric.owning_node(at).switch_index, dlid);
      if (out.value > fabric.owning_node(at).num_ports) return std::nullopt;
      at = fabric.port(fabric.ports[at].node, out);
      pass(fabric.ports[at], out != mad::PortNum{0}, walked);
      if (out == mad::PortNum{0}) return at == to ? std::optional(walked) : std::nullopt;
    } else if (walked.nodes.size() > 1) {
      return std::nullopt;  // hosts do not forward
    }
    if (!fabric.is_link_up(at)) return std::nullopt;
    at = fabric.ports[at].peer;
    pass(fabric.ports[at], true, walked);
    walked.nodes.push_back(fabric.ports[at].node);
  }
  return walked;
}
/// Key by key: the lowest partition that both share, with the membership of the first.
std::optional<mad::PKey> naive_p_key(const fabric::Subnet& subnet, fabric::PortIndex from,
                                     fabric::PortIndex to) {
  std::optional<mad::PKey> best;
  for (const mad::PKey a : subnet.find_p_keys(from))
    for (const mad::PKey b : subnet.find_p_keys(to)) {
      if (!fabric::may_communicate(a, b)) continue;
      if (!best || mad::p_key_base(a) < mad::p_key_base(*best) ||
          (mad::p_key_base(a) == mad::p_key_base(*best) && a > *best))
        best = a;
    }
  return best;
}

subnets::Site random_site(std::uint64_t seed, unsigned lmc = 0) {
  fabric::Fabric fabric = fabrics::random_fabric(seed);
  subnets::randomize_attributes(fabric, seed);
  return subnets::Site(subnets::bring_up(std::move(fabric), lmc));
}

TEST(Paths, FollowTheForwardingTables) {
  std::size_t found = 0, none = 0;
  seeds::for_each(60, [&](std::uint64_t seed) {
    subnets::Site site = random_site(seed);
    if (seed % 2 == 0)
      site.subnet->partitions =
          subnets::random_partitions(site.subnet->fabric.end_ports.size(), seed);
    if (seed % 3 == 0) {  // tables with loops and dead ends
      fabric::ForwardingTables wrong = *site.subnet->lfts;
      topology::Random random(seed);
      for (std::size_t sw = 0; sw < wrong.switches(); ++sw)
        for (std::uint8_t& port : wrong.writable_row(fabric::SwitchIndex{sw}))
          if (random.percent(20)) port = static_cast<std::uint8_t>(random.below(256u));
      site.subnet->lfts = std::make_shared<const fabric::ForwardingTables>(std::move(wrong));
    }
    const fabric::Subnet& subnet = *site.subnet;
    for (const fabric::PortIndex from : subnet.fabric.end_ports) {
      const mad::Lid slid = subnet.lid_range(from).base;
      const Answered answered = PathQuery{}.slid(slid).send(site, from);
      ASSERT_EQ(answered.status, mad::status::kOk);
      std::size_t next = 0;
      for (const fabric::PortIndex to : subnet.fabric.end_ports) {
        const mad::Lid dlid = subnet.lid_range(to).base;
        const auto expected = walk(subnet, from, to, dlid);
        const auto p_key = naive_p_key(subnet, from, to);
        if (!expected || !p_key) {
          ++none;
          continue;
        }
        ASSERT_LT(next, answered.paths.size())
            << subnet.fabric.port_name(from) << " to " << subnet.fabric.port_name(to);
        const mad::PathRecord& path = answered.paths[next++];
        ASSERT_EQ(get_dlid(path), dlid.value);
        ASSERT_EQ(get_slid(path), slid.value);
        ASSERT_EQ((path.get<mad::Guid, "DGID.guid">()), subnet.fabric.ports[to].guid);
        ASSERT_EQ((path.get<mad::Guid, "SGID.guid">()), subnet.fabric.ports[from].guid);
        ASSERT_EQ((path.get<std::uint64_t, "SGID.prefix">()), site.options.subnet_prefix);
        ASSERT_EQ(get_mtu(path), expected->mtu);
        ASSERT_EQ(get_rate(path),
                  expected->gbps == 100000 ? 3u : mad::rate_code(expected->gbps).value());
        ASSERT_EQ(get_life(path), from == to ? 0u : site.options.subnet_timeout);
        ASSERT_EQ(get_p_key(path), *p_key);
        ASSERT_EQ((path.get<mad::Sl, "SL">()), subnet.partitions.find(*p_key)->sl);
        ASSERT_EQ((path.get<bool, "Reversible">()), walk(subnet, to, from, slid).has_value());
        ASSERT_EQ((path.get<unsigned, "MTUSelector">()), 2u);
        ASSERT_EQ((path.get<unsigned, "RateSelector">()), 2u);
        ASSERT_EQ((path.get<unsigned, "PacketLifeTimeSelector">()), 2u);
        ASSERT_EQ((path.get<unsigned, "HopLimit">()), 0u);
        ++found;
        // Get returns the same record for GIDs of this subnet, and for GIDs with the default
        // prefix.
        if (to % 5 != 0) continue;
        const std::uint64_t prefix = to % 2 == 0 ? kDefaultPrefix : site.options.subnet_prefix;
        const Answered one = PathQuery{}
                                 .sgid({prefix, subnet.fabric.ports[from].guid})
                                 .dgid({prefix, subnet.fabric.ports[to].guid})
                                 .send(site, from, mad::Method::get);
        ASSERT_EQ(one.status, mad::status::kOk);
        ASSERT_EQ(one.paths[0], path);
      }
      ASSERT_EQ(next, answered.paths.size());
    }
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(found, 3000u);
  EXPECT_GT(none, 1000u);
}

TEST(Paths, QueriesWithOneEndEnumerateTheOther) {
  seeds::for_each(20, [](std::uint64_t seed) {
    subnets::Site site = random_site(seed);
    site.subnet->partitions =
        subnets::random_partitions(site.subnet->fabric.end_ports.size(), seed);
    const auto& ends = site.subnet->fabric.end_ports;
    if (ends.empty()) return;
    const fabric::PortIndex requester = ends[fabric::EndPortIndex(seed % ends.size())];
    // All pairs of ports visible to the requester are those of each visible source, and those to
    // each visible destination.
    std::multiset<std::vector<std::uint8_t>> all, by_source, by_destination;
    const auto put = [](const Answered& answered, auto& into) {
      for (const mad::PathRecord& path : answered.paths)
        into.emplace(path.bytes().begin(), path.bytes().end());
    };
    put(PathQuery{}.send(site, requester), all);
    for (const fabric::PortIndex end : ends) {
      put(PathQuery{}.slid(site.subnet->lid_range(end).base).send(site, requester), by_source);
      put(PathQuery{}.dlid(site.subnet->lid_range(end).base).send(site, requester), by_destination);
    }
    ASSERT_EQ(all, by_source);
    ASSERT_EQ(all, by_destination);
    for (const auto& bytes : all) {
      const mad::PathRecord path(
          std::span<const std::uint8_t>(bytes).first<mad::PathRecord::kBytes>());
      for (const unsigned lid : {get_slid(path), get_dlid(path)}) {
        const fabric::PortIndex port =
            site.subnet->lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
        ASSERT_TRUE(port == requester || naive_p_key(*site.subnet, requester, port).has_value());
      }
    }
  });
}

/// Two hosts and a router at one switch; all links 4x EDR (code 16), MTU 4096 but for the second
/// host, 2048. LIDs 1, 2, 3 and the switch 4, with LMC 0.
subnets::Site small_site(unsigned lmc = 0) {
  fabrics::Maker maker;
  const fabric::NodeIndex sw = maker.sw(4);
  maker.host(sw);
  const fabric::PortIndex second = maker.host(sw);
  const fabric::NodeIndex router = maker.router(1);
  maker.cable(router, sw);
  fabric::Fabric fabric = maker.build();
  for (const fabric::PortIndex i : fabric.ports.indices()) {
    mad::PortInfo& info = fabric.ports[i].info;
    info.set_mtu_cap(mad::Mtu::mtu_4096);
    info.set_neighbor_mtu(i == second || fabric.ports[i].peer == second ? mad::Mtu::mtu_2048
                                                                        : mad::Mtu::mtu_4096);
    info.set_link_width_active(mad::link_width::k4x);
    info.set_link_speed_ext_active(mad::link_speed_ext::kEdr);
  }
  return subnets::Site(subnets::bring_up(std::move(fabric), lmc));
}
fabric::PortIndex port_at(const subnets::Site& site, unsigned lid) {
  return site.subnet->lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
}
mad::Gid gid_at(const subnets::Site& site, unsigned lid) {
  return {site.options.subnet_prefix, site.subnet->fabric.ports[port_at(site, lid)].guid};
}
PathQuery one_to_two() { return PathQuery{}.slid({1}).dlid({2}); }

TEST(Paths, GidsOfSubnetsThatNoRouterLeadsToAreRefused) {
  subnets::Site site = small_site();
  for (const PathQuery& foreign :
       {PathQuery{}.sgid(gid_at(site, 1)).dgid({0xfec0000000000001, mad::Guid{99}}),
        PathQuery{}.sgid({0xfec0000000000001, gid_at(site, 1).guid}).dlid({2})})
    for (const mad::Method method : {mad::Method::get, mad::Method::get_table})
      EXPECT_EQ(foreign.send(site, port_at(site, 1), method).status,
                mad::sa_status::kReqInvalidGid);
}

TEST(Paths, UnknownEndsAndContradictions) {
  subnets::Site site = small_site();
  const fabric::PortIndex from = port_at(site, 1);
  for (const PathQuery& unknown :
       {PathQuery{}.slid({1}).dlid({77}), PathQuery{}.slid({77}).dlid({1}),
        PathQuery{}.slid({1}).dlid({0xC000}), PathQuery{}.slid({1}).dlid({0xFFFF}),
        PathQuery{}.slid({0}),
        PathQuery{}.sgid(gid_at(site, 1)).dgid({kDefaultPrefix, mad::Guid{99}}),
        PathQuery{}.sgid(gid_at(site, 1)).dgid({0xff12401bffff0000, mad::Guid{0xffffffff}})}) {
    EXPECT_EQ(unknown.send(site, from, mad::Method::get).status, mad::sa_status::kNoRecords);
    EXPECT_EQ(unknown.send(site, from).status, mad::status::kOk);
    EXPECT_THAT(unknown.send(site, from).paths, IsEmpty());
  }
  EXPECT_EQ(PathQuery{}.sgid(gid_at(site, 1)).slid({2}).dlid({2}).send(site, from).status,
            mad::sa_status::kReqInvalid);
  EXPECT_EQ(PathQuery{}.slid({1}).dgid(gid_at(site, 1)).dlid({2}).send(site, from).status,
            mad::sa_status::kReqInvalid);
  EXPECT_EQ(one_to_two()
                .sgid(gid_at(site, 1))
                .dgid(gid_at(site, 2))
                .send(site, from, mad::Method::get)
                .status,
            mad::status::kOk);
  EXPECT_EQ(PathQuery{}.slid({1}).send(site, from, mad::Method::get).status,
            mad::sa_status::kTooManyRecords);
}

TEST(Paths, MalformedConstraints) {
  subnets::Site site = small_site();
  const fabric::PortIndex from = port_at(site, 1);
  EXPECT_EQ(one_to_two().mtu(mad::Selector::exactly, 6).send(site, from).status,
            mad::sa_status::kReqInvalid);
  EXPECT_EQ(one_to_two().mtu(mad::Selector::less_than, 0).send(site, from).status,
            mad::sa_status::kReqInvalid);
  EXPECT_EQ(one_to_two().mtu(mad::Selector::best, 0).send(site, from).status, mad::status::kOk);
  EXPECT_EQ(one_to_two().rate(mad::Selector::exactly, 1).send(site, from).status,
            mad::sa_status::kReqInvalid);
  EXPECT_EQ(one_to_two().rate(mad::Selector::greater_than, 27).send(site, from).status,
            mad::sa_status::kReqInvalid);
  EXPECT_EQ(one_to_two()
                .with<"ServiceID">(Mask::kServiceIdHigh, std::uint64_t{1})
                .send(site, from)
                .status,
            mad::sa_status::kReqInsufficientComponents);
  PathQuery both = one_to_two().with<"ServiceID">(Mask::kServiceIdHigh, 0x123456789ABCDEFu);
  both.mask |= 1u << Mask::kServiceIdLow;
  ASSERT_THAT(both.send(site, from).paths, SizeIs(1));
  EXPECT_EQ((both.send(site, from).paths[0].get<std::uint64_t, "ServiceID">()), 0x123456789ABCDEFu);
}

TEST(Paths, Selectors) {
  using enum mad::Selector;
  subnets::Site site = small_site();
  const fabric::PortIndex from = port_at(site, 1);
  const auto value = [&](const PathQuery& path_query, unsigned (*get)(const mad::PathRecord&)) {
    const Answered answered = path_query.send(site, from, mad::Method::get);
    return answered.status == mad::status::kOk ? static_cast<int>(get(answered.paths[0])) : -1;
  };
  // The path has MTU 4 (2048), rate 16 (100 Gb/s), lifetime 18.
  const auto mtu = [&](mad::Selector selector, unsigned code) {
    return value(one_to_two().mtu(selector, code), get_mtu);
  };
  EXPECT_EQ(mtu(greater_than, 3), 4);
  EXPECT_EQ(mtu(greater_than, 4), -1);
  EXPECT_EQ(mtu(less_than, 5), 4);
  EXPECT_EQ(mtu(less_than, 4), 3);
  EXPECT_EQ(mtu(less_than, 1), -1);
  EXPECT_EQ(mtu(exactly, 5), -1);
  EXPECT_EQ(mtu(exactly, 4), 4);
  EXPECT_EQ(mtu(exactly, 1), 1);
  EXPECT_EQ(mtu(best, 1), 4);
  const auto rate = [&](mad::Selector selector, unsigned code) {
    return value(one_to_two().rate(selector, code), get_rate);
  };
  EXPECT_EQ(rate(greater_than, 9), 16);   // 80 Gb/s
  EXPECT_EQ(rate(greater_than, 10), -1);  // 120 Gb/s, whose code is lower
  EXPECT_EQ(rate(greater_than, 16), -1);
  EXPECT_EQ(rate(less_than, 17), 16);
  EXPECT_EQ(rate(less_than, 16), 9);  // next below 100 Gb/s are 80
  EXPECT_EQ(rate(less_than, 2), -1);
  EXPECT_EQ(rate(exactly, 16), 16);
  EXPECT_EQ(rate(exactly, 20), -1);  // 50 Gb/s
  EXPECT_EQ(rate(exactly, 10), -1);
  EXPECT_EQ(rate(best, 2), 16);
  const auto life = [&](mad::Selector selector, unsigned code) {
    return value(one_to_two().life(selector, code), get_life);
  };
  EXPECT_EQ(life(greater_than, 17), 18);
  EXPECT_EQ(life(greater_than, 18), -1);
  EXPECT_EQ(life(less_than, 19), 18);
  EXPECT_EQ(life(less_than, 18), 17);
  EXPECT_EQ(life(less_than, 0), -1);
  EXPECT_EQ(life(exactly, 18), 18);
  EXPECT_EQ(life(exactly, 19), -1);
  EXPECT_EQ(life(best, 63), 18);
  // A selector alone, or a value alone, is no constraint.
  EXPECT_EQ(value(one_to_two().with<"MTU">(Mask::kMtu, 5u), get_mtu), 4);
  EXPECT_EQ(value(one_to_two().with<"RateSelector">(Mask::kRateSelector, less_than), get_rate), 16);
}

TEST(Paths, RatesOfOldClients) {
  subnets::Site site = small_site();
  for (fabric::Port& port : site.subnet->fabric.ports) {
    port.info.set_link_width_active(mad::link_width::k2x);
    port.info.set_link_speed_ext_active(mad::link_speed_ext::kEdr);
  }
  EXPECT_EQ(get_rate(one_to_two().send(site, port_at(site, 1)).paths.at(0)), 20u);  // 50 Gb/s
  site.options.use_original_extended_sa_rates_only = true;
  EXPECT_EQ(get_rate(one_to_two().send(site, port_at(site, 1)).paths.at(0)), 7u);  // 40 Gb/s
}

TEST(Paths, ResponsesRepeatComponentsOfTheQuery) {
  subnets::Site site = small_site();
  const PathQuery path_query = one_to_two()
                                   .with<"FlowLabel">(Mask::kFlowLabel, 0x12345u)
                                   .with<"TClass">(Mask::kTClass, 9u)
                                   .with<"QoSClass">(Mask::kQosClass, 5u);
  const mad::PathRecord path = path_query.send(site, port_at(site, 1)).paths.at(0);
  EXPECT_EQ((path.get<unsigned, "FlowLabel">()), 0u);
  EXPECT_EQ((path.get<unsigned, "TClass">()), 0u);
  EXPECT_EQ((path.get<unsigned, "QoSClass">()), 5u);
  EXPECT_EQ((path.get<unsigned, "NumbPath">()), 0u);
  EXPECT_TRUE((path.get<bool, "Reversible">()));
  PathQuery raw = one_to_two().with<"RawTraffic">(Mask::kRawTraffic, true);
  EXPECT_EQ(get_p_key(raw.send(site, port_at(site, 1)).paths.at(0)), mad::PKey{0});
}

TEST(Paths, PKeysAndServiceLevels) {
  subnets::Site site = small_site();
  std::vector<std::vector<mad::PKey>> keys(site.subnet->fabric.end_ports.size(),
                                           {mad::kDefaultPKeyFull});
  keys[site.subnet->end_port_index[port_at(site, 1)]] = {mad::PKey{2}, mad::PKey{0x8003},
                                                         mad::kDefaultPKeyFull};
  keys[site.subnet->end_port_index[port_at(site, 2)]] = {
      mad::PKey{2}, mad::PKey{3}, mad::PKey{0x8004}, mad::kDefaultPKeyLimited};
  site.subnet->partitions = subnets::make_partitions(keys);
  for (fabric::Partition& partition : site.subnet->partitions.partitions)
    partition.sl = mad::Sl{static_cast<std::uint8_t>(partition.key % 8)};
  const auto get = [&](const PathQuery& path_query) {
    return path_query.send(site, port_at(site, 1), mad::Method::get);
  };
  EXPECT_EQ(get_p_key(get(one_to_two()).paths.at(0)), mad::PKey{0x8003});  // both are limited in 2
  EXPECT_EQ((get(one_to_two()).paths.at(0).get<unsigned, "SL">()), 3u);
  EXPECT_EQ(get_p_key(PathQuery{}.slid({2}).dlid({1}).send(site, port_at(site, 2)).paths.at(0)),
            mad::PKey{3});
  const auto with_key = [&](std::uint16_t key) {
    return get(one_to_two().with<"P_Key">(Mask::kPKey, mad::PKey{key}));
  };
  EXPECT_EQ(get_p_key(with_key(0xFFFF).paths.at(0)), mad::PKey{0xFFFF});
  EXPECT_EQ(get_p_key(with_key(0x7FFF).paths.at(0)), mad::PKey{0x7FFF});
  EXPECT_EQ(with_key(0x8002).status, mad::sa_status::kNoRecords);
  EXPECT_EQ(with_key(0x8004).status, mad::sa_status::kNoRecords);
  EXPECT_EQ(with_key(0).status, mad::sa_status::kNoRecords);
  const auto with_sl = [&](unsigned sl) {
    return get(one_to_two().with<"SL">(Mask::kSl, sl)).paths.at(0).get<unsigned, "SL">();
  };
  EXPECT_EQ(with_sl(3), 3u);
  EXPECT_EQ(with_sl(0), 0u);
}

/// Queries with QoS class 1 get the level with these lines.
config::QosPolicy policy_with(const std::string& level) {
  config::Diagnostics found;
  auto policy = config::parse_qos_policy(
      {"qos", "qos-levels\nqos-level\nname: DEFAULT\nsl: 1\nend-qos-level\nqos-level\nname: x\n" +
                  level +
                  "\nend-qos-level\nend-qos-levels\n"
                  "qos-match-rules\nqos-match-rule\nqos-class: 1\nqos-level-name: "
                  "x\nend-qos-match-rule\nend-qos-match-rules\n"},
      found);
  EXPECT_TRUE(policy) << (found.empty() ? "" : found.front().text());
  return policy.value_or(config::QosPolicy{.port_groups = {}, .levels = {{}}, .rules = {}});
}
PathQuery of_class_one(PathQuery path_query) {
  return path_query.with<"QoSClass">(Mask::kQosClass, 1u);
}
unsigned get_sl(const mad::PathRecord& path) { return path.get<unsigned, "SL">(); }

TEST(PathsByPolicy, LevelsLimitMtuRateAndLife) {
  subnets::Site site = small_site();  // paths from 1 to 2: MTU 2048 (4), 100 Gb/s (16), lifetime 18
  site.options.qos = true;
  site.files.qos_policy = policy_with("sl: 2\nmtu-limit: 3\nrate-limit: 7\npacket-life: 9");
  const auto get = [&](const PathQuery& path_query) {
    return path_query.send(site, port_at(site, 1), mad::Method::get);
  };
  const mad::PathRecord usual = get(one_to_two()).paths.at(0);
  EXPECT_THAT((std::vector{get_sl(usual), get_mtu(usual), get_rate(usual), get_life(usual)}),
              ElementsAre(1u, 4u, 16u, site.options.subnet_timeout));
  const mad::PathRecord limited = get(of_class_one(one_to_two())).paths.at(0);
  EXPECT_THAT(
      (std::vector{get_sl(limited), get_mtu(limited), get_rate(limited), get_life(limited)}),
      ElementsAre(2u, 3u, 7u, 9u));
  EXPECT_EQ((limited.get<unsigned, "QoSClass">()), 1u);
  // Constraints beyond the level's limits have no path.
  EXPECT_EQ(get(of_class_one(one_to_two()).mtu(mad::Selector::exactly, 4)).status,
            mad::sa_status::kNoRecords);
  EXPECT_EQ(get(of_class_one(one_to_two()).rate(mad::Selector::exactly, 16)).status,
            mad::sa_status::kNoRecords);
  EXPECT_EQ(get(of_class_one(one_to_two()).rate(mad::Selector::greater_than, 7)).status,
            mad::sa_status::kNoRecords);
  EXPECT_EQ(get_rate(get(of_class_one(one_to_two()).rate(mad::Selector::exactly, 7)).paths.at(0)),
            7u);
  EXPECT_EQ(get(of_class_one(one_to_two()).life(mad::Selector::exactly, 10)).status,
            mad::sa_status::kNoRecords);
  EXPECT_EQ(get_life(get(of_class_one(PathQuery{}.slid({1}).dlid({1}))).paths.at(0)), 0u);
  // A limit that the path does not reach changes nothing.
  site.files.qos_policy = policy_with("sl: 2\nmtu-limit: 5\nrate-limit: 18");
  const mad::PathRecord free = get(of_class_one(one_to_two())).paths.at(0);
  EXPECT_THAT((std::vector{get_mtu(free), get_rate(free), get_life(free)}),
              ElementsAre(4u, 16u, site.options.subnet_timeout));
}

TEST(PathsByPolicy, LevelsDecideTheSl) {
  subnets::Site site = small_site();
  for (fabric::Partition& partition : site.subnet->partitions.partitions) partition.sl = mad::Sl{5};
  site.options.qos = true;
  site.files.qos_policy = policy_with("sl: 2");
  const auto get = [&](const PathQuery& path_query) {
    return path_query.send(site, port_at(site, 1), mad::Method::get);
  };
  EXPECT_EQ(get_sl(get(one_to_two()).paths.at(0)), 1u);
  EXPECT_EQ(get_sl(get(one_to_two().with<"SL">(Mask::kSl, 1u)).paths.at(0)), 1u);
  EXPECT_EQ(get(one_to_two().with<"SL">(Mask::kSl, 2u)).status, mad::sa_status::kNoRecords);
  EXPECT_EQ(get_sl(get(of_class_one(one_to_two()).with<"SL">(Mask::kSl, 2u)).paths.at(0)), 2u);
  // Without a policy, or without qos, the partition does.
  site.options.qos = false;
  EXPECT_EQ(get_sl(get(of_class_one(one_to_two())).paths.at(0)), 5u);
  site.options.qos = true;
  site.files.qos_policy.reset();
  EXPECT_EQ(get_sl(get(of_class_one(one_to_two())).paths.at(0)), 5u);
  EXPECT_EQ(get_sl(get(one_to_two().with<"SL">(Mask::kSl, 2u)).paths.at(0)), 2u);
}

/// A routing with SL 4 from 1 to 2, SL 1 for all other paths, and no use of the bits of
/// `free_bits`.
void route_on_lanes(subnets::Site& site, std::uint8_t free_bits = 0) {
  fabric::PublishedRouting routed;
  routed.engine = "test";
  routed.sls = fabric::PathSls::by_source_and_lid(site.subnet->fabric.switches.size(),
                                                  site.subnet->lids.lid_top);
  for (std::size_t sw = 0; sw < site.subnet->fabric.switches.size(); ++sw)
    std::ranges::fill(routed.sls.row(sw), std::uint8_t{1});
  const fabric::SwitchIndex leaf = site.subnet->fabric.leaf_switch(port_at(site, 1));
  routed.sls.row(leaf)[2] = 4;
  routed.sls.free_bits = free_bits;
  routed.sl_to_vl = fabric::SlToVl::identity(5);
  site.subnet->routing = std::make_shared<const fabric::PublishedRouting>(std::move(routed));
}

TEST(PathsOnVls, TheRoutingDecidesTheSl) {
  subnets::Site site = small_site();
  route_on_lanes(site);
  for (fabric::Partition& partition : site.subnet->partitions.partitions) partition.sl = mad::Sl{5};
  const auto get = [&](const PathQuery& path_query) {
    return path_query.send(site, port_at(site, 1), mad::Method::get);
  };
  EXPECT_EQ(get_sl(get(one_to_two()).paths.at(0)), 4u);
  EXPECT_EQ(get_sl(get(PathQuery{}.slid({2}).dlid({1})).paths.at(0)), 1u)
      << "the reverse path has an SL of its own";
  EXPECT_EQ(get_sl(get(one_to_two().with<"SL">(Mask::kSl, 4u)).paths.at(0)), 4u);
  EXPECT_EQ(get(one_to_two().with<"SL">(Mask::kSl, 5u)).status, mad::sa_status::kNoRecords)
      << "it could close a credit loop";
  site.options.qos = true;
  site.files.qos_policy = policy_with("sl: 2");
  EXPECT_EQ(get_sl(get(of_class_one(one_to_two())).paths.at(0)), 4u);
  EXPECT_EQ(get(of_class_one(one_to_two()).with<"SL">(Mask::kSl, 2u)).status,
            mad::sa_status::kNoRecords);
}

TEST(PathsOnVls, SlBitsThatTheRoutingDoesNotUseComeFromTheRequest) {
  subnets::Site site = small_site();
  route_on_lanes(site, 8);
  for (fabric::Partition& partition : site.subnet->partitions.partitions)
    partition.sl = mad::Sl{10};
  const auto get = [&](const PathQuery& path_query) {
    return path_query.send(site, port_at(site, 1), mad::Method::get);
  };
  EXPECT_EQ(get_sl(get(one_to_two()).paths.at(0)), 12u);
  EXPECT_EQ(get_sl(get(one_to_two().with<"SL">(Mask::kSl, 4u)).paths.at(0)), 4u);
  EXPECT_EQ(get_sl(get(one_to_two().with<"SL">(Mask::kSl, 12u)).paths.at(0)), 12u);
  EXPECT_EQ(get(one_to_two().with<"SL">(Mask::kSl, 13u)).status, mad::sa_status::kNoRecords);
  site.options.qos = true;
  site.files.qos_policy = policy_with("sl: 9");
  EXPECT_EQ(get_sl(get(of_class_one(one_to_two())).paths.at(0)), 12u);
}

TEST(PathsOnVls, NoneWhereATableDropsTheSl) {
  subnets::Site site = small_site();
  const fabric::Fabric& fabric = site.subnet->fabric;
  auto vl_tables = std::make_shared<fabric::VlTables>();
  vl_tables->update_from(fabric);
  const fabric::PortIndex exit = fabric.ports[port_at(site, 2)].peer;  // of the switch, towards 2
  for (unsigned in = 0; in <= fabric.owning_node(exit).num_ports; ++in) {
    vl_tables->learn_sl_to_vl(exit, mad::PortNum{static_cast<std::uint8_t>(in)},
                              0x000F000000000000);  // SL 3
  }
  vl_tables->learn_sl_to_vl(port_at(site, 1), {}, 0x0000F00000000000);  // SL 4
  site.subnet->vl_tables = vl_tables;
  site.options.qos = true;
  const auto with_sl = [&](unsigned sl) {
    return one_to_two()
        .with<"SL">(Mask::kSl, sl)
        .send(site, port_at(site, 1), mad::Method::get)
        .status;
  };
  EXPECT_EQ(with_sl(2), mad::status::kOk);
  EXPECT_EQ(with_sl(3), mad::sa_status::kNoRecords);
  EXPECT_EQ(with_sl(4), mad::sa_status::kNoRecords);
  EXPECT_EQ(PathQuery{}
                .slid({2})
                .dlid({1})
                .with<"SL">(Mask::kSl, 3u)
                .send(site, port_at(site, 2), mad::Method::get)
                .status,
            mad::status::kOk)
      << "the other direction";
  site.options.qos = false;
  EXPECT_EQ(with_sl(3), mad::status::kOk);
}

TEST(PathsByPolicy, LevelsLimitPKeys) {
  subnets::Site site = small_site();
  std::vector<std::vector<mad::PKey>> keys(site.subnet->fabric.end_ports.size(),
                                           {mad::kDefaultPKeyFull});
  for (const unsigned lid : {1u, 2u})
    keys[site.subnet->end_port_index[port_at(site, lid)]] = {mad::PKey{0x8003}, mad::PKey{0x8010},
                                                             mad::kDefaultPKeyFull};
  site.subnet->partitions = subnets::make_partitions(keys);
  site.options.qos = true;
  site.files.qos_policy = policy_with("sl: 2\npkey: 0x8-0x10");
  const auto get = [&](const PathQuery& path_query) {
    return path_query.send(site, port_at(site, 1), mad::Method::get);
  };
  EXPECT_EQ(get_p_key(get(one_to_two()).paths.at(0)), mad::PKey{0x8003});
  EXPECT_EQ(get_p_key(get(of_class_one(one_to_two())).paths.at(0)), mad::PKey{0x8010});
  const auto with_key = [&](std::uint16_t key) {
    return get(of_class_one(one_to_two()).with<"P_Key">(Mask::kPKey, mad::PKey{key}));
  };
  EXPECT_EQ(get_p_key(with_key(0x10).paths.at(0)), mad::PKey{0x10});
  EXPECT_EQ(with_key(0xFFFF).status, mad::sa_status::kNoRecords);
  EXPECT_EQ(get(of_class_one(PathQuery{}.slid({1}).dlid({3}))).status,
            mad::sa_status::kNoRecords);  // the default partition is the only common one
}

TEST(PathsByPolicy, LevelsLimitPathBits) {
  const auto slids = [](unsigned lmc, const std::string& bits) {
    subnets::Site site = small_site(lmc);
    site.options.qos = true;
    site.files.qos_policy = policy_with("sl: 2\npath-bits: " + bits);
    const fabric::Subnet& subnet = *site.subnet;
    const mad::Lid first = subnet.lid_range(subnet.fabric.end_ports[fabric::EndPortIndex{1}]).base,
                   second = subnet.lid_range(subnet.fabric.end_ports[fabric::EndPortIndex{2}]).base;
    const Answered answered =
        of_class_one(PathQuery{}.sgid(gid_at(site, first.value)).dgid(gid_at(site, second.value)))
            .send(site, port_at(site, first.value));
    std::multiset<unsigned> found;
    for (const mad::PathRecord& path : answered.paths) found.insert(get_slid(path) - first.value);
    return found;
  };
  EXPECT_THAT(slids(1, "1"), ElementsAre(1u, 1u));
  EXPECT_THAT(slids(2, "1,3-7"), ElementsAre(1u, 1u, 1u, 1u, 3u, 3u, 3u, 3u));
  EXPECT_THAT(slids(0, "1"), ElementsAre(0u));  // the port has none of these path bits
  EXPECT_THAT(slids(1, "4-8"), SizeIs(4));
}

TEST(PathsByPolicy, ServiceIdsOfPathAndMultiPathQueries) {
  subnets::Site site = small_site();
  site.options.qos = true;
  config::Diagnostics found;
  site.files.qos_policy = config::parse_qos_policy(
      {"qos", "qos-ulps\ndefault: 1\nany, service-id 0x1122334455667788 : 6\nend-qos-ulps\n"},
      found);
  const Answered one =
      one_to_two()
          .with<"ServiceID">(Mask::kServiceIdHigh, std::uint64_t{0x1122334455667788})
          .with<"ServiceID">(Mask::kServiceIdLow, std::uint64_t{0x1122334455667788})
          .send(site, port_at(site, 1), mad::Method::get);
  EXPECT_EQ(get_sl(one.paths.at(0)), 6u);
  EXPECT_EQ(get_sl(one_to_two().send(site, port_at(site, 1), mad::Method::get).paths.at(0)), 1u);
}

TEST(Paths, PairsOfLids) {
  for (const unsigned lmc : {0u, 1u, 2u, 3u}) {
    subnets::Site site = small_site(lmc);
    const unsigned count = 1u << lmc;
    const fabric::LidMap::Range from = site.subnet->lid_range(site.subnet->fabric.sm_port);
    ASSERT_EQ(from.count(), count);
    const mad::Gid sgid = gid_at(site, from.base.value),
                   dgid = gid_at(site, from.base.value + count);
    const fabric::PortIndex requester = site.subnet->fabric.sm_port;
    const Answered all = PathQuery{}.sgid(sgid).dgid(dgid).send(site, requester);
    ASSERT_EQ(all.paths.size(), count * count);
    std::set<std::pair<unsigned, unsigned>> seen;
    for (std::size_t i = 0; i < all.paths.size(); ++i) {
      const unsigned near = get_slid(all.paths[i]) - from.base.value,
                     far = get_dlid(all.paths[i]) - from.base.value - count;
      ASSERT_TRUE(near < count && far < count && seen.emplace(near, far).second);
      ASSERT_EQ(i < count, near == far);
      ASSERT_EQ((all.paths[i].get<unsigned, "Preference">()), i < count ? 0u : 2u);
    }
    for (const unsigned wanted : {0u, 1u, 3u, 127u})
      EXPECT_THAT(PathQuery{}.sgid(sgid).dgid(dgid).numb_path(wanted).send(site, requester).paths,
                  SizeIs(std::min(wanted, count * count)));
    EXPECT_THAT(PathQuery{}
                    .sgid(sgid)
                    .dgid(dgid)
                    .numb_path(5)
                    .send(site, requester, mad::Method::get)
                    .paths,
                SizeIs(1));
    EXPECT_THAT(PathQuery{}.sgid(sgid).slid(from.base).dgid(dgid).send(site, requester).paths,
                SizeIs(count));
    EXPECT_THAT(PathQuery{}
                    .slid(from.base)
                    .dlid({static_cast<std::uint16_t>(from.base.value + 2 * count - 1)})
                    .send(site, requester)
                    .paths,
                SizeIs(1));
  }
}

TEST(Paths, UnidirectionalPathsAreNotReversible) {
  subnets::Site site = small_site();
  fabric::ForwardingTables tables = *site.subnet->lfts;
  tables.writable_row(fabric::SwitchIndex{0})[1] = mad::kNoPort.value;  // no route to LID 1
  site.subnet->lfts = std::make_shared<const fabric::ForwardingTables>(std::move(tables));
  const Answered any = one_to_two().send(site, port_at(site, 1));
  ASSERT_THAT(any.paths, SizeIs(1));
  EXPECT_FALSE((any.paths[0].get<bool, "Reversible">()));
  EXPECT_THAT(
      one_to_two().with<"Reversible">(Mask::kReversible, true).send(site, port_at(site, 1)).paths,
      IsEmpty());
  EXPECT_THAT(
      one_to_two().with<"Reversible">(Mask::kReversible, false).send(site, port_at(site, 1)).paths,
      SizeIs(1));
}

TEST(Paths, EnumerationStopsAtTheLimit) {
  subnets::Site site = small_site();
  EXPECT_EQ(PathQuery{}.send(site, port_at(site, 1), mad::Method::get_table, 16 * 64).status,
            mad::status::kOk);  // 4 end ports
  EXPECT_EQ(PathQuery{}.send(site, port_at(site, 1), mad::Method::get_table, 16 * 64 - 1).status,
            mad::sa_status::kNoResources);
}

TEST(Paths, OtherSubnetsByPrefixRoutes) {
  subnets::Site site = small_site();
  const fabric::PortIndex requester = port_at(site, 1);
  const mad::Gid far{0xfec0000000000001, mad::Guid{0x1234}};
  const std::uint64_t router = gid_at(site, 3).guid.value, host = gid_at(site, 2).guid.value;
  const auto path = [&](std::vector<config::PrefixRoute> routes) {
    site.files.prefix_routes = std::move(routes);
    return PathQuery{}.sgid(gid_at(site, 1)).dgid(far).send(site, requester).paths;
  };
  EXPECT_THAT(path({}), IsEmpty());
  for (const auto& routes : {std::vector<config::PrefixRoute>{{far.prefix, router}},
                             {{std::nullopt, router}},
                             {{std::nullopt, std::nullopt}},
                             {{1, host}, {far.prefix, router}}}) {
    const auto found = path(routes);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(get_dlid(found[0]), 3u);
    EXPECT_EQ((found[0].get<unsigned, "HopLimit">()), 255u);
    EXPECT_EQ((found[0].get<std::uint64_t, "DGID.prefix">()), far.prefix);
    EXPECT_EQ((found[0].get<mad::Guid, "DGID.guid">()), far.guid);
  }
  EXPECT_THAT(path({{far.prefix, host}, {std::nullopt, router}}),
              IsEmpty());  // the first match is used, and a host is no router
  EXPECT_THAT(path({{0xfec0000000000002, router}}), IsEmpty());
  site.files.prefix_routes = {{std::nullopt, router}};
  EXPECT_EQ(PathQuery{}.slid({1}).dgid(far).dlid({2}).send(site, requester).status,
            mad::sa_status::kReqInvalid);
  EXPECT_THAT(PathQuery{}.slid({1}).dgid(far).dlid({3}).send(site, requester).paths, SizeIs(1));
}

/// A subnet with three routers, whose tables are set by add().
struct RoutedSite {
  static constexpr std::uint64_t kPrefix = 0xfec0000000000002;

  RoutedSite() : site(make()) {
    for (const fabric::PortIndex port : site.subnet->fabric.end_ports) {
      const mad::NodeType type = site.subnet->fabric.owning_node(port).type;
      if (type == mad::NodeType::router) ports.push_back(port);
      if (type == mad::NodeType::ca) hosts.push_back(port);
    }
  }
  static subnets::Site make() {
    fabrics::Maker maker;
    const fabric::NodeIndex sw = maker.sw();
    for (int i = 0; i < 4; ++i) maker.host(sw);
    for (int i = 0; i < 3; ++i) maker.cable(maker.router(1), sw);
    return subnets::Site(subnets::bring_up(maker.build()));
  }
  /// Router number `number` leads to the subnet.
  void add(std::size_t number, mad::PKey key = mad::kDefaultPKeyFull, bool is_adjacent = true) {
    const fabric::NodeIndex node = site.subnet->fabric.ports[ports[number]].node;
    auto found = std::ranges::find(tables.routers, node, &fabric::Router::node);
    if (found == tables.routers.end()) {
      tables.routers.push_back(
          {.node = node, .state = fabric::RouterState::read, .reason = {}, .entries = {}});
      found = std::prev(tables.routers.end());
    }
    found->entries.push_back(
        {.prefix = kPrefix, .p_key = key, .is_adjacent = is_adjacent, .master_sm_lid = {}});
    fabric::index_subnets(site.subnet->fabric, tables);
    site.subnet->routers = std::make_shared<const fabric::Routers>(tables);
  }
  /// The router of a path, and the path.
  struct Found {
    std::size_t router = kNone;
    std::optional<mad::PathRecord> path;
  };
  static constexpr std::size_t kNone = 99;
  Found find(std::size_t host, std::uint64_t guid) {
    const mad::Gid sgid{site.options.subnet_prefix, site.subnet->fabric.ports[hosts[host]].guid};
    const auto paths =
        PathQuery{}.sgid(sgid).dgid({kPrefix, mad::Guid{guid}}).send(site, hosts[host]).paths;
    if (paths.empty()) return {};
    const fabric::PortIndex owner = site.subnet->lids.owner(paths[0].get<mad::Lid, "DLID">());
    return {static_cast<std::size_t>(std::ranges::find(ports, owner) - ports.begin()), paths[0]};
  }
  /// How many of many destinations each router gets.
  std::vector<std::size_t> shares(std::size_t destinations = 3000) {
    std::vector<std::size_t> counts(ports.size(), 0);
    for (std::uint64_t guid = 1; guid <= destinations; ++guid)
      if (const std::size_t router = find(0, guid).router; router != kNone) ++counts[router];
    return counts;
  }

  subnets::Site site;
  fabric::Routers tables;
  std::vector<fabric::PortIndex> ports, hosts;
};

TEST(PathsBeyond, FlowsAreSpreadAndTheLossOfARouterMovesOnlyItsOwn) {
  RoutedSite all, fewer;
  for (const std::size_t router : {0u, 1u, 2u}) all.add(router);
  for (const std::size_t router : {0u, 2u}) fewer.add(router);
  for (const std::size_t share : all.shares()) EXPECT_NEAR(static_cast<double>(share), 1000, 120);
  for (std::uint64_t guid = 1; guid <= 500; ++guid) {
    const std::size_t before = all.find(1, guid).router, after = fewer.find(1, guid).router;
    if (before == 1) {
      EXPECT_NE(after, 1u) << guid;
    } else {
      EXPECT_EQ(after, before) << guid;
    }
  }
  std::set<std::size_t> seeds;
  for (const std::uint32_t seed : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
    all.site.options.rtr_selection_seed = seed;
    seeds.insert(all.find(0, 5).router);
  }
  EXPECT_GT(seeds.size(), 1u);
  all.site.options.rtr_selection_algo_parameters = "sgid";
  std::set<std::size_t> of_one_source;
  for (std::uint64_t guid = 1; guid <= 50; ++guid) of_one_source.insert(all.find(0, guid).router);
  EXPECT_THAT(of_one_source, SizeIs(1));
}

TEST(PathsBeyond, WeightsOfThePolicyAreShares) {
  RoutedSite routed;
  for (const std::size_t router : {0u, 1u, 2u}) routed.add(router);
  const auto guid = [&](std::size_t router) {
    return routed.site.subnet->fabric.ports[routed.ports[router]].guid.value;
  };
  routed.site.files.router_policy.rules = {
      {.prefix = RoutedSite::kPrefix, .routers = {{guid(0), 3}, {guid(1), 1}, {guid(2), 0}}}};
  const auto shares = routed.shares();
  EXPECT_NEAR(static_cast<double>(shares[0]), 2250, 120);
  EXPECT_NEAR(static_cast<double>(shares[1]), 750, 120);
  EXPECT_EQ(shares[2], 0u) << "weight 0 is for the case that no other leads there";
  routed.site.files.router_policy.rules[0].routers = {{guid(2), 0}};
  EXPECT_EQ(routed.find(0, 1).router, 2u);
  routed.site.files.router_policy.rules[0].routers = {{0x1234, 1}};
  EXPECT_EQ(routed.find(0, 1).router, RoutedSite::kNone);
}

TEST(PathsBeyond, SourceRouterAndTableShareThePartition) {
  RoutedSite routed;
  routed.add(0, mad::PKey{0x8002});
  routed.add(1, mad::PKey{0x8001}, false);
  routed.add(2, mad::PKey{0x8003});
  fabric::Subnet& subnet = *routed.site.subnet;
  subnet.index();
  std::vector<std::vector<mad::PKey>> keys(subnet.fabric.end_ports.size(),
                                           {mad::PKey{0x8001}, mad::PKey{0x8002}});
  const auto set = [&](fabric::PortIndex port, std::vector<mad::PKey> its) {
    keys[subnet.end_port_index[port].value] = std::move(its);
  };
  set(routed.ports[2], {mad::PKey{0x8003}});
  set(routed.hosts[1], {mad::PKey{0x8002}});
  set(routed.hosts[2], {mad::PKey{0x8004}});
  subnet.partitions = subnets::make_partitions(keys);
  EXPECT_EQ(routed.find(0, 1).router, 1u) << "the lowest partition";
  EXPECT_EQ(get_p_key(*routed.find(0, 1).path), mad::PKey{0x8001});
  EXPECT_EQ(routed.find(1, 1).router, 0u);
  EXPECT_EQ(get_p_key(*routed.find(1, 1).path), mad::PKey{0x8002});
  EXPECT_EQ(routed.find(2, 1).router, RoutedSite::kNone);
}

TEST(PathsBeyond, OptionsSetTheFieldsOfTheRecord) {
  RoutedSite routed;
  routed.add(0);
  config::Options& options = routed.site.options;
  const auto usual = *routed.find(0, 1).path;
  EXPECT_EQ((usual.get<unsigned, "FlowLabel">()), 0u);
  options.rtr_pr_flow_label = 0x12345;
  options.rtr_pr_tclass = 7;
  options.rtr_pr_mtu = 3;
  options.rtr_pr_rate = 2;
  options.rtr_pr_sl = 5;
  EXPECT_EQ((routed.find(0, 1).path->get<unsigned, "SL">()), 0u) << "not set";
  options.origins["rtr_pr_sl"] = {};
  const auto path = *routed.find(0, 1).path;
  EXPECT_EQ((path.get<unsigned, "FlowLabel">()), 0x12345u);
  EXPECT_EQ((path.get<unsigned, "TClass">()), 7u);
  EXPECT_EQ(get_mtu(path), 3u);
  EXPECT_EQ(get_rate(path), 2u);
  EXPECT_EQ((path.get<unsigned, "SL">()), 5u);
  EXPECT_EQ((path.get<unsigned, "HopLimit">()), 255u);
}

TEST(PathsBeyond, ARouterWhoseTablesLackTheSubnetIsNotUsed) {
  RoutedSite routed;
  routed.add(0);
  const auto guid = [&](std::size_t router) {
    return routed.site.subnet->fabric.ports[routed.ports[router]].guid.value;
  };
  routed.site.files.prefix_routes = {{RoutedSite::kPrefix, guid(1)}};
  EXPECT_EQ(routed.find(0, 1).router, 1u) << "its tables are not known";
  routed.tables.routers.push_back({.node = routed.site.subnet->fabric.ports[routed.ports[1]].node,
                                   .state = fabric::RouterState::read,
                                   .reason = {},
                                   .entries = {}});
  routed.site.subnet->routers = std::make_shared<const fabric::Routers>(routed.tables);
  EXPECT_EQ(routed.find(0, 1).router, RoutedSite::kNone);
  routed.site.files.prefix_routes = {{std::nullopt, std::nullopt}};
  EXPECT_EQ(routed.find(0, 1).router, 0u);
}

TEST(Paths, AliasesNameTheirPort) {
  subnets::Site site = small_site();
  const mad::Guid alias{0x1405000000000001};
  site.registrations.alias_guids.set({.port_guid = gid_at(site, 2).guid, .index = 1}, alias);
  const Answered found = PathQuery{}
                             .sgid(gid_at(site, 1))
                             .dgid({kDefaultPrefix, alias})
                             .send(site, port_at(site, 1), mad::Method::get);
  ASSERT_EQ(found.status, mad::status::kOk);
  EXPECT_EQ(get_dlid(found.paths[0]), 2u);
  EXPECT_EQ((found.paths[0].get<mad::Guid, "DGID.guid">()), alias);
}

TEST(Paths, ToMulticastGroups) {
  subnets::Site site = small_site();
  const mad::Gid mgid{0xff12401bffff0000, mad::Guid{0xffffffff}},
      global{0xff1e401bffff0000, mad::Guid{0xffffffff}};
  Group group{.mgid = mgid,
              .mlid = {0xC005},
              .p_key = mad::kDefaultPKeyFull,
              .q_key = 1,
              .mtu = 4,
              .rate = 3,
              .packet_life = 18,
              .sl = mad::Sl{2},
              .t_class = 7,
              .flow_label = 0x321,
              .hop_limit = 1};
  site.registrations.groups.create(group);
  group.mgid = global;
  site.registrations.groups.create(group);
  const fabric::PortIndex requester = port_at(site, 1);
  const auto path_query = [&] { return PathQuery{}.slid({1}).dgid(mgid); };
  const auto status = [&](const PathQuery& query) {
    return query.send(site, requester, mad::Method::get).status;
  };
  const Answered found = path_query().send(site, requester, mad::Method::get);
  ASSERT_EQ(found.status, mad::status::kOk);
  const mad::PathRecord& path = found.paths[0];
  EXPECT_EQ(get_dlid(path), 0xC005u);
  EXPECT_EQ(get_slid(path), 1u);
  EXPECT_EQ((path.get<mad::Guid, "SGID.guid">()), gid_at(site, 1).guid);
  EXPECT_EQ(get_mtu(path), 4u);
  EXPECT_EQ(get_rate(path), 3u);
  EXPECT_EQ(get_life(path), 18u);
  EXPECT_EQ(get_p_key(path), mad::kDefaultPKeyFull);
  EXPECT_EQ((path.get<unsigned, "SL">()), 2u);
  EXPECT_EQ((path.get<unsigned, "TClass">()), 7u);
  EXPECT_EQ((path.get<unsigned, "FlowLabel">()), 0x321u);
  EXPECT_EQ((path.get<unsigned, "HopLimit">()), 1u);
  EXPECT_EQ((path.get<unsigned, "NumbPath">()), 1u);
  EXPECT_EQ((PathQuery{}
                 .slid({1})
                 .dgid(global)
                 .send(site, requester)
                 .paths.at(0)
                 .get<unsigned, "HopLimit">()),
            255u);
  EXPECT_EQ(get_slid(PathQuery{}.dgid(mgid).send(site, requester).paths.at(0)),
            1u);  // from the requester
  EXPECT_EQ(status(path_query().dlid({0xC005})), mad::status::kOk);
  EXPECT_EQ(status(path_query().dlid({0xC006})), mad::sa_status::kNoRecords);
  EXPECT_EQ(status(path_query().with<"SL">(Mask::kSl, 1u)), mad::sa_status::kNoRecords);
  EXPECT_EQ(status(path_query().with<"FlowLabel">(Mask::kFlowLabel, 1u)),
            mad::sa_status::kNoRecords);
  EXPECT_EQ(status(path_query().with<"TClass">(Mask::kTClass, 7u)), mad::status::kOk);
  EXPECT_EQ(status(path_query().with<"TClass">(Mask::kTClass, 8u)), mad::sa_status::kNoRecords);
  EXPECT_EQ(status(path_query().with<"HopLimit">(Mask::kHopLimit, 2u)), mad::sa_status::kNoRecords);
  EXPECT_EQ(status(path_query().with<"P_Key">(Mask::kPKey, mad::kDefaultPKeyLimited)),
            mad::status::kOk);
  EXPECT_EQ(status(path_query().with<"P_Key">(Mask::kPKey, mad::PKey{0x8001})),
            mad::sa_status::kNoRecords);
  EXPECT_EQ(status(path_query().mtu(mad::Selector::less_than, 4)), mad::sa_status::kNoRecords);
  EXPECT_EQ(status(path_query().mtu(mad::Selector::exactly, 4)), mad::status::kOk);
  EXPECT_EQ(status(path_query().rate(mad::Selector::exactly, 2)),
            mad::sa_status::kNoRecords);  // a group's parameters are fixed
  EXPECT_EQ(status(path_query().life(mad::Selector::greater_than, 18)), mad::sa_status::kNoRecords);
  EXPECT_EQ(status(PathQuery{}.sgid(gid_at(site, 1)).slid({2}).dgid(mgid)),
            mad::sa_status::kReqInvalid);
  std::vector<std::vector<mad::PKey>> keys(site.subnet->fabric.end_ports.size(),
                                           {mad::kDefaultPKeyFull});
  keys[site.subnet->end_port_index[requester]] = {mad::PKey{0x8001}};
  site.subnet->partitions = subnets::make_partitions(keys);
  EXPECT_EQ(status(path_query()), mad::sa_status::kNoRecords);
}

// ---- MultiPathRecord.

struct MultiPathQuery {
  mad::MultiPathRecord record;
  std::vector<mad::Gid> gids;
  std::uint64_t mask = 0;

  Answered send(subnets::Site& site, fabric::PortIndex from) const {
    std::vector<std::uint8_t> bytes(record.bytes().begin(), record.bytes().end());
    for (const mad::Gid& gid : gids)
      for (const std::uint64_t half : {gid.prefix, gid.guid.value})
        for (int shift = 56; shift >= 0; shift -= 8)
          bytes.push_back(static_cast<std::uint8_t>(half >> shift));
    const Query query{.method = mad::Method::get_multi,
                      .attribute = mad::SaAttributeId::multi_path_record,
                      .modifier = 0,
                      .component_mask = mask,
                      .record = bytes,
                      .from = {.port = from, .lid = {}}};
    ResponseBuffer out;
    Answered answered{answer(site.view(), query, kMultiPathRecord, out), {}};
    expect_same_in_slices(site.view(), query, kMultiPathRecord, out, kResponseBytesMax,
                          answered.status);
    for (std::size_t i = 0; i < out.records(); ++i)
      answered.paths.emplace_back(out.record(i).first<mad::PathRecord::kBytes>());
    return answered;
  }
};
MultiPathQuery multi(std::vector<mad::Gid> from, const std::vector<mad::Gid>& to) {
  using M = mad::MultiPathRecordFields::Mask;
  MultiPathQuery path_query;
  path_query.record.set<"SGIDCount">(from.size());
  path_query.record.set<"DGIDCount">(to.size());
  path_query.mask = 1u << M::kSgidCount | 1u << M::kDgidCount;
  path_query.gids = std::move(from);
  path_query.gids.insert(path_query.gids.end(), to.begin(), to.end());
  return path_query;
}

TEST(MultiPaths, BetweenAllOfThem) {
  using M = mad::MultiPathRecordFields::Mask;
  subnets::Site site = small_site();
  const fabric::PortIndex requester = port_at(site, 1);
  MultiPathQuery path_query =
      multi({gid_at(site, 1), gid_at(site, 4)}, {gid_at(site, 2), gid_at(site, 3)});
  const Answered all = path_query.send(site, requester);
  EXPECT_EQ(all.status, mad::status::kOk);
  std::vector<std::pair<unsigned, unsigned>> pairs;
  for (const mad::PathRecord& path : all.paths) pairs.emplace_back(get_slid(path), get_dlid(path));
  EXPECT_THAT(pairs, ElementsAre(std::pair(1u, 2u), std::pair(1u, 3u), std::pair(4u, 2u),
                                 std::pair(4u, 3u)));
  EXPECT_EQ(all.paths[0], PathQuery{}.slid({1}).dlid({2}).send(site, requester).paths.at(0));
  path_query.record.set<"NumbPath">(3u);
  path_query.mask |= 1u << M::kNumbPath;
  EXPECT_THAT(path_query.send(site, requester).paths, SizeIs(3));
  path_query.gids[1].guid.value = 99;
  EXPECT_EQ(path_query.send(site, requester).status, mad::sa_status::kReqInvalidGid);
  path_query.gids.pop_back();
  EXPECT_EQ(path_query.send(site, requester).status, mad::sa_status::kReqInvalid);
  path_query.mask &= ~(std::uint64_t{1} << M::kSgidCount);
  EXPECT_EQ(path_query.send(site, requester).status, mad::sa_status::kReqInsufficientComponents);
}

TEST(MultiPaths, ARepeatedGidIsOneEnd) {
  subnets::Site site = small_site(3);
  const fabric::PortIndex requester = site.subnet->fabric.sm_port;
  const unsigned first = site.subnet->lid_range(requester).base.value;
  const std::vector<mad::Gid> from{gid_at(site, first)}, to{gid_at(site, first + 8)};
  const auto with_repetitions = [](const std::vector<mad::Gid>& gids, unsigned count) {
    return std::vector<mad::Gid>(count, gids[0]);
  };
  EXPECT_EQ(
      multi(with_repetitions(from, 255), with_repetitions(to, 255)).send(site, requester).paths,
      multi(from, to).send(site, requester).paths);
  site.options.subnet_prefix = 0xfec0000000000007;
  const mad::Gid own = gid_at(site, first);
  EXPECT_EQ(multi({{kDefaultPrefix, own.guid}, own}, to).send(site, requester).paths,
            multi({own}, to).send(site, requester).paths)
      << "by both forms of the GID";
}

TEST(MultiPaths, ByPolicy) {
  using M = mad::MultiPathRecordFields::Mask;
  subnets::Site site = small_site();
  site.options.qos = true;
  config::Diagnostics found;
  site.files.qos_policy = config::parse_qos_policy(
      {"qos", "qos-ulps\ndefault: 1\nany, service-id 0x1122334455667788 : 6\nend-qos-ulps\n"},
      found);
  MultiPathQuery path_query = multi({gid_at(site, 1)}, {gid_at(site, 2)});
  EXPECT_EQ(get_sl(path_query.send(site, port_at(site, 1)).paths.at(0)), 1u);
  path_query.record.set<"ServiceID.msb">(0x11u);
  path_query.record.set<"ServiceID.lsb">(std::uint64_t{0x22334455667788});
  path_query.mask |= std::uint64_t{1} << M::kServiceIdHigh | std::uint64_t{1} << M::kServiceIdLow;
  EXPECT_EQ(get_sl(path_query.send(site, port_at(site, 1)).paths.at(0)), 6u);
}

TEST(MultiPaths, IndependentOnesFirst) {
  using M = mad::MultiPathRecordFields::Mask;
  // Two rails: hosts with two ports, each on a switch of its own.
  fabrics::Maker maker;
  const fabric::NodeIndex a = maker.sw(4), b = maker.sw(4);
  std::vector<fabric::NodeIndex> hosts;
  for (int i = 0; i < 2; ++i) {
    for (const fabric::NodeIndex sw : {a, b}) {
      hosts.push_back(maker.ca(1));
      maker.cable(hosts.back(), sw);
    }
  }
  maker.cable(a, b);
  subnets::Site site(subnets::bring_up(maker.build()));
  const auto gid = [&](unsigned i) {
    return mad::Gid{
        site.options.subnet_prefix,
        site.subnet->fabric.ports[site.subnet->fabric.port(hosts[i], mad::PortNum{1})].guid};
  };
  MultiPathQuery path_query = multi({gid(0), gid(1)}, {gid(2), gid(3)});
  path_query.record.set<"NumbPath">(2u);
  path_query.record.set<"IndependenceSelector">(1u);
  path_query.mask |= 1u << M::kNumbPath | 1u << M::kIndependence;
  const Answered found = path_query.send(site, site.subnet->fabric.sm_port);
  ASSERT_THAT(found.paths, SizeIs(2));
  std::set<fabric::NodeIndex> nodes;
  std::size_t passed = 0;
  for (const mad::PathRecord& path : found.paths) {
    const auto walked = walk(*site.subnet, port_at(site, get_slid(path)),
                             port_at(site, get_dlid(path)), path.get<mad::Lid, "DLID">());
    ASSERT_TRUE(walked);
    nodes.insert(walked->nodes.begin(), walked->nodes.end());
    passed += walked->nodes.size();
  }
  EXPECT_EQ(nodes.size(), passed) << "the two paths share a node";
  path_query.mask &= ~(std::uint64_t{1} << M::kIndependence);
  EXPECT_EQ((path_query.send(site, site.subnet->fabric.sm_port)
                 .paths.at(1)
                 .get<mad::Guid, "SGID.guid">()),
            gid(0).guid);  // in order, without regard to shared nodes
}

// ---- TraceRecord.

TEST(Traces, EveryNodeOfThePath) {
  std::size_t steps = 0;
  seeds::for_each(30, [&](std::uint64_t seed) {
    subnets::Site site = random_site(seed);
    const fabric::Subnet& subnet = *site.subnet;
    const fabric::Fabric& fabric = subnet.fabric;
    for (const fabric::PortIndex from : fabric.end_ports) {
      const fabric::PortIndex to =
          fabric.end_ports[fabric::EndPortIndex((from * 7 + seed) % fabric.end_ports.size())];
      PathQuery path_query;
      path_query.slid(subnet.lid_range(from).base).dlid(subnet.lid_range(to).base);
      const Query query{.method = mad::Method::get_trace_table,
                        .attribute = mad::SaAttributeId::trace_record,
                        .modifier = 0,
                        .component_mask = path_query.mask,
                        .record = path_query.record.bytes(),
                        .from = {.port = from, .lid = {}}};
      ResponseBuffer out;
      ASSERT_EQ(answer(site.view(), query, kTraceRecord, out), mad::status::kOk);
      const auto expected = walk(subnet, from, to, subnet.lid_range(to).base);
      if (!expected) {
        ASSERT_EQ(out.records(), 0u);
        continue;
      }
      ASSERT_EQ(out.records(), expected->nodes.size());
      for (std::size_t i = 0; i < out.records(); ++i, ++steps) {
        const mad::TraceRecord record(out.record(i).first<mad::TraceRecord::kBytes>());
        const fabric::Node& node = fabric.nodes[expected->nodes[i]];
        ASSERT_EQ((record.get<mad::Guid, "NodeID">()), node.guid);
        ASSERT_EQ((record.get<mad::NodeType, "NodeType">()), node.type);
        const auto entry = record.get<mad::PortNum, "EntryPort">();
        ASSERT_EQ(entry == mad::PortNum{0}, i == 0);
        if (i == 0) continue;
        const mad::TraceRecord before(out.record(i - 1).first<mad::TraceRecord::kBytes>());
        const fabric::PortIndex left =
            fabric.port(expected->nodes[i - 1], before.get<mad::PortNum, "ExitPort">());
        ASSERT_EQ(fabric.ports[left].peer, fabric.port(expected->nodes[i], entry));
      }
      const mad::TraceRecord last(out.record(out.records() - 1).first<mad::TraceRecord::kBytes>());
      ASSERT_EQ((last.get<mad::PortNum, "ExitPort">()), mad::PortNum{0});
    }
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(steps, 500u);
}

TEST(Traces, NeedBothEnds) {
  subnets::Site site = small_site();
  PathQuery path_query;
  path_query.slid({1});
  const Query query{.method = mad::Method::get_trace_table,
                    .attribute = mad::SaAttributeId::trace_record,
                    .modifier = 0,
                    .component_mask = path_query.mask,
                    .record = path_query.record.bytes(),
                    .from = {.port = port_at(site, 1), .lid = {}}};
  ResponseBuffer out;
  EXPECT_EQ(answer(site.view(), query, kTraceRecord, out),
            mad::sa_status::kReqInsufficientComponents);
}

TEST(CommonPKey, AgreesWithAllPairs) {
  seeds::for_each(200, [](std::uint64_t seed) {
    fabrics::Maker maker;
    const fabric::NodeIndex sw = maker.sw(12);
    for (int i = 0; i < 8; ++i) maker.host(sw);
    fabric::Subnet subnet;
    subnet.fabric = maker.build();
    subnet.partitions = subnets::random_partitions(subnet.fabric.end_ports.size(), seed);
    subnet.index();
    for (const fabric::PortIndex a : subnet.fabric.end_ports)
      for (const fabric::PortIndex b : subnet.fabric.end_ports)
        ASSERT_EQ(common_p_key(subnet.find_p_keys(a), subnet.find_p_keys(b), std::nullopt),
                  naive_p_key(subnet, a, b));
  });
}

}  // namespace paths_test
}  // namespace sa
