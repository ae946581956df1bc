#include "sm/sa/assemblies.h"

#include <span>

namespace sa {

bool Assemblies::has_room_for(const Client& requester) const {
  std::size_t of_port = 0, of_vport = 0;
  for (const auto& [key, other] : all_) {
    of_port += other.requester.port == requester.port ? 1u : 0u;
    of_vport += other.requester == requester ? 1u : 0u;
  }
  return all_.size() < kMax && of_port < kPerPortMax &&
         !(requester.is_vport() && of_vport >= kPerVPortMax);
}

Assemblies::Taken Assemblies::take(const mad::ReceivedMad& segment, const Client& by,
                                   mad::TimePoint now) {
  std::erase_if(all_, [&](const auto& entry) { return now - entry.second.began > kLife; });
  const mad::ConstSaView mad{std::span<const std::uint8_t, mad::kMadBytes>(segment.bytes)};
  const Key key{EndAddress(segment.from), mad.transaction_id()};
  if (!all_.contains(key) && !has_room_for(by))
    return {.has_room = false, .answer = {}, .message = {}};
  const auto [place, fresh] = all_.try_emplace(key);
  Assembly& assembly = place->second;
  if (fresh) {
    assembly.requester = by;
    assembly.began = now;
    assembly.rmpp.reset({.message_bytes_max = kBytesMax});
  }
  Taken taken;
  const bool was_complete = assembly.rmpp.state() == mad::RmppReceiver::State::complete;
  mad::MadBytes answer;
  if (assembly.rmpp.on_mad(mad, now, answer)) taken.answer = answer;
  if (!was_complete && assembly.rmpp.state() == mad::RmppReceiver::State::complete) {
    const std::span<const std::uint8_t> message = assembly.rmpp.message();
    taken.message.emplace(message.begin(), message.end());
  }
  return taken;
}

}  // namespace sa
