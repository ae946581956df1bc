// Tests one property of umad devices through libibumad and plain system calls, and prints the
// result. Runs under the preload library; on a machine with InfiniBand it prints the same for the
// kernel.
//
//   umad_probe poll|select|epoll    a response makes the descriptor readable, read() unreadable
//   umad_probe timeout MS RETRIES   the timeout of a request to a LID without owner
//   umad_probe invalid              errno of invalid calls
//   umad_probe tid                  upper halves of transaction ids of two agents
//   umad_probe table LID            GetTable(NodeRecord) at the SA: a short read, then the whole
//   umad_probe flood COUNT WINDOW   0-hop Get(NodeInfo): number of responses, and rate
//   umad_probe issm [wait|hold]     opens issm0: with O_NONBLOCK, waiting, or until SIGTERM
//   umad_probe fork                 the child cannot use the parent's descriptor, only its own

#include <fcntl.h>
#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMadBytes = 256;

struct Port {
  int fd = -1, agent = -1;
  explicit Port(unsigned mgmt_class = 0x81, unsigned version = 1, unsigned rmpp = 0) {
    umad_init();
    fd = umad_open_port(nullptr, 0);
    if (fd < 0) {
      std::printf("open: %s\n", std::strerror(-fd));
      std::exit(1);
    }
    agent = umad_register(fd, static_cast<int>(mgmt_class), static_cast<int>(version),
                          static_cast<std::uint8_t>(rmpp), nullptr);
    // libibumad numbers its ports; this program uses the descriptor of one.
    descriptor = umad_get_fd(fd);
  }
  int descriptor = -1;
};

struct Buffer {
  std::vector<std::uint8_t> bytes;
  explicit Buffer(std::size_t mad_bytes = kMadBytes) : bytes(umad_size() + mad_bytes) {}
  void* get() { return bytes.data(); }
  std::uint8_t* mad() { return static_cast<std::uint8_t*>(umad_get_mad(get())); }
};

void fill_smp(std::uint8_t* mad, bool directed, unsigned attribute, std::uint32_t tid) {
  std::memset(mad, 0, kMadBytes);
  mad[0] = 1;
  mad[1] = directed ? 0x81 : 0x01;
  mad[2] = 1;
  mad[3] = 1;
  for (int i = 0; i < 4; ++i) mad[12 + i] = static_cast<std::uint8_t>(tid >> (24 - 8 * i));
  mad[16] = static_cast<std::uint8_t>(attribute >> 8);
  mad[17] = static_cast<std::uint8_t>(attribute);
  if (directed) mad[32] = mad[33] = mad[34] = mad[35] = 0xFF;
}

void send_node_info(Port& port, std::uint32_t tid, int timeout_ms = 1000) {
  Buffer buffer;
  fill_smp(buffer.mad(), true, 0x11, tid);
  umad_set_addr(buffer.get(), 0xFFFF, 0, 0, 0);
  umad_send(port.fd, port.agent, buffer.get(), kMadBytes, timeout_ms, 3);
}

std::uint64_t tid_of(const std::uint8_t* mad) {
  std::uint64_t out = 0;
  for (int i = 8; i < 16; ++i) out = out << 8 | mad[i];
  return out;
}

bool readable(const std::string_view how, int fd, int timeout_ms) {
  if (how == "poll") {
    pollfd entry{fd, POLLIN, 0};
    return poll(&entry, 1, timeout_ms) == 1;
  }
  if (how == "select") {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    timeval timeout{timeout_ms / 1000, timeout_ms % 1000 * 1000};
    return select(fd + 1, &set, nullptr, nullptr, &timeout) == 1;
  }
  const int set = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
  const bool out = epoll_wait(set, &event, 1, timeout_ms) == 1;
  close(set);
  return out;
}

/// libibumad opens its descriptors with O_NONBLOCK; this read blocks.
ssize_t receive(const Port& port, Buffer& buffer) {
  readable("poll", port.descriptor, 20'000);
  return read(port.descriptor, buffer.get(), buffer.bytes.size());
}

int wait_and_read(std::string_view how) {
  Port port;
  pollfd writable{port.descriptor, POLLOUT, 0};
  std::printf("writable %d\n", poll(&writable, 1, 0));
  std::printf("readable before %d\n", readable(how, port.descriptor, 20));
  send_node_info(port, 1);
  send_node_info(port, 2);
  std::printf("readable after %d\n", readable(how, port.descriptor, 2000));
  Buffer buffer;
  for (int i = 0; i < 2; ++i) {
    readable("poll", port.descriptor, 20'000);  // the second one may arrive later
    std::printf("read %zd\n", read(port.descriptor, buffer.get(), buffer.bytes.size()) -
                                  static_cast<ssize_t>(umad_size()));
  }
  std::printf("readable at the end %d\n", readable(how, port.descriptor, 20));
  fcntl(port.descriptor, F_SETFL, fcntl(port.descriptor, F_GETFL) & ~O_NONBLOCK);
  send_node_info(port, 3);
  std::printf("blocking read %zd\n", read(port.descriptor, buffer.get(), buffer.bytes.size()) -
                                         static_cast<ssize_t>(umad_size()));
  fcntl(port.descriptor, F_SETFL, fcntl(port.descriptor, F_GETFL) | O_NONBLOCK);
  const ssize_t none = read(port.descriptor, buffer.get(), buffer.bytes.size());
  std::printf("read without a MAD: %s\n", none < 0 ? std::strerror(errno) : "something");
  return 0;
}

int time_out(int timeout_ms, int retries) {
  Port port(0x01);
  Buffer buffer;
  fill_smp(buffer.mad(), false, 0x11, 0x1234);
  umad_set_addr(buffer.get(), 0xBEEF, 0, 0, 0);
  const auto begin = Clock::now();
  umad_send(port.fd, port.agent, buffer.get(), kMadBytes, timeout_ms, retries);
  Buffer answer;
  const ssize_t got = receive(port, answer);
  const auto after =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
  std::printf("status %d\nmad bytes %zd\nagent %d\n", umad_status(answer.get()),
              got - static_cast<ssize_t>(umad_size()),
              static_cast<int>(*reinterpret_cast<std::uint32_t*>(answer.get())) == port.agent);
  std::printf("tid low %llx\nafter ms %lld\n",
              static_cast<unsigned long long>(tid_of(answer.mad()) & 0xFFFFFFFF),
              static_cast<long long>(after));
  return 0;
}

const char* error_of(ssize_t result) { return result < 0 ? strerrorname_np(errno) : "none"; }

int invalid() {
  Port port;
  Buffer buffer(512);
  fill_smp(buffer.mad(), true, 0x11, 1);
  umad_set_addr(buffer.get(), 0xFFFF, 0, 0, 0);
  auto* header = static_cast<ib_user_mad*>(buffer.get());
  const auto write_bytes = [&](std::size_t bytes) {
    return error_of(write(port.descriptor, buffer.get(), bytes));
  };
  header->agent_id = static_cast<std::uint32_t>(port.agent);
  std::printf("write short: %s\n", write_bytes(umad_size() + 35));
  std::printf("write long: %s\n", write_bytes(umad_size() + 257));
  header->agent_id = 32;
  std::printf("write agent 32: %s\n", write_bytes(umad_size() + 256));
  header->agent_id = 7;
  std::printf("write agent 7: %s\n", write_bytes(umad_size() + 256));
  header->agent_id = static_cast<std::uint32_t>(port.agent);
  header->timeout_ms = 5000;
  std::printf("write: %s\n", write_bytes(umad_size() + 256));
  readable("poll", port.descriptor, 20'000);
  std::printf("read short: %s\n", error_of(read(port.descriptor, buffer.get(), umad_size() + 255)));
  std::printf("read very short: %s\n", error_of(read(port.descriptor, buffer.get(), 10)));
  std::printf("read: %s\n", error_of(read(port.descriptor, buffer.get(), umad_size() + 256)));
  const long methods[2] = {1 << 1, 0};
  long mask[2] = {methods[0], methods[1]};
  std::printf("register: %d\n", umad_register(port.fd, 0x04, 1, 0, mask) >= 0);
  std::printf("register twice: %d\n", umad_register(port.fd, 0x04, 1, 0, mask) >= 0);
  std::printf("register rmpp without: %d\n", umad_register(port.fd, 0x04, 1, 1, nullptr) >= 0);
  std::uint32_t unknown = 30;
  std::printf("unregister unknown: %s\n",
              error_of(ioctl(port.descriptor, IB_USER_MAD_UNREGISTER_AGENT, &unknown)));
  std::printf("enable pkey late: %s\n", error_of(ioctl(port.descriptor, IB_USER_MAD_ENABLE_PKEY)));
  return 0;
}

int tids() {
  Port first, second;
  send_node_info(first, 7);
  send_node_info(second, 7);
  Buffer a, b;
  receive(first, a);
  receive(second, b);
  std::printf("low %d %d\nhigh differ %d\n", static_cast<int>(tid_of(a.mad()) & 0xFFFFFFFF),
              static_cast<int>(tid_of(b.mad()) & 0xFFFFFFFF),
              tid_of(a.mad()) >> 32 != tid_of(b.mad()) >> 32);
  return 0;
}

int table(unsigned lid) {
  Port port(0x03, 2, 1);
  Buffer query;
  std::memset(query.mad(), 0, kMadBytes);
  const std::array<std::uint8_t, 4> start{1, 3, 2, 0x12};  // GetTable
  std::copy(start.begin(), start.end(), query.mad());
  query.mad()[15] = 9;
  query.mad()[17] = 0x11;
  umad_set_addr(query.get(), static_cast<int>(lid), 1, 0, static_cast<int>(0x80010000u));
  umad_send(port.fd, port.agent, query.get(), kMadBytes, 2000, 3);
  Buffer small;
  const ssize_t refused = receive(port, small);
  std::printf("short read: %s\n", error_of(refused));
  const std::size_t length = static_cast<ib_user_mad*>(small.get())->length;
  Buffer whole(length - umad_size());
  const ssize_t got = read(port.descriptor, whole.get(), whole.bytes.size());
  std::printf("needed %zu\ngot %zd\n", length, got);
  const unsigned record_bytes = static_cast<unsigned>(whole.mad()[44] << 8 | whole.mad()[45]) * 8u;
  std::printf("records %zu\n", record_bytes == 0 ? 0 : (length - umad_size() - 56) / record_bytes);
  return 0;
}

int flood(unsigned count, unsigned window) {
  Port port;
  Buffer buffer;
  unsigned sent = 0, received = 0, lost = 0;
  const auto begin = Clock::now();
  while (received + lost < count) {
    while (sent < count && sent - received - lost < window) send_node_info(port, ++sent, 5000);
    pollfd entry{port.descriptor, POLLIN, 0};
    if (poll(&entry, 1, 20'000) != 1) break;
    while (read(port.descriptor, buffer.get(), buffer.bytes.size()) > 0)
      umad_status(buffer.get()) == 0 ? ++received : ++lost;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::printf("received %u\nlost %u\nper second %.0f\n", received, lost, count / seconds);
  return 0;
}

enum class Issm : std::uint8_t { open_at_once, wait_for, hold };

int issm(Issm how) {
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  if (how == Issm::hold) sigprocmask(SIG_BLOCK, &terminate, nullptr);
  char path[256];
  umad_init();
  if (umad_get_issm_path(nullptr, 0, path, sizeof path) != 0) return 1;
  std::printf("opens issm0\n");
  std::fflush(stdout);
  const auto begin = Clock::now();
  const int fd = open(path, how == Issm::open_at_once ? O_RDWR | O_NONBLOCK : O_RDWR);
  const double waited = std::chrono::duration<double>(Clock::now() - begin).count();
  std::printf("%s after %.1f s\n", fd >= 0 ? "held" : strerrorname_np(errno), waited);
  std::fflush(stdout);
  if (int signal = 0; how == Issm::hold) sigwait(&terminate, &signal);
  if (fd >= 0) close(fd);
  return 0;
}

/// Repeats the request until a response arrives: ibsim sometimes loses a MAD, which is not tested
/// here.
ssize_t ask_again(Port& port, std::uint32_t tid, Buffer& buffer) {
  for (int tries = 0; tries < 5; ++tries) {
    send_node_info(port, tid + 0x100u * static_cast<unsigned>(tries));
    if (readable("poll", port.descriptor, 2'000)) break;
  }
  return read(port.descriptor, buffer.get(), buffer.bytes.size());
}

int fork_and_use() {
  Port port;
  Buffer buffer;
  if (const pid_t child = fork(); child == 0) {
    std::printf("child read: %s\n",
                error_of(read(port.descriptor, buffer.get(), buffer.bytes.size())));
    close(port.descriptor);
    Port own;
    std::printf("child own read: %zd\n",
                ask_again(own, 5, buffer) - static_cast<ssize_t>(umad_size()));
    std::fflush(stdout);
    std::exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }
  std::printf("parent read: %zd\n", ask_again(port, 6, buffer) - static_cast<ssize_t>(umad_size()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto number = [&](int at, int otherwise) {
    return argc > at ? std::atoi(argv[at]) : otherwise;
  };
  if (what == "poll" || what == "select" || what == "epoll") return wait_and_read(what);
  if (what == "timeout") return time_out(number(2, 200), number(3, 2));
  if (what == "invalid") return invalid();
  if (what == "tid") return tids();
  if (what == "table") return table(static_cast<unsigned>(number(2, 1)));
  if (what == "flood")
    return flood(static_cast<unsigned>(number(2, 10'000)), static_cast<unsigned>(number(3, 64)));
  if (what == "issm") {
    const std::string_view how = argc > 2 ? argv[2] : "";
    return issm(how == "hold" ? Issm::hold : how == "wait" ? Issm::wait_for : Issm::open_at_once);
  }
  if (what == "fork") return fork_and_use();
  std::fprintf(stderr, "see the head of umad_probe.cpp\n");
  return 2;
}
