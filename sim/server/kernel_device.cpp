#include "sim/server/kernel_device.h"

#include <endian.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "mad/attributes/vnic.h"
#include "mad/format.h"
#include "sim/world/agents/agents.h"
#include "sim/world/world.h"

namespace sim::server {
namespace {

constexpr std::size_t kReadBytes = 1u << 18, kWriteBytes = 1u << 16;
constexpr std::uint32_t kQp1 = 1;
constexpr std::size_t kGrhHopLimitByte = 7, kGrhSourceByte = 8, kGrhDestinationByte = 24;
constexpr std::uint8_t kGrhNextHeader = 0x1B;  // IBTA Vol 1, 8.3.5

mad::Gid gid_at(const std::uint8_t* bytes) {
  std::uint64_t prefix = 0, guid = 0;
  std::memcpy(&prefix, bytes, sizeof prefix);
  std::memcpy(&guid, bytes + sizeof prefix, sizeof guid);
  return {be64toh(prefix), mad::Guid{be64toh(guid)}};
}
void put_gid(std::uint8_t* to, const mad::Gid& gid) {
  const std::uint64_t prefix = htobe64(gid.prefix), guid = htobe64(gid.guid.value);
  std::memcpy(to, &prefix, sizeof prefix);
  std::memcpy(to + sizeof prefix, &guid, sizeof guid);
}

std::uint32_t grh_word(const std::uint8_t* grh) {
  std::uint32_t word = 0;
  std::memcpy(&word, grh, sizeof word);
  return be32toh(word);
}

mad::Guid find_guid(const Model& model, PortIndex port, std::size_t index) {
  if (index == 0) return model.ports[port].guid;
  const PortExtras* const extras = model.ports[port].extras.get();
  return extras != nullptr && index < extras->alias_guids.size() ? extras->alias_guids[index]
                                                                 : mad::Guid{};
}

/// Returns the P_Keys of the port by index, as many as its table has; 0 marks an empty entry.
std::vector<mad::PKey> find_p_keys(const Model& model, PortIndex port) {
  std::vector<mad::PKey> keys;
  for (unsigned block = 0; block < model.p_key_blocks(port); ++block) {
    const mad::PKeyTable table = model.p_keys(port, block);
    for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i) keys.push_back(table.p_key(i));
  }
  keys.resize(std::min<std::size_t>(keys.size(), HEDDLE_HCA_P_KEYS_MAX));
  return keys;
}

}  // namespace

KernelDevice::KernelDevice(World& world, SubnetRouters* routers, Poller& poller, Log log)
    : world_(world), routers_(routers), poller_(poller), log_(std::move(log)), in_(kReadBytes) {
  fd_ = open(HEDDLE_HCA_PATH, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd_ < 0)
    throw std::system_error(errno, std::generic_category(),
                            HEDDLE_HCA_PATH " (of the module heddle_hca, see sim/kernel)");
  poller_.add(fd_, EPOLLIN, [this](std::uint32_t) { read(); });
  world_.on_client_reregister = [this](PortIndex port) {
    if (const auto at = places_.find(port); at != places_.end())
      hcas_.at(at->second.hca).ports[at->second.port - 1].reregister = true;
  };
}

KernelDevice::~KernelDevice() {
  world_.on_client_reregister = nullptr;
  poller_.remove(fd_);
  close(fd_);
}

template <class Message>
void KernelDevice::put(Place at, std::uint16_t type, Message message,
                       std::span<const std::uint8_t> payload) {
  heddle_hca_header header{};
  header.size_bytes = static_cast<std::uint32_t>(sizeof message + payload.size());
  header.type = type;
  header.hca = at.hca;
  header.port = at.port;
  std::memcpy(&message, &header, sizeof header);  // each message begins with it
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&message);
  out_.insert(out_.end(), bytes, bytes + sizeof message);
  out_.insert(out_.end(), payload.begin(), payload.end());
  if (out_.size() >= kWriteBytes) write_out();
}

/// Skips a message that the kernel refuses: the HCA may have been unplugged.
void KernelDevice::write_out() {
  std::span<const std::uint8_t> left = out_;
  while (!left.empty()) {
    const ssize_t wrote = write(fd_, left.data(), left.size());
    std::size_t done = wrote < 0 ? 0 : static_cast<std::size_t>(wrote);
    if (wrote <= 0) {
      heddle_hca_header refused{};
      std::memcpy(&refused, left.data(), sizeof refused);
      log_(fmt::format("the kernel refuses message {} of HCA {}: {}", refused.type, refused.hca,
                       std::strerror(errno)));
      done = refused.size_bytes;
    }
    left = left.subspan(std::min(done, left.size()));
  }
  out_.clear();
}

// ------------------------------------------------------------------------------------------
// HCAs

tl::expected<void, std::string> KernelDevice::plug(NodeIndex node, Interfaces interfaces) {
  const NodeModel& of = world_.model.nodes[node];
  if (of.info.node_type() != mad::NodeType::ca || of.port_count() < 1 ||
      of.port_count() > HEDDLE_HCA_PORTS_MAX)
    return tl::unexpected(
        fmt::format("{} is no channel adapter of one or two ports", of.description));
  std::uint16_t number = 0;
  for (const auto& [taken, hca] : hcas_) {
    if (hca.node == node && !hca.leaves)
      return tl::unexpected(fmt::format("{} is plugged in already", of.description));
    if (taken == number) ++number;
  }
  Hca& hca = hcas_[number];
  hca.node = node;
  hca.interfaces = interfaces;
  heddle_hca_create create{};
  create.node_guid = htobe64(of.info.node_guid().value);
  create.system_image_guid = htobe64(of.info.system_image_guid().value);
  std::ranges::copy(of.description.substr(0, sizeof create.description),
                    reinterpret_cast<char*>(create.description));
  create.vendor_id = of.info.vendor_id();
  create.device_id = of.info.device_id();
  create.port_count = of.port_count();
  put({number, 0}, HEDDLE_HCA_CREATE, create);
  for (std::uint32_t i = 1; i <= of.port_count(); ++i) {
    const PortIndex index = of.first_port + i;
    Port& port = hca.ports.emplace_back();
    port.attachment = world_.attach(index);
    const Place place{number, i};
    port.attachment->set_receiver([this, place](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& one : mads) receive_mad(place, one);
    });
    places_[index] = place;
    update_port(number, hca, i);
  }
  put({number, 0}, HEDDLE_HCA_REGISTER, heddle_hca_header{});
  return {};
}

tl::expected<void, std::string> KernelDevice::unplug(NodeIndex node) {
  const auto found = std::ranges::find_if(
      hcas_, [&](const auto& each) { return each.second.node == node && !each.second.leaves; });
  if (found == hcas_.end())
    return tl::unexpected(
        fmt::format("{} is not plugged in", world_.model.nodes[node].description));
  Hca& hca = found->second;
  for (const Port& port : hca.ports) places_.erase(port.attachment->port());
  hca.ports.clear();
  hca.leaves = true;
  put({found->first, 0}, HEDDLE_HCA_DESTROY, heddle_hca_header{});
  return {};
}

std::vector<KernelDevice::Plugged> KernelDevice::plugged() const {
  std::vector<Plugged> all;
  for (const auto& [number, hca] : hcas_)
    if (!hca.leaves) all.push_back({hca.node, fmt::format("heddle{}", number)});
  return all;
}

heddle_hca_port KernelDevice::find_state(const Hca& hca, const Port& port) const {
  const Model& model = world_.model;
  const PortIndex index = port.attachment->port();
  const mad::PortInfo& info = model.ports[index].info;
  heddle_hca_port state{};
  std::ranges::copy(info.bytes(), state.port_info);
  state.flags = hca.interfaces == Interfaces::no_qp0     ? HEDDLE_HCA_NO_QP0
                : hca.interfaces == Interfaces::with_grh ? HEDDLE_HCA_GRH_REQUIRED
                : hca.interfaces == Interfaces::ethernet ? HEDDLE_HCA_ETHERNET
                                                         : 0;
  state.guid_count = std::clamp<std::uint32_t>(info.guid_cap(), 1, HEDDLE_HCA_GUIDS_MAX);
  for (std::uint32_t i = 0; i < state.guid_count; ++i)
    state.guids[i] = htobe64(find_guid(model, index, i).value);
  for (const mad::PKey key : find_p_keys(model, index))
    state.p_keys[state.p_key_count++] = key.value;
  return state;
}

void KernelDevice::update_port(std::uint16_t number, Hca& hca, std::uint32_t port) {
  Port& of = hca.ports[port - 1];
  heddle_hca_port state = find_state(hca, of);
  if (!of.reregister && std::memcmp(&state, &of.known, sizeof state) == 0) return;
  of.known = state;
  state.reregister = std::exchange(of.reregister, false) ? 1 : 0;
  put({number, port}, HEDDLE_HCA_PORT, state);
}

void KernelDevice::flush() {
  for (auto& [number, hca] : hcas_)
    for (std::uint32_t i = 1; i <= hca.ports.size(); ++i) update_port(number, hca, i);
  write_out();
}

// ------------------------------------------------------------------------------------------
// from the kernel

void KernelDevice::read() {
  const ssize_t got = ::read(fd_, in_.data(), in_.size());
  if (got <= 0) return;
  std::span<const std::uint8_t> left(in_.data(), static_cast<std::size_t>(got));
  while (left.size() >= sizeof(heddle_hca_header)) {
    heddle_hca_header header{};
    std::memcpy(&header, left.data(), sizeof header);
    if (header.size_bytes < sizeof header || header.size_bytes > left.size()) return;
    take(left.first(header.size_bytes));
    left = left.subspan(header.size_bytes);
  }
}

template <class Message>
static Message read_as(std::span<const std::uint8_t> bytes) {
  Message message{};
  std::memcpy(&message, bytes.data(), sizeof message);
  return message;
}

void KernelDevice::take(std::span<const std::uint8_t> message) {
  const auto header = read_as<heddle_hca_header>(message);
  const auto found = hcas_.find(header.hca);
  if (found == hcas_.end()) return;
  if (header.type == HEDDLE_HCA_GONE) return void(hcas_.erase(found));
  Hca& hca = found->second;
  if (hca.leaves) return;
  if (header.type == HEDDLE_HCA_DESCRIPTION) {
    const auto change = read_as<heddle_hca_description>(message);
    const auto* const text = reinterpret_cast<const char*>(change.description);
    return world_.rename(hca.node, std::string(text, strnlen(text, sizeof change.description)));
  }
  if (header.port < 1 || header.port > hca.ports.size()) return;
  Port& port = hca.ports[header.port - 1];
  if (header.type == HEDDLE_HCA_SEND)
    take_packet(hca, port, read_as<heddle_hca_packet>(message),
                message.subspan(sizeof(heddle_hca_packet)));
  if (header.type == HEDDLE_HCA_LOCAL_MAD)
    answer_locally(hca, port, read_as<heddle_hca_local_mad>(message));
  if (header.type == HEDDLE_HCA_CAPABILITY)
    change_capability(port, read_as<heddle_hca_capability>(message));
}

void KernelDevice::take_packet(Hca& hca, Port& port, const heddle_hca_packet& packet,
                               std::span<const std::uint8_t> payload) {
  if (!world_.model.alive(hca.node)) return;
  // Only programs of kernels use MADs of Omni-Path, which are forwarded as data.
  const bool is_omni_path =
      packet.dqpn == kQp1 && !payload.empty() && payload.front() == mad::kOpaBaseVersion;
  if (packet.dqpn <= kQp1 && !is_omni_path)
    send_mad(port, packet, payload);
  else
    send_data(port.attachment->port(), packet, payload);
}

void KernelDevice::send_mad(const Port& port, const heddle_hca_packet& packet,
                            std::span<const std::uint8_t> payload) {
  mad::MadAddress to{.lid = {static_cast<std::uint16_t>(packet.dlid)},
                     .qpn = packet.dqpn,
                     .qkey = packet.qkey,
                     .sl = {packet.sl}};
  if (packet.dqpn == kQp1) {
    const std::vector<mad::PKey> keys = find_p_keys(world_.model, port.attachment->port());
    const auto at = std::ranges::find(keys, mad::PKey{packet.p_key});
    if (at == keys.end()) return;
    to.pkey_index = static_cast<std::uint16_t>(at - keys.begin());
  }
  if (packet.has_grh != 0) {
    const std::uint32_t word = grh_word(packet.grh);
    to.grh = mad::GlobalRoute{.peer = gid_at(packet.grh + kGrhDestinationByte),
                              .own_gid_index = 0,
                              .hop_limit = packet.grh[kGrhHopLimitByte],
                              .traffic_class = static_cast<std::uint8_t>(word >> 20),
                              .flow_label = word & 0xFFFFF};
  }
  // There is no time-out, because the kernel's own table of transactions decides about responses.
  static_cast<void>(port.attachment->send(payload, to, 0));
}

void KernelDevice::send_data(PortIndex from, heddle_hca_packet packet,
                             std::span<const std::uint8_t> payload) {
  PacketHeader header{.dlid = {static_cast<std::uint16_t>(packet.dlid)},
                      .sl = {packet.sl},
                      .p_key = {packet.p_key},
                      .transport = Transport::ud};
  if (packet.has_grh != 0) header.dgid = gid_at(packet.grh + kGrhDestinationByte);
  if (header.dlid.value < mad::kMlidMin.value) {
    Walk walk;
    if (routers_ != nullptr && header.dgid) {
      const Forwarded at =
          routers_->send_data(world_, from, header, payload.size(), packet.grh[kGrhHopLimitByte]);
      walk = at.walk;
      packet.slid = at.slid.value;
      packet.dlid = at.dlid.value;
      packet.grh[kGrhHopLimitByte] = at.hop_limit;
    } else {
      walk = world_.send_data(from, header, payload.size());
    }
    if (walk.delivered()) deliver(walk.end, packet, payload);
    return;
  }
  for (const PortIndex end : walk_multicast(world_.model, from, header).delivered)
    deliver(end, packet, payload);
}

void KernelDevice::deliver(PortIndex end, heddle_hca_packet packet,
                           std::span<const std::uint8_t> payload) {
  if (const auto at = places_.find(end); at != places_.end())
    put(at->second, HEDDLE_HCA_RECEIVE, packet, payload);
}

void KernelDevice::answer_locally(const Hca& hca, const Port& port, heddle_hca_local_mad question) {
  const PortIndex index = port.attachment->port();
  const Place at = places_.at(index);
  mad::MadBytes bytes{};
  std::ranges::copy(question.mad, bytes.begin());
  if ((question.flags & HEDDLE_HCA_IGNORE_M_KEY) != 0)
    mad::SmpView(std::span<std::uint8_t, mad::kMadSizeBytes>(bytes))
        .set_m_key(world_.model.ports[index].info.m_key());
  const bool answered = world_.model.alive(hca.node) && world_.query_own_agents(index, bytes);
  question.flags = answered ? 0 : HEDDLE_HCA_NO_ANSWER;
  std::ranges::copy(bytes, question.mad);
  put(at, HEDDLE_HCA_REPLY, question);
}

void KernelDevice::change_capability(Port& port, const heddle_hca_capability& change) {
  if ((change.set & mad::capability::kIsSm) != 0) port.attachment->set_is_sm(true);
  if ((change.clear & mad::capability::kIsSm) != 0) port.attachment->set_is_sm(false);
  const std::uint32_t mask = world_.model.ports[port.attachment->port()].info.capability_mask();
  const std::uint32_t other = ~std::uint32_t{mad::capability::kIsSm};
  const std::uint32_t next = (mask | (change.set & other)) & ~(change.clear & other);
  if (next != mask) world_.set_capability(port.attachment->port(), next);
}

// ------------------------------------------------------------------------------------------
// to the kernel

/// Delivers a MAD as the port's hardware receives it: the SMI of the kernel handles the last hop
/// (IBTA Vol 1, 14.2.2; drivers/infiniband/core/smi.c).
void KernelDevice::receive_mad(Place at, const mad::ReceivedMad& received) {
  const PortIndex index = hcas_.at(at.hca).ports[at.port - 1].attachment->port();
  const Model& model = world_.model;
  mad::MadBytes bytes = received.bytes;
  mad::SmpView smp{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  const bool management = smp.is_smp();
  if (smp.mgmt_class() == mad::MgmtClass::sm_directed && smp.hop_count() > 0)
    smp.set_hop_pointer(smp.is_returning() ? std::uint8_t{1} : smp.hop_count());
  heddle_hca_packet packet{};
  packet.slid = received.from.lid.value;
  packet.dlid = model.ports[index].info.lid().value;
  packet.sqpn = received.from.qpn;
  packet.dqpn = management ? 0 : kQp1;
  packet.qkey = management ? 0 : mad::kQp1QKey;
  packet.sl = received.from.sl.value;
  packet.p_key = model.p_keys(index, received.from.pkey_index / mad::PKeyTable::kEntries)
                     .p_key(received.from.pkey_index % mad::PKeyTable::kEntries)
                     .value;
  if (const auto& route = received.from.grh) {
    packet.has_grh = 1;
    const std::uint32_t word =
        htobe32(6u << 28 | std::uint32_t{route->traffic_class} << 20 | route->flow_label);
    std::memcpy(packet.grh, &word, sizeof word);
    packet.grh[4] = mad::kMadSizeBytes >> 8;
    packet.grh[6] = kGrhNextHeader;
    packet.grh[kGrhHopLimitByte] = route->hop_limit;
    put_gid(packet.grh + kGrhSourceByte, route->peer);
    put_gid(packet.grh + kGrhDestinationByte,
            {model.ports[index].info.gid_prefix(), find_guid(model, index, route->own_gid_index)});
  }
  put(at, HEDDLE_HCA_RECEIVE, packet,
      std::span<const std::uint8_t>(bytes).first(std::min(received.size, bytes.size())));
}

}  // namespace sim::server
