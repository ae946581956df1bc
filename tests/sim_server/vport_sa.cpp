// A request to subnet administration for ClassPortInfo, as the kernel's client of a function sends
// it: with a P_Key of the table that the manager has, too, and with a GRH or without one.
//
//   vport_sa P_KEY_INDEX [grh]     prints "status 0x0000 without GRH", or "no answer"
//
// Independent of mad/: libibumad only.

#include <infiniband/umad.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kSaClass = 0x03, kSaVersion = 2, kMad = 256, kTimeoutMs = 500;
constexpr std::uint8_t kGet = 0x01, kClassPortInfo = 0x01;
constexpr std::uint32_t kQKey = 0x80010000;
// The kernel's IB_SA_WELL_KNOWN_GUID, with the default prefix.
constexpr std::uint64_t kPrefix = 0xFE80000000000000, kSaGuid = 0x0200000000000002;

void put(std::uint8_t* to, std::uint64_t value) {
  for (unsigned byte = 0; byte < 8; ++byte)
    to[byte] = static_cast<std::uint8_t>(value >> (56 - 8 * byte));
}

int request(int port, int lid, int key_index, bool with_grh) {
  const int agent = umad_register(port, kSaClass, kSaVersion, 1, nullptr);
  if (agent < 0) return 2;
  std::vector<std::uint8_t> buffer(umad_size() + kMad);
  auto* const mad = static_cast<std::uint8_t*>(umad_get_mad(buffer.data()));
  umad_set_addr(buffer.data(), lid, 1, 0, static_cast<int>(kQKey));
  umad_set_pkey(buffer.data(), key_index);
  if (with_grh) {
    ib_mad_addr grh{};
    grh.hop_limit = 1;
    put(grh.gid, kPrefix);
    put(grh.gid + 8, kSaGuid);
    umad_set_grh(buffer.data(), &grh);
  }
  mad[0] = 1;
  mad[1] = kSaClass;
  mad[2] = kSaVersion;
  mad[3] = kGet;
  mad[15] = 1;
  mad[17] = kClassPortInfo;
  int length = kMad;
  if (umad_send(port, agent, buffer.data(), kMad, kTimeoutMs, 2) != 0 ||
      umad_recv(port, buffer.data(), &length, 4 * kTimeoutMs) < 0 ||
      umad_status(buffer.data()) != 0) {
    printf("no answer\n");
    return 1;
  }
  printf("status 0x%02x%02x %s GRH\n", mad[4], mad[5],
         umad_get_mad_addr(buffer.data())->grh_present != 0 ? "with" : "without");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && (argc != 3 || std::strcmp(argv[2], "grh") != 0)) {
    fprintf(stderr, "usage: vport_sa P_KEY_INDEX [grh]\n");
    return 2;
  }
  umad_port_t attributes{};
  const int port = umad_init() < 0 ? -1 : umad_open_port(nullptr, 0);
  if (port < 0 || umad_get_port(nullptr, 0, &attributes) < 0) {
    fprintf(stderr, "vport_sa: no umad port\n");
    return 2;
  }
  return request(port, static_cast<int>(attributes.sm_lid), std::atoi(argv[1]), argc == 3);
}
