#include "sim/umad/umad_process.h"

#include <fcntl.h>
#include <pthread.h>
#include <rdma/rdma_user_ioctl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "mad/smp.h"
#include "sim/umad/libc.h"

namespace sim::umad {
namespace {

using namespace std::chrono_literals;

constexpr int kAskTries = 3;
constexpr auto kQueryTimeout = 700ms;
// After a program was active, the thread sleeps no longer than this. A thread that sleeps without a
// deadline needs a system call to wake it for the next one; a program that sends one MAD after the
// other does not need an exact deadline.
constexpr auto kIdleTick = 50ms;

std::mutex start_mutex;
std::atomic<Process*> the_process{nullptr};

std::vector<std::string> split(const char* text) {
  std::vector<std::string> out;
  std::string_view left = text == nullptr ? "" : text;
  while (true) {
    const std::size_t comma = left.find(',');
    out.emplace_back(left.substr(0, comma));
    if (comma == std::string_view::npos) return out;
    left.remove_prefix(comma + 1);
  }
}

/// Binds a socket to this name in the abstract namespace. One such socket exists at a time; it ends
/// when its last copy is closed, however the program ends. Returns a negative errno: -EADDRINUSE if
/// there is one.
int bind_abstract(const std::string& name, bool close_on_exec) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t size = std::min(name.size(), sizeof address.sun_path - 1);
  std::copy_n(name.data(), size, address.sun_path + 1);  // behind a zero byte
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | (close_on_exec ? SOCK_CLOEXEC : 0), 0);
  if (fd < 0) return -errno;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0) return fd;
  const int error = errno;
  libc().close(fd);
  return -error;
}

}  // namespace

Process* Process::started() { return the_process.load(std::memory_order_acquire); }

Process* Process::get() {
  if (Process* running = started(); running != nullptr) return running;
  const std::lock_guard lock(start_mutex);
  if (Process* running = started(); running != nullptr) return running;
  static bool watches_forks = false;
  if (!watches_forks)
    watches_forks = pthread_atfork(prepare_fork, after_fork_parent, after_fork_child) == 0;
  std::unique_ptr<Process> process(new Process);
  if (const auto result = process->start(); !result) {
    static bool reported = false;
    if (!std::exchange(reported, true))
      fprintf(stderr, "heddle-umad: %s\n", result.error().c_str());
    return nullptr;
  }
  the_process.store(process.get(), std::memory_order_release);
  return process
      .release();  // exists as long as the process: threads of the program may use it at exit
}

void Process::prepare_fork() {
  start_mutex.lock();
  if (Process* process = started(); process != nullptr) {
    process->tree_mutex_.lock();
    process->mutex_.lock();
  }
}

void Process::after_fork_parent() {
  if (Process* process = started(); process != nullptr) {
    process->mutex_.unlock();
    process->tree_mutex_.unlock();
  }
  start_mutex.unlock();
}

void Process::after_fork_child() {
  // The thread, the simulator's connection and the files below /tmp belong to the parent. The old
  // object stays unused; only its sockets are closed.
  if (Process* process = the_process.exchange(nullptr); process != nullptr) {
    const auto close_own = [](int fd) {
      Descriptors::set(fd, DescriptorKind::foreign);
      libc().close(fd);
    };
    for (const auto& port : process->ports_)
      for (const int fd : port->agents->link().descriptors()) close_own(fd);
    close_own(process->epoll_);
    close_own(process->wake_);
    close_own(process->tree_->lock_descriptor());
    for (const auto& [fd, file] : process->files_) Descriptors::set(fd, DescriptorKind::dead);
    for (const auto& [fd, port] : process->issm_) Descriptors::set(fd, DescriptorKind::foreign);
  }
  new (&start_mutex) std::mutex;
}

tl::expected<void, std::string> Process::start() {
  server_ = ServerAddress::from_environment();
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_ < 0 || wake_ < 0 || !Descriptors::set(epoll_, DescriptorKind::own) ||
      !Descriptors::set(wake_, DescriptorKind::own))
    return tl::unexpected(std::string("no descriptors left: ") + std::strerror(errno));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event);

  // No signal handler of the program may run on this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "heddle-umad");

  const QuerySmp query_smp = [this](PortAgents& port, mad::AttributeId attribute,
                                    std::uint32_t modifier) {
    return query(port, attribute, modifier);
  };
  const char* prefix = std::getenv("HEDDLE_SIM_DEVICE_PREFIX");
  unsigned ordinal = 0, umad = 0;
  for (const std::string& node : split(std::getenv(wire::kEnvHost))) {
    const std::string name =
        (prefix != nullptr && *prefix != '\0' ? prefix : "ibsim") + std::to_string(devices_.size());
    auto device = attach_device(
        server_, node, name, ordinal, umad,
        [this](std::unique_ptr<SimulatorLink> link) -> PortAgents& {
          return keep(std::move(link));
        },
        query_smp);
    if (!device) return tl::unexpected(device.error());
    devices_.push_back(std::move(*device));
  }
  tree_ = std::make_unique<SysfsTree>();
  if (!tree_->good())
    return tl::unexpected(std::string("cannot create a directory for the simulated /sys: ") +
                          std::strerror(errno));
  Descriptors::set(tree_->lock_descriptor(), DescriptorKind::own);
  tree_->build(devices_, query_smp);
  return {};
}

Process::~Process() {  // of one that did not start
  stop();
  if (tree_) Descriptors::set(tree_->lock_descriptor(), DescriptorKind::foreign);
  for (const auto& port : ports_) {
    port->agents->link().disconnect();
    for (const int fd : port->agents->link().descriptors())
      Descriptors::set(fd, DescriptorKind::foreign);
  }
  for (const int fd : {epoll_, wake_}) {
    if (fd < 0) continue;
    Descriptors::set(fd, DescriptorKind::foreign);
    libc().close(fd);
  }
}

void Process::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    wake_if_before(Clock::time_point::min());
  }
  thread_.join();
}

void Process::leave() {
  the_process.store(nullptr, std::memory_order_release);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [fd, port] : issm_) port->link().set_is_sm(false);
    for (const auto& port : ports_) port->agents->link().disconnect();
  }
  const std::lock_guard lock(tree_mutex_);
  tree_.reset();
}

PortAgents& Process::keep(std::unique_ptr<SimulatorLink> link) {
  for (const int fd : link->descriptors()) Descriptors::set(fd, DescriptorKind::own);
  const std::lock_guard lock(mutex_);
  ports_.push_back(std::make_unique<WatchedPort>(
      WatchedPort{.agents = std::make_unique<PortAgents>(std::move(link))}));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = ports_.back().get();
  epoll_ctl(epoll_, EPOLL_CTL_ADD, ports_.back()->agents->link().fd(), &event);
  return *ports_.back()->agents;
}

void Process::watch(PortAgents& agents) {
  for (const auto& port : ports_) {
    if (port->agents.get() != &agents || port->for_writing == agents.link().has_waiting()) continue;
    port->for_writing = agents.link().has_waiting();
    epoll_event event{};
    event.events = EPOLLIN | (port->for_writing ? EPOLLOUT : 0u);
    event.data.ptr = port.get();
    epoll_ctl(epoll_, EPOLL_CTL_MOD, agents.link().fd(), &event);
  }
}

Process::Clock::time_point Process::next_wait(Clock::time_point now) {
  Clock::time_point out = Clock::time_point::max();
  for (const auto& port : ports_)
    out = std::min(out, port->agents->deadline().value_or(Clock::time_point::max()));
  if (std::exchange(busy_, false)) out = std::min(out, now + kIdleTick);
  return out;
}

void Process::wake_if_before(Clock::time_point deadline) {
  if (deadline >= sleeps_until_) return;
  sleeps_until_ = deadline;
  const std::uint64_t one = 1;
  static_cast<void>(libc().write(wake_, &one, sizeof one));
}

void Process::run() {
  std::array<epoll_event, 64> events{};
  while (true) {
    int timeout_ms = -1;
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
      const auto now = Clock::now();
      sleeps_until_ = next_wait(now);
      if (sleeps_until_ != Clock::time_point::max()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(sleeps_until_ - now).count();
        timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
      }
    }
    const int ready =
        epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
    for (int i = 0; i < ready; ++i) {
      auto* port = static_cast<WatchedPort*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (port == nullptr) {
        std::uint64_t ignored = 0;
        static_cast<void>(libc().read(wake_, &ignored, sizeof ignored));
        continue;
      }
      PortAgents& agents = *port->agents;
      bool more = true;
      while (more) {
        const std::span<const wire::OmniPathPacket> packets = agents.link().receive(more);
        if (packets.empty()) break;
        const std::lock_guard lock(mutex_);
        busy_ = true;
        const auto now = Clock::now();
        for (const wire::OmniPathPacket& packet : packets) agents.on_packet(packet, now);
        agents.signal_files();
        watch(agents);
        answered_.notify_all();
      }
      if ((events[static_cast<std::size_t>(i)].events & EPOLLOUT) != 0) {
        const std::lock_guard lock(mutex_);
        agents.link().flush();
        watch(agents);
      }
    }
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    for (const auto& port : ports_) {
      if (const auto deadline = port->agents->deadline(); !deadline || *deadline > now) continue;
      port->agents->on_timer(now);
      port->agents->signal_files();
      watch(*port->agents);
    }
  }
}

std::optional<std::array<std::uint8_t, 64>> Process::query(PortAgents& port,
                                                           mad::AttributeId attribute,
                                                           std::uint32_t modifier) {
  if (const auto read = port.link().read_attribute(static_cast<std::uint16_t>(attribute), modifier))
    return read;
  PortAgents::OwnRequest own_request;
  const mad::SmpView request = mad::make_dr_smp(own_request.packet.mad, mad::Method::get, attribute,
                                                modifier, mad::DirectedRoute(), mad::MKey{}, 0);
  own_request.packet.dlid = own_request.packet.slid = wire::NetLid::of(mad::kPermissiveLid.value);
  own_request.packet.length_be = htobe64(request.bytes().size());
  std::unique_lock lock(mutex_);
  port.query(own_request);
  for (int tries = 1;
       !answered_.wait_for(lock, kQueryTimeout, [&] { return own_request.answered; }) &&
       tries < kAskTries;
       ++tries)
    port.repeat(own_request);
  port.cancel(own_request);
  const mad::ConstSmpView answer(own_request.answer);
  if (!own_request.answered || answer.status() != 0) return std::nullopt;
  std::array<std::uint8_t, 64> out{};
  std::copy(answer.data().begin(), answer.data().end(), out.begin());
  return out;
}

std::string Process::redirect(const std::string& tidy_path) {
  const std::lock_guard lock(tree_mutex_);
  if (!tree_) return tidy_path;  // the process ends
  tree_->refresh(devices_, tidy_path, exchanged_,
                 [this](PortAgents& port, mad::AttributeId attribute, std::uint32_t modifier) {
                   return query(port, attribute, modifier);
                 });
  return tree_->path(tidy_path);
}

const DevicePort* Process::find_port(unsigned umad, const Device** of) const {
  for (const Device& device : devices_) {
    for (const DevicePort& port : device.ports) {
      if (port.umad != umad) continue;
      if (of != nullptr) *of = &device;
      return &port;
    }
  }
  return nullptr;
}

int Process::open_umad(unsigned number, int flags) {
  const DevicePort* port = find_port(number);
  if (port == nullptr) return -ENOENT;
  if (port->agents == nullptr) return -ENODEV;
  const int fd = eventfd(0, ((flags & O_NONBLOCK) != 0 ? EFD_NONBLOCK : 0) |
                                ((flags & O_CLOEXEC) != 0 ? EFD_CLOEXEC : 0));
  if (fd < 0) return -errno;
  const std::lock_guard lock(mutex_);
  if (!Descriptors::set(fd, DescriptorKind::umad)) {
    libc().close(fd);
    return -EMFILE;
  }
  files_[fd] = std::make_unique<UmadFile>(fd, *port->agents, pool_);
  return fd;
}

int Process::open_issm(unsigned number, int flags) {
  const DevicePort* port = find_port(number);
  if (port == nullptr) return -ENOENT;
  if (port->agents == nullptr || port->agents->link().on_vport()) return -ENODEV;
  // The GUID comes first, because the name may be cut off.
  char guid[32];
  snprintf(guid, sizeof guid, "%016llx", static_cast<unsigned long long>(port->guid.value));
  const std::string simulator =
      server_.host.empty() ? server_.base : server_.host + "-" + std::to_string(server_.port);
  const std::string name = std::string("heddle-sim-issm-") + guid + "-" + simulator;
  int fd = bind_abstract(name, (flags & O_CLOEXEC) != 0);
  // As the kernel's device does, the call waits for another process that holds the port, until a
  // signal arrives.
  while (fd == -EADDRINUSE) {
    if ((flags & O_NONBLOCK) != 0) return -EAGAIN;
    const timespec pause{.tv_sec = 0, .tv_nsec = 20'000'000};
    if (nanosleep(&pause, nullptr) != 0) return -errno;
    fd = bind_abstract(name, (flags & O_CLOEXEC) != 0);
  }
  if (fd < 0) return fd;
  const std::lock_guard lock(mutex_);
  if (!Descriptors::set(fd, DescriptorKind::issm)) {
    libc().close(fd);
    return -EMFILE;
  }
  issm_[fd] = port->agents;
  port->agents->link().set_is_sm(true);
  return fd;
}

ssize_t Process::read(int fd, std::span<std::uint8_t> out) {
  const std::lock_guard lock(mutex_);
  const auto file = files_.find(fd);
  if (file == files_.end()) return -EIO;
  ++exchanged_;
  return file->second->read(out);
}

ssize_t Process::write(int fd, std::span<const std::uint8_t> bytes) {
  const std::lock_guard lock(mutex_);
  const auto file = files_.find(fd);
  if (file == files_.end()) return -EIO;
  PortAgents& port = file->second->port();
  ++exchanged_;
  const ssize_t result = port.write(*file->second, bytes, Clock::now());
  watch(port);
  if (const auto deadline = port.deadline(); deadline) wake_if_before(*deadline);
  return result;
}

int Process::ioctl(int fd, unsigned long request, void* argument) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(fd);
  if (found == files_.end()) return -EIO;
  UmadFile& file = *found->second;
  switch (request) {
    case IB_USER_MAD_ENABLE_PKEY:
      return file.enable_pkey_index() ? 0 : -EINVAL;
    case IB_USER_MAD_UNREGISTER_AGENT: {
      std::uint32_t id = 0;
      std::memcpy(&id, argument, sizeof id);
      return file.port().remove_agent(file, id);
    }
    case IB_USER_MAD_REGISTER_AGENT: {
      ib_user_mad_reg_req wanted{};
      std::memcpy(&wanted, argument, sizeof wanted);
      Registration registration{.qpn = wanted.qpn,
                                .mgmt_class = wanted.mgmt_class,
                                .class_version = wanted.mgmt_class_version,
                                .rmpp_version = wanted.rmpp_version,
                                .oui = std::uint32_t{wanted.oui[0]} << 16 |
                                       std::uint32_t{wanted.oui[1]} << 8 | wanted.oui[2]};
      std::memcpy(registration.methods.data(), wanted.method_mask, sizeof wanted.method_mask);
      const int result = file.port().add_agent(file, registration, wanted.id);
      if (result == 0) std::memcpy(argument, &wanted, sizeof wanted);
      return result;
    }
    case IB_USER_MAD_REGISTER_AGENT2: {
      ib_user_mad_reg_req2 wanted{};
      std::memcpy(&wanted, argument, sizeof wanted);
      if ((wanted.flags & ~static_cast<std::uint32_t>(IB_USER_MAD_REG_FLAGS_CAP)) != 0) {
        wanted.flags = IB_USER_MAD_REG_FLAGS_CAP;
        std::memcpy(argument, &wanted, sizeof wanted);
        return -EINVAL;
      }
      if ((wanted.oui & 0xFF00'0000u) != 0) return -EINVAL;
      const Registration registration{.qpn = wanted.qpn,
                                      .mgmt_class = wanted.mgmt_class,
                                      .class_version = wanted.mgmt_class_version,
                                      .rmpp_version = wanted.rmpp_version,
                                      .user_rmpp = (wanted.flags & IB_USER_MAD_USER_RMPP) != 0,
                                      .oui = wanted.oui,
                                      .methods = {wanted.method_mask[0], wanted.method_mask[1]}};
      const int result = file.port().add_agent(file, registration, wanted.id);
      if (result == 0) std::memcpy(argument, &wanted, sizeof wanted);
      return result;
    }
    default:
      return -ENOTTY;
  }
}

void Process::forget(int fd) {
  if (getpid() != owner_)
    return;  // a vfork()ed child shares the memory, and closes only its own copy
  const std::lock_guard lock(mutex_);
  Descriptors::set(fd, DescriptorKind::foreign);
  if (const auto file = files_.find(fd); file != files_.end()) {
    file->second->port().forget(*file->second);
    files_.erase(file);
  }
  if (const auto held = issm_.find(fd); held != issm_.end()) {
    PortAgents& port = *held->second;
    issm_.erase(held);
    port.link().set_is_sm(false);
    port.enable_requests();
  }
}

}  // namespace sim::umad
