#pragma once
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <rdma/ib_user_mad.h>

#include "mad/mad_header.h"
#include "mad/rmpp/receiver.h"
#include "mad/rmpp/rmpp_sender.h"
#include "sim/wire/ibsim_protocol.h"

namespace sim::umad {

struct Agent;

/// Holds requests without a response: matches responses, repeats requests, and detects timeouts.
class PendingRequests {
 public:
  using Clock = std::chrono::steady_clock;
  /// The server may change the top 16 bits of a transaction id, so they are left out.
  struct Key {
    std::uint64_t transaction = 0;
    mad::MgmtClass mgmt_class{};
    bool is_response =
        false;  // a program may expect more after a response, too; only the timeout ends that
    bool operator==(const Key&) const = default;
  };
  struct Request {
    Key key;
    Agent* agent = nullptr;
    ib_user_mad_hdr header{};  // as the program wrote it
    wire::RoutedPacket packet;
    std::vector<std::uint8_t> rest = {};  // of a MAD of Omni-Path, after its first 256 bytes
    std::chrono::milliseconds timeout{};
    std::uint32_t retries_left = 0;
  };
  static Key make_key(const std::array<std::uint8_t, 256>& mad);

  Request* find(const Key& key);
  /// Adds a request that is due after its `timeout`. Precondition: no request has its key.
  void add(const Request& request, Clock::time_point now);
  void remove(const Key& key);
  void remove_all_of(const Agent& agent);
  /// Restarts the timeout: the response has begun to arrive.
  void extend(Request& request, Clock::time_point now);

  std::optional<Clock::time_point> deadline() const;
  /// Returns a request whose timeout has passed. It is due again after another timeout, unless the
  /// caller calls remove().
  Request* next_due(Clock::time_point now);

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.transaction ^ mad::to_raw(key.mgmt_class) << 48 ^
              std::uint64_t{key.is_response} << 56) *
             0x9E3779B97F4A7C15u;
    }
  };
  using Queue = std::multimap<Clock::time_point, Request>;  // by deadline
  using Index = std::unordered_map<Key, Queue::iterator, Hash>;
  Queue::iterator restart(Queue::iterator at, Clock::time_point now);

  Queue queue_;
  Index index_;
  // Free entries, so that none is allocated per MAD.
  std::vector<Queue::node_type> spare_;
  std::vector<Index::node_type> spare_nodes_;
};

struct Agent;

/// Holds RMPP transfers of one port in progress, in both directions.
class RmppTransfers {
 public:
  using Clock = std::chrono::steady_clock;

  struct Sending {
    Agent* agent = nullptr;
    ib_user_mad_hdr header{};   // as the program wrote it
    wire::RoutedPacket packet;  // the addresses; the MAD is overwritten with each segment
    std::uint64_t transaction = 0;
    mad::MgmtClass mgmt_class{};
    mad::RmppSender rmpp;
  };
  struct Receiving {
    Agent* agent = nullptr;
    wire::RoutedPacket packet;  // the last segment received
    std::uint64_t transaction = 0;
    mad::MgmtClass mgmt_class{};
    mad::Method method{};
    Clock::time_point forget_at{};  // once it is complete
    mad::RmppReceiver rmpp;
  };

  Sending& start_sending() { return *take(sending_, spare_sending_); }
  Sending* find_sending(std::uint64_t transaction, mad::MgmtClass mgmt_class);
  void end(Sending& transfer);

  Receiving* find_receiving(const wire::RoutedPacket& packet);
  /// Returns null if the maximum number of transfers is in progress.
  Receiving* start_receiving(const wire::RoutedPacket& packet, Agent* agent);
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
