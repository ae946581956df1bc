#include "sim/server/client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "mad/format.h"

namespace sim::server {

wire::Packet& Backlog::push() {
  if (size_ == kMax) {
    pop(1);
    ++dropped_;
  }
  if (size_ == ring_.size()) {
    std::vector<wire::Packet> larger(ring_.size() * 2);
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
  if (wants_all_) return true;
  return wants_requests_ && (used || of == mad::MgmtClass::sm_lid ||
                             of == mad::MgmtClass::sm_directed || of == mad::MgmtClass::sa);
}

Client::Sent Client::flush() {
  constexpr std::size_t kBatch = 64;
  std::array<mmsghdr, kBatch> messages;
  std::array<iovec, kBatch> parts;
  while (!backlog_.empty()) {
    const auto count = static_cast<unsigned>(std::min(kBatch, backlog_.size()));
    for (unsigned i = 0; i < count; ++i) {
      parts[i] = {.iov_base = &backlog_.at(i), .iov_len = sizeof(wire::Packet)};
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
