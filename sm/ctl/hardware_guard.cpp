#include "sm/ctl/hardware_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mad/attributes/performance.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/sm_info.h"

namespace sm::ctl {
namespace asio = boost::asio;

using mad::AttributeId;

namespace {

std::string description(const RecordedNode& node) {
  const RecordedAnswer* const answer = node.ports.front().find(AttributeId::node_description);
  return answer != nullptr && answer->outcome.ok()
             ? mad::NodeDescription{std::span(answer->data)}.text()
             : fmt::format("node {:#018x}", node.info.node_guid().value);
}

std::optional<mad::PortInfo> port_info(const RecordedPort& port, std::uint8_t number) {
  for (const bool extended : {true, false})
    if (const auto* const answer = port.find(
            AttributeId::port_info, mad::PortInfo::modifier(mad::PortNum{number}, extended));
        answer != nullptr && answer->outcome.ok())
      return mad::PortInfo{std::span(answer->data)};
  return std::nullopt;
}

/// A switch port that leads to a host, with the LID that answers for it.
struct HostLink {
  std::string host;
  mad::Lid lid;
  std::uint8_t port = 0;
  std::optional<std::uint64_t> bytes, bytes_later;
  bool wide = true;  // PortCountersExtended
};

std::vector<HostLink> active_host_links(const Recording& recording) {
  std::vector<HostLink> out;
  const auto add = [&](const RecordedNode& sw, std::uint8_t port, const RecordedNode& host) {
    if (!sw.is_switch() || host.is_switch()) return;
    const RecordedPort& own = sw.ports.front();
    const auto link = port_info(own, port), base = port_info(own, 0);
    if (!link || !base || link->port_state() != mad::PortState::active) return;
    out.push_back({.host = description(host),
                   .lid = base->lid(),
                   .port = port,
                   .bytes = std::nullopt,
                   .bytes_later = std::nullopt});
  };
  for (const RecordedNode& node : recording.nodes)
    for (const RecordedPort& port : node.ports)
      for (const RecordedLink& link : port.links) {
        if (!link.peer) continue;
        const RecordedNode& peer = recording.nodes[link.peer->node];
        add(node, link.port, peer);
        add(peer, link.peer->port, node);
      }
  return out;
}

/// Reads what each link has carried, by the counters that its switch has.
class Counting final : public mad::GmpBatch {
 public:
  Counting(std::vector<HostLink>& links, bool later) : links_(links), later_(later) {}

  bool next(mad::GmpRequest& request) override {
    while (at_ < links_.size() && !is_wanted(links_[at_])) ++at_;
    if (at_ == links_.size()) return false;
    const HostLink& link = links_[at_];
    request = {.attribute = static_cast<std::uint16_t>(
                   link.wide ? mad::PerformanceAttribute::port_counters_extended
                             : mad::PerformanceAttribute::port_counters),
               .to = {.lid = link.lid, .qpn = 1, .qkey = mad::kQp1QKey},
               .cookie = at_};
    mad::set_field<mad::PortCountersFields, "PortSelect">(std::span(request.data), link.port);
    ++at_;
    return true;
  }
  void done(const mad::GmpRequest& request, const mad::GmpReply& reply) override {
    HostLink& link = links_[request.cookie];
    if (reply.fault == mad::GmpFault::bad_status && link.wide) {
      link.wide = false;
      at_ = std::min<std::size_t>(at_, request.cookie);
      return;
    }
    if (reply.fault != mad::GmpFault::none) return failed_.push_back(request.cookie);
    const auto carried = words(link, reply.data);
    if (!carried) return failed_.push_back(request.cookie);
    (later_ ? link.bytes_later : link.bytes) = 4 * *carried;
  }

 private:
  bool is_wanted(const HostLink& link) const {
    return !(later_ ? link.bytes_later : link.bytes) &&
           std::ranges::find(failed_, static_cast<std::uint64_t>(&link - links_.data())) ==
               failed_.end();
  }
  /// Returns nullopt for counters at their end, which count no longer.
  static std::optional<std::uint64_t> words(const HostLink& link,
                                            std::span<const std::uint8_t> data) {
    using Wide = mad::PortCountersExtendedFields;
    using Narrow = mad::PortCountersFields;
    const auto sum = [](auto sent, auto received, auto end) -> std::optional<std::uint64_t> {
      if (sent == end || received == end) return std::nullopt;
      return std::uint64_t{sent} + received;
    };
    if (link.wide)
      return sum(mad::get_field<std::uint64_t, Wide, "PortXmitData">(data),
                 mad::get_field<std::uint64_t, Wide, "PortRcvData">(data), ~std::uint64_t{0});
    return sum(mad::get_field<std::uint32_t, Narrow, "PortXmitData">(data),
               mad::get_field<std::uint32_t, Narrow, "PortRcvData">(data), ~std::uint32_t{0});
  }

  std::vector<HostLink>& links_;
  std::vector<std::uint64_t> failed_;
  std::size_t at_ = 0;
  bool later_;
};

}  // namespace

namespace {

/// Returns why the recording does not show all ports on which a manager could run.
std::optional<std::string> unseen_part(const Recording& recording) {
  if (!recording.complete) return "the fabric is larger than what can be recorded";
  for (const RecordedNode& node : recording.nodes)
    for (const RecordedPort& port : node.ports)
      for (const RecordedLink& link : port.links)
        if (!link.peer)
          return fmt::format("the device behind port {} of {} does not answer", link.port,
                             description(node));
  return std::nullopt;
}

asio::awaitable<std::optional<std::string>> manager_at(mad::SmpClient& client,
                                                       const RecordedNode& node,
                                                       const RecordedPort& port) {
  const mad::NodeInfo own{std::span(port.answers.front().data)};
  mad::SmpRequest request{.attribute = AttributeId::port_info,
                          .modifier = mad::PortInfo::modifier(mad::PortNum{0}, false),
                          .route = port.route,
                          .node = own.node_guid(),
                          .port = own.port_guid()};
  const mad::SmpAnswer answer = co_await client.ask(request);
  if (!answer.ok())
    co_return fmt::format("{} does not answer: whether a manager runs there is not known",
                          description(node));
  const mad::PortInfo info{std::span(answer.data)};
  const auto before = port_info(port, 0);
  if (before && before->master_sm_lid() != info.master_sm_lid())
    co_return fmt::format("a subnet manager has set up {} since the fabric was read",
                          description(node));
  if ((info.capability_mask() & mad::capability::kIsSm) == 0) co_return std::nullopt;
  request.attribute = AttributeId::sm_info;
  request.modifier = 0;
  const mad::SmpAnswer sm_answer = co_await client.ask(request);
  const mad::SmInfo sm{std::span(sm_answer.data)};
  if (sm_answer.ok() && sm.sm_state() == mad::SmState::not_active) co_return std::nullopt;
  co_return fmt::format("{} runs a subnet manager ({})", description(node),
                        sm_answer.ok() ? mad::name(sm.sm_state()) : "its SMInfo is not answered");
}

/// A device that was plugged in or switched on since the recording may run one.
asio::awaitable<std::optional<std::string>> new_link_at(mad::SmpClient& client,
                                                        const RecordedNode& node) {
  if (!node.is_switch()) co_return std::nullopt;
  const RecordedPort& port = node.ports.front();
  for (unsigned number = 1; number <= node.info.num_ports(); ++number) {
    const auto before = port_info(port, static_cast<std::uint8_t>(number));
    if (before && before->port_state() != mad::PortState::down) continue;
    const mad::SmpAnswer answer =
        co_await client.ask({.attribute = AttributeId::port_info,
                             .modifier = mad::PortInfo::modifier(
                                 mad::PortNum{static_cast<std::uint8_t>(number)}, false),
                             .route = port.route,
                             .node = node.info.node_guid(),
                             .port = node.info.port_guid()});
    if (!answer.ok() || mad::PortInfo{std::span(answer.data)}.port_state() != mad::PortState::down)
      co_return fmt::format("port {} of {} has come up, or does not answer", number,
                            description(node));
  }
  co_return std::nullopt;
}

}  // namespace

asio::awaitable<std::optional<std::string>> running_manager(mad::SmpClient& client,
                                                            const Recording& recording) {
  if (auto unseen = unseen_part(recording)) co_return unseen;
  for (const RecordedNode& node : recording.nodes) {
    for (const RecordedPort& port : node.ports)
      if (auto found = co_await manager_at(client, node, port)) co_return found;
    if (auto found = co_await new_link_at(client, node)) co_return found;
  }
  co_return std::nullopt;
}

asio::awaitable<std::optional<std::string>> traffic_of_hosts(mad::GmpClient& client,
                                                             mad::Runtime& runtime,
                                                             const Recording& recording) {
  std::vector<HostLink> links = active_host_links(recording);
  if (links.empty()) co_return std::nullopt;
  Counting first(links, false);
  co_await client.exchange(first);
  mad::WakeUp never(runtime);
  co_await never.wait_until(runtime.now() + std::chrono::seconds(2));
  Counting second(links, true);
  co_await client.exchange(second);
  for (const HostLink& link : links) {
    if (!link.bytes || !link.bytes_later)
      co_return fmt::format(
          "{} has an Active link, and the counters of its switch port (LID {}, port {}) are not "
          "answered: whether it carries traffic is not known",
          link.host, link.lid.value, link.port);
    const std::uint64_t moved = *link.bytes_later - *link.bytes;
    if (moved > kBytesAtRest)
      co_return fmt::format("{} carries traffic: {} bytes in two seconds", link.host, moved);
  }
  co_return std::nullopt;
}

}  // namespace sm::ctl
