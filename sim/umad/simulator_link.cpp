#include "sim/umad/simulator_link.h"

#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sim/umad/libc.h"

namespace sim::umad {
namespace {

constexpr int kControlTimeoutMs = 3000;
// A process has one link per port; its pid and the number of the link make a name that no other
// process has. Pids have 22 bits.
constexpr unsigned kPidBits = 22, kOrdinalsMax = 1u << (31 - kPidBits);
constexpr unsigned kNamesTried = 8;
constexpr int kDrainTries = 500;
constexpr unsigned kDrainPauseUs = 200;

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Address unix_address(const std::string& name) {
  const wire::SocketAddress address = wire::socket_address(name);
  Address out;
  std::memcpy(&out.storage, &address.address, address.length);
  out.length = address.length;
  return out;
}

std::optional<Address> udp_address(const std::string& host, unsigned port) {
  Address out;
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = htons(static_cast<std::uint16_t>(port));
  if (!host.empty()) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_DGRAM;
    if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0 || found == nullptr)
      return std::nullopt;
    in.sin_addr = reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr;
    freeaddrinfo(found);
  }
  std::memcpy(&out.storage, &in, sizeof in);
  out.length = sizeof in;
  return out;
}

}  // namespace

ServerAddress ServerAddress::from_environment() {
  ServerAddress out;
  if (const char* base = std::getenv(wire::kEnvSocketName); base != nullptr && *base != '\0')
    out.base = base;
  if (const char* host = std::getenv(wire::kEnvServerHost); host != nullptr) out.host = host;
  if (const char* port = std::getenv(wire::kEnvServerPort); port != nullptr && *port != '\0')
    out.port = static_cast<std::uint16_t>(std::strtoul(port, nullptr, 10));
  return out;
}

std::string ServerAddress::text() const {
  if (host.empty()) return "socket @" + wire::control_name(base);
  return "UDP " + host + ":" + std::to_string(port);
}

tl::expected<std::unique_ptr<SimulatorLink>, SimulatorLink::Failure> SimulatorLink::attach(
    const ServerAddress& server, const std::string& node, unsigned ordinal) {
  const auto fail = [&](const char* what) {
    return tl::unexpected(
        Failure{.text = std::string(what) + " (" + server.text() + "): " + std::strerror(errno)});
  };
  std::unique_ptr<SimulatorLink> link(new SimulatorLink);
  link->server_ = server;
  link->requested_node_ = node;
  const bool udp = !server.host.empty();
  const int family = udp ? AF_INET : AF_UNIX;
  link->control_ = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  link->data_ = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (link->control_ < 0 || link->data_ < 0) return fail("no socket");

  if (udp) {
    const std::optional<Address> any = udp_address("", 0),
                                 to = udp_address(server.host, server.port);
    if (!to)
      return tl::unexpected(
          Failure{.text = "no fabric simulator: the host " + server.host + " is not known"});
    sockaddr_in own{};
    socklen_t length = sizeof own;
    if (bind(link->data_, any->get(), any->length) < 0 ||
        getsockname(link->data_, reinterpret_cast<sockaddr*>(&own), &length) < 0 ||
        ::connect(link->control_, to->get(), to->length) < 0)
      return fail("no fabric simulator");
    link->id_ = ntohs(own.sin_port);
  } else {
    bool bound = false;
    for (unsigned tried = 0; tried < kNamesTried && !bound; ++tried) {
      link->id_ = static_cast<std::uint32_t>(getpid()) | ((ordinal + tried * 64) % kOrdinalsMax)
                                                             << kPidBits;
      const Address control = unix_address(wire::client_control_name(server.base, link->id_));
      const Address data = unix_address(wire::client_data_name(server.base, link->id_));
      if (bind(link->control_, control.get(), control.length) < 0) continue;
      if (bind(link->data_, data.get(), data.length) < 0) return fail("cannot name a socket");
      bound = true;
    }
    if (!bound) return fail("cannot name a socket");
    const Address to = unix_address(wire::control_name(server.base));
    if (::connect(link->control_, to.get(), to.length) < 0) return fail("no fabric simulator");
  }
  if (auto connected = link->connect(node, false); !connected)
    return tl::unexpected(connected.error());
  return link;
}

tl::expected<void, SimulatorLink::Failure> SimulatorLink::connect(const std::string& node,
                                                                  bool requests) {
  wire::Attach attach;
  attach.id = id_;
  attach.issm = requests ? 1 : 0;
  std::copy_n(node.begin(), std::min(node.size(), attach.nodeid.size() - 1), attach.nodeid.begin());
  std::array<std::uint8_t, sizeof(wire::Attach)> bytes{};
  std::memcpy(bytes.data(), &attach, sizeof attach);
  errno = 0;
  if (!control(wire::ControlType::connect, bytes, kControlTimeoutMs)) {
    if (errno == EPROTO)
      return tl::unexpected(Failure{.text = "the fabric simulator (" + server_.text() +
                                            ") does not attach us to node \"" + node + "\"",
                                    .refused = true});
    return tl::unexpected(Failure{.text = "the fabric simulator (" + server_.text() +
                                          ") does not answer: " + std::strerror(errno)});
  }
  std::memcpy(&attach, bytes.data(), sizeof attach);
  attach.nodeid.back() = '\0';
  node_ = attach.nodeid.data();
  client_ = attach.id;
  connected_ = true;
  gets_requests_ = attached_for_requests_ = requests;
  std::optional<Address> to;
  if (server_.host.empty())
    to = unix_address(wire::server_data_name(server_.base, client_));
  else
    to = udp_address(server_.host, server_.port + 1u + client_);
  if (!to || ::connect(data_, to->get(), to->length) < 0)
    return tl::unexpected(Failure{.text = "the fabric simulator (" + server_.text() +
                                          ") has no data socket for us: " + std::strerror(errno)});
  routed_ = request(wire::ControlType::use_routes, wire::kRoutesWanted, wire::kRoutesAccepted);
  omni_path_ = routed_ && request(wire::ControlType::use_omni_path, wire::kOmniPathWanted,
                                  wire::kOmniPathAccepted);
  return {};
}

/// Upstream returns the record unchanged.
bool SimulatorLink::request(wire::ControlType type, std::uint32_t wanted, std::uint32_t accepted) {
  std::array<std::uint8_t, sizeof(std::uint32_t)> data{};
  std::memcpy(data.data(), &wanted, sizeof wanted);
  if (!control(type, data, kControlTimeoutMs)) return false;
  return std::memcmp(data.data(), &accepted, sizeof accepted) == 0;
}

SimulatorLink::~SimulatorLink() {
  if (control_ >= 0) libc().close(control_);
  if (data_ >= 0) libc().close(data_);
}

bool SimulatorLink::control(wire::ControlType type, std::span<std::uint8_t> data, int timeout_ms) {
  const std::lock_guard lock(control_mutex_);
  wire::Control record;
  record.client = client_;
  record.type = type;
  record.length = static_cast<std::uint32_t>(data.size());
  std::copy(data.begin(), data.end(), record.data.begin());
  wire::Control stale;
  while (recv(control_, &stale, sizeof stale, MSG_DONTWAIT) >= 0) {
  }  // late answers to an earlier request
  if (::send(control_, &record, sizeof record, MSG_NOSIGNAL) < 0) return false;
  pollfd answer{control_, POLLIN, 0};
  const int ready = poll(&answer, 1, timeout_ms);
  if (ready <= 0) {
    errno = ready == 0 ? ETIMEDOUT : errno;
    return false;
  }
  if (recv(control_, &record, sizeof record, MSG_DONTWAIT) != static_cast<ssize_t>(sizeof record) ||
      record.magic != wire::kMagic) {
    errno = EIO;
    return false;
  }
  if (record.type == wire::ControlType::error) {
    errno = EPROTO;
    return false;
  }
  std::copy_n(record.data.begin(), data.size(), data.begin());
  return true;
}

void SimulatorLink::send(const wire::RoutedPacket& packet) {
  if (waiting_.empty()) {
    if (::send(data_, &packet, packet_bytes(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return;
    // If the server has ended, packets are lost, as on a link that is down.
    if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR) return;
  }
  if (waiting_.size() < kWaitingMax) waiting_.push_back(packet);
}

void SimulatorLink::send(const wire::OmniPathPacket& packet) {
  ::send(data_, &packet, sizeof packet, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void SimulatorLink::flush() {
  std::array<mmsghdr, kBatch> messages{};
  std::array<iovec, kBatch> parts{};
  while (!waiting_.empty()) {
    const unsigned count = static_cast<unsigned>(std::min<std::size_t>(kBatch, waiting_.size()));
    for (unsigned i = 0; i < count; ++i) {
      parts[i] = {.iov_base = &waiting_[i], .iov_len = packet_bytes()};
      messages[i].msg_hdr = {};
      messages[i].msg_hdr.msg_iov = &parts[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
    const int sent = sendmmsg(data_, messages.data(), count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR) waiting_.clear();
      return;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + sent);
    if (static_cast<unsigned>(sent) < count) return;
  }
}

std::span<const wire::OmniPathPacket> SimulatorLink::receive(bool& more) {
  std::array<mmsghdr, kBatch> messages{};
  std::array<iovec, kBatch> parts{};
  for (unsigned i = 0; i < kBatch; ++i) {
    parts[i] = {.iov_base = &received_[i], .iov_len = sizeof(wire::OmniPathPacket)};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const int got = recvmmsg(data_, messages.data(), kBatch, MSG_DONTWAIT, nullptr);
  // After an error (the server has ended) there is nothing to read until the next event.
  more = got == static_cast<int>(kBatch);
  unsigned good = 0;
  for (int i = 0; i < got; ++i) {
    const auto at = static_cast<unsigned>(i);
    const bool routed = (routed_ && messages[at].msg_len == sizeof(wire::RoutedPacket)) ||
                        (omni_path_ && messages[at].msg_len == sizeof(wire::OmniPathPacket));
    if ((!routed && messages[at].msg_len != sizeof(wire::Packet)) ||
        (messages[at].msg_hdr.msg_flags & MSG_TRUNC) != 0)
      continue;
    if (!routed) received_[at].route = {};
    if (good != at) received_[good] = received_[at];
    ++good;
  }
  return {received_.data(), good};
}

bool SimulatorLink::want_requests() {
  if (gets_requests_) return true;
  // Only a new connection sets the flag without the IsSM bit of the port. The server need not
  // accept the node's name in its own answer, so the original name is sent again.
  disconnect();
  if (connect(requested_node_, true)) return true;
  // With upstream's server, another program on this node has the flag.
  return connect(requested_node_, false).has_value();
}

std::optional<std::array<std::uint8_t, 64>> SimulatorLink::read_attribute(
    std::uint16_t attribute_id, std::uint32_t attribute_modifier) {
  if (!routed_) return std::nullopt;
  const wire::ReadAttribute wanted{.attribute_id = attribute_id,
                                   .attribute_modifier = attribute_modifier};
  std::array<std::uint8_t, 64> data{};
  std::memcpy(data.data(), &wanted, sizeof wanted);
  if (!control(wire::ControlType::read_attribute, data, kControlTimeoutMs)) return std::nullopt;
  return data;
}

bool SimulatorLink::set_is_sm(bool on) {
  std::array<std::uint8_t, 4> data{static_cast<std::uint8_t>(on ? 1 : 0)};
  const std::uint32_t value = on ? 1 : 0;
  std::memcpy(data.data(), &value, sizeof value);
  const bool done = control(wire::ControlType::set_is_sm, data, kControlTimeoutMs);
  gets_requests_ = on || (routed_ && attached_for_requests_);  // upstream has one flag for both
  return done;
}

void SimulatorLink::drain() {
  // Upstream reads control sockets first, so it would never read packets sent just before (the last
  // ACK of a message).
  int unread = 0;
  for (int tries = 0; tries < kDrainTries && (ioctl(data_, SIOCOUTQ, &unread) != 0 || unread > 0);
       ++tries)
    usleep(kDrainPauseUs);
}

void SimulatorLink::disconnect() {
  if (!connected_) return;
  flush();
  if (server_.host.empty()) drain();
  control(wire::ControlType::disconnect, {}, 300);
  connected_ = false;
  // A socket that is connected to one peer refuses all others. After a reconnect the server may
  // assign another number, and so another peer; upstream exits on the refusal.
  const sockaddr unspecified{.sa_family = AF_UNSPEC, .sa_data = {}};
  ::connect(data_, &unspecified, sizeof unspecified);
}

}  // namespace sim::umad
