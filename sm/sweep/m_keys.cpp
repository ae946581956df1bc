#include "sm/sweep/m_keys.h"

#include <algorithm>
#include <iterator>

namespace sm {
namespace {

/// Ports of which keys are kept: more than a subnet has.
constexpr std::size_t kPortsMax = 1 << 16;

bool has(const std::vector<mad::MKey>& keys, mad::MKey key) {
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace

std::vector<std::string> MKeys::configure(const config::Options& options) {
  configured_ = mad::MKey{options.m_key};
  directory_ = options.cache_files_dir;
  fsync_ = options.fsync_high_avail_files;
  lookup_ = options.m_key_lookup;
  for (auto& [port, known] : known_) known.refuted.clear();

  LoadedGuid2MKey stored = load_guid2mkey(directory_), next = load_guid2mkey(directory_, kNextFile);
  stored_ = std::move(stored.value);
  next_ = std::move(next.value);
  unmet_.clear();
  for (const auto& [port, key] : stored_) {
    const auto known = known_.find(port);
    if (known == known_.end() || !known->second.confirmed) ++unmet_[key];
  }
  std::ranges::move(next.messages, std::back_inserter(stored.messages));
  if (!std::exchange(configured_once_, true) && lookup_) {
    for (const NeighborLink& link : load_neighbor_links(directory_))
      behind_[{link.guid, link.port}] = link.peer;
  }
  return std::move(stored.messages);
}

mad::MKeyCandidates MKeys::m_keys(mad::Guid port) const {
  mad::MKeyCandidates keys;
  const auto found = known_.find(port);
  const Known* const known = found == known_.end() ? nullptr : &found->second;
  const auto add = [&](mad::MKey key) {
    if (known == nullptr || !has(known->refuted, key)) keys.add(key);
  };
  const auto add_of = [&](const Guid2MKey& file) {
    const auto entry = file.find(port);
    if (lookup_ && entry != file.end()) add(entry->second);
  };
  if (known != nullptr && known->confirmed) add(*known->confirmed);
  add_of(stored_);
  add_of(next_);
  add(configured_);
  if (port == mad::Guid{} && lookup_ && unmet_.size() < mad::MKeyCandidates::kMax) {
    for (const auto& [key, ports] : unmet_) add(key);
  }
  if (keys.keys().empty()) keys.add(configured_);
  return keys;
}

bool MKeys::proves(mad::Guid port, mad::MKey key) const {
  if (key == mad::MKey{} && configured_ != mad::MKey{}) return false;
  const mad::MKeyCandidates candidates = m_keys(port);
  return std::ranges::find(candidates.keys(), key) != candidates.keys().end();
}

void MKeys::confirm(mad::Guid port, mad::MKey key) {
  Known& known = known_[port];
  if (const auto stored = stored_.find(port); !known.confirmed && stored != stored_.end()) {
    const auto unmet = unmet_.find(stored->second);
    if (unmet != unmet_.end() && --unmet->second == 0) unmet_.erase(unmet);
  }
  known.confirmed = key;
  known.refuted.clear();
}

void MKeys::answered(const mad::SmpRequest& request, mad::MKey carried,
                     const mad::SmpReply& reply) {
  constexpr std::uint32_t kPortMask = 0xFF;
  if (request.port == mad::Guid{}) return;
  if (request.method == mad::Method::set) {
    // Port 0 of a switch, or the port of a CA by which the request entered.
    const bool gives_key = request.attribute == mad::AttributeId::port_info &&
                           (request.modifier & kPortMask) == 0 && reply.ok();
    if (gives_key) return confirm(request.port, mad::PortInfo(request.data).m_key());
    // A Set needs the key, whatever the status says.
    if (standing(request.port) != Standing::confirmed) confirm(request.port, carried);
    return;
  }
  if (request.attribute == mad::AttributeId::port_info && (request.modifier & kPortMask) == 0 &&
      reply.ok())
    on_port_info(request.port, carried, mad::PortInfo(reply.data));
}

void MKeys::on_port_info(mad::Guid port, mad::MKey carried, const mad::PortInfo& info) {
  // Level 0 shows the key, levels 2 and 3 answer to it only; level 1 shows it to it, and else 0.
  if (info.m_key() != mad::MKey{} || info.m_key_protect_bits() != 1)
    return confirm(port, info.m_key());
  Known& known = known_[port];
  // Protection without a key: only a Set can show that.
  if (known.confirmed == mad::MKey{}) return;
  if (const auto stored = stored_.find(port); known.confirmed && stored != stored_.end())
    ++unmet_[stored->second];
  known.confirmed.reset();
  if (!has(known.refuted, carried)) known.refuted.push_back(carried);
}

MKeys::Standing MKeys::standing(mad::Guid port) const {
  const auto known = known_.find(port);
  if (known == known_.end()) return Standing::open;
  if (known->second.confirmed) return Standing::confirmed;
  return has(known->second.refuted, key(port)) ? Standing::hidden : Standing::open;
}

bool MKeys::in_use() const {
  return configured_ != mad::MKey{} || !stored_.empty() ||
         std::ranges::any_of(known_, [](const auto& port) {
           return !port.second.refuted.empty() ||
                  port.second.confirmed.value_or(mad::MKey{}) != mad::MKey{};
         });
}

mad::Guid MKeys::behind(mad::Guid port, mad::PortNum number) const {
  const auto found = behind_.find({port, number});
  return found == behind_.end() ? mad::Guid{} : found->second;
}

void MKeys::note_behind(mad::Guid port, mad::PortNum number, mad::Guid peer) {
  behind_[{port, number}] = peer;
}

tl::expected<void, std::string> MKeys::expect(const Fabric& fabric, mad::MKey key) {
  // Devices may invent GUIDs.
  if (known_.size() > kPortsMax)
    std::erase_if(known_,
                  [&](const auto& port) { return !fabric.port_of_guid.contains(port.first); });
  Guid2MKey next = next_;
  for (const PortIndex index : fabric.end_ports) {
    const mad::Guid port = fabric.ports[index].guid;
    const auto known = known_.find(port);
    const bool has_it = known != known_.end() && known->second.confirmed == key;
    if (has_it) {
      next.erase(port);
    } else if (key != mad::MKey{}) {
      next[port] = key;
    }
  }
  if (next == next_) return {};
  const auto saved = save_guid2mkey(directory_, next, fsync_, kNextFile);
  if (saved) next_ = std::move(next);
  return saved;
}

tl::expected<void, std::string> MKeys::save() {
  Guid2MKey stored = stored_, next = next_;
  for (const auto& [port, known] : known_) {
    if (!known.confirmed) continue;
    if (*known.confirmed == mad::MKey{}) {
      stored.erase(port);
    } else if (stored.size() < kPortsMax || stored.contains(port)) {
      stored[port] = *known.confirmed;
    }
    const auto expected = next.find(port);
    if (expected != next.end() && expected->second == *known.confirmed) next.erase(expected);
  }
  if (stored != stored_) {
    if (auto saved = save_guid2mkey(directory_, stored, fsync_); !saved) return saved;
    stored_ = std::move(stored);
  }
  if (next != next_) {
    if (auto saved = save_guid2mkey(directory_, next, fsync_, kNextFile); !saved) return saved;
    next_ = std::move(next);
  }
  return {};
}

}  // namespace sm
