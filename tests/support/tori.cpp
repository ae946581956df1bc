#include "support/tori.h"
#include "mad/format.h"

#include <map>

#include "fabric/topology/random_source.h"

namespace tori {

std::vector<At> Lattice::places() const {
  std::vector<At> all;
  for (unsigned z = 0; z < radix[2]; ++z)
    for (unsigned y = 0; y < radix[1]; ++y)
      for (unsigned x = 0; x < radix[0]; ++x) all.push_back({x, y, z});
  return all;
}

At Lattice::next(At at, unsigned dimension, bool plus) const {
  unsigned& one = at[dimension];
  const bool at_end = one == (plus ? radix[dimension] - 1 : 0);
  if (!at_end || wraps[dimension])
    one = (one + (plus ? 1 : radix[dimension] - 1)) % radix[dimension];
  return at;
}

namespace {
std::uint64_t number(At at) { return at[0] << 16 | at[1] << 8 | at[2]; }
}  // namespace

mad::Guid Lattice::guid(At at) const {
  return mad::Guid{0x0002'c902'0000'0000u + (number(at) << 8)};
}

At Lattice::coordinates(const fabric::Fabric& fabric, fabric::SwitchIndex sw) {
  const std::uint64_t guid = fabric.nodes[fabric.switches[sw].node].guid.value >> 8;
  return {static_cast<unsigned>(guid >> 16 & 0xFF), static_cast<unsigned>(guid >> 8 & 0xFF),
          static_cast<unsigned>(guid & 0xFF)};
}

fabric::Fabric Lattice::fabric(std::uint64_t shuffle) const {
  topology::Random random(shuffle);
  const auto mixed = [&](auto list) {
    for (std::size_t i = list.size(); shuffle != 0 && i > 1; --i)
      std::swap(list[i - 1], list[random.below(static_cast<std::uint32_t>(i))]);
    return list;
  };
  fabrics::Maker maker;
  std::map<At, fabric::NodeIndex> node;
  std::vector<std::pair<At, At>> ends;
  const unsigned ports = hosts_per_switch + 6 * cables;
  for (const At at : mixed(places())) {
    if (lost_switches.contains(at)) continue;
    node[at] = maker.add(mad::NodeType::switch_, ports,
                         fmt::format("S{}_{}_{}", at[0], at[1], at[2]), guid(at));
    for (unsigned i = 0; i < hosts_per_switch; ++i)
      maker.cable(maker.add(mad::NodeType::ca, 1, "",
                            mad::Guid{0x0002'c900'0000'0000u + (number(at) << 8) + 2 * i}),
                  node[at]);
  }
  for (const At at : places())
    for (unsigned d = 0; d < 3; ++d)
      if (const At other = next(at, d, true); other != at && !lost_cables.contains({at, d}) &&
                                              node.contains(at) && node.contains(other))
        for (unsigned i = 0; i < cables; ++i) ends.emplace_back(at, other);
  for (const auto& [a, b] : mixed(ends)) maker.cable(node[a], node[b]);
  return maker.build();
}

routing::TorusOptions Lattice::options(const std::vector<At>& seeds) const {
  routing::TorusOptions options;
  for (unsigned d = 0; d < 3; ++d) options.dimensions[d] = {radix[d], wraps[d]};
  for (const At from : seeds) {
    auto& seed = options.seeds.emplace_back();
    for (unsigned d = 0; d < 3; ++d) {
      seed.dateline[d] = -static_cast<int>(from[d]);
      if (radix[d] == 1) continue;
      const At plus = next(from, d, true), minus = next(from, d, false);
      if (plus != from) seed.links.push_back({d, true, guid(from), guid(plus)});
      if (plus == from || (wraps[d] && radix[d] == 4))
        seed.links.push_back({d, false, guid(from), guid(minus)});
    }
  }
  return options;
}

}  // namespace tori
