#include "mad/umad/umad_port.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <infiniband/umad.h>
#include <infiniband/umad_sa.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>
#include <boost/asio/post.hpp>

#include "mad/attributes/congestion_control.h"
#include "mad/attributes/keyed_class.h"
#include "mad/format.h"

namespace mad::umad {
namespace {

/// The receive thread checks for its end at this interval, in case the wake-up is missed. Nothing
/// wakes it in ibsim's preload library.
constexpr int kStopCheckMs = 1000, kStopCheckInSimulatorMs = 100;
constexpr std::size_t kInboxMax =
    4096;  // MADs of a kind read but not yet handled; more are dropped, as by a full QP
constexpr std::size_t kCountersAtATime = 32;  // then other arrived MADs are handled
constexpr std::size_t kReadAtATime = 256;     // MADs; then they are delivered
/// While at least kManyAwaited responses are due, the reader sleeps before it reads further.
/// Otherwise each MAD would wake the reader, and the reader the runtime's thread, just after both
/// went to sleep. The pause is short compared to the time that so many SMPs take.
constexpr int kManyAwaited = 32;
constexpr std::chrono::microseconds kReadPause{50};
constexpr unsigned kFailuresOfLostDevice =
    8;  // each at once: poll() of a removed device waits for nothing
/// After this many refused SMPs in succession the device counts as lost. Older kernels show the
/// loss in no other way: their poll() of a removed device reports no event, and read() has nothing.
constexpr unsigned kRefusalsOfLostDevice = 8;
constexpr std::uint8_t kSmClassVersion = 1;
constexpr std::uint8_t kPerformanceVersion = 1;
constexpr auto kCongestionControlClass = static_cast<std::uint8_t>(MgmtClass::congestion_control);
constexpr auto kVendorSpecificClass = static_cast<std::uint8_t>(MgmtClass::vendor_0a),
               kNodeToNodeClass = static_cast<std::uint8_t>(MgmtClass::node_to_node);
constexpr std::uint8_t kRmppInKernel = 0;  // no kernel RMPP: see mad/rmpp/

/// True for classes with agents at each port's queue pair 1: responses, and traps about wrong keys.
constexpr bool is_of_general_agents(std::uint8_t mgmt_class) {
  return mgmt_class == UMAD_CLASS_PERF_MGMT || mgmt_class == kCongestionControlClass ||
         mgmt_class == kVendorSpecificClass || mgmt_class == kNodeToNodeClass;
}

using MethodMask = std::array<long, 16 / sizeof(long)>;

MethodMask methods(std::initializer_list<unsigned> list) {
  MethodMask mask{};
  constexpr unsigned kBits = 8 * sizeof(long);
  for (const unsigned method : list) mask[method / kBits] |= 1L << (method % kBits);
  return mask;
}

/// Returns the name of the file that is open at `fd`, as "/dev/infiniband/umad0". The name of a
/// removed file ends with " (deleted)". Returns "" for no umad device, as in simulators.
std::string device_file(int fd) {
  std::array<char, 256> target{};
  const ssize_t length = fd < 0 ? -1
                                : ::readlink(fmt::format("/proc/self/fd/{}", fd).c_str(),
                                             target.data(), target.size());
  std::string file(target.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
  return file.find("/infiniband/umad") == std::string::npos ? std::string() : file;
}

bool is_removed(int fd) { return device_file(fd).ends_with(" (deleted)"); }

std::optional<GlobalRoute> grh_of(const ib_mad_addr_t& from) {
  if (from.grh_present == 0) return std::nullopt;
  return GlobalRoute{.peer = {be64toh(from.ib_gid.global.subnet_prefix),
                              Guid{be64toh(from.ib_gid.global.interface_id)}},
                     .own_gid_index = static_cast<std::uint8_t>(from.gid_index),
                     .hop_limit = from.hop_limit,
                     .traffic_class = from.traffic_class,
                     .flow_label = be32toh(from.flow_label)};
}

/// Converts what libibumad has read; `length` is that of the MAD, at most kMadSizeBytes.
ReceivedMad received_mad(void* umad, std::size_t length) {
  ReceivedMad mad;
  mad.size = length;
  std::memcpy(mad.bytes.data(), umad_get_mad(umad), length);
  const ib_mad_addr_t& from = *umad_get_mad_addr(umad);
  mad.from = {.lid = Lid{be16toh(from.lid)},
              .qpn = be32toh(from.qpn),
              .qkey = be32toh(from.qkey),
              .sl = Sl{from.sl},
              .pkey_index = from.pkey_index,
              .grh = grh_of(from)};
  mad.send_errno = umad_status(umad);
  return mad;
}

/// True if a read without anything to read returns at once. ibsim's preload library has no such
/// descriptors: it understands poll() alone.
bool reads_at_once(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0;
}

tl::expected<int, std::string> open_device(const std::string& device, unsigned number,
                                           const LocalPort& port) {
  errno = 0;  // libibumad returns EIO whatever the kernel says
  const int port_id = umad_open_port(device.c_str(), static_cast<int>(number));
  if (port_id >= 0) return port_id;
  const int error = errno != 0 ? errno : -port_id;
  return tl::unexpected(fmt::format("cannot open the umad device of {}: {}{}", port.text(),
                                    std::strerror(error), opening_hint(error, device, number)));
}

}  // namespace

struct UmadPort::Inbox : std::enable_shared_from_this<UmadPort::Inbox> {
  boost::asio::any_io_executor executor;
  std::mutex mutex;
  struct Lane {
    std::vector<ReceivedMad> filling;     // guarded by mutex
    std::vector<ReceivedMad> delivering;  // the runtime's thread only
    std::atomic<std::uint64_t> dropped = 0;
  };
  Lane smps, sa, performance;
  std::size_t performance_passed = 0;  // of performance.delivering; the runtime's thread only
  bool delivery_queued = false;        // guarded by mutex
  // Only the runtime's thread uses these members:
  std::function<void(int)> on_lost;
  int lost = 0;  // the errno with which the device went away
  std::function<void(std::span<const ReceivedMad>)> receiver;
  bool closed = false;
  /// Approximate number of responses that are due; too low after unrequested ones. The kernel
  /// returns requests that time out. If a simulator loses MADs, it is too high until a pause.
  std::atomic<int> awaited = 0;
  unsigned refusals = 0;  // SMPs that the device refused one after the other; the outbox's thread

  void count_back() {
    int now = awaited;
    while (now > 0 && !awaited.compare_exchange_weak(now, now - 1)) {
    }
  }

  void add(const ReceivedMad& mad) {
    if (mad.send_errno != 0 || (mad.bytes[3] & UMAD_METHOD_RESP_MASK) != 0) count_back();
    const std::lock_guard lock(mutex);
    Lane& lane = mad.bytes[1] == UMAD_CLASS_SUBN_ADM  ? sa
                 : is_of_general_agents(mad.bytes[1]) ? performance
                                                      : smps;
    if (lane.filling.size() >= kInboxMax) {
      ++lane.dropped;
      return;
    }
    lane.filling.push_back(mad);
  }

  /// Queues the delivery of added MADs on the runtime's thread.
  void notify() {
    {
      const std::lock_guard lock(mutex);
      if (std::exchange(delivery_queued, true)) return;
    }
    boost::asio::post(executor, [inbox = shared_from_this()] { inbox->deliver(); });
  }

  /// Returns a request to its sender.
  void give_back(std::span<const std::uint8_t> bytes, const MadAddress& to, int error,
                 bool refused) {
    ReceivedMad returned;
    returned.size = std::min(bytes.size(), kMadSizeBytes);
    std::memcpy(returned.bytes.data(), bytes.data(), returned.size);
    returned.from = to;
    returned.send_errno = error;
    returned.refused = refused;
    add(returned);
    notify();
  }

  /// Only refused directed-route SMPs count, as their addresses cannot be wrong. Other parties
  /// determine the addresses of other MADs, and must not be able to make the device count as lost.
  void note(const Outbox::Outcome& outcome, int device_fd) {
    if (outcome.error == 0) return void(refusals = 0);
    if (outcome.awaits_response) give_back(outcome.mad, outcome.to, outcome.error, true);
    const int error = outcome.error;
    if (error != EINVAL && error != EIO && error != ENODEV) return;
    if (outcome.mad[1] == UMAD_CLASS_SUBN_DIRECTED_ROUTE) ++refusals;
    if (refusals < kRefusalsOfLostDevice && !is_removed(device_fd)) return;
    boost::asio::post(executor, [inbox = shared_from_this(), error] {
      inbox->lose(error == EINVAL ? ENODEV : error);
    });
  }

  void lose(int error) {
    if (closed) return;
    if (lost == 0) lost = error;
    if (on_lost) std::exchange(on_lost, nullptr)(lost);  // once, even for two devices
  }

  void deliver() {
    {
      const std::lock_guard lock(mutex);
      delivery_queued = false;
      if (closed || !receiver) return;
      std::swap(smps.filling, smps.delivering);
      std::swap(sa.filling, sa.delivering);
      if (performance.delivering.empty()) std::swap(performance.filling, performance.delivering);
    }
    for (Lane* const lane : {&smps, &sa}) {
      if (!lane->delivering.empty() && receiver) receiver(lane->delivering);
      lane->delivering.clear();  // keeps its capacity: nothing is allocated per MAD
    }
    deliver_counters();
  }

  void deliver_counters() {
    const auto left = std::span(performance.delivering).subspan(performance_passed);
    const auto now = left.first(std::min(left.size(), kCountersAtATime));
    performance_passed += now.size();
    if (!now.empty() && receiver) receiver(now);
    if (performance_passed >= performance.delivering.size()) {
      performance.delivering.clear();
      performance_passed = 0;
    }
    {
      const std::lock_guard lock(mutex);
      const bool more = !performance.delivering.empty() || !performance.filling.empty();
      if (!more || std::exchange(delivery_queued, true)) return;
    }
    boost::asio::post(executor, [inbox = shared_from_this()] { inbox->deliver(); });
  }
};

UmadPort::UmadPort(int port_id, int gsi_port_id, Runtime& runtime)
    : port_id_(port_id), gsi_port_id_(gsi_port_id), inbox_(std::make_shared<Inbox>()) {
  inbox_->executor = runtime.executor();
  const int device_fd = umad_get_fd(port_id);
  outbox_ = std::make_unique<Outbox>(
      runtime,
      [inbox = inbox_, device_fd](const Outbox::Outcome& outcome) {
        inbox->note(outcome, device_fd);
      },
      [this](bool blocked) {
        if (on_blocked_) on_blocked_(blocked);
      });
}

tl::expected<std::unique_ptr<UmadPort>, std::string> UmadPort::open(const LocalPort& port,
                                                                    Runtime& runtime) {
  const auto port_id = open_device(port.device, port.number, port);
  if (!port_id) return tl::unexpected(port_id.error());
  auto gsi_port_id = port_id;
  if (!port.gsi_device.empty()) {
    gsi_port_id = open_device(port.gsi_device, port.gsi_number, port);
    if (!gsi_port_id) {
      umad_close_port(*port_id);
      return tl::unexpected(gsi_port_id.error());
    }
  }
  auto opened = std::unique_ptr<UmadPort>(new UmadPort(*port_id, *gsi_port_id, runtime));
  if (auto agents = opened->register_agents(); !agents)
    return tl::unexpected(fmt::format("{}: {}", port.text(), agents.error()));
  for (const int id : opened->port_ids())
    opened->receivers_.push_back(std::make_unique<Receiver>(id, opened->inbox_));
  return opened;
}

/// A thread that reads from one device.
class UmadPort::Receiver {
 public:
  Receiver(int port_id, const std::shared_ptr<Inbox>& inbox)
      : thread_([this, port_id, inbox](const std::stop_token& stop) {
          receive_loop(stop, port_id, inbox);
          ended_ = true;
        }) {}
  ~Receiver() {
    thread_.request_stop();
    // The signal is repeated, because one that arrives just before poll() does not end it.
    while (!ended_) {
      pthread_kill(thread_.native_handle(), wake_signal());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    thread_.join();
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

 private:
  std::atomic<bool> ended_ = false;
  std::jthread thread_;  // last: the thread uses the other
};

std::vector<int> UmadPort::port_ids() const {
  if (gsi_port_id_ == port_id_) return {port_id_};
  return {port_id_, gsi_port_id_};
}

UmadPort::~UmadPort() {
  inbox_->closed = true;
  close();
}

void UmadPort::close() {
  if (port_id_ < 0) return;
  if (inbox_->lost == 0) inbox_->lost = ENODEV;
  outbox_.reset();
  receivers_.clear();
  for (const int agent : {agent_directed_, agent_lid_routed_})
    if (agent >= 0) umad_unregister(port_id_, agent);
  for (const int agent : {agent_sa_, agent_performance_, agent_congestion_, agent_vendor_specific_,
                          agent_node_to_node_})
    if (agent >= 0) umad_unregister(gsi_port_id_, agent);
  for (const int id : port_ids()) umad_close_port(id);
  port_id_ = gsi_port_id_ = -1;
}

tl::expected<void, std::string> UmadPort::register_agents() {
  using enum_type = unsigned;
  const auto add = [&](int& agent, std::uint8_t mgmt_class, std::uint8_t version, std::uint8_t rmpp,
                       MethodMask mask) -> tl::expected<void, std::string> {
    const int port_id = mgmt_class == UMAD_CLASS_SUBN_ADM ? gsi_port_id_ : port_id_;
    agent = umad_register(port_id, mgmt_class, version, rmpp, mask.data());
    if (agent >= 0) return {};
    return tl::unexpected(fmt::format("cannot register an agent for management class {:#04x}: {}{}",
                                      mgmt_class, std::strerror(errno), refusal_hint(errno)));
  };
  const MethodMask smp = methods({static_cast<enum_type>(UMAD_METHOD_GET), UMAD_METHOD_SET,
                                  UMAD_METHOD_TRAP, UMAD_METHOD_TRAP_REPRESS});
  const MethodMask sa =
      methods({static_cast<enum_type>(UMAD_METHOD_GET), UMAD_METHOD_SET, UMAD_SA_METHOD_GET_TABLE,
               UMAD_SA_METHOD_GET_TRACE_TABLE, UMAD_SA_METHOD_GET_MULTI, UMAD_SA_METHOD_DELETE});
  if (auto r = add(agent_directed_, UMAD_CLASS_SUBN_DIRECTED_ROUTE, kSmClassVersion, 0, smp); !r)
    return r;
  if (auto r = add(agent_lid_routed_, UMAD_CLASS_SUBN_LID_ROUTED, kSmClassVersion, 0, smp); !r)
    return r;
  if (auto r = add(agent_sa_, UMAD_CLASS_SUBN_ADM, UMAD_SA_CLASS_VERSION, kRmppInKernel, sa); !r)
    return r;
  // These agents only receive responses, whatever else answers queries on this port. Without them
  // only counters or congestion control are missing.
  agent_performance_ = umad_register(gsi_port_id_, UMAD_CLASS_PERF_MGMT, kPerformanceVersion,
                                     kRmppInKernel, nullptr);
  agent_congestion_ = umad_register(gsi_port_id_, kCongestionControlClass,
                                    kCongestionControlClassVersion, kRmppInKernel, nullptr);
  // Responses, and traps about wrong keys. Without these agents keys of these classes are not set.
  MethodMask trap = methods({static_cast<enum_type>(UMAD_METHOD_TRAP)});
  agent_vendor_specific_ = umad_register(gsi_port_id_, kVendorSpecificClass, kKeyedClassVersion,
                                         kRmppInKernel, trap.data());
  agent_node_to_node_ =
      umad_register(gsi_port_id_, kNodeToNodeClass, kKeyedClassVersion, kRmppInKernel, trap.data());
  return {};
}

int UmadPort::agent_of(std::uint8_t mgmt_class) const {
  switch (mgmt_class) {
    case UMAD_CLASS_SUBN_DIRECTED_ROUTE:
      return agent_directed_;
    case UMAD_CLASS_SUBN_LID_ROUTED:
      return agent_lid_routed_;
    case UMAD_CLASS_SUBN_ADM:
      return agent_sa_;
    case UMAD_CLASS_PERF_MGMT:
      return agent_performance_;
    case kCongestionControlClass:
      return agent_congestion_;
    case kVendorSpecificClass:
      return agent_vendor_specific_;
    case kNodeToNodeClass:
      return agent_node_to_node_;
    default:
      return -1;
  }
}

int UmadPort::send(std::span<const std::uint8_t> mad, const MadAddress& to,
                   int response_timeout_ms) {
  if (mad.size() < 24) return EINVAL;  // shorter than the common MAD header
  const int agent = agent_of(mad[1]);
  if (agent < 0) return EPROTONOSUPPORT;
  if (inbox_->lost != 0) {  // at once: requests in flight end soon
    inbox_->give_back(mad, to, inbox_->lost, false);
    return 0;
  }
  // SmpClient retries: the kernel only keeps the transaction open, so that it delivers the
  // response.
  const bool on_qp0 =
      mad[1] == UMAD_CLASS_SUBN_DIRECTED_ROUTE || mad[1] == UMAD_CLASS_SUBN_LID_ROUTED;
  if (response_timeout_ms > 0) ++inbox_->awaited;
  const int error = outbox_->send({.port_id = on_qp0 ? port_id_ : gsi_port_id_, .agent = agent},
                                  mad, to, response_timeout_ms);
  if (error != 0 && response_timeout_ms > 0) inbox_->count_back();
  return error;
}

void UmadPort::set_on_blocked(std::function<void(bool)> on_blocked) {
  on_blocked_ = std::move(on_blocked);
}

void UmadPort::set_receiver(std::function<void(std::span<const ReceivedMad>)> receiver) {
  inbox_->receiver = std::move(receiver);
  boost::asio::post(inbox_->executor, [inbox = inbox_] {
    inbox->deliver();
  });  // MADs from before the receiver was set
}

InboxDrops UmadPort::dropped() const {
  return {.smps = inbox_->smps.dropped,
          .sa = inbox_->sa.dropped,
          .performance = inbox_->performance.dropped};
}

int UmadPort::awaited() const { return inbox_->awaited; }

void UmadPort::set_on_lost(std::function<void(int)> on_lost) {
  inbox_->on_lost = std::move(on_lost);
  if (inbox_->lost != 0)
    boost::asio::post(inbox_->executor, [inbox = inbox_] {
      if (!inbox->closed && inbox->on_lost) inbox->on_lost(inbox->lost);
    });
}

void UmadPort::receive_loop(const std::stop_token& stop, int port_id,
                            const std::shared_ptr<Inbox>& inbox) {
  std::vector<std::uint8_t> buffer(umad_size() + kMadSizeBytes);
  unsigned failures = 0;  // reads that failed one after the other
  std::size_t added = 0;
  const bool is_simulated = device_file(umad_get_fd(port_id)).empty();
  const int check_ms = is_simulated ? kStopCheckInSimulatorMs : kStopCheckMs;
  const bool can_read_on = reads_at_once(umad_get_fd(port_id));
  bool reads_on = false;  // without poll(): the latest read had a MAD
  const auto hand_over = [&] {
    inbox->notify();
    added = 0;
    if (inbox->awaited >= kManyAwaited) std::this_thread::sleep_for(kReadPause);
  };
  while (!stop.stop_requested()) {
    errno = 0;
    const int polled = reads_on ? 0 : umad_poll(port_id, added > 0 ? 0 : check_ms);
    if (added > 0 && (polled != 0 || added >= kReadAtATime)) {
      hand_over();
      continue;
    }
    // If the device was removed, poll() reports an event, and each read fails.
    int error = polled == 0 || polled == -ETIMEDOUT ? 0 : errno;
    if (polled == -ETIMEDOUT) {
      inbox->awaited = 0;
      if (is_removed(umad_get_fd(port_id))) {
        boost::asio::post(inbox->executor, [inbox] { inbox->lose(ENODEV); });
        break;
      }
    }
    if (polled != 0 && (error == 0 || error == EINTR)) continue;
    int length = static_cast<int>(buffer.size() - umad_size());
    errno = 0;
    const int agent = polled == 0 ? umad_recv(port_id, buffer.data(), &length, 0) : -1;
    if (agent < 0 && polled == 0) error = errno;
    reads_on = can_read_on && (agent >= 0 || (error == EAGAIN && added > 0));
    if (error == EAGAIN && added > 0) hand_over();  // and looks again after the pause
    const bool failed =
        agent < 0 && (error == EIO || error == ENODEV || error == EBADF || error == ENXIO);
    failures = failed ? failures + 1 : 0;
    if (failures == kFailuresOfLostDevice) {
      boost::asio::post(inbox->executor, [inbox, error] { inbox->lose(error); });
      break;
    }
    if (agent < 0 && error == ENOSPC) {
      // No class here uses such long messages: enlarges the buffer, reads and drops this one.
      buffer.resize(umad_size() + static_cast<std::size_t>(length));
      continue;
    }
    if (agent < 0 || length < 0 || static_cast<std::size_t>(length) > kMadSizeBytes) continue;

    inbox->add(received_mad(buffer.data(), static_cast<std::size_t>(length)));
    ++added;
  }
}

tl::expected<IssmHold, std::string> IssmHold::claim(const LocalPort& port) {
  std::array<char, 256> path{};
  if (umad_get_issm_path(port.device.c_str(), static_cast<int>(port.number), path.data(),
                         path.size()) < 0) {
    return tl::unexpected(
        fmt::format("no issm device for {}: is the ib_umad module loaded?", port.text()));
  }
  // Without O_NONBLOCK open() would block until the other SM ends, without a message.
  const int fd = open(path.data(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0) return IssmHold(fd);
  const int error = errno;
  if (error == EAGAIN || error == EBUSY) {
    return tl::unexpected(fmt::format(
        "{} is held by another process: another subnet manager runs on {} (see: fuser {})",
        path.data(), port.text(), path.data()));
  }
  return tl::unexpected(fmt::format("cannot open {} for {}: {}{}", path.data(), port.text(),
                                    std::strerror(error),
                                    error == EPERM ? refusal_hint(error) : ""));
}

IssmHold::IssmHold(IssmHold&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
IssmHold::~IssmHold() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace mad::umad
