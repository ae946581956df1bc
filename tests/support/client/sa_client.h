#pragma once
// A client of subnet administration: sends requests, reassembles RMPP responses, acknowledges
// reports. In virtual time.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mad/rmpp.h"
#include "mad/rmpp/receiver.h"
#include "mad/rmpp/rmpp_sender.h"
#include "mad/sa_attribute.h"
#include "sim/world/virtual_runtime.h"
#include "sim/world/world.h"

namespace sim {

/// One request. `record` holds the fields of the ComponentMask; longer than a MAD's data only for
/// RMPP requests (GetMulti).
struct SaRequest {
  mad::Method method = mad::Method::get;
  mad::SaAttributeId attribute{};
  std::uint64_t component_mask = 0;
  std::vector<std::uint8_t> record{};
  std::uint32_t modifier = 0;
  std::uint64_t sm_key = 0;
  std::optional<mad::GlobalRoute> grh{};
};

struct SaReply {
  mad::MadBytes first{};              // the headers
  std::vector<std::uint8_t> records;  // all of them, AttributeOffset apart
  std::uint16_t status() const { return mad::ConstMadView(first).status(); }
  mad::Method method() const { return mad::ConstMadView(first).method(); }
  std::size_t stride_bytes() const {
    return mad::ConstSaView(first).attribute_offset() * std::size_t{8};
  }
  std::size_t count() const { return stride_bytes() == 0 ? 0 : records.size() / stride_bytes(); }
  std::span<const std::uint8_t> record(std::size_t at) const {
    return std::span(records).subspan(at * stride_bytes(), stride_bytes());
  }
};

class SaClient {
 public:
  static constexpr mad::Duration kTimeout = std::chrono::seconds(2);
  static constexpr unsigned kTries = 4;

  /// `vport` > 0: a client of that function. Where the vport's LID is not its own, all that it
  /// sends has a GRH (`sends_grh`), and the answers need one to arrive.
  SaClient(VirtualRuntime& runtime, World& world, PortIndex port, std::uint16_t vport = 0);

  /// Sends the request to PortInfo:MasterSMLID, repeats it after each timeout, and waits. nullopt:
  /// no response to any try.
  std::optional<SaReply> query(const SaRequest& request);
  /// Sends the request once and does not wait: replies() has the response, by the transaction id
  /// that is returned.
  std::uint64_t post(const SaRequest& request);
  const std::map<std::uint64_t, SaReply>& replies() const { return replies_; }
  /// The response of post(), which is not kept; nullopt if there is none yet.
  std::optional<SaReply> take_reply(std::uint64_t transaction_id);

  /// Sends any bytes to the subnet manager.
  void send_raw(std::span<const std::uint8_t> mad, const std::optional<mad::GlobalRoute>& grh = {});

  struct Report {
    std::array<std::uint8_t, 80> notice{};
    mad::TimePoint when{};
  };
  std::vector<Report> reports;  // as they came, repetitions included
  bool answers_reports = true;

  PortIndex port() const { return attachment_->port(); }
  std::uint16_t vport() const { return attachment_->vport(); }
  mad::Gid gid() const;
  mad::Lid lid() const;
  /// Acknowledgements that are not sent (a client that stops in the middle of a transfer).
  bool acknowledges = true;
  bool sends_grh = true;          // of a vport that needs one
  std::uint16_t p_key_index = 0;  // of all that it sends, in the table of its port or vport
  /// Where all requests go; nullopt: to the port's MasterSMLID of that moment, with `sends_grh` and
  /// `p_key_index`.
  std::optional<mad::MadAddress> fixed_manager{};

 private:
  void on_mad(const mad::ReceivedMad& received);
  void answer_report(const mad::ReceivedMad& received);
  void take_segment(const mad::ReceivedMad& received);
  void keep(const mad::ReceivedMad& received, std::span<const std::uint8_t> message);
  mad::MadAddress manager(const std::optional<mad::GlobalRoute>& grh) const;

  VirtualRuntime& runtime_;
  World& world_;
  std::unique_ptr<Attachment> attachment_;
  std::uint64_t transaction_;
  std::map<std::uint64_t, SaReply> replies_;
  std::map<std::uint64_t, mad::RmppReceiver> receivers_;
  std::map<std::uint64_t, mad::RmppSender> senders_;
};

}  // namespace sim
