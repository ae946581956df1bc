#include "sim/server/socket_server.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "mad/format.h"
#include "mad/transport.h"
#include "sim/server/port_context.h"
#include "sim/world/agents/agents.h"
#include "sim/world/ca_vports.h"

namespace sim::server {
namespace {

constexpr std::size_t kBatch = 64;
constexpr std::uint32_t kPidMask =
    (1u << 22) - 1;  // heddle's preload library puts the number of a connection above the pid

mad::MadView view(wire::RoutedPacket& packet) {
  return mad::MadView(std::span<std::uint8_t, mad::kMadSizeBytes>(packet.mad));
}

}  // namespace

SocketServer::SocketServer(World& world, const Names& names, Poller& poller,
                           SocketSettings settings, Log log)
    : world_(world),
      names_(names),
      poller_(poller),
      settings_(std::move(settings)),
      log_(std::move(log)),
      received_(kBatch) {
  const bool udp = settings_.udp_port.has_value();
  control_ = open_socket(udp, udp ? udp_address(htonl(INADDR_ANY), *settings_.udp_port)
                                  : unix_address(wire::control_name(settings_.base)));
  if (control_ < 0) {
    throw std::system_error(
        errno, std::generic_category(),
        udp ? fmt::format("UDP port {} (another one: --listen PORT)", *settings_.udp_port)
            : fmt::format("socket @{} (another name, if a simulator has this one: --socket NAME)",
                          wire::control_name(settings_.base)));
  }
  probe_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  poller_.add(control_, EPOLLIN, [this](std::uint32_t) { read_control(); });
}

SocketServer::~SocketServer() {
  *alive_ = false;
  for (const auto& client : clients_) {
    if (client) poller_.remove(client->fd());
  }
  poller_.remove(control_);
  clients_.clear();
  for (const ClientSocket& socket : sockets_) close(socket.fd);
  close(control_);
  close(probe_);
}

// ------------------------------------------------------------------------------------------
// control socket

void SocketServer::read_control() {
  for (std::size_t i = 0; i < kBatch; ++i) {
    wire::Control record;
    Client::Address from;
    from.length = sizeof from.storage;
    const ssize_t got = recvfrom(control_, &record, sizeof record, MSG_DONTWAIT | MSG_TRUNC,
                                 from.get(), &from.length);
    if (got < 0) {
      if (errno == ECONNREFUSED || errno == EINTR)
        continue;  // UDP: an answer of ours did not arrive
      return;
    }
    if (got == static_cast<ssize_t>(sizeof record) && record.magic == wire::kMagic) {
      serve_control(record, from);
      continue;
    }
    const std::string what =
        got != static_cast<ssize_t>(sizeof record)
            ? fmt::format("a control record of {} bytes instead of {}", got, sizeof record)
            : fmt::format("a control record with magic {:#010x}", record.magic);
    const auto sender = std::ranges::find_if(
        clients_, [&](const auto& client) { return client && client->control() == from; });
    if (sender != clients_.end()) {
      drop((*sender)->number(), what);
    } else {
      complain(what + " from a sender that is not attached");
    }
  }
}

void SocketServer::serve_control(wire::Control& record, Client::Address& from) {
  const wire::ControlType type = record.type;
  bool ok = false;
  if (type == wire::ControlType::connect) {
    ok = connect(record, from);
  } else {
    Client* client = find(record.client);
    if (client && !(client->control() == from)) client = nullptr;
    if (!client) {
      // Only a client that was dropped has a reason to disconnect another client's number.
      if (type != wire::ControlType::disconnect)
        complain(
            fmt::format("a control record of a client {} that is not attached", record.client));
    } else if (type == wire::ControlType::disconnect) {
      drop(client->number(), "");
      ok = true;
    } else if (type < wire::ControlType::get_port || type > wire::ControlType::use_omni_path) {
      drop(client->number(),
           fmt::format("a control record of type {}", static_cast<unsigned>(type)));
    } else {
      ok = answer(*client, record);
    }
  }
  if (!ok) record.type = wire::ControlType::error;
  if (sendto(control_, &record, sizeof record, MSG_DONTWAIT | MSG_NOSIGNAL, from.get(),
             from.length) < 0) {
    if (type == wire::ControlType::connect && ok) {
      wire::Attach attach;
      std::memcpy(&attach, record.data.data(), sizeof attach);
      drop(attach.id, std::string("does not take the answer: ") + std::strerror(errno));
    }
  }
}

/// Returns the lowest free number; a client that attaches again gets its previous number.
/// kClientsMax if there is none.
unsigned SocketServer::free_number(std::uint32_t id) const {
  std::optional<unsigned> lowest;
  for (unsigned number = 0; number < sockets_.size(); ++number) {
    if (clients_[number]) continue;
    if (sockets_[number].last_id == id) return number;
    if (!lowest) lowest = number;
  }
  return lowest.value_or(static_cast<unsigned>(sockets_.size()));
}

/// Opens the socket of the client number, if it is not open, and connects it. On failure sets
/// errno.
bool SocketServer::prepare_socket(unsigned number, std::uint32_t id, const Client::Address& from) {
  const bool udp = settings_.udp_port.has_value();
  if (number == sockets_.size()) {
    const int fd =
        open_socket(udp, udp ? udp_address(htonl(INADDR_ANY), *settings_.udp_port + 1u + number)
                             : unix_address(wire::server_data_name(settings_.base, number)));
    if (fd < 0) return false;
    sockets_.push_back({.fd = fd});
    clients_.emplace_back();
  }
  ClientSocket& socket = sockets_[number];
  sockaddr_in sender{};
  std::memcpy(&sender, &from.storage, sizeof sender);
  const Client::Address to = udp ? udp_address(sender.sin_addr.s_addr, id)
                                 : unix_address(wire::client_data_name(settings_.base, id));
  if (::connect(socket.fd, to.get(), to.length) != 0) return false;
  socket.last_id = id;
  wire::OmniPathPacket left_over;  // of the previous client with this number
  while (recv(socket.fd, &left_over, sizeof left_over, MSG_DONTWAIT) >= 0) {
  }
  return true;
}

bool SocketServer::connect(wire::Control& record, const Client::Address& from) {
  wire::Attach attach;
  std::memcpy(&attach, record.data.data(), sizeof attach);
  attach.nodeid.back() = '\0';
  const std::string requested = attach.nodeid.data();
  const std::optional<Names::Place> place = names_.place(requested);
  if (!place) {
    log_(fmt::format("a client (id {}) requested an end port that does not exist: \"{}\"",
                     attach.id, requested));
    return false;
  }
  // The client may have restarted before the server noticed its end.
  for (unsigned number = 0; number < clients_.size(); ++number) {
    if (clients_[number] && clients_[number]->id() == attach.id &&
        clients_[number]->control() == from)
      drop(number, "attaches again");
  }
  const unsigned number = free_number(attach.id);
  if (number == kClientsMax) {
    log_(fmt::format("a client (id {}) has to stay outside: there are {} already", attach.id,
                     kClientsMax));
    return false;
  }
  if (!prepare_socket(number, attach.id, from)) {
    log_(fmt::format("a client (id {}) cannot be attached: its data socket: {}", attach.id,
                     std::strerror(errno)));
    return false;
  }
  const int fd = sockets_[number].fd;
  auto client = std::make_unique<Client>(number, attach.id, fd, from,
                                         world_.attach(place->port, place->vport));
  Client& at = *client;
  clients_[number] = std::move(client);
  at.want_requests(attach.issm != 0, true);
  at.attachment().set_receiver([this, &at](std::span<const mad::ReceivedMad> mads) {
    for (const mad::ReceivedMad& mad : mads) give(at, mad);
  });
  poller_.add(fd, EPOLLIN, [this, &at](std::uint32_t events) { read_data(at, events); });
  world_.log("client {} (id {}) attaches at {}", number, attach.id, names_.port(place->port));

  attach.id = number;
  attach.nodeid = {};
  const std::string& id = names_.id(world_.model.ports[place->port].node);
  std::copy_n(id.begin(), std::min(id.size(), attach.nodeid.size() - 1), attach.nodeid.begin());
  std::memcpy(record.data.data(), &attach, sizeof attach);
  return true;
}

bool SocketServer::answer(Client& client, wire::Control& record) {
  const Model& model = world_.model;
  if (record.type == wire::ControlType::use_routes) {
    std::uint32_t wanted = 0;
    std::memcpy(&wanted, record.data.data(), sizeof wanted);
    client.routed = wanted == wire::kRoutesWanted;
    put(record, client.routed ? wire::kRoutesAccepted : 0u);
    return true;
  }
  if (record.type == wire::ControlType::use_omni_path) return use_omni_path(client, record);
  if (record.type == wire::ControlType::set_is_sm) {
    std::uint32_t is_sm = 0;
    std::memcpy(&is_sm, record.data.data(), sizeof is_sm);
    client.want_requests(is_sm != 0 || client.receives_all(), client.receives_all());
    client.attachment().set_is_sm(is_sm != 0);
    return true;
  }
  if (record.type == wire::ControlType::read_attribute) return read_attribute(client, record);
  if (client.attachment().vport() != 0 && record.type != wire::ControlType::get_vendor)
    return answer_from_vport_context(model, client.attachment().port(), client.attachment().vport(),
                                     record);
  return answer_from_port_context(model, client.attachment().port(), record);
}

/// Reads an attribute that the driver of the client's port reads of its own device. False if there
/// is no such attribute.
bool SocketServer::read_attribute(const Client& client, wire::Control& record) {
  wire::ReadAttribute wanted;
  std::memcpy(&wanted, record.data.data(), sizeof wanted);
  const PortIndex port = client.attachment().port();
  const std::uint16_t vport = client.attachment().vport();
  mad::MadBytes bytes;
  const mad::SmpView smp = mad::make_dr_smp(
      bytes, mad::Method::get, mad::AttributeId{static_cast<std::uint16_t>(wanted.attribute_id)},
      wanted.attribute_modifier, mad::DirectedRoute(),
      world_.model.ports[world_.model.management_port(port)].info.m_key(), 0);
  std::uint16_t status = mad::status::kOk;
  if (vport != 0) {
    answer_from_vport_context(world_.model, port, vport, smp);
    status = smp.status();
  } else {
    const Verdict verdict =
        serve_smp({world_, world_.model.ports[port].node, port}, smp, mad::kPermissiveLid);
    status = verdict.value_or(mad::status::kInvalidValue);
  }
  std::ranges::copy(smp.data(), record.data.begin());
  return status == mad::status::kOk;
}

// ------------------------------------------------------------------------------------------
// data sockets

void SocketServer::read_data(Client& client, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) queue(client);
  std::array<mmsghdr, kBatch> messages;
  std::array<iovec, kBatch> parts;
  for (std::size_t i = 0; i < kBatch; ++i) {
    parts[i] = {.iov_base = &received_[i], .iov_len = sizeof(wire::OmniPathPacket)};
    messages[i].msg_hdr = {};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const int got = recvmmsg(client.fd(), messages.data(), kBatch, MSG_DONTWAIT, nullptr);
  if (got < 0) {
    if (errno != EAGAIN && errno != EINTR)
      drop(client.number(), std::string("disappeared: ") + std::strerror(errno));
    return;
  }
  for (int i = 0; i < got; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (client.omni_path && messages[at].msg_len == sizeof(wire::OmniPathPacket)) {
      take_omni_path(client, received_[at]);
      continue;
    }
    wire::RoutedPacket& packet = received_[at];
    const bool without_route = messages[at].msg_len == sizeof(wire::Packet);
    if (without_route) packet.route = {};
    if ((!without_route &&
         !(client.routed && messages[at].msg_len == sizeof(wire::RoutedPacket))) ||
        (messages[at].msg_hdr.msg_flags & MSG_TRUNC) != 0) {
      return void(
          drop(client.number(),
               fmt::format("sent a datagram of {}{} bytes instead of {}",
                           (messages[at].msg_hdr.msg_flags & MSG_TRUNC) != 0 ? "more than " : "",
                           messages[at].msg_len, sizeof(wire::Packet))));
    }
    if (const std::uint64_t length = packet.length();
        length > packet.mad.size() || length < mad::kMadHeaderBytes) {
      return void(drop(client.number(), fmt::format("sent a MAD of {} bytes", length)));
    }
    take(client, packet);
  }
}

bool SocketServer::use_omni_path(Client& client, wire::Control& record) {
  std::uint32_t wanted = 0;
  std::memcpy(&wanted, record.data.data(), sizeof wanted);
  if (wanted == wire::kOmniPathWanted && settings_.omni_path != nullptr &&
      client.attachment().vport() == 0) {
    client.omni_path = settings_.omni_path->attach(client.attachment().port());
    client.omni_path->set_receiver(
        [this, &client](const mad::GsiMad& mad) { give_omni_path(client, mad); });
  }
  put(record, client.omni_path ? wire::kOmniPathAccepted : 0u);
  return true;
}

void SocketServer::take_omni_path(Client& client, wire::OmniPathPacket& packet) {
  ++client.mads_from;
  const std::size_t length = packet.length();
  if (length < mad::kMadBytes || length > wire::OmniPathPacket::kMadBytes)
    return void(drop(client.number(), fmt::format("sent a MAD of {} bytes", length)));
  mad::MadView mad = view(packet);
  if (!mad.is_response())
    mad.set_transaction_id((mad.transaction_id() & 0x0000FFFFFFFFFFFFu) |
                           static_cast<std::uint64_t>(client.number()) << 48);
  std::vector<std::uint8_t> bytes(packet.mad.begin(), packet.mad.end());
  bytes.insert(bytes.end(), packet.rest.begin(), packet.rest.end());
  bytes.resize(length);
  client.omni_path->send(bytes, {.lid = {packet.dlid.value()}, .sl = {packet.route.sl}}, 0);
}

/// Delivers a MAD of Omni-Path; it is lost if the client's socket is full.
void SocketServer::give_omni_path(Client& client, const mad::GsiMad& received) {
  if (received.bytes.size() < mad::kMadBytes ||
      received.bytes.size() > wire::OmniPathPacket::kMadBytes)
    return;
  wire::OmniPathPacket packet;
  std::copy_n(received.bytes.begin(), packet.mad.size(), packet.mad.begin());
  std::copy(received.bytes.begin() + static_cast<std::ptrdiff_t>(packet.mad.size()),
            received.bytes.end(), packet.rest.begin());
  const mad::MadView mad = view(packet);
  if (mad.is_response() && mad.transaction_id() >> 48 != client.number()) return;
  packet.dlid = wire::NetLid::of(world_.model.ports[client.attachment().port()].info.lid().value);
  packet.slid = wire::NetLid::of(received.from.lid.value);
  packet.dqp_be = packet.sqp_be = htonl(1);
  packet.length_be = htobe64(received.bytes.size());
  packet.route.sl = received.from.sl.value;
  ++client.mads_to;
  ::send(client.fd(), &packet, sizeof packet, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void SocketServer::take(Client& client, wire::RoutedPacket& packet) {
  ++client.mads_from;
  mad::MadView mad = view(packet);
  client.used(mad.mgmt_class());
  if (mad.method() == mad::Method::trap_repress) {
    // Linux keeps this transaction id; umad2sim writes the number of its agent over the upper half.
    // Nodes number their traps in the lower half.
    mad.set_transaction_id(mad.transaction_id() & 0xFFFFFFFFu);
  } else if (!mad.is_response()) {
    // Programs choose transaction ids independently. The client number replaces the top bits, as in
    // upstream's server; clients expect that.
    mad.set_transaction_id((mad.transaction_id() & 0x0000FFFFFFFFFFFFu) |
                           static_cast<std::uint64_t>(client.number()) << 48);
    if (client.attachment().vport() != 0 && mad.is_smp()) return answer_locally(client, packet);
    if (expects_answer(mad::ConstMadView(mad.bytes()))) {
      pending_.add(mad.transaction_id(), packet, client.number(),
                   world_.events().now() + settings_.answer_timeout);
      expire();
    }
  }
  const std::uint32_t qpn = packet.dqp();
  mad::MadAddress to{.lid = {packet.dlid.value()},
                     .qpn = qpn,
                     .qkey = qpn == 0 ? 0 : mad::kQp1QKey,
                     .sl = {packet.route.sl},
                     .pkey_index = packet.route.p_key_index,
                     .grh = grh_of(packet.route)};
  // The kernel refuses an address without a required GRH. Programs that know no GRHs get one here,
  // as from the libraries of systems that require it.
  const PortModel& from = world_.model.ports[client.attachment().port()];
  if (!to.grh && grh_required(from, client.attachment().vport()))
    to.grh = route_to(world_.model, to.lid);
  client.attachment().send(packet.mad, to, 0);
}

/// Answers an SMP of a function, which reaches only the function's own firmware.
void SocketServer::answer_locally(Client& client, wire::RoutedPacket& packet) {
  mad::ReceivedMad answer{.bytes = packet.mad, .size = packet.mad.size(), .from = {}};
  answer_from_vport_context(
      world_.model, client.attachment().port(), client.attachment().vport(),
      mad::SmpView(std::span<std::uint8_t, mad::kMadSizeBytes>(answer.bytes)));
  give(client, answer);
}

/// Delivers a MAD of the world to the client.
void SocketServer::give(Client& client, const mad::ReceivedMad& received) {
  const mad::ConstMadView mad{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  if (!client.takes(mad)) return;
  if (mad.is_response() && mad.method() != mad::Method::trap_repress) {
    if (mad.transaction_id() >> 48 != client.number())
      return;  // of another program at this port, or corrupted
    pending_.answered(mad.transaction_id());
  }
  const mad::Lid own =
      vport_lid(world_.model.ports[client.attachment().port()], client.attachment().vport());
  wire::RoutedPacket& packet = client.backlog().push();
  packet.dlid = wire::NetLid::of(
      received.from.lid == mad::kPermissiveLid ? mad::kPermissiveLid.value : own.value);
  packet.slid = wire::NetLid::of(received.from.lid.value);
  packet.dqp_be = htonl(mad.is_smp() ? 0 : 1);
  packet.sqp_be = htonl(received.from.qpn);
  packet.status_be = 0;
  packet.padding = 0;
  packet.length_be = htobe64(received.size);
  packet.mad = received.bytes;
  packet.route = route_of(received.from);
  queue(client);
}

/// Returns requests that have timed out, and schedules its next call.
void SocketServer::expire() {
  if (expiry_set_ || !pending_.next()) return;
  expiry_set_ = true;
  world_.events().at(*pending_.next(), [this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired() || !*alive.lock()) return;
    expiry_set_ = false;
    while (const auto lost = pending_.take_expired(world_.events().now())) {
      Client* client = find(lost->client);
      if (!client) continue;
      wire::RoutedPacket& packet = client->backlog().push();
      packet = lost->packet;
      packet.status_be = htonl(wire::kStatusTimedOut);
      queue(*client);
    }
    expire();
  });
}

// ------------------------------------------------------------------------------------------
// attaching and detaching

void SocketServer::queue(Client& client) {
  if (client.queued) return;
  client.queued = true;
  to_send_.push_back(client.number());
}

void SocketServer::flush() {
  for (std::size_t i = 0; i < to_send_.size(); ++i) {
    Client* client = find(to_send_[i]);
    if (!client || !client->queued) continue;
    client->queued = false;
    const Client::Sent sent = client->flush();
    if (sent == Client::Sent::broken) {
      drop(client->number(), std::string("disappeared: ") + std::strerror(errno));
    } else if (client->waits_for_room != (sent == Client::Sent::some)) {
      client->waits_for_room = sent == Client::Sent::some;
      poller_.modify(client->fd(), client->waits_for_room ? EPOLLIN | EPOLLOUT : EPOLLIN);
    }
  }
  to_send_.clear();
}

/// Finds clients that have ended: their addresses in the abstract namespace refuse connections. UDP
/// clients have no such check.
void SocketServer::probe() {
  if (settings_.udp_port) return;
  for (const auto& client : clients_) {
    if (!client) continue;
    const Client::Address address =
        unix_address(wire::client_data_name(settings_.base, client->id()));
    if (::connect(probe_, address.get(), address.length) < 0 && errno == ECONNREFUSED)
      drop(client->number(), "disappeared");
  }
}

bool SocketServer::drop(unsigned number, std::string_view why) {
  Client* client = find(number);
  if (!client) return false;
  if (!why.empty()) log_(fmt::format("{} is dropped: {}", describe(*client), why));
  world_.log("client {} leaves", number);
  poller_.remove(client->fd());
  pending_.forget_client(number);
  clients_[number].reset();
  return true;
}

/// Logs messages about senders that are not attached: at most a line per second, with the number of
/// suppressed lines.
void SocketServer::complain(std::string_view what) {
  const auto now = std::chrono::steady_clock::now();
  ++complaints_;
  if (now - last_complaint_ < std::chrono::seconds(1)) return;
  log_(complaints_ == 1 ? fmt::format("ignored: {}", what)
                        : fmt::format("ignored: {} (and {} others before)", what, complaints_ - 1));
  complaints_ = 0;
  last_complaint_ = now;
}

std::string SocketServer::describe(const Client& client) const {
  return fmt::format("client {} (pid {}, at {})", client.number(), client.id() & kPidMask,
                     names_.port(client.attachment().port()));
}

std::vector<ClientInfo> SocketServer::clients() const {
  std::vector<ClientInfo> out;
  for (const auto& client : clients_) {
    if (!client) continue;
    out.push_back({.number = client->number(),
                   .id = settings_.udp_port ? client->id() : client->id() & kPidMask,
                   .port = client->attachment().port(),
                   .vport = client->attachment().vport(),
                   .is_sm = client->attachment().is_sm(),
                   .receives_requests = client->receives_requests(),
                   .mads_from = client->mads_from,
                   .mads_to = client->mads_to,
                   .dropped = client->backlog().dropped(),
                   .waiting = client->backlog().size()});
  }
  return out;
}

}  // namespace sim::server
