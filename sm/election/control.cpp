#include "sm/election/control.h"

#include <algorithm>

namespace sm {
namespace {

bool has_lid(const mad::PortInfo& info, mad::Lid lid) {
  return is_unicast(info.lid()) && lid >= info.lid() &&
         static_cast<unsigned>(lid.value - info.lid().value) < (1u << info.lmc());
}

/// Returns the end port at the far end of a request's return path. The path has the port by which
/// each node received the request, this node's last.
PortIndex end_of_return_path(const Fabric& fabric, mad::ConstSmpView smp) {
  if (fabric.sm_port == kNoIndex || smp.hop_count() > mad::DirectedRoute::kHopsMax) return kNoIndex;
  PortIndex at = fabric.sm_port;
  for (unsigned hop = smp.hop_count(); hop > 0; --hop) {
    const NodeIndex node = fabric.ports[at].node;
    const mad::PortNum number{smp.return_path()[hop]};
    const bool first = hop == smp.hop_count();
    if (!first && !fabric.nodes[node].is_switch()) return kNoIndex;
    if (number.value == 0 || number.value > fabric.nodes[node].num_ports) return kNoIndex;
    at = fabric.ports[fabric.port(node, number)].peer;
    if (at == kNoIndex) return kNoIndex;
  }
  const Node& node = fabric.owning_node(at);
  return node.is_switch() ? node.first_port : at;
}

}  // namespace

bool is_from(const Fabric& fabric, PortIndex end_port, const mad::ReceivedMad& received) {
  if (end_port == kNoIndex) return false;
  const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  if (!smp.is_directed()) return has_lid(fabric.ports[end_port].info, received.from.lid);
  return smp.dr_slid() == mad::kPermissiveLid && smp.dr_dlid() == mad::kPermissiveLid &&
         end_of_return_path(fabric, smp) == end_port;
}

const OtherSm* sender_of(const Fabric& fabric, std::span<const OtherSm> sms,
                         const mad::ReceivedMad& received) {
  const auto sender = std::ranges::find_if(
      sms, [&](const OtherSm& sm) { return is_from(fabric, sm.port, received); });
  return sender == sms.end() ? nullptr : &*sender;
}

ControlAnswer ControlRequests::answer(mad::SmState state, std::uint64_t sm_key,
                                      const ControlRequest& request, mad::TimePoint now) {
  const auto refused = [](std::string_view why) {
    return ControlAnswer{.status = mad::status::kInvalidValue, .rule = nullptr, .refused_for = why};
  };
  const SmRule* const rule = rule_of_control(state, request.control);
  if (rule == nullptr) return refused("it is illegal in this state");
  if (request.sender.sm_key() != 0 && sm_key != 0 && request.sender.sm_key() != sm_key)
    return refused("its SM_Key is wrong");
  if (rule->on == SmEvent::got_acknowledge) {
    // Some managers send ACKNOWLEDGE as the MASTER that they have become.
    if (request.sender.sm_state() != mad::SmState::standby &&
        request.sender.sm_state() != mad::SmState::master)
      return refused("only a manager in STANDBY acknowledges");
    if (state == mad::SmState::master && !request.from_successor)
      return refused("no HANDOVER was sent to it");
    return {.status = mad::status::kOk, .rule = rule};
  }
  if (request.sender.sm_state() != mad::SmState::master)
    return refused("its sender does not say that it is MASTER");
  const bool is_master = request.master && request.master->guid() == request.sender.guid();
  if (!is_master && state != mad::SmState::discovering) {
    ControlAnswer answer = refused("its sender is not the master of this subnet");
    answer.survey =
        state == mad::SmState::master && !request.master && (!next_survey_ || now >= *next_survey_);
    if (answer.survey) next_survey_ = now + kSurveyPause;
    return answer;
  }
  if (rule->to == state) {
    if (next_ && now < *next_) return {.status = mad::status::kBusy};
    next_ = now + kPause;
  }
  return {.status = mad::status::kOk, .rule = rule};
}

}  // namespace sm
