// A ping as ibping's, with a GRH both ways: ibping's server answers without one, so that answers to
// vports that share the LID of their port are lost.
//
//   vport_ping serve               answers until it is killed
//   vport_ping LID GUID COUNT      prints "N of COUNT answered"; the GID has the default prefix

#include <infiniband/umad.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kClass = 0x0A;  // a vendor's
constexpr std::uint8_t kGet = 0x01, kGetResponse = 0x81;
constexpr int kMad = 256, kTimeoutMs = 300;
constexpr std::uint32_t kQKey = 0x80010000;
constexpr std::uint64_t kDefaultPrefix = 0xFE80000000000000;

class Port {
 public:
  bool open(bool serves) {
    if (umad_init() < 0 || (port_ = umad_open_port(nullptr, 0)) < 0) return false;
    buffer_.resize(umad_size() + kMad);  // known once a port is open
    std::array<long, 16 / sizeof(long)> methods{};
    if (serves) methods[0] = 1L << kGet;
    agent_ = umad_register(port_, kClass, 1, 0, serves ? methods.data() : nullptr);
    return agent_ >= 0;
  }
  std::uint8_t* mad() { return static_cast<std::uint8_t*>(umad_get_mad(buffer_.data())); }
  ib_mad_addr& address() { return *umad_get_mad_addr(buffer_.data()); }
  void* umad() { return buffer_.data(); }
  bool send(int timeout_ms) {
    return umad_send(port_, agent_, buffer_.data(), kMad, timeout_ms, 0) == 0;
  }
  bool receive(int timeout_ms) {
    int length = kMad;
    return umad_recv(port_, buffer_.data(), &length, timeout_ms) >= 0 &&
           umad_status(buffer_.data()) == 0;
  }

 private:
  std::vector<std::uint8_t> buffer_;
  int port_ = -1, agent_ = -1;
};

/// `umad_set_addr` leaves the GRH of a received MAD as it is, so an answer has the request's.
int serve(Port& port) {
  for (;;) {
    if (!port.receive(-1)) continue;
    port.mad()[3] = kGetResponse;
    port.send(0);
  }
}

int ping(Port& port, unsigned lid, std::uint64_t guid, unsigned count) {
  unsigned answered = 0;
  for (unsigned i = 1; i <= count; ++i) {
    std::memset(port.mad(), 0, kMad);
    umad_set_addr(port.umad(), static_cast<int>(lid), 1, 0, static_cast<int>(kQKey));
    ib_mad_addr grh{};
    grh.hop_limit = 2;
    for (unsigned byte = 0; byte < 8; ++byte) {
      grh.gid[byte] = static_cast<std::uint8_t>(kDefaultPrefix >> (56 - 8 * byte));
      grh.gid[8 + byte] = static_cast<std::uint8_t>(guid >> (56 - 8 * byte));
    }
    umad_set_grh(port.umad(), &grh);
    std::uint8_t* const mad = port.mad();
    mad[0] = 1;
    mad[1] = kClass;
    mad[2] = 1;
    mad[3] = kGet;
    mad[15] = static_cast<std::uint8_t>(i);
    answered += port.send(kTimeoutMs) && port.receive(2 * kTimeoutMs);
  }
  printf("%u of %u answered\n", answered, count);
  return answered == count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool serves = argc == 2 && std::strcmp(argv[1], "serve") == 0;
  if (!serves && argc != 4) {
    fprintf(stderr, "usage: vport_ping serve | LID GUID COUNT\n");
    return 2;
  }
  Port port;
  if (!port.open(serves)) {
    fprintf(stderr, "vport_ping: no umad port\n");
    return 2;
  }
  if (serves) return serve(port);
  return ping(port, static_cast<unsigned>(std::strtoul(argv[1], nullptr, 0)),
              std::strtoull(argv[2], nullptr, 0),
              static_cast<unsigned>(std::strtoul(argv[3], nullptr, 0)));
}
