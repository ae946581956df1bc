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
#include "sm/sa/query/client.h"
#include "sm/sa/transfers.h"

namespace sa {

/// Receives requests of several MADs (RMPP). Their number is bounded in total, for each physical
/// port with its vports, and for each vport. A request that is not complete in time is dropped, and
/// its client sends it again.
class Assemblies {
 public:
  static constexpr std::size_t kMax = 256, kPerPortMax = 16, kPerVPortMax = 4;
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
  };
  using Key = std::pair<EndAddress, std::uint64_t>;  // and the transaction
  bool has_room_for(const Client& requester) const;

  std::map<Key, Assembly> all_;
};

}  // namespace sa
