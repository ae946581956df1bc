#pragma once
// A client: its data socket, its port, and the packets that it has not read yet.

#include <sys/socket.h>

#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/wire/ibsim_protocol.h"
#include "sim/world/attachment.h"

namespace sim::server {

/// Packets that wait to be sent: bounded; when it is full, the oldest are lost.
class Backlog {
 public:
  static constexpr std::size_t kMax = 16384;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::uint64_t dropped() const { return dropped_; }
  /// The slot for one more packet.
  wire::Packet& push();
  wire::Packet& at(std::size_t index) { return ring_[(head_ + index) & (ring_.size() - 1)]; }
  void pop(std::size_t count) {
    head_ = (head_ + count) & (ring_.size() - 1);
    size_ -= count;
  }

 private:
  std::vector<wire::Packet> ring_ = std::vector<wire::Packet>(64);  // a power of two
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

  /// The client takes MADs that are not responses. As an SM (not `all`) it takes those for subnet
  /// managers and administrators.
  void want_requests(bool wants, bool all) {
    wants_requests_ = wants;
    wants_all_ = wants && all;
  }
  bool wants_requests() const { return wants_requests_; }
  bool wants_all() const { return wants_all_; }
  /// True if the MAD may be delivered to it: upstream's client library crashes on classes that its
  /// program has not registered, so that only classes that it has used count, unless it requested
  /// others.
  bool takes(mad::ConstMadView mad) const;
  void used(mad::MgmtClass of) { used_.set(static_cast<std::uint8_t>(of)); }

  Backlog& backlog() { return backlog_; }
  const Backlog& backlog() const { return backlog_; }
  enum class Sent { all, some, broken };
  /// Sends as much as the socket takes.
  Sent flush();

  std::uint64_t mads_from = 0, mads_to = 0;
  bool waits_for_room = false;  // the poller reports when the socket is writable
  bool queued = false;          // in the server's list of clients with packets to send

 private:
  unsigned number_;
  std::uint32_t id_;
  int fd_;
  Address control_;
  std::unique_ptr<Attachment> attachment_;
  bool wants_requests_ = false, wants_all_ = false;
  std::bitset<256> used_;
  Backlog backlog_;
};

}  // namespace sim::server
