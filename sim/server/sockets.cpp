#include "sim/server/sockets.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

}  // namespace sim::server
