#pragma once

#include <rdma/ib_user_mad.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <span>

#include "mad/rmpp/receiver.h"
#include "mad/rmpp/sender.h"
#include "sim/wire/ibsim_protocol.h"

namespace sim::umad {

struct Agent;

/// RMPP transfers of one port in progress, in both directions.
class RmppTransfers {
 public:
  using Clock = std::chrono::steady_clock;

  struct Sending {
    Agent* agent = nullptr;
    ib_user_mad_hdr header{};  // as the program wrote it
    wire::Packet packet;       // the addresses; the MAD is overwritten with each segment
    std::uint64_t transaction = 0;
    mad::MgmtClass mgmt_class{};
    mad::RmppSender rmpp;
  };
  struct Receiving {
    Agent* agent = nullptr;
    wire::Packet packet;  // the last segment received
    std::uint64_t transaction = 0;
    mad::MgmtClass mgmt_class{};
    mad::Method method{};
    Clock::time_point forget_at{};  // once it is complete
    mad::RmppReceiver rmpp;
  };

  Sending& start_sending() { return *take(sending_, spare_sending_); }
  Sending* find_sending(std::uint64_t transaction, mad::MgmtClass mgmt_class);
  void end(Sending& transfer);

  Receiving* find_receiving(const wire::Packet& packet);
  /// Null if the maximum number of transfers is in progress.
  Receiving* start_receiving(const wire::Packet& packet, Agent* agent);
  void end(Receiving& transfer);

  void remove_all_of(const Agent& agent);

  std::list<Sending>& sending() { return sending_; }
  std::list<Receiving>& receiving() { return receiving_; }
  std::optional<Clock::time_point> deadline() const;

 private:
  bool make_room();
  // Complete messages are remembered for a while; beyond this number the oldest are forgotten
  // earlier.
  static constexpr std::size_t kReceivingMax = 512, kSpareMax = 16;
  template <class T>
  static typename std::list<T>::iterator take(std::list<T>& used, std::list<T>& spare);
  template <class T>
  static void give(std::list<T>& used, std::list<T>& spare, typename std::list<T>::iterator at);

  std::list<Sending> sending_, spare_sending_;
  std::list<Receiving> receiving_, spare_receiving_;
};

template <class T>
typename std::list<T>::iterator RmppTransfers::take(std::list<T>& used, std::list<T>& spare) {
  if (spare.empty()) spare.emplace_back();
  used.splice(used.end(), spare, spare.begin());
  return std::prev(used.end());
}

}  // namespace sim::umad
