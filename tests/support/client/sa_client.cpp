#include "support/client/sa_client.h"

#include <algorithm>

#include "sim/world/ca_vports.h"
#include "sim/world/world.h"

namespace sim {

namespace {
constexpr std::uint8_t kSaClassVersion = 2;
constexpr unsigned kWaitsForTransfer = 60;  // of SaClient::kTimeout each, after the first segment
constexpr std::size_t kHeaderBytes = mad::rmpp_header_bytes(mad::MgmtClass::sa);
}  // namespace

SaClient::SaClient(VirtualRuntime& runtime, World& world, PortIndex port, std::uint16_t vport)
    : runtime_(runtime),
      world_(world),
      attachment_(world.attach(port, vport)),
      transaction_(std::uint64_t{vport} << 52 | std::uint64_t{port} << 32) {
  attachment_->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
    for (const mad::ReceivedMad& received : mads) on_mad(received);
  });
}

mad::Gid SaClient::gid() const { return vport_gid(world_.model.ports[port()], vport()); }
mad::Lid SaClient::lid() const { return vport_lid(world_.model.ports[port()], vport()); }

std::optional<SaReply> SaClient::take_reply(std::uint64_t transaction_id) {
  const auto reply = replies_.find(transaction_id);
  if (reply == replies_.end()) return std::nullopt;
  std::optional<SaReply> taken(std::move(reply->second));
  replies_.erase(reply);
  receivers_.erase(transaction_id);
  return taken;
}

mad::MadAddress SaClient::manager(const std::optional<mad::GlobalRoute>& grh) const {
  if (fixed_manager) return *fixed_manager;
  const PortModel& own = world_.model.ports[port()];
  mad::MadAddress address{.lid = own.info.master_sm_lid(),
                          .qpn = 1,
                          .qkey = mad::kQp1QKey,
                          .sl = mad::Sl{own.info.master_sm_sl()},
                          .pkey_index = p_key_index,
                          .grh = grh};
  if (!grh && sends_grh && grh_required(own, vport()))
    address.grh = mad::GlobalRoute{.peer = {own.info.gid_prefix(), kSaWellKnownGuid}};
  return address;
}

void SaClient::send_raw(std::span<const std::uint8_t> bytes,
                        const std::optional<mad::GlobalRoute>& grh) {
  attachment_->send(bytes, manager(grh), 0);
}

std::uint64_t SaClient::post(const SaRequest& request) {
  std::vector<std::uint8_t> message(std::max(mad::kMadBytes, kHeaderBytes + request.record.size()));
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(message.data(), mad::kMadBytes)};
  mad.set_base_version(mad::kBaseVersion);
  mad.set_mgmt_class(mad::MgmtClass::sa);
  mad.set_class_version(kSaClassVersion);
  mad.set_method(request.method);
  mad.set_transaction_id(++transaction_);
  mad.set_attribute_id(static_cast<mad::AttributeId>(request.attribute));
  mad.set_attribute_modifier(request.modifier);
  mad.set_sm_key(request.sm_key);
  mad.set_component_mask(request.component_mask);
  std::ranges::copy(request.record, message.begin() + kHeaderBytes);
  if (request.method != mad::Method::get_multi) {
    send_raw(std::span(message).first(mad::kMadBytes), request.grh);
    return transaction_;
  }
  message.resize(kHeaderBytes + request.record.size());
  mad::RmppSender& sender = senders_[transaction_];
  sender.start(message, {}, runtime_.now());
  mad::MadBytes segment;
  while (sender.next_segment(segment, runtime_.now())) send_raw(segment, request.grh);
  return transaction_;
}

std::optional<SaReply> SaClient::query(const SaRequest& request) {
  for (unsigned attempt = 0; attempt < kTries; ++attempt) {
    const std::uint64_t id = post(request);
    const auto under_way = [&] {
      return receivers_.contains(id) &&
             receivers_.at(id).state() == mad::RmppReceiver::State::receiving;
    };
    if (runtime_.run_until([&] { return replies_.contains(id); }, kTimeout)) return replies_.at(id);
    for (unsigned wait = 0; wait < kWaitsForTransfer && under_way(); ++wait) {
      if (runtime_.run_until([&] { return replies_.contains(id); }, kTimeout))
        return replies_.at(id);
    }
  }
  return std::nullopt;
}

void SaClient::on_mad(const mad::ReceivedMad& received) {
  const mad::ConstSaView mad{std::span<const std::uint8_t, mad::kMadBytes>(received.bytes)};
  if (received.size < mad::kMadBytes || mad.mgmt_class() != mad::MgmtClass::sa) return;
  if (mad.method() == mad::Method::report) return answer_report(received);
  if (const auto sender = senders_.find(mad.transaction_id());
      sender != senders_.end() && mad.is_rmpp_active() && mad.rmpp_type() != mad::RmppType::data) {
    mad::MadBytes answer;
    if (sender->second.on_mad(mad, runtime_.now(), answer))
      attachment_->send(answer, received.from, 0);
    mad::MadBytes segment;
    while (sender->second.next_segment(segment, runtime_.now()))
      attachment_->send(segment, received.from, 0);
    return;
  }
  if (mad.is_rmpp_active()) return take_segment(received);
  // Without a manager at the port of the destination, a client there receives its own request.
  if (!mad.is_response()) return;
  keep(received, received.bytes);
}

void SaClient::answer_report(const mad::ReceivedMad& received) {
  Report report{.notice = {}, .when = runtime_.now()};
  const mad::ConstSaView mad{std::span<const std::uint8_t, mad::kMadBytes>(received.bytes)};
  std::copy_n(mad.data().begin(), report.notice.size(), report.notice.begin());
  reports.push_back(report);
  if (!answers_reports) return;
  mad::MadBytes bytes = received.bytes;
  mad::MadView(bytes).set_method(mad::Method::report_resp);
  attachment_->send(bytes, received.from, 0);
}

void SaClient::take_segment(const mad::ReceivedMad& received) {
  const mad::ConstSaView mad{std::span<const std::uint8_t, mad::kMadBytes>(received.bytes)};
  if (!mad.is_response() || mad.rmpp_type() == mad::RmppType::ack) return;
  const auto [place, fresh] = receivers_.try_emplace(mad.transaction_id());
  if (fresh) place->second.reset({});
  mad::MadBytes answer;
  const auto before = place->second.state();
  if (place->second.on_mad(mad, runtime_.now(), answer) && acknowledges)
    attachment_->send(answer, received.from, 0);
  if (before != mad::RmppReceiver::State::complete &&
      place->second.state() == mad::RmppReceiver::State::complete)
    keep(received, place->second.message());
}

void SaClient::keep(const mad::ReceivedMad& received, std::span<const std::uint8_t> message) {
  SaReply reply;
  std::copy_n(message.begin(), std::min(message.size(), reply.first.size()), reply.first.begin());
  reply.records.assign(message.begin() + kHeaderBytes, message.end());
  replies_.insert_or_assign(
      mad::ConstMadView(std::span<const std::uint8_t, mad::kMadBytes>(received.bytes))
          .transaction_id(),
      std::move(reply));
}

}  // namespace sim
