#include "virt/vport_lids.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "mad/format.h"

namespace virt {
namespace {

/// Assigns LIDs to vports and tracks which LIDs are in use.
class Lids {
 public:
  Lids(std::span<fabric::VPort> vports, const fabric::Fabric& fabric,
       const fabric::LidMap& physical, const sm::Guid2Lid& persisted, unsigned limit)
      : vports_(vports),
        fabric_(fabric),
        persisted_(persisted),
        limit_(std::min<unsigned>(limit, mad::kUnicastLidMax.value)),
        owner_(mad::kUnicastLidMax.value + std::size_t{1}, Owner::none) {
    out_.lids = physical;
    for (std::size_t lid = 0; lid < physical.port_of_lid.size(); ++lid)
      if (physical.port_of_lid[lid] != fabric::kNoIndex) owner_[lid] = Owner::in_use;
    for (const fabric::VPort& vport : vports)
      if (vport.has_own_lid && vport.hold != fabric::VPortHold::duplicate_guid)
        present_[vport.guid] = true;
    for (const sm::Guid2Lid::Entry& entry : persisted.entries) {
      if (owner_[entry.first.value] == Owner::in_use || present_.contains(entry.guid)) continue;
      for (unsigned lid = entry.first.value; lid <= entry.last.value; ++lid)
        owner_[lid] = Owner::reserved;
      if (!fabric.port_of_guid.contains(entry.guid)) absent_.push_back(entry);
    }
  }

  VPortLids assign() {
    // Vports in service come first: after a vport has moved, its previous host may keep its GUID on
    // a function that is Down.
    for (const bool is_held : {false, true})
      for (fabric::VPort& vport : vports_)
        if (needs_own_lid(vport) && (vport.hold != fabric::VPortHold::none) == is_held)
          if (const sm::Guid2Lid::Entry* entry = persisted_.find(vport.guid))
            take(vport, entry->first);
    for (fabric::VPort& vport : vports_)
      if (needs_own_lid(vport) && vport.hold == fabric::VPortHold::none)
        take(vport, vport.info.vport_lid());
    for (fabric::VPort& vport : vports_) {
      if (!needs_own_lid(vport) || vport.hold != fabric::VPortHold::none || take_free(vport) ||
          take_from_absent(vport))
        continue;
      vport.hold = fabric::VPortHold::no_lid;
      ++out_.without;
    }
    share();
    record();
    return std::move(out_);
  }

 private:
  enum class Owner : std::uint8_t { none, reserved, in_use };

  /// True if the vport needs a LID of its own and has none yet.
  static bool needs_own_lid(const fabric::VPort& vport) {
    return vport.has_own_lid && vport.hold != fabric::VPortHold::duplicate_guid &&
           vport.lid == mad::Lid{};
  }

  bool take(fabric::VPort& vport, mad::Lid lid) {
    if (!mad::is_unicast(lid) || lid.value > limit_ || owner_[lid.value] != Owner::none)
      return false;
    owner_[lid.value] = Owner::in_use;
    vport.lid = lid;
    auto& owners = out_.lids.port_of_lid;
    if (lid.value >= owners.size()) owners.resize(lid.value + std::size_t{1}, fabric::kNoIndex);
    owners[lid.value] = vport.port;
    out_.lids.lid_top = std::max(out_.lids.lid_top, lid);
    return true;
  }

  bool take_free(fabric::VPort& vport) {
    while (next_ <= limit_ && owner_[next_] != Owner::none) ++next_;
    return next_ <= limit_ && take(vport, mad::Lid{static_cast<std::uint16_t>(next_)});
  }

  bool take_from_absent(fabric::VPort& vport) {
    if (!sorted_) {  // the next one last
      std::ranges::sort(absent_, std::ranges::greater(), [](const sm::Guid2Lid::Entry& entry) {
        return std::pair(entry.absent_since, entry.guid);
      });
      sorted_ = true;
    }
    while (!absent_.empty()) {
      const sm::Guid2Lid::Entry entry = absent_.back();
      absent_.pop_back();
      given_up_[entry.guid] = true;
      for (unsigned lid = entry.first.value; lid <= entry.last.value; ++lid)
        owner_[lid] = Owner::none;
      next_ = std::min<unsigned>(next_, entry.first.value);
      if (!take_free(vport)) continue;
      out_.messages.push_back(fmt::format(
          "absent port {} loses its reservation of LID {}: no other LID was left for vport {}",
          entry.guid, entry.first, vport.guid));
      return true;
    }
    return false;
  }

  /// Sets the LIDs of vports that share the LID of their port or of another vport.
  void share() {
    std::vector<mad::Lid> base(fabric_.ports.size());
    for (const fabric::EndPortIndex end_port : fabric_.end_ports.indices())
      base[fabric_.end_ports[end_port]] = out_.lids.of_end_port[end_port].base;
    std::unordered_map<std::uint64_t, mad::Lid> own;  // by port and index
    const auto key = [](fabric::PortIndex port, std::uint16_t index) {
      return std::uint64_t{port} << 16 | index;
    };
    for (const fabric::VPort& vport : vports_)
      if (vport.has_own_lid) own[key(vport.port, vport.index)] = vport.lid;
    for (fabric::VPort& vport : vports_) {
      if (vport.has_own_lid) continue;
      vport.lid = base[vport.port];
      const std::uint16_t by = vport.index > 0 ? vport.info.lid_by_vport_index() : std::uint16_t{0};
      if (by == 0) continue;
      const auto other = own.find(key(vport.port, by));
      if (other != own.end() && other->second != mad::Lid{}) vport.lid = other->second;
    }
  }

  void record() {
    std::vector<sm::Guid2Lid::Entry>& entries = out_.persisted.entries;
    std::unordered_map<mad::Guid, mad::Lid> given;
    for (const fabric::VPort& vport : vports_)
      if (vport.has_own_lid && vport.lid != mad::Lid{}) given[vport.guid] = vport.lid;
    for (const sm::Guid2Lid::Entry& entry : persisted_.entries)
      if (!given.contains(entry.guid) && !given_up_.contains(entry.guid)) entries.push_back(entry);
    for (const auto& [guid, lid] : given) entries.push_back({guid, lid, lid});
    std::ranges::sort(entries, {}, &sm::Guid2Lid::Entry::guid);
  }

  const std::span<fabric::VPort> vports_;
  const fabric::Fabric& fabric_;
  const sm::Guid2Lid& persisted_;
  const unsigned limit_;
  std::vector<Owner> owner_;  // by LID
  std::unordered_map<mad::Guid, bool> present_, given_up_;
  std::vector<sm::Guid2Lid::Entry> absent_;
  bool sorted_ = false;
  unsigned next_ = 1;  // everything below is taken
  VPortLids out_;
};

}  // namespace

VPortLids assign_vport_lids(std::span<fabric::VPort> vports, const fabric::Fabric& fabric,
                            const fabric::LidMap& physical, const sm::Guid2Lid& persisted,
                            unsigned limit) {
  return Lids(vports, fabric, physical, persisted, limit).assign();
}

fabric::LidMap physical_only(const fabric::LidMap& lids, const fabric::Fabric& fabric) {
  fabric::LidMap out;
  out.of_end_port = lids.of_end_port;
  unsigned top = 0;
  for (const fabric::LidMap::Range& range : out.of_end_port)
    if (range.count() > 0) top = std::max(top, range.base.value + range.count() - 1);
  out.lid_top = mad::Lid{static_cast<std::uint16_t>(top)};
  out.port_of_lid.assign(top + std::size_t{1}, fabric::kNoIndex);
  for (const fabric::EndPortIndex end_port : fabric.end_ports.indices()) {
    const fabric::LidMap::Range& range = out.of_end_port[end_port];
    for (unsigned lid = range.base.value; lid < range.base.value + range.count(); ++lid)
      out.port_of_lid[lid] = fabric.end_ports[end_port];
  }
  return out;
}

std::shared_ptr<fabric::ForwardingTables> with_vport_lids(
    std::shared_ptr<fabric::ForwardingTables> engine, const fabric::Fabric& fabric,
    const fabric::LidMap& physical, const fabric::LidMap& all, std::span<const CopiedLid> kept) {
  std::vector<CopiedLid> copies(kept.begin(), kept.end());  // LID of a vport, base LID of its port
  std::vector<mad::Lid> base(fabric.ports.size());
  for (const fabric::EndPortIndex end_port : fabric.end_ports.indices())
    base[fabric.end_ports[end_port]] = physical.of_end_port[end_port].base;
  for (std::size_t lid = 0; lid < all.port_of_lid.size(); ++lid) {
    const mad::Lid value{static_cast<std::uint16_t>(lid)};
    const fabric::PortIndex port = all.port_of_lid[lid];
    if (port != fabric::kNoIndex && physical.owner(value) == fabric::kNoIndex &&
        base[port] != mad::Lid{})
      copies.emplace_back(value, base[port]);
  }
  if (copies.empty()) return engine;
  auto tables = std::make_shared<fabric::ForwardingTables>(
      engine->switches(), std::max(all.lid_top, engine->lid_top()));
  for (const fabric::SwitchIndex sw : engine->all_switches()) {
    tables->take_row(sw, *engine, sw);
    const std::span<std::uint8_t> row = tables->writable_row(sw);
    for (const auto& [lid, of] : copies) row[lid.value] = row[of.value];
  }
  return tables;
}

}  // namespace virt
