#include "sim/server/client_requests.h"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "mad/format.h"

namespace sim::server {
namespace {

constexpr int kSocketBufferBytes = 4 << 20;

}  // namespace

Client::Address unix_address(const std::string& name) {
  const wire::SocketAddress address = wire::socket_address(name);
  Client::Address out;
  std::memcpy(&out.storage, &address.address, address.length);
  out.length = address.length;
  return out;
}

Client::Address udp_address(in_addr_t host, unsigned port) {
  Client::Address out;
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = host;
  in.sin_port = htons(static_cast<std::uint16_t>(port));
  std::memcpy(&out.storage, &in, sizeof in);
  out.length = sizeof in;
  return out;
}

int open_socket(bool udp, const Client::Address& address) {
  const int fd = socket(udp ? AF_INET : AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSocketBufferBytes, sizeof kSocketBufferBytes);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kSocketBufferBytes, sizeof kSocketBufferBytes);
  if (bind(fd, address.get(), address.length) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

bool expects_answer(mad::ConstMadView mad) {
  using mad::Method;
  constexpr std::size_t kRmppTypeByte = 25;
  constexpr std::uint8_t kRmppData = 1;
  switch (mad.method()) {
    case Method::get:
    case Method::set:
    case Method::report:
    case Method::get_trace_table:
    case Method::delete_:
      return true;
    case Method::get_table:
    case Method::get_multi:
      return mad.bytes()[kRmppTypeByte] <= kRmppData;  // an ACK looks like a request
    default:
      return false;
  }
}

void PendingRequests::add(std::uint64_t transaction_id, const wire::RoutedPacket& packet,
                          unsigned client, TimePoint deadline) {
  answered(transaction_id);
  if (size_ == kMax) remove(oldest_);
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Entry& entry = entries_[index];
  entry.transaction_id = transaction_id;
  entry.deadline = deadline;
  entry.client = client;
  entry.packet = packet;
  entry.older = newest_;
  entry.newer = kEnd;
  (newest_ == kEnd ? oldest_ : entries_[newest_].newer) = index;
  newest_ = index;
  std::uint32_t& head = buckets_[bucket(transaction_id)];
  entry.next_in_bucket = head;
  head = index;
  ++size_;
}

void PendingRequests::remove(std::uint32_t index) {
  Entry& entry = entries_[index];
  std::uint32_t* link = &buckets_[bucket(entry.transaction_id)];
  while (*link != index) link = &entries_[*link].next_in_bucket;
  *link = entry.next_in_bucket;
  (entry.older == kEnd ? oldest_ : entries_[entry.older].newer) = entry.newer;
  (entry.newer == kEnd ? newest_ : entries_[entry.newer].older) = entry.older;
  free_.push_back(index);
  --size_;
}

void PendingRequests::answered(std::uint64_t transaction_id) {
  for (std::uint32_t index = buckets_[bucket(transaction_id)]; index != kEnd;
       index = entries_[index].next_in_bucket) {
    if (entries_[index].transaction_id == transaction_id) return remove(index);
  }
}

std::optional<TimePoint> PendingRequests::next() const {
  if (oldest_ == kEnd) return std::nullopt;
  return entries_[oldest_].deadline;
}

std::optional<PendingRequests::Expired> PendingRequests::take_expired(TimePoint now) {
  if (oldest_ == kEnd || entries_[oldest_].deadline > now) return std::nullopt;
  Expired out{entries_[oldest_].client, entries_[oldest_].packet};
  remove(oldest_);
  return out;
}

void PendingRequests::forget_client(unsigned client) {
  for (std::uint32_t index = oldest_; index != kEnd;) {
    const std::uint32_t newer = entries_[index].newer;
    if (entries_[index].client == client) remove(index);
    index = newer;
  }
}

wire::RoutedPacket& Backlog::push() {
  if (size_ == kMax) {
    pop(1);
    ++dropped_;
  }
  if (size_ == ring_.size()) {
    std::vector<wire::RoutedPacket> larger(ring_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = at(i);
    ring_ = std::move(larger);
    head_ = 0;
  }
  return at(size_++);
}

bool Client::Address::operator==(const Address& other) const {
  return length == other.length && std::memcmp(&storage, &other.storage, length) == 0;
}

Client::Client(unsigned number, std::uint32_t id, int fd, Address control,
               std::unique_ptr<Attachment> attachment)
    : number_(number), id_(id), fd_(fd), control_(control), attachment_(std::move(attachment)) {}

bool Client::takes(mad::ConstMadView mad) const {
  const mad::MgmtClass of = mad.mgmt_class();
  const bool used = used_.test(static_cast<std::uint8_t>(of));
  if (mad.is_response()) return used;
  if (receives_all_) return true;
  return receives_requests_ && (used || of == mad::MgmtClass::sm_lid ||
                                of == mad::MgmtClass::sm_directed || of == mad::MgmtClass::sa);
}

Client::Sent Client::flush() {
  constexpr std::size_t kBatch = 64;
  std::array<mmsghdr, kBatch> messages;
  std::array<iovec, kBatch> parts;
  while (!backlog_.empty()) {
    const auto count = static_cast<unsigned>(std::min(kBatch, backlog_.size()));
    for (unsigned i = 0; i < count; ++i) {
      parts[i] = {.iov_base = &backlog_.at(i),
                  .iov_len = routed ? sizeof(wire::RoutedPacket) : sizeof(wire::Packet)};
      messages[i].msg_hdr = {};
      messages[i].msg_hdr.msg_iov = &parts[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
    const int sent = sendmmsg(fd_, messages.data(), count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM ? Sent::some : Sent::broken;
    }
    backlog_.pop(static_cast<std::size_t>(sent));
    mads_to += static_cast<std::uint64_t>(sent);
    // The socket refused the rest; the next call returns the error.
  }
  return Sent::all;
}

}  // namespace sim::server
