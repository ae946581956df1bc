#pragma once
// Performance management agents by script, as a transport: what they can do, what they show, and
// how they misbehave.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "mad/attributes/class_port_info.h"
#include "mad/attributes/performance.h"
#include "mad/gmp_client.h"
#include "sim/world/virtual_runtime.h"

namespace scripted {

using mad::PerformanceAttribute;
using namespace std::chrono_literals;

inline const mad::Field& field_of(std::span<const mad::Field> fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &mad::Field::name);
  EXPECT_NE(found, fields.end()) << name;
  return *found;
}

struct Agent {
  std::uint16_t mask = 0x1200;  // extended counters, PortXmitWait
  std::uint32_t mask2 = 0;
  std::map<std::pair<PerformanceAttribute, unsigned>, mad::GmpData> data;  // of each port
  std::set<PerformanceAttribute> unsupported, dropped;
  std::set<unsigned> invalid_ports;
  bool silent = false, ignores_set = false;
  unsigned busy_times = 0;
  /// ClassPortInfo in answer to whatever is queried.
  std::function<void(std::span<std::uint8_t>)> redirect;
  unsigned redirect_status = mad::status::kRedirect;
  /// Changes the response, and where it comes from.
  std::function<void(mad::MadView, mad::MadAddress&)> edit;

  // Record of requests
  std::map<PerformanceAttribute, unsigned> gets;
  std::vector<std::pair<unsigned, std::uint32_t>> sets;  // port, CounterSelect

  void show(unsigned port, std::string_view name, std::uint64_t value) {
    using Narrow = mad::PortCountersFields;
    mad::write(data[{PerformanceAttribute::port_counters, port}], field_of(Narrow::kFields, name),
               value);
  }
  void show_extended(unsigned port, std::string_view name, std::uint64_t value) {
    mad::write(data[{PerformanceAttribute::port_counters_extended, port}],
               field_of(mad::PortCountersExtendedFields::kFields, name), value);
  }
  void show_detail(unsigned port, std::string_view name, std::uint64_t value) {
    mad::write(data[{PerformanceAttribute::port_rcv_error_details, port}],
               field_of(mad::PortRcvErrorDetailsFields::kFields, name), value);
  }
};

/// By bit of CounterSelect, then of CounterSelect2 (IBTA Vol 1, 16.1.3.5).
inline constexpr std::array<std::string_view, 18> kSelected{"SymbolErrorCounter",
                                                            "LinkErrorRecoveryCounter",
                                                            "LinkDownedCounter",
                                                            "PortRcvErrors",
                                                            "PortRcvRemotePhysicalErrors",
                                                            "PortRcvSwitchRelayErrors",
                                                            "PortXmitDiscards",
                                                            "PortXmitConstraintErrors",
                                                            "PortRcvConstraintErrors",
                                                            "LocalLinkIntegrityErrors",
                                                            "ExcessiveBufferOverrunErrors",
                                                            "VL15Dropped",
                                                            "PortXmitData",
                                                            "PortRcvData",
                                                            "PortXmitPkts",
                                                            "PortRcvPkts",
                                                            "PortXmitWait",
                                                            "QP1Dropped"};

class Agents final : public mad::MadTransport {
 public:
  explicit Agents(sim::VirtualRuntime& runtime) : runtime_(runtime) {}

  std::map<std::pair<unsigned, unsigned>, Agent> by_address;  // LID, queue pair
  Agent& at(unsigned lid, unsigned qpn = 1) { return by_address[{lid, qpn}]; }
  mad::GmpClient* client = nullptr;
  int refuse_with = 0;
  unsigned sent = 0;
  std::set<std::uint32_t> transactions;
  std::map<std::uint32_t, mad::TimePoint> open;  // until when the kernel takes a response
  std::vector<mad::MadAddress> addresses;
  mad::Duration latency = 20us;

  int send(std::span<const std::uint8_t> bytes, const mad::MadAddress& to,
           int timeout_ms) override {
    ++sent;
    addresses.push_back(to);
    if (refuse_with != 0) return refuse_with;
    mad::MadBytes mad{};
    std::copy_n(bytes.begin(), mad.size(), mad.begin());
    const mad::MadView view{std::span<std::uint8_t, mad::kMadSizeBytes>(mad)};
    const auto transaction = static_cast<std::uint32_t>(view.transaction_id());
    transactions.insert(transaction);
    mad::TimePoint& until = open[transaction];
    EXPECT_LE(until, runtime_.now()) << "the kernel refuses an id that is still open";
    until = runtime_.now() + std::chrono::milliseconds(timeout_ms);
    const auto found = by_address.find({to.lid.value, to.qpn});
    if (found == by_address.end() || found->second.silent) return 0;
    mad::MadAddress from{.lid = to.lid, .qpn = to.qpn};
    if (!serve(found->second, view)) return 0;
    if (found->second.edit) found->second.edit(view, from);
    mad::ReceivedMad received{.bytes = mad, .size = mad::kMadSizeBytes, .from = from};
    runtime_.after(latency, [this, received, transaction] {
      mad::TimePoint& closes = open[transaction];
      if (closes <= runtime_.now()) return;
      closes = runtime_.now();
      client->on_mad(received);
    });
    return 0;
  }
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)>) override {}

 private:
  static bool serve(Agent& agent, mad::MadView mad) {
    const auto attribute = static_cast<PerformanceAttribute>(mad.attribute_id());
    if (agent.dropped.contains(attribute)) return false;
    const auto data = mad::gmp_data(mad);
    const unsigned port = data[1];
    const bool set = mad.method() == mad::Method::set;
    mad.set_method(mad::Method::get_resp);
    if (!set) ++agent.gets[attribute];
    if (agent.busy_times > 0) {
      --agent.busy_times;
      mad.set_status(mad::status::kBusy);
      return true;
    }
    if (agent.redirect) {
      std::ranges::fill(data, std::uint8_t{0});
      mad.set_attribute_id(static_cast<mad::AttributeId>(PerformanceAttribute::class_port_info));
      mad.set_status(static_cast<std::uint16_t>(agent.redirect_status));
      agent.redirect(data);
      return true;
    }
    if (agent.unsupported.contains(attribute)) {
      mad.set_status(mad::status::kMethodAttributeUnsupported);
      return true;
    }
    if (attribute == PerformanceAttribute::class_port_info) {
      mad::set_field<mad::ClassPortInfoFields, "CapabilityMask">(data, agent.mask);
      mad::set_field<mad::ClassPortInfoFields, "CapabilityMask2">(data, agent.mask2);
      return true;
    }
    if (agent.invalid_ports.contains(port)) {
      mad.set_status(mad::status::kInvalidValue);
      return true;
    }
    mad::GmpData& shown = agent.data[{attribute, port}];
    if (set) {
      const std::uint32_t select =
          static_cast<unsigned>(data[2]) << 8 | data[3] | static_cast<unsigned>(data[18]) << 16;
      agent.sets.push_back({port, select});
      for (std::size_t bit = 0; bit < kSelected.size() && !agent.ignores_set; ++bit) {
        if ((select >> bit & 1u) == 0) continue;
        if (attribute == PerformanceAttribute::port_counters)
          agent.show(port, kSelected[bit], 0);
        else
          mad::write(shown, mad::PortRcvErrorDetailsFields::kFields[bit], 0);
      }
    }
    std::ranges::copy(shown, data.begin());
    data[1] = static_cast<std::uint8_t>(port);
    return true;
  }

  sim::VirtualRuntime& runtime_;
};

}  // namespace scripted
