// The programs that are attached to end ports.

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "sim/world/ca_vports.h"
#include "sim/world/world.h"

namespace sim {

Attachment::Attachment(World& world, AttachmentIndex id, PortIndex port, std::uint16_t vport)
    : world_(world), id_(id), port_(port), vport_(vport) {}

Attachment::~Attachment() {
  if (is_sm_) set_is_sm(false);
  world_.attachments_[id_] = nullptr;
  std::erase(world_.programs_[port_], id_);
  if (world_.programs_[port_].empty()) world_.programs_.erase(port_);
}

int Attachment::send(std::span<const std::uint8_t> bytes, const mad::MadAddress& to,
                     int response_timeout_ms) {
  if (bytes.size() < 24 || bytes.size() > mad::kMadSizeBytes) return EINVAL;
  mad::MadBytes padded;
  if (bytes.size() < mad::kMadSizeBytes) {
    padded.fill(0);
    std::ranges::copy(bytes, padded.begin());
    bytes = padded;
  }
  const mad::ConstMadView mad{bytes.first<mad::kMadSizeBytes>()};
  const bool smp =
      mad.mgmt_class() == mad::MgmtClass::sm_lid || mad.mgmt_class() == mad::MgmtClass::sm_directed;
  if (smp && vport_ != 0) return EPROTONOSUPPORT;  // functions other than the physical one
  if (!mad.is_response()) {
    if (response_timeout_ms > 0 &&
        !open_requests_.open(mad, world_.events().now(),
                             std::chrono::milliseconds(response_timeout_ms)))
      return EINVAL;
    ++sent_[kind(mad.method())][slot(mad.attribute_id())];
    recent_[next_recent_++ % recent_.size()] = mad.transaction_id();
  }
  world_.send(*this, bytes, to);
  return 0;
}

bool Attachment::awaits(std::uint64_t transaction_id) const {
  return std::ranges::find(recent_, transaction_id) != recent_.end();
}

void Attachment::set_is_sm(bool is_sm) {
  if (vport_ != 0) return;
  is_sm_ = is_sm;
  const std::uint32_t mask = world_.model.ports[port_].info.capability_mask();
  world_.set_capability(port_, world_.has_subnet_manager(port_) ? mask | mad::capability::kIsSm
                                                                : mask & ~mad::capability::kIsSm);
}

void Attachment::receive(const Packet& packet) {
  if (!receiver_) return;
  mad::ReceivedMad received;
  received.bytes = packet.bytes;
  received.size = packet.size;
  const mad::ConstMadView mad{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  if (mad.is_response() && !open_requests_.takes(mad, world_.events().now())) return;
  received.from.lid =
      mad.mgmt_class() == mad::MgmtClass::sm_directed ? mad::kPermissiveLid : packet.slid;
  received.from.qpn = packet.sqpn;
  received.from.qkey = packet.qkey;
  received.from.sl = packet.sl;
  received.from.grh = packet.grh;
  received.from.pkey_index = key_index(packet.p_key);
  receiver_({&received, 1});
}

/// Returns the P_Key index of the packet's partition in the port's own table.
std::uint16_t Attachment::key_index(mad::PKey key) const {
  for (unsigned block = 0; block < vport_p_key_blocks(world_.model, port_, vport_); ++block) {
    const mad::PKeyTable keys = vport_p_keys(world_.model, port_, vport_, block);
    for (unsigned index = 0; index < mad::PKeyTable::kEntries; ++index)
      if (mad::p_key_base(keys.p_key(index)) == mad::p_key_base(key))
        return static_cast<std::uint16_t>(block * mad::PKeyTable::kEntries + index);
  }
  return 0;
}

std::uint64_t Attachment::sum(mad::Method method) const {
  const auto& counts = sent_[kind(method)];
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace sim
