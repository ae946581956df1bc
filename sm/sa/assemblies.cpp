#include "sm/sa/assemblies.h"

#include <span>

namespace sa {

bool Assemblies::Assembly::has_ended() const {
  return rmpp.state() == mad::RmppReceiver::State::complete ||
         rmpp.state() == mad::RmppReceiver::State::failed;
}

/// Makes room for one more request, or returns false.
bool Assemblies::make_room(const Client& requester, mad::TimePoint now) {
  InUse in_use;
  std::size_t of_port = 0;  // including those that have ended
  auto ended = all_.end(), ended_of_port = all_.end();
  const auto keep_older = [this](All::iterator& oldest, All::iterator at) {
    if (oldest == all_.end() || at->second.began < oldest->second.began) oldest = at;
  };
  for (auto at = all_.begin(); at != all_.end(); ++at) {
    const bool is_of_port = at->second.requester.port == requester.port;
    of_port += is_of_port ? 1u : 0u;
    if (at->second.has_ended()) {
      keep_older(ended, at);
      if (is_of_port) keep_older(ended_of_port, at);
      continue;
    }
    ++in_use.all;
    in_use.port += is_of_port ? 1u : 0u;
    in_use.own += at->second.requester == requester ? 1u : 0u;
  }
  const Admission decision = admission(kLimits, requester, in_use);
  if (decision == Admission::refused) return false;
  if (decision == Admission::full) return displace(requester, now);
  if (of_port >= kLimits.per_port)
    all_.erase(ended_of_port);
  else if (all_.size() >= kLimits.total)
    all_.erase(ended);
  return true;
}

/// Drops an unfinished request of a port that has more. Returns false if there is none.
bool Assemblies::displace(const Client& requester, mad::TimePoint now) {
  std::vector<Holding> holdings;
  std::vector<All::iterator> places;
  for (auto at = all_.begin(); at != all_.end(); ++at) {
    if (at->second.has_ended()) continue;
    const mad::TimePoint began = at->second.began;
    holdings.push_back(
        {.port = at->second.requester.port, .since = began, .due = began + time_for(0)});
    places.push_back(at);
  }
  const std::vector<std::size_t> displaced = find_displaced(holdings, requester.port, 1, now);
  for (const std::size_t number : displaced) all_.erase(places[number]);
  return !displaced.empty();
}

Assemblies::Taken Assemblies::take(const mad::ReceivedMad& segment, const Client& by,
                                   mad::TimePoint now) {
  std::erase_if(all_, [&](const auto& entry) { return now - entry.second.began > kLife; });
  const mad::ConstSaView mad{std::span<const std::uint8_t, mad::kMadBytes>(segment.bytes)};
  const Key key{EndAddress(segment.from), mad.transaction_id()};
  if (!all_.contains(key) && !make_room(by, now))
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
