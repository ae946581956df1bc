#include "sm/sweep/observe/claim.h"

#include <algorithm>
#include <deque>

#include "fabric/plausible.h"
#include "mad/attributes/node_info.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/link_settings.h"

namespace sm {
namespace {

class Claim final : public mad::SmpBatch {
 public:
  explicit Claim(Survey& survey) : survey_(survey) {
    for (const SwitchIndex sw : survey.fabric.switches.indices()) {
      if (survey.fabric.switches[sw].info.port_state_change())
        jobs_.push_back({sw, Step::identify});
    }
  }

  bool next(mad::SmpRequest& request) override {
    if (jobs_.empty()) return false;
    const Job job = jobs_.front();
    jobs_.pop_front();
    const Node& node = survey_.fabric.nodes[survey_.fabric.switches[job.sw].node];
    request = {};
    request.method = job.step == Step::clear ? mad::Method::set : mad::Method::get;
    request.attribute =
        job.step == Step::identify ? mad::AttributeId::node_info : mad::AttributeId::switch_info;
    request.route = node.route;
    request.node = node.guid;
    request.port = survey_.fabric.ports[node.first_port].guid;
    request.cookie = job.sw;
    if (job.step == Step::ports) {
      request.attribute = mad::AttributeId::port_info;
      request.modifier = port_info_modifier(survey_.fabric, job.port);
      return true;
    }
    if (job.step == Step::clear) {
      mad::SwitchInfo info = survey_.fabric.switches[job.sw].info;
      info.set_port_state_change(true);  // writing 1 clears
      std::ranges::copy(info.bytes(), request.data.begin());
    }
    return true;
  }

  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    const auto index = SwitchIndex(request.cookie);
    mad::SwitchInfo& known = survey_.fabric.switches[index].info;
    if (request.method == mad::Method::set) {
      if (!reply.ok()) return;  // it stays raised: the next light sweep reads the switch again
      known.set_port_state_change(false);
      survey_.claimed.push_back(request.node);
      return read_down_ports(index);
    }
    if (request.attribute == mad::AttributeId::port_info) {
      if (reply.ok() && mad::PortInfo(reply.data).port_state() > mad::PortState::down)
        survey_.unread.push_back(request.node);
      return;
    }
    if (request.attribute == mad::AttributeId::node_info) {
      if (reply.ok() && mad::NodeInfo(reply.data).node_guid() == request.node)
        jobs_.push_back({index, Step::read});
      else
        survey_.unread.push_back(request.node);
      return;
    }
    const mad::SwitchInfo now(reply.data);
    if (!reply.ok() || !same_hardware(known, now)) return survey_.unread.push_back(request.node);
    if (!shows_same_tables(known, now)) survey_.unread.push_back(request.node);
    const std::uint16_t top = linear_fdb_top(now);
    known = now;
    known.set_linear_fdb_top(top);
    jobs_.push_back({index, Step::clear});
  }

 private:
  enum class Step : std::uint8_t { identify, read, clear, ports };
  struct Job {
    SwitchIndex sw;
    Step step;
    PortIndex port{0};  // of Step::ports
  };

  /// Reads ports again that were down: a link that came up after that raised the bit that is now
  /// clear. Ports that were up show changes in the responses to their Sets.
  void read_down_ports(SwitchIndex sw) {
    const Fabric& fabric = survey_.fabric;
    const NodeIndex node = fabric.switches[sw].node;
    for (const Port& port : fabric.node_ports(node))
      if (port.known && port.number.value != 0 && !port.is_up())
        jobs_.push_back({sw, Step::ports, fabric.port(node, port.number)});
  }

  Survey& survey_;
  std::deque<Job> jobs_;
};

}  // namespace

boost::asio::awaitable<void> claim_switches(mad::SmpClient& client, Survey& survey) {
  Claim claim(survey);
  co_await client.exchange(claim);
}

}  // namespace sm
