#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "mad/rmpp/receiver.h"
#include "mad/runtime.h"
#include "mad/transport.h"
#include "sm/sa/port_share.h"
#include "sm/sa/query/client.h"
#include "sm/sa/transfers.h"

namespace sa {

/// Receives requests of several MADs (RMPP). Each port has its share of the unfinished ones; if
/// ports with more have everything, the oldest of these make room for a port without any. A request
/// that is not complete in time is dropped, and its client sends it again. Requests that have ended
/// are kept to acknowledge repeated segments, and make room for others.
class Assemblies {
 public:
  static constexpr ShareLimits kLimits{
      .total = 256, .per_port = 16, .per_vport = 4, .free_share = 4, .reserved = 128};
  static constexpr mad::Duration kLife = std::chrono::seconds(30);
  static constexpr std::size_t kBytesMax = 16384;  // a MultiPathRecord with 2 * 255 GIDs has 8,184

  struct Taken {
    bool has_room = true;                 // false: the segment was not taken
    std::optional<mad::MadBytes> answer;  // to the sender: ACK, STOP or ABORT
    /// The headers and all data of a request, only from the segment that completes it.
    std::optional<std::vector<std::uint8_t>> message;
  };
  /// Takes a DATA segment of client `by`.
  Taken take(const mad::ReceivedMad& segment, const Client& by, mad::TimePoint now);

  std::size_t size() const { return all_.size(); }
  void clear() { all_.clear(); }

 private:
  struct Assembly {
    mad::RmppReceiver rmpp;
    Client requester;
    mad::TimePoint began{};
    bool has_ended() const;
  };
  using Key = std::pair<EndAddress, std::uint64_t>;  // and the transaction
  using All = std::map<Key, Assembly>;
  bool make_room(const Client& requester, mad::TimePoint now);
  bool displace(const Client& requester, mad::TimePoint now);

  All all_;
};

}  // namespace sa
