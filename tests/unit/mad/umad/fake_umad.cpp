#include "unit/mad/umad/fake_umad.h"

#include <endian.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

namespace fake_umad {

Kernel& kernel() {
  static Kernel the_kernel;
  return the_kernel;
}

void Kernel::reset() {
  const std::lock_guard lock(mutex);
  for (int& fd : pipe) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  if (::pipe2(pipe, O_CLOEXEC) != 0 || ::fcntl(pipe[0], F_SETFL, O_NONBLOCK) != 0) std::abort();
  ports.clear();
  issm_path.clear();
  open_error = send_error = 0;
  send_blocks = holds_mutex = false;
  sends_interrupted = 0;
  device_fd = pipe[0];
  refused_class = 0x100;
  refusal = EBUSY;
  registered.clear();
  unregistered.clear();
  closed = false;
  opened.clear();
  sent.clear();
  arrivals.clear();
}

void Kernel::deliver(Arrival arrival) {
  const std::lock_guard lock(mutex);
  arrivals.push_back(std::move(arrival));
  const char one = 1;
  if (::write(pipe[1], &one, 1) != 1) std::abort();
}

}  // namespace fake_umad

using fake_umad::kernel;

extern "C" {

int umad_init(void) { return 0; }

int umad_get_cas_names(char names[][UMAD_CA_NAME_LEN], int max) {
  const std::lock_guard lock(kernel().mutex);
  std::vector<std::string> devices;
  for (const fake_umad::Port& port : kernel().ports) {
    if (std::find(devices.begin(), devices.end(), port.device) == devices.end())
      devices.push_back(port.device);
  }
  const int count = std::min(max, static_cast<int>(devices.size()));
  for (int i = 0; i < count; ++i)
    std::snprintf(names[i], UMAD_CA_NAME_LEN, "%s", devices[static_cast<std::size_t>(i)].c_str());
  return count;
}

int umad_get_ca(const char* name, umad_ca_t* ca) {
  const std::lock_guard lock(kernel().mutex);
  *ca = {};
  for (const fake_umad::Port& port : kernel().ports) {
    if (port.device != name) continue;
    auto* out = new umad_port_t{};
    std::snprintf(out->ca_name, sizeof(out->ca_name), "%s", name);
    std::snprintf(out->link_layer, sizeof(out->link_layer), "%s", port.link_layer.c_str());
    out->portnum = port.number;
    out->port_guid = htobe64(port.guid);
    out->state = port.state;
    out->capmask = htobe32(port.capability_mask);
    ca->node_guid = htobe64(port.node_guid);
    ca->ports[port.number] = out;
    ca->numports = std::max(ca->numports, port.number);
  }
  return ca->numports == 0 ? -ENODEV : 0;
}

int umad_release_ca(umad_ca_t* ca) {
  for (umad_port_t* port : ca->ports) delete port;
  return 0;
}

int umad_get_issm_path(const char*, int, char path[], int max) {
  const std::lock_guard lock(kernel().mutex);
  if (kernel().issm_path.empty()) return -ENOENT;
  std::snprintf(path, static_cast<std::size_t>(max), "%s", kernel().issm_path.c_str());
  return 0;
}

int umad_open_port(const char* device, int) {
  const std::lock_guard lock(kernel().mutex);
  if (kernel().open_error == 0) {
    kernel().opened.emplace_back(device);
    return fake_umad::Kernel::kFirstPortId + static_cast<int>(kernel().opened.size()) - 1;
  }
  errno = kernel().open_error;
  return -EIO;
}

int umad_get_fd(int) {
  const std::lock_guard lock(kernel().mutex);
  return kernel().device_fd;
}

int umad_close_port(int) {
  const std::lock_guard lock(kernel().mutex);
  kernel().closed = true;
  return 0;
}

int umad_register(int, int mgmt_class, int, uint8_t, long methods[16 / sizeof(long)]) {
  const std::lock_guard lock(kernel().mutex);
  if (static_cast<unsigned>(mgmt_class) == kernel().refused_class) {
    errno = kernel().refusal;
    return -EPERM;
  }
  std::array<long, 2> mask{};
  if (methods != nullptr) mask = {methods[0], methods[1]};
  kernel().registered.push_back({static_cast<unsigned>(mgmt_class), mask});
  return static_cast<int>(kernel().registered.size()) - 1;
}

int umad_unregister(int, int agent) {
  const std::lock_guard lock(kernel().mutex);
  kernel().unregistered.insert(agent);
  return 0;
}

int umad_send(int port_id, int agent, void* umad, int length, int timeout_ms, int retries) {
  if (kernel().send_blocks) {
    std::unique_lock held(kernel().mutex, std::defer_lock);
    if (kernel().holds_mutex) held.lock();
    timespec rest{.tv_sec = 60, .tv_nsec = 0};
    if (::nanosleep(&rest, nullptr) != 0) {
      ++kernel().sends_interrupted;
      errno = EINTR;
      return -EIO;
    }
  }
  const std::lock_guard lock(kernel().mutex);
  if (kernel().send_error != 0) {
    errno = kernel().send_error;
    return -kernel().send_error;
  }
  fake_umad::Sent sent{.agent = agent,
                       .timeout_ms = timeout_ms,
                       .retries = retries,
                       .port_id = port_id,
                       .lid = be16toh(umad_get_mad_addr(umad)->lid),
                       .bytes = {}};
  std::memcpy(sent.bytes.data(), umad_get_mad(umad),
              std::min<std::size_t>(static_cast<std::size_t>(length), sent.bytes.size()));
  kernel().sent.push_back(sent);
  return 0;
}

int umad_poll(int, int timeout_ms) {
  int fd;
  {
    const std::lock_guard lock(kernel().mutex);
    fd = kernel().pipe[0];
  }
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&waiting, 1, timeout_ms);
  if (ready > 0) return 0;
  return ready == 0 ? -ETIMEDOUT : -errno;
}

int umad_recv(int, void* umad, int* length, int) {
  const std::lock_guard lock(kernel().mutex);
  auto& arrivals = kernel().arrivals;
  if (arrivals.empty()) {
    errno = EWOULDBLOCK;
    return -EWOULDBLOCK;
  }
  fake_umad::Arrival& first = arrivals.front();
  if (first.refuse_once != 0 || first.length > *length) {
    const int error = first.refuse_once != 0 ? std::exchange(first.refuse_once, 0) : ENOSPC;
    *length = first.length;
    errno = error;
    return -error;
  }
  auto* header = static_cast<ib_user_mad_t*>(umad);
  *header = {};
  header->status = static_cast<std::uint32_t>(first.status);
  header->addr.lid = htobe16(first.lid);
  std::memcpy(umad_get_mad(umad), first.bytes.data(),
              std::min<std::size_t>(static_cast<std::size_t>(first.length), first.bytes.size()));
  *length = first.length;
  arrivals.erase(arrivals.begin());
  char one;
  return ::read(kernel().pipe[0], &one, 1) == 1 ? 0 : -EIO;
}

}  // extern "C"
