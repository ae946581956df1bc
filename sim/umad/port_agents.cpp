#include "sim/umad/port_agents.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "mad/rmpp.h"
#include "mad/smp.h"

namespace sim::umad {
namespace {

using namespace std::chrono_literals;

// The kernel's values: the timeout of an RMPP sender for an ACK, and the time for which the end of
// a message is remembered, because the sender repeats segments if the last ACK was lost.
constexpr std::chrono::milliseconds kAckTimeoutMax = 2s;
constexpr std::chrono::seconds kForgetAfter = 10s;
constexpr std::uint16_t kPermissive = 0xFFFF;

bool is_active_rmpp(std::span<const std::uint8_t, mad::kMadBytes> bytes) {
  const mad::ConstRmppView mad(bytes);
  return mad::rmpp_header_bytes(mad.mgmt_class()) != 0 && mad.is_rmpp_active();
}

/// True for an SMP that does not leave this port: its own firmware answers the sending process.
bool is_local(std::span<const std::uint8_t, mad::kMadBytes> bytes) {
  const mad::ConstSmpView smp(bytes);
  return smp.is_directed() && smp.hop_count() == 0;
}

wire::PacketRoute route_of(const ib_user_mad_hdr& header) {
  wire::PacketRoute route{.p_key_index = header.pkey_index, .sl = header.sl};
  if (header.grh_present == 0) return route;
  route.grh_present = 1;
  std::copy_n(header.gid, route.gid.size(), route.gid.begin());
  route.own_gid_index = header.gid_index;
  route.hop_limit = header.hop_limit;
  route.traffic_class = header.traffic_class;
  route.flow_label = ntohl(header.flow_label);
  return route;
}

void put_route(ib_user_mad_hdr& header, const wire::PacketRoute& route) {
  header.pkey_index = route.p_key_index;
  header.sl = route.sl;
  if (route.grh_present == 0) return;
  header.grh_present = 1;
  std::copy(route.gid.begin(), route.gid.end(), header.gid);
  header.gid_index = route.own_gid_index;
  // The packet's own hop limit is not used: the answer may need all hops (core/verbs.c,
  // ib_init_ah_attr_from_wc).
  header.hop_limit = 0xFF;
  header.traffic_class = route.traffic_class;
  header.flow_label = htonl(route.flow_label);
}

/// The kernel counts agents since boot. Process ids have the same effect here, until they wrap.
std::uint16_t first_key() {
  return static_cast<std::uint16_t>(1 + (static_cast<std::uint32_t>(::getpid()) * 64u) % 0x8000u);
}

}  // namespace

PortAgents::PortAgents(std::unique_ptr<SimulatorLink> link)
    : link_(std::move(link)), agents_(first_key()) {
  const char* fast = std::getenv("HEDDLE_SIM_FAST_TIMEOUTS");
  give_up_at_once_ = fast != nullptr && std::strcmp(fast, "1") == 0;
}

int PortAgents::add_agent(UmadFile& file, const Registration& registration, std::uint32_t& id) {
  const auto slot = std::find(file.agents().begin(), file.agents().end(), nullptr);
  if (slot == file.agents().end()) return -ENOMEM;
  if (registration.qpn == 0 && link_->on_vport()) return -EPROTONOSUPPORT;  // it has no QP 0
  const auto agent =
      agents_.add(registration, &file, static_cast<std::uint32_t>(slot - file.agents().begin()));
  if (!agent) return -agent.error();
  *slot = *agent;
  id = (*agent)->id;
  file.set_used();
  if (registration.receives_requests()) link_->want_requests();
  return 0;
}

int PortAgents::remove_agent(UmadFile& file, std::uint32_t id) {
  if (id >= UmadFile::kAgentsMax || file.agents()[id] == nullptr) return -EINVAL;
  const Agent* agent = std::exchange(file.agents()[id], nullptr);
  pending_.remove_all_of(*agent);
  transfers_.remove_all_of(*agent);
  agents_.remove(*agent);
  return 0;
}

void PortAgents::forget(UmadFile& file) {
  for (std::uint32_t id = 0; id < UmadFile::kAgentsMax; ++id)
    if (file.agents()[id] != nullptr) remove_agent(file, id);
  std::erase(to_signal_, &file);
}

void PortAgents::enable_requests() {
  if (agents_.receives_requests()) link_->want_requests();
}

bool PortAgents::is_sent_already(const PendingRequests::Key& key, std::uint64_t transaction) {
  if (pending_.find(key) != nullptr) return true;
  const RmppTransfers::Sending* transfer = transfers_.find_sending(transaction, key.mgmt_class);
  return transfer != nullptr &&
         mad::ConstMadView(transfer->packet.mad).is_response() == key.is_response;
}

bool PortAgents::has_gid(unsigned index) {
  if (index == 0) return true;
  if (link_->on_vport()) return false;
  constexpr unsigned kBlockGuids = 8, kGuidBytes = 8;
  const auto block = link_->read_attribute(static_cast<std::uint16_t>(mad::AttributeId::guid_info),
                                           index / kBlockGuids);
  if (!block) return false;
  const auto guid = std::span(*block).subspan(index % kBlockGuids * kGuidBytes, kGuidBytes);
  return std::ranges::any_of(guid, [](std::uint8_t byte) { return byte != 0; });
}

/// True if the port's SMI sends the SMP, or answers it here. Sources: IBTA Vol 1, 14.2.2.2;
/// drivers/infiniband/core/smi.c, __smi_handle_dr_smp_send().
bool PortAgents::smi_sends(std::span<const std::uint8_t, mad::kMadBytes> bytes) const {
  const mad::ConstSmpView smp(bytes);
  if ((smp.is_returning() ? smp.dr_dlid() : smp.dr_slid()) != mad::kPermissiveLid) return true;
  const unsigned hops = smp.hop_count(), at = smp.hop_pointer();
  if (hops > mad::DirectedRoute::kHopsMax) return false;
  if (port_number_ == 0 || smp.is_returning()) return true;
  if (at == 0 && hops > 0) return smp.initial_path()[1] == port_number_;
  return at == hops || at == hops + 1;
}

/// Returns the errno with which write() refuses the message, or 0. Source: core/user_mad.c,
/// ib_umad_write(); core/mad.c, ib_create_send_mad() and ib_post_send_mad().
int PortAgents::refuses(const Agent& agent, const ib_user_mad_hdr& header,
                        std::span<const std::uint8_t> message) {
  std::array<std::uint8_t, mad::kMadBytes> first{};
  std::copy_n(message.begin(), std::min(message.size(), first.size()), first.begin());
  const mad::ConstMadView mad(first);
  if (header.grh_present != 0 && !has_gid(header.gid_index)) return EINVAL;
  const std::size_t class_header = mad::rmpp_header_bytes(mad.mgmt_class());
  if (message.size() < class_header) return EINVAL;
  const std::size_t bytes_max =
      is_omni_path(message) ? wire::OmniPathPacket::kMadBytes : mad::kMadBytes;
  if (!(agent.kernel_rmpp() && is_active_rmpp(first)) && message.size() > bytes_max) return EINVAL;
  if (class_header == 0 && agent.registration.rmpp_version != 0) return EINVAL;
  return mad.mgmt_class() == mad::MgmtClass::sm_directed && !smi_sends(first) ? EINVAL : 0;
}

ssize_t PortAgents::write(UmadFile& file, std::span<const std::uint8_t> bytes,
                          Clock::time_point now) {
  const std::size_t header_bytes = file.header_bytes();
  if (bytes.size() < header_bytes + mad::kRmppHeaderEnd) return -EINVAL;
  ib_user_mad_hdr header{};
  std::memcpy(&header, bytes.data(), header_bytes);
  if (header.id >= UmadFile::kAgentsMax) return -EINVAL;
  Agent* agent = file.agents()[header.id];
  if (agent == nullptr) return -EIO;
  const std::span<const std::uint8_t> message = bytes.subspan(header_bytes);
  if (const int error = refuses(*agent, header, message); error != 0) return -error;

  wire::RoutedPacket packet;
  std::copy_n(message.begin(), std::min(message.size(), packet.mad.size()), packet.mad.begin());
  mad::MadView mad(packet.mad);
  if (!mad.is_response()) {
    mad.set_transaction_id(std::uint64_t{link_->client()} << 48 | std::uint64_t{agent->key} << 32 |
                           (mad.transaction_id() & 0xFFFF'FFFFu));
  }
  packet.dlid.raw = header.lid;
  packet.slid.raw = header.lid == htons(kPermissive) ? htons(kPermissive) : 0;
  packet.dqp_be = header.qpn;
  packet.sqp_be = htonl(agent->registration.qpn);
  packet.length_be = htobe64(is_omni_path(message) ? message.size() : mad::kMadBytes);
  packet.route = route_of(header);

  const PendingRequests::Key key = PendingRequests::make_key(packet.mad);
  if (is_sent_already(key, mad.transaction_id())) return -EINVAL;

  if (agent->kernel_rmpp() && is_active_rmpp(packet.mad)) {
    return start_transfer(*agent, header, packet, message, now) ? static_cast<ssize_t>(bytes.size())
                                                                : -EINVAL;
  }
  const auto rest = message.subspan(std::min(message.size(), mad::kMadBytes));
  send(packet, rest);
  if (header.timeout_ms != 0) {
    pending_.add({.key = key,
                  .agent = agent,
                  .header = header,
                  .packet = packet,
                  .rest = {rest.begin(), rest.end()},
                  .timeout = std::chrono::milliseconds(header.timeout_ms),
                  .retries_left = header.retries},
                 now);
  }
  return static_cast<ssize_t>(bytes.size());
}

/// True for MADs of Omni-Path, which have another base version, and up to 2,048 bytes. Source:
/// core/mad.c, ib_create_send_mad() and validate_mad().
bool PortAgents::is_omni_path(std::span<const std::uint8_t> message) const {
  constexpr std::uint8_t kOmniPathBaseVersion = 0x80;
  return link_->omni_path() && !message.empty() && message.front() == kOmniPathBaseVersion;
}

void PortAgents::send(const wire::RoutedPacket& packet, std::span<const std::uint8_t> rest) {
  if (!is_omni_path(packet.mad)) return link_->send(packet);
  wire::OmniPathPacket large;
  static_cast<wire::RoutedPacket&>(large) = packet;
  std::ranges::copy(rest, large.rest.begin());
  link_->send(large);
}

bool PortAgents::start_transfer(Agent& agent, const ib_user_mad_hdr& header,
                                const wire::RoutedPacket& first,
                                std::span<const std::uint8_t> message, Clock::time_point now) {
  const mad::ConstMadView mad(first.mad);
  RmppTransfers::Sending& transfer = transfers_.start_sending();
  transfer.agent = &agent;
  transfer.header = header;
  transfer.packet = first;
  transfer.transaction = mad.transaction_id();
  transfer.mgmt_class = mad.mgmt_class();
  std::chrono::milliseconds ack_timeout(header.timeout_ms);
  if (ack_timeout == 0ms || ack_timeout > kAckTimeoutMax) ack_timeout = kAckTimeoutMax;
  // Only the packet has the transaction id; the sender copies its headers from its argument.
  message_.assign(message.begin(), message.end());
  std::copy_n(first.mad.begin(), mad::rmpp_header_bytes(mad.mgmt_class()), message_.begin());
  if (!transfer.rmpp.start(message_, {.ack_timeout = ack_timeout, .retries_max = header.retries},
                           now)) {
    transfers_.end(transfer);
    return false;
  }
  send_segments(transfer, now);
  return true;
}

void PortAgents::send_segments(RmppTransfers::Sending& transfer, Clock::time_point now) {
  while (transfer.rmpp.next_segment(transfer.packet.mad, now)) link_->send(transfer.packet);
}

void PortAgents::finish(RmppTransfers::Sending& transfer, Clock::time_point now) {
  switch (transfer.rmpp.state()) {
    case mad::RmppSender::State::done:
      if (transfer.header.timeout_ms != 0) {
        pending_.add({.key = PendingRequests::make_key(transfer.packet.mad),
                      .agent = transfer.agent,
                      .header = transfer.header,
                      .packet = transfer.packet,
                      .timeout = std::chrono::milliseconds(transfer.header.timeout_ms),
                      .retries_left = 0},  // all of it was acknowledged: nothing to send again
                     now);
      }
      break;
    case mad::RmppSender::State::timed_out:
      deliver_lost(*transfer.agent, transfer.header, transfer.packet.mad);
      break;
    case mad::RmppSender::State::refused:
      break;  // the kernel does not report it either
    default:
      return;
  }
  transfers_.end(transfer);
}

void PortAgents::answer(const wire::RoutedPacket& to,
                        std::span<const std::uint8_t, mad::kMadBytes> mad) {
  wire::RoutedPacket packet;
  packet.dlid = to.slid;
  packet.slid.raw = 0;
  packet.dqp_be = to.sqp_be;
  packet.sqp_be = to.dqp_be;
  packet.length_be = htobe64(mad::kMadBytes);
  packet.route = to.route;
  std::copy(mad.begin(), mad.end(), packet.mad.begin());
  link_->send(packet);
}

void PortAgents::to_file(UmadFile& file, const ib_user_mad_hdr& header,
                         std::span<const std::uint8_t> mad) {
  file.deliver(header, mad);
  if (std::find(to_signal_.begin(), to_signal_.end(), &file) == to_signal_.end())
    to_signal_.push_back(&file);
}

void PortAgents::signal_files() {
  for (UmadFile* file : to_signal_) file->signal();
  to_signal_.clear();
}

void PortAgents::deliver(Agent& agent, const wire::RoutedPacket& packet,
                         std::span<const std::uint8_t> message) {
  ib_user_mad_hdr header{};
  header.id = agent.id;
  header.qpn = packet.sqp_be;
  header.lid = static_cast<std::uint16_t>(packet.slid.raw);
  put_route(header, packet.route);
  to_file(*agent.file, header, message);
}

void PortAgents::deliver_lost(Agent& agent, const ib_user_mad_hdr& sent,
                              std::span<const std::uint8_t> mad) {
  ib_user_mad_hdr header = sent;
  header.status = ETIMEDOUT;
  to_file(*agent.file, header,
          mad.first(mad::kMadHeaderBytes));  // as the kernel does: the common header alone
}

void PortAgents::on_packet(const wire::OmniPathPacket& packet, Clock::time_point now) {
  const mad::ConstMadView mad(packet.mad);
  if (packet.status() != 0) {
    // The server returns a MAD of this process that was lost. A real network does not report that.
    PendingRequests::Key key = PendingRequests::make_key(packet.mad);
    key.is_response = false;
    if (!give_up_at_once_) return;
    if (const PendingRequests::Request* request = pending_.find(key); request != nullptr) {
      deliver_lost(*request->agent, request->header, request->packet.mad);
      pending_.remove(key);
    }
    return;
  }
  const bool omni_path = is_omni_path(packet.mad);
  if (mad.base_version() != mad::kBaseVersion && !omni_path) return;

  const bool is_response = mad.is_response();
  Agent* agent = nullptr;
  if (is_response) {
    const auto agent_key = static_cast<std::uint16_t>(mad.transaction_id() >> 32);
    if (agent_key == AgentTable::kOwnKey) {
      for (OwnRequest* own_request : own_requests_) {
        if (mad::ConstMadView(own_request->packet.mad).transaction_id() << 16 !=
            mad.transaction_id() << 16)
          continue;
        own_request->answer = packet.mad;
        own_request->answered = true;
      }
      return;
    }
    agent = agents_.by_key(agent_key);
  } else {
    agent = agents_.for_request(packet.mad);
  }
  if (agent == nullptr) return;
  if (agent->kernel_rmpp() && is_active_rmpp(packet.mad) && take_rmpp(packet, *agent, now)) return;

  if (is_response && !take_request(packet, *agent)) return;
  if (is_response && is_local(packet.mad)) {
    wire::RoutedPacket local = packet;
    mad::SmpView(local.mad).set_hop_pointer(1);  // as the SMI leaves it in the request
    return deliver(*agent, local, local.mad);
  }
  if (!omni_path) return deliver(*agent, packet, packet.mad);
  message_.assign(packet.mad.begin(), packet.mad.end());
  message_.insert(message_.end(), packet.rest.begin(), packet.rest.end());
  message_.resize(std::clamp<std::size_t>(packet.length(), mad::kMadBytes, message_.size()));
  deliver(*agent, packet, message_);
}

/// True if the agent receives this response, which closes its request. Source: core/mad.c,
/// ib_find_send_mad() and rcv_has_same_gid().
bool PortAgents::take_request(const wire::RoutedPacket& response, const Agent& agent) {
  const mad::ConstSmpView mad(response.mad);
  PendingRequests::Key key = PendingRequests::make_key(response.mad);
  key.is_response = false;
  if (const PendingRequests::Request* request = pending_.find(key); request != nullptr) {
    // A function's packets get a GRH where its LID is shared, even if the program sends none.
    const ib_user_mad_hdr& sent = request->header;
    const bool same_route =
        mad.is_directed() || link_->on_vport() ||
        (sent.grh_present == response.route.grh_present &&
         (sent.grh_present == 0 || sent.gid_index == response.route.own_gid_index));
    if (!same_route) return false;
    pending_.remove(key);
  } else if (RmppTransfers::Sending* sent =
                 transfers_.find_sending(mad.transaction_id(), mad.mgmt_class());
             sent != nullptr && sent->agent == &agent) {
    transfers_.end(*sent);  // it has overtaken the last ACK
  } else if (!is_local(response.mad)) {
    // A program that does RMPP itself gets segments without an open request: only the program knows
    // the transaction.
    return !agent.kernel_rmpp() && is_active_rmpp(response.mad);
  }
  // A local SMInfo is for an agent of this port. If there is none, no answer is reported.
  return !is_local(response.mad) || mad.attribute_id() != mad::AttributeId::sm_info ||
         mad.status() != mad::status::kMethodAttributeUnsupported;
}

bool PortAgents::take_rmpp(const wire::RoutedPacket& packet, Agent& agent, Clock::time_point now) {
  const mad::ConstRmppView segment(packet.mad);
  std::array<std::uint8_t, mad::kMadBytes> reply{};
  const auto mgmt_class = segment.mgmt_class();

  if (segment.rmpp_type() != mad::RmppType::data) {
    if (RmppTransfers::Sending* transfer =
            transfers_.find_sending(segment.transaction_id(), mgmt_class);
        transfer != nullptr) {
      if (transfer->rmpp.on_mad(segment, now, reply)) answer(packet, reply);
      send_segments(*transfer, now);
      finish(*transfer, now);
    }
  }
  if (segment.rmpp_type() == mad::RmppType::ack) return true;

  RmppTransfers::Receiving* transfer = transfers_.find_receiving(packet);
  if (transfer == nullptr) {
    if (segment.rmpp_type() != mad::RmppType::data) return true;
    transfer = transfers_.start_receiving(packet, &agent);
    if (transfer == nullptr) return true;
  }
  const auto before = transfer->rmpp.state();
  transfer->packet = packet;
  if (transfer->rmpp.on_mad(segment, now, reply)) answer(packet, reply);
  const auto after = transfer->rmpp.state();
  if (after == mad::RmppReceiver::State::receiving || after == before) {
    PendingRequests::Key key = PendingRequests::make_key(packet.mad);
    key.is_response = false;
    // The response has begun: a repeated request would only start it again.
    if (PendingRequests::Request* request = segment.is_response() ? pending_.find(key) : nullptr;
        request != nullptr)
      pending_.extend(*request, now);
    return true;
  }
  transfer->forget_at = now + kForgetAfter;
  if (after != mad::RmppReceiver::State::complete) return true;

  if (segment.is_response() && !take_request(packet, agent)) return true;
  deliver(agent, packet, transfer->rmpp.message());
  return true;
}

void PortAgents::on_timer(Clock::time_point now) {
  while (PendingRequests::Request* request = pending_.next_due(now)) {
    if (request->retries_left > 0) {
      --request->retries_left;
      send(request->packet, request->rest);
      continue;
    }
    deliver_lost(*request->agent, request->header, request->packet.mad);
    pending_.remove(PendingRequests::Key(request->key));
  }
  for (auto at = transfers_.sending().begin(); at != transfers_.sending().end();) {
    RmppTransfers::Sending& transfer = *at++;  // finish() may take it out of the list
    if (const auto deadline = transfer.rmpp.deadline(); !deadline || *deadline > now) continue;
    transfer.rmpp.on_timer(now);
    send_segments(transfer, now);
    finish(transfer, now);
  }
  for (auto at = transfers_.receiving().begin(); at != transfers_.receiving().end();) {
    RmppTransfers::Receiving& transfer = *at++;
    if (transfer.forget_at <= now) {
      transfers_.end(transfer);
      continue;
    }
    if (const auto deadline = transfer.rmpp.deadline(); !deadline || *deadline > now) continue;
    std::array<std::uint8_t, mad::kMadBytes> reply{};
    if (transfer.rmpp.on_timer(now, reply)) answer(transfer.packet, reply);
    transfer.forget_at = now + kForgetAfter;
  }
}

std::optional<PortAgents::Clock::time_point> PortAgents::deadline() const {
  const auto a = pending_.deadline(), b = transfers_.deadline();
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

void PortAgents::query(OwnRequest& own_request) {
  mad::MadView mad(own_request.packet.mad);
  mad.set_transaction_id(std::uint64_t{link_->client()} << 48 |
                         std::uint64_t{AgentTable::kOwnKey} << 32 | ++next_own_request_);
  own_requests_.push_back(&own_request);
  link_->send(own_request.packet);
}

void PortAgents::cancel(const OwnRequest& own_request) {
  std::erase_if(own_requests_, [&](const OwnRequest* other) { return other == &own_request; });
}

}  // namespace sim::umad
