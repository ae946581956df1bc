// Sends one request to subnet administration through libibumad, and prints the response: for
// requests that no tool sends.
//
//   sa_poke METHOD ATTRIBUTE MODIFIER COMPONENT_MASK SM_KEY HEX
//     Numbers base 0; HEX: the record, "" for none. Prints "status 0xSSSS", then one line
//     "record HEX" each; "no answer" after four tries.
//   sa_poke reports SECONDS
//     Acknowledges reports and prints "report HEX" for each (80 bytes).

#include <endian.h>
#include <infiniband/umad.h>
#include <infiniband/umad_sa.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kHeaderBytes = 56, kMadBytes = 256, kTimeoutMs = 2000;
constexpr std::uint32_t kQp1QKey = 0x80010000;

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(at, 2), nullptr, 16)));
  return bytes;
}

void print_hex(const char* what, const std::uint8_t* bytes, std::size_t length) {
  std::printf("%s ", what);
  for (std::size_t i = 0; i < length; ++i) std::printf("%02x", bytes[i]);
  std::printf("\n");
}

void put(std::uint8_t* at, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    at[i] = static_cast<std::uint8_t>(value >> 8 * (bytes - 1 - i));
}

std::uint64_t get(const std::uint8_t* at, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value = value << 8 | at[i];
  return value;
}

struct Port {
  int id = -1;
  umad_port_t port{};
  Port() {
    umad_init();
    id = umad_open_port(nullptr, 0);
    umad_get_port(nullptr, 0, &port);
  }
};

int request(char** argv) {
  const auto number = [](const char* text) { return std::strtoull(text, nullptr, 0); };
  const auto method = static_cast<unsigned>(number(argv[1])),
             attribute = static_cast<unsigned>(number(argv[2]));
  const std::vector<std::uint8_t> record = from_hex(argv[6]);
  Port port;
  const int agent = umad_register(port.id, UMAD_CLASS_SUBN_ADM, UMAD_SA_CLASS_VERSION, 1, nullptr);
  if (port.id < 0 || agent < 0) return std::perror("umad"), 1;

  const bool rmpp = method == 0x14;
  const std::size_t length = rmpp ? kHeaderBytes + record.size() : kMadBytes;
  std::vector<std::uint8_t> out(umad_size() +
                                std::max<std::size_t>(length, kHeaderBytes + record.size()));
  auto* mad = static_cast<std::uint8_t*>(umad_get_mad(out.data()));
  mad[0] = 1;
  mad[1] = UMAD_CLASS_SUBN_ADM;
  mad[2] = UMAD_SA_CLASS_VERSION;
  mad[3] = static_cast<std::uint8_t>(method);
  put(mad + 8, 0x5A000000u + static_cast<unsigned>(getpid()), 8);
  put(mad + 16, attribute, 2);
  put(mad + 20, number(argv[3]), 4);
  if (rmpp) {
    mad[24] = 1;  // RMPPVersion
    mad[25] = 1;  // DATA
    mad[26] = 1;  // Active
  }
  put(mad + 36, number(argv[5]), 8);
  put(mad + 48, number(argv[4]), 8);
  std::copy(record.begin(), record.end(), mad + kHeaderBytes);
  umad_set_addr(out.data(), static_cast<int>(port.port.sm_lid), 1,
                static_cast<int>(port.port.sm_sl), static_cast<int>(kQp1QKey));
  umad_send(port.id, agent, out.data(), static_cast<int>(length), kTimeoutMs, 3);

  std::vector<std::uint8_t> in(umad_size() + (std::size_t{16} << 20));
  int got = static_cast<int>(in.size() - umad_size());
  if (umad_poll(port.id, 4 * kTimeoutMs + 1000) != 0 ||
      umad_recv(port.id, in.data(), &got, 0) < 0 || umad_status(in.data()) != 0) {
    std::printf("no answer\n");
    return 0;
  }
  const auto* answer = static_cast<const std::uint8_t*>(umad_get_mad(in.data()));
  std::printf("status 0x%04x\n", static_cast<unsigned>(get(answer + 4, 2)));
  const std::size_t pitch = get(answer + 44, 2) * 8;
  const bool table = (answer[26] & 1u) != 0;
  const std::size_t end =
      table ? static_cast<std::size_t>(got)
            : std::min<std::size_t>(kHeaderBytes + (pitch != 0 ? pitch : 200), kMadBytes);
  for (std::size_t at = kHeaderBytes; pitch != 0 && at + pitch <= end; at += pitch)
    print_hex("record", answer + at, pitch);
  if (pitch == 0 && !table) print_hex("record", answer + kHeaderBytes, 200);
  return 0;
}

int take_reports(int seconds) {
  Port port;
  long methods[16 / sizeof(long)] = {1L << UMAD_METHOD_REPORT, 0};
  const int agent = umad_register(port.id, UMAD_CLASS_SUBN_ADM, UMAD_SA_CLASS_VERSION, 0, methods);
  if (port.id < 0 || agent < 0) return std::perror("umad"), 1;
  std::printf("listening\n");
  std::fflush(stdout);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::vector<std::uint8_t> in(umad_size() + kMadBytes);
  while (std::chrono::steady_clock::now() < end) {
    if (umad_poll(port.id, 100) != 0) continue;
    int got = kMadBytes;
    if (umad_recv(port.id, in.data(), &got, 0) < 0) continue;
    auto* mad = static_cast<std::uint8_t*>(umad_get_mad(in.data()));
    if (mad[3] != UMAD_METHOD_REPORT) continue;
    print_hex("report", mad + kHeaderBytes, 80);
    std::fflush(stdout);
    const ib_mad_addr_t from = *umad_get_mad_addr(in.data());
    mad[3] = 0x86;  // ReportResp
    umad_set_addr_net(in.data(), from.lid, from.qpn, from.sl, htobe32(kQp1QKey));
    umad_set_grh(in.data(), nullptr);
    umad_send(port.id, agent, in.data(), kMadBytes, 0, 0);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "reports") == 0) return take_reports(std::atoi(argv[2]));
  if (argc == 7) return request(argv);
  std::fprintf(stderr,
               "usage: sa_poke METHOD ATTRIBUTE MODIFIER COMPONENT_MASK SM_KEY HEX | sa_poke "
               "reports SECONDS\n");
  return 2;
}
