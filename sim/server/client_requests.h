#pragma once
// Requests of clients that have no answer yet. On real hardware the kernel reports a timeout to the
// program; ibsim's clients expect the timeout from the server, and subnet managers among them wait
// for ever without it.

#include <netinet/in.h>
#include <sys/socket.h>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mad/gsi_transport.h"
#include "mad/mad_header.h"
#include "sim/wire/ibsim_protocol.h"
#include "sim/world/event_queue.h"
#include "sim/world/world.h"

namespace sim::server {

/// True if this MAD is a request with a response.
bool expects_answer(mad::ConstMadView mad);

/// A table by transaction id, and a queue by age, because all requests have one timeout. It
/// allocates nothing after it has reached its size.
class PendingRequests {
 public:
  static constexpr std::size_t kMax = 1u << 16;  // beyond that, the oldest expire early

  /// Adds a request, or replaces one of its id. If the table is full, `expired` gets the oldest.
  void add(std::uint64_t transaction_id, const wire::RoutedPacket& packet, unsigned client,
           TimePoint deadline);
  void answered(std::uint64_t transaction_id);
  /// Returns the time at which the oldest request expires; nullopt if none is pending.
  std::optional<TimePoint> next() const;
  struct Expired {
    unsigned client = 0;
    wire::RoutedPacket packet;
  };
  /// Removes and returns a request that has expired.
  std::optional<Expired> take_expired(TimePoint now);
  void forget_client(unsigned client);
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kEnd = 0xFFFFFFFF;
  struct Entry {
    std::uint64_t transaction_id = 0;
    TimePoint deadline;
    unsigned client = 0;
    std::uint32_t older = kEnd, newer = kEnd, next_in_bucket = kEnd;
    wire::RoutedPacket packet;
  };
  std::size_t bucket(std::uint64_t transaction_id) const {
    return (transaction_id * 0x9E3779B97F4A7C15u) >> 52;
  }
  void remove(std::uint32_t index);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> buckets_ = std::vector<std::uint32_t>(4096, kEnd);
  std::uint32_t oldest_ = kEnd, newest_ = kEnd;
  std::size_t size_ = 0;
};

// A client: its data socket, its port, and the packets that it has not read yet.

/// Holds packets that wait to be sent. It is bounded: when it is full, the oldest packets are lost.
class Backlog {
 public:
  static constexpr std::size_t kMax = 16384;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::uint64_t dropped() const { return dropped_; }
  /// Adds a slot for one more packet, and returns it.
  wire::RoutedPacket& push();
  wire::RoutedPacket& at(std::size_t index) { return ring_[(head_ + index) & (ring_.size() - 1)]; }
  void pop(std::size_t count) {
    head_ = (head_ + count) & (ring_.size() - 1);
    size_ -= count;
  }

 private:
  std::vector<wire::RoutedPacket> ring_ = std::vector<wire::RoutedPacket>(64);  // a power of two
  std::size_t head_ = 0, size_ = 0;
  std::uint64_t dropped_ = 0;
};

class Client {
 public:
  struct Address {
    sockaddr_storage storage{};
    socklen_t length = 0;
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    bool operator==(const Address& other) const;
  };

  /// `fd` is not owned: it belongs to the client number, and stays open for the next client.
  Client(unsigned number, std::uint32_t id, int fd, Address control,
         std::unique_ptr<Attachment> attachment);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  unsigned number() const { return number_; }
  std::uint32_t id() const { return id_; }  // of its data socket: its pid, as a rule
  int fd() const { return fd_; }
  const Address& control() const { return control_; }
  Attachment& attachment() { return *attachment_; }
  const Attachment& attachment() const { return *attachment_; }

  /// Lets the client receive MADs that are not responses: `all` of them, or as an SM only those for
  /// subnet managers and administrators.
  void want_requests(bool wants, bool all) {
    receives_requests_ = wants;
    receives_all_ = wants && all;
  }
  bool receives_requests() const { return receives_requests_; }
  bool receives_all() const { return receives_all_; }
  /// True if the MAD may be delivered to the client. Upstream's client library crashes on classes
  /// that its program has not registered, so only classes that the client has used count, unless it
  /// requested others.
  bool takes(mad::ConstMadView mad) const;
  void used(mad::MgmtClass of) { used_.set(static_cast<std::uint8_t>(of)); }

  Backlog& backlog() { return backlog_; }
  const Backlog& backlog() const { return backlog_; }
  enum class Sent { all, some, broken };
  /// Sends as much as the socket takes.
  Sent flush();

  std::uint64_t mads_from = 0, mads_to = 0;
  bool routed = false;                           // it has requested packets with routes
  std::unique_ptr<mad::GsiTransport> omni_path;  // it has requested MADs of Omni-Path
  bool waits_for_room = false;                   // the poller reports when the socket is writable
  bool queued = false;  // in the server's list of clients with packets to send

 private:
  unsigned number_;
  std::uint32_t id_;
  int fd_;
  Address control_;
  std::unique_ptr<Attachment> attachment_;
  bool receives_requests_ = false, receives_all_ = false;
  std::bitset<256> used_;
  Backlog backlog_;
};

// Datagram sockets of the server, and their addresses.

/// In the abstract namespace.
Client::Address unix_address(const std::string& name);
/// `host` in network order.
Client::Address udp_address(in_addr_t host, unsigned port);
/// A bound socket that does not block; -1 with errno if there is none.
int open_socket(bool udp, const Client::Address& address);

}  // namespace sim::server
