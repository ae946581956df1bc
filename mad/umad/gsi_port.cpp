#include "mad/umad/gsi_port.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include <infiniband/umad.h>
#include <infiniband/umad_types.h>

#include "mad/attributes/vnic.h"
#include "mad/format.h"
#include "mad/sa_attribute.h"

namespace mad::umad {
namespace {

constexpr int kGsiPollMs = 100;  // the receive thread checks for its end at this interval
constexpr unsigned kGsiFailuresOfLostDevice = 8;
constexpr Duration kGsiStateLasts = std::chrono::seconds(1);  // a dozen files for each reading
constexpr std::uint32_t kGsiOui = std::uint32_t{kEthernetManagementOui[0]} << 16 |
                                  std::uint32_t{kEthernetManagementOui[1]} << 8 |
                                  kEthernetManagementOui[2];

tl::expected<int, std::string> register_gsi_agent(int port_id, umad_reg_attr attributes) {
  std::uint32_t agent = 0;
  const int error = umad_register2(port_id, &attributes, &agent);
  if (error == 0) return static_cast<int>(agent);
  return tl::unexpected(fmt::format("cannot register an agent for management class {:#04x}: {}{}",
                                    attributes.mgmt_class, std::strerror(error),
                                    refusal_hint(error)));
}

}  // namespace

struct GsiPort::Inbox : std::enable_shared_from_this<GsiPort::Inbox> {
  boost::asio::any_io_executor executor;
  std::mutex mutex;
  std::vector<GsiMad> filling;  // guarded by mutex
  std::atomic<std::uint64_t> dropped = 0;
  std::atomic<bool> lost = false;
  std::function<void(const GsiMad&)> receiver;  // the runtime's thread only
  bool closed = false;                          // the runtime's thread only

  void add(GsiMad mad) {
    {
      const std::lock_guard lock(mutex);
      if (filling.size() >= kInboxMax) return void(++dropped);
      filling.push_back(std::move(mad));
      if (filling.size() > 1) return;  // a delivery is queued
    }
    boost::asio::post(executor, [inbox = shared_from_this()] { inbox->deliver(); });
  }

  void deliver() {
    std::vector<GsiMad> mads;
    {
      const std::lock_guard lock(mutex);
      mads.swap(filling);
    }
    for (const GsiMad& mad : mads)
      if (!closed && receiver) receiver(mad);
  }
};

GsiPort::GsiPort(LocalPort port, int port_id, Runtime& runtime)
    : runtime_(runtime),
      port_(std::move(port)),
      port_id_(port_id),
      inbox_(std::make_shared<Inbox>()) {
  inbox_->executor = runtime.executor();
  // Its requests have their own timers, and are repeated.
  outbox_ = std::make_unique<Outbox>(runtime, [](const Outbox::Outcome&) {}, [](bool) {});
}

tl::expected<std::unique_ptr<GsiPort>, std::string> GsiPort::open(const LocalPort& port,
                                                                  Runtime& runtime) {
  const bool own_device = !port.gsi_device.empty();
  const std::string& device = own_device ? port.gsi_device : port.device;
  const unsigned number = own_device ? port.gsi_number : port.number;
  errno = 0;  // libibumad returns EIO whatever the kernel says
  const int port_id = umad_open_port(device.c_str(), static_cast<int>(number));
  if (port_id < 0) {
    const int error = errno != 0 ? errno : -port_id;
    return tl::unexpected(fmt::format("cannot open the umad device of {}: {}{}", port.text(),
                                      std::strerror(error), opening_hint(error, device, number)));
  }
  auto opened = std::unique_ptr<GsiPort>(new GsiPort(port, port_id, runtime));
  umad_reg_attr ethernet{};
  ethernet.mgmt_class = to_raw(kEthernetManagementClass);
  ethernet.mgmt_class_version = kEthernetManagementVersion;
  ethernet.method_mask[0] = std::uint64_t{1} << to_raw(Method::trap);
  ethernet.oui = kGsiOui;
  umad_reg_attr sa{};
  sa.mgmt_class = UMAD_CLASS_SUBN_ADM;
  sa.mgmt_class_version = kSaClassVersion;
  sa.rmpp_version = UMAD_RMPP_VERSION;
  const auto agent_ethernet = register_gsi_agent(port_id, ethernet);
  const auto agent_sa = register_gsi_agent(port_id, sa);
  if (!agent_ethernet || !agent_sa)
    return tl::unexpected(fmt::format("{}: {}", port.text(),
                                      agent_ethernet ? agent_sa.error() : agent_ethernet.error()));
  opened->agent_ethernet_ = *agent_ethernet;
  opened->agent_sa_ = *agent_sa;
  opened->thread_ = std::jthread([port_id, inbox = opened->inbox_](const std::stop_token& stop) {
    receive(stop, port_id, inbox);
  });
  return opened;
}

GsiPort::~GsiPort() {
  inbox_->closed = true;
  outbox_.reset();
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  for (const int agent : {agent_ethernet_, agent_sa_})
    if (agent >= 0) umad_unregister(port_id_, agent);
  umad_close_port(port_id_);
}

int GsiPort::send(std::span<const std::uint8_t> mad, const MadAddress& to,
                  int response_timeout_ms) {
  if (mad.size() < kMadBytes) return EINVAL;
  const int agent = mad[1] == to_raw(kEthernetManagementClass) ? agent_ethernet_ : agent_sa_;
  return outbox_->send({.port_id = port_id_, .agent = agent}, mad, to, response_timeout_ms);
}

void GsiPort::set_receiver(std::function<void(const GsiMad&)> receiver) {
  inbox_->receiver = std::move(receiver);
}

GsiPortState GsiPort::state() const {
  if (state_read_ == TimePoint{} || runtime_.now() - state_read_ > kGsiStateLasts) {
    state_ = read_state();
    state_read_ = runtime_.now();
  }
  return state_;
}

GsiPortState GsiPort::read_state() const {
  umad_port_t port{};
  if (umad_get_port(port_.device.c_str(), static_cast<int>(port_.number), &port) < 0)
    return {.guid = port_.guid, .lid = {}, .sm_lid = {}, .sm_sl = {}};
  GsiPortState state{.guid = port_.guid,
                     .gid_prefix = be64toh(port.gid_prefix),
                     .lid = Lid{static_cast<std::uint16_t>(port.base_lid)},
                     .sm_lid = Lid{static_cast<std::uint16_t>(port.sm_lid)},
                     .sm_sl = Sl{static_cast<std::uint8_t>(port.sm_sl)}};
  const std::span keys(port.pkeys, port.pkeys == nullptr ? 0 : port.pkeys_size);
  for (const std::uint16_t wanted : {kDefaultPKeyLimited.value, kDefaultPKeyFull.value})
    if (const auto at = std::ranges::find(keys, wanted); at != keys.end())
      state.pkey_index = static_cast<std::uint16_t>(at - keys.begin());
  umad_release_port(&port);
  return state;
}

std::uint64_t GsiPort::dropped() const { return inbox_->dropped; }

bool GsiPort::is_lost() const { return inbox_->lost; }

void GsiPort::receive(const std::stop_token& stop, int port_id,
                      const std::shared_ptr<Inbox>& inbox) {
  std::vector<std::uint8_t> buffer(umad_size() + kOpaMadBytes);
  unsigned failures = 0;
  while (!stop.stop_requested()) {
    int length = static_cast<int>(buffer.size() - umad_size());
    errno = 0;
    const int agent = umad_recv(port_id, buffer.data(), &length, kGsiPollMs);
    if (agent < 0) {
      const int error = errno != 0 ? errno : -agent;
      if (error == ENOSPC && length > 0 && static_cast<std::size_t>(length) <= kMessageBytesMax)
        buffer.resize(umad_size() + static_cast<std::size_t>(length));
      const bool failed = error == EIO || error == ENODEV || error == EBADF || error == ENXIO;
      failures = failed ? failures + 1 : 0;
      if (failures == kGsiFailuresOfLostDevice) {
        inbox->lost = true;
        return;
      }
      continue;
    }
    failures = 0;
    if (length < static_cast<int>(kMadBytes)) continue;
    const ib_mad_addr_t& from = *umad_get_mad_addr(buffer.data());
    const auto* const bytes = static_cast<const std::uint8_t*>(umad_get_mad(buffer.data()));
    GsiMad mad{.bytes = std::vector(bytes, bytes + length),
               .from = {.lid = Lid{be16toh(from.lid)},
                        .qpn = be32toh(from.qpn),
                        .qkey = be32toh(from.qkey),
                        .sl = Sl{from.sl},
                        .pkey_index = from.pkey_index},
               .send_errno = umad_status(buffer.data())};
    inbox->add(std::move(mad));
  }
}

}  // namespace mad::umad
