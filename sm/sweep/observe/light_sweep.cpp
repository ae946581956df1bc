#include "sm/sweep/observe/light_sweep.h"

#include <algorithm>
#include <set>

#include "fabric/plausible.h"
#include "sm/sweep/devices/link_settings.h"

namespace sm {
namespace {

class LightSweep final : public mad::SmpBatch {
 public:
  LightSweep(const MKeys& m_keys, const Fabric& fabric, std::span<const OtherSm> sms,
             const LightSweepScope& scope)
      : m_keys_(m_keys),
        fabric_(fabric),
        sms_(sms),
        hosts_(scope.hosts),
        ignored_(scope.ignored),
        copies_(copy_places(fabric)),
        yields_(scope.yields) {
    for (const PortIndex index : fabric.ports.indices()) {
      const Port& port = fabric.ports[index];
      const bool leads_on =
          fabric.nodes[port.node].is_switch() ? port.number.value != 0 : index == fabric.sm_port;
      const SuspectPort its{.node = fabric.nodes[port.node].guid, .port = port.number};
      if (leads_on && port.is_up() && port.peer == kNoIndex &&
          std::ranges::find(scope.suspects, its) == scope.suspects.end())
        open_ports_.push_back(index);
    }
  }

  bool next(mad::SmpRequest& request) override {
    while (next_ < count() && probes_in_flight_ < kProbesMax && !yields()) {
      request = {};
      request.cookie = next_;
      if (!fill(next_++, request)) continue;
      if (request.is_probe) ++probes_in_flight_;
      return true;
    }
    return false;
  }

  /// A sweep that has yielded sends no further attempt.
  bool may_send(const mad::SmpRequest&) override { return !yields(); }

  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    const auto [kind, job] = find_kind(request.cookie);
    if (request.is_probe) --probes_in_flight_;
    if (reply.fault == mad::SmpFault::put_off) return;
    if (kind == Kind::own_port) {
      const mad::PortInfo& before = fabric_.ports[fabric_.sm_port].info;
      const mad::PortInfo now(reply.data);
      // If the base LID has changed, another manager programmed this port, or it was restarted.
      result_.own_port_changed =
          !reply.ok() || now.port_state() != before.port_state() || now.lid() != before.lid();
      return;
    }
    if (kind == Kind::switch_info) {
      const mad::SwitchInfo now(reply.data);
      // If LinearFDBTop has changed, the switch was restarted, or written by another manager or by
      // a late Set of this one.
      const bool as_left =
          reply.ok() && !now.port_state_change() &&
          linear_fdb_top(now) == linear_fdb_top(fabric_.switches[SwitchIndex(job)].info);
      if (!as_left) changed_.insert(fabric_.nodes[fabric_.switches[SwitchIndex(job)].node].guid);
      return;
    }
    if (kind == Kind::host) {
      const Node& host = fabric_.owning_node(hosts_[job]);
      const mad::PortInfo &before = fabric_.ports[hosts_[job]].info, now(reply.data);
      const bool is_as_left =
          reply.ok() && now.lid() == before.lid() && now.port_state() == before.port_state();
      if (!is_as_left && !ignored_.contains(host.guid)) changed_.insert(host.guid);
      return;
    }
    if (kind == Kind::open_port) {
      if (!reply.ok()) return;
      const mad::NodeInfo info(reply.data);
      if (!ignored_.contains(info.node_guid()) && !is_known_copy(open_ports_[job], info))
        answering_.insert(fabric_.owning_node(open_ports_[job]).guid);
      return;
    }
    if (!reply.ok()) return;
    OtherSm sm = sms_[job];
    sm.info = mad::SmInfo(reply.data);
    result_.sms.push_back(sm);
  }

  LightSweepResult finish() {
    result_.has_yielded = has_yielded_;
    result_.changed.assign(changed_.begin(), changed_.end());
    result_.answering.assign(answering_.begin(), answering_.end());
    return std::move(result_);
  }

 private:
  /// Probes do not count in the window, so that silent ports do not delay other requests.
  static constexpr unsigned kProbesMax = 256;

  /// True for a copy that the last survey found, as long as the fabric has the holder of a GUID.
  bool is_known_copy(PortIndex front, const mad::NodeInfo& info) const {
    return copies_.contains(port_place(fabric_, front)) &&
           (fabric_.node_of_guid.contains(info.node_guid()) ||
            fabric_.port_of_guid.contains(info.port_guid()));
  }
  bool yields() { return has_yielded_ = has_yielded_ || (yields_ && yields_()); }
  std::size_t count() const {
    return 1 + fabric_.switches.size() + open_ports_.size() + hosts_.size() + sms_.size();
  }

  enum class Kind : std::uint8_t { own_port, switch_info, open_port, host, other_sm };
  /// Returns the kind of the n-th request, and its index among those of its kind.
  std::pair<Kind, std::size_t> find_kind(std::size_t n) const {
    if (n == 0) return {Kind::own_port, 0};
    n -= 1;
    if (n < fabric_.switches.size()) return {Kind::switch_info, n};
    n -= fabric_.switches.size();
    if (n < open_ports_.size()) return {Kind::open_port, n};
    n -= open_ports_.size();
    if (n < hosts_.size()) return {Kind::host, n};
    return {Kind::other_sm, n - hosts_.size()};
  }

  bool fill(std::size_t n, mad::SmpRequest& request) const {
    const auto [kind, job] = find_kind(n);
    if (kind == Kind::own_port) {
      request.attribute = mad::AttributeId::port_info;
      request.modifier = port_info_modifier(fabric_, fabric_.sm_port);
      request.port = fabric_.m_key_port(fabric_.sm_port);
      return true;
    }
    if (kind == Kind::switch_info) {
      const NodeIndex node = fabric_.switches[SwitchIndex(job)].node;
      request.attribute = mad::AttributeId::switch_info;
      request.route = fabric_.nodes[node].route;
      request.node = fabric_.nodes[node].guid;
      request.port = fabric_.ports[fabric_.nodes[node].first_port].guid;
      return true;
    }
    if (kind == Kind::open_port) {
      const Port& port = fabric_.ports[open_ports_[job]];
      const auto route = fabric_.nodes[port.node].route.extended(port.number);
      request.attribute = mad::AttributeId::node_info;
      request.port = m_keys_.behind(fabric_.m_key_port(open_ports_[job]), port.number);
      if (route) request.route = *route;
      request.is_probe = request.waits_full_time = true;
      return route.has_value();
    }
    if (kind == Kind::host) {
      const auto route = fabric_.route_to(hosts_[job]);
      request.attribute = mad::AttributeId::port_info;
      request.modifier = port_info_modifier(fabric_, hosts_[job]);
      request.node = fabric_.owning_node(hosts_[job]).guid;
      request.port = fabric_.m_key_port(hosts_[job]);
      if (route) request.route = *route;
      // One that is silent delays nothing; if it is by chance, reading it again shows that.
      request.is_probe = request.waits_full_time = true;
      return route.has_value();
    }
    request.attribute = mad::AttributeId::sm_info;
    request.route = sms_[job].route;
    if (sms_[job].port != kNoIndex) request.port = fabric_.m_key_port(sms_[job].port);
    return true;
  }

  const MKeys& m_keys_;
  const Fabric& fabric_;
  std::span<const OtherSm> sms_;
  const std::vector<PortIndex>& hosts_;
  const std::set<mad::Guid>& ignored_;
  const std::set<PortPlace> copies_;
  std::vector<PortIndex> open_ports_;
  const std::function<bool()>& yields_;
  bool has_yielded_ = false;
  unsigned probes_in_flight_ = 0;
  std::size_t next_ = 0;
  std::set<mad::Guid> changed_, answering_;
  LightSweepResult result_;
};

}  // namespace

std::vector<PortIndex> hosts_in_turn(const Fabric& fabric, std::size_t& turn) {
  constexpr std::size_t kSweepsOfARound = 12;
  const std::size_t ends = fabric.end_ports.size();
  const std::size_t hosts = ends - std::min(ends, fabric.switches.size());
  const std::size_t wanted =
      std::min(hosts, std::clamp(hosts / kSweepsOfARound, kHostsAskedMin, kHostsAskedMax));
  std::vector<PortIndex> asked;
  asked.reserve(wanted);
  for (std::size_t passed = 0; passed < ends && asked.size() < wanted; ++passed, ++turn) {
    const PortIndex port = fabric.end_ports[EndPortIndex(turn % ends)];
    const bool is_asked = !fabric.owning_node(port).is_switch() && port != fabric.sm_port &&
                          fabric.ports[port].peer != kNoIndex;
    if (is_asked) asked.push_back(port);
  }
  return asked;
}

boost::asio::awaitable<LightSweepResult> light_sweep(mad::SmpClient& client, const MKeys& m_keys,
                                                     const Fabric& fabric,
                                                     std::span<const OtherSm> sms,
                                                     const LightSweepScope& scope) {
  client.forget_silence();
  LightSweep sweep(m_keys, fabric, sms, scope);
  co_await client.exchange(sweep);
  co_return sweep.finish();
}

}  // namespace sm
