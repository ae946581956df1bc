#include "sim/umad/rmpp_transfers.h"

#include <algorithm>

#include "sim/umad/agent_table.h"

namespace sim::umad {
namespace {

std::uint64_t transaction_of(const wire::Packet& packet) {
  return mad::ConstMadView(packet.mad).transaction_id();
}

}  // namespace

template <class T>
void RmppTransfers::give(std::list<T>& used, std::list<T>& spare,
                         typename std::list<T>::iterator at) {
  if (spare.size() < kSpareMax)
    spare.splice(spare.begin(), used, at);
  else
    used.erase(at);
}

RmppTransfers::Sending* RmppTransfers::find_sending(std::uint64_t transaction,
                                                    mad::MgmtClass mgmt_class) {
  // The server may have changed the top 16 bits of a request's id, so those of a request do not
  // count; ids of two remote programs may be equal but for them.
  for (Sending& transfer : sending_) {
    if (transfer.mgmt_class != mgmt_class) continue;
    const bool is_response = mad::ConstMadView(transfer.packet.mad).is_response();
    const std::uint64_t mask = is_response ? ~std::uint64_t{0} : 0xFFFF'FFFF'FFFFu;
    if (((transfer.transaction ^ transaction) & mask) == 0) return &transfer;
  }
  return nullptr;
}

void RmppTransfers::end(Sending& transfer) {
  const auto at = std::find_if(sending_.begin(), sending_.end(),
                               [&](const Sending& other) { return &other == &transfer; });
  if (at != sending_.end()) give(sending_, spare_sending_, at);
}

RmppTransfers::Receiving* RmppTransfers::find_receiving(const wire::Packet& packet) {
  const mad::ConstMadView mad(packet.mad);
  for (Receiving& transfer : receiving_) {
    if (transfer.transaction == mad.transaction_id() && transfer.mgmt_class == mad.mgmt_class() &&
        transfer.method == mad.method() && transfer.packet.slid.raw == packet.slid.raw &&
        transfer.packet.sqp_be == packet.sqp_be)
      return &transfer;
  }
  return nullptr;
}

/// Evicts the oldest complete message, which is kept only for the case that its last ACK was lost.
bool RmppTransfers::make_room() {
  const auto done = std::find_if(
      receiving_.begin(), receiving_.end(),
      [](const Receiving& transfer) { return transfer.forget_at != Clock::time_point::max(); });
  if (done == receiving_.end()) return false;
  give(receiving_, spare_receiving_, done);
  return true;
}

RmppTransfers::Receiving* RmppTransfers::start_receiving(const wire::Packet& packet, Agent* agent) {
  if (receiving_.size() >= kReceivingMax && !make_room()) return nullptr;
  Receiving& transfer = *take(receiving_, spare_receiving_);
  const mad::ConstMadView mad(packet.mad);
  transfer.agent = agent;
  transfer.packet = packet;
  transfer.transaction = transaction_of(packet);
  transfer.mgmt_class = mad.mgmt_class();
  transfer.method = mad.method();
  transfer.forget_at = Clock::time_point::max();
  transfer.rmpp.reset({});
  return &transfer;
}

void RmppTransfers::end(Receiving& transfer) {
  const auto at = std::find_if(receiving_.begin(), receiving_.end(),
                               [&](const Receiving& other) { return &other == &transfer; });
  if (at != receiving_.end()) give(receiving_, spare_receiving_, at);
}

void RmppTransfers::remove_all_of(const Agent& agent) {
  sending_.remove_if([&](const Sending& transfer) { return transfer.agent == &agent; });
  receiving_.remove_if([&](const Receiving& transfer) { return transfer.agent == &agent; });
}

std::optional<RmppTransfers::Clock::time_point> RmppTransfers::deadline() const {
  std::optional<Clock::time_point> out;
  const auto earlier = [&](std::optional<Clock::time_point> at) {
    if (at && (!out || *at < *out)) out = at;
  };
  for (const Sending& transfer : sending_) earlier(transfer.rmpp.deadline());
  for (const Receiving& transfer : receiving_) {
    earlier(transfer.rmpp.deadline());
    if (transfer.forget_at != Clock::time_point::max()) earlier(transfer.forget_at);
  }
  return out;
}

}  // namespace sim::umad
