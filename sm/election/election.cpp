#include "sm/election/election.h"

#include <algorithm>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sm/election/election_conditions.h"

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

void Standby::follow(OtherSm master, std::shared_ptr<const Fabric> fabric) {
  master_ = std::move(master);
  fabric_ = std::move(fabric);
  restart();
}

void Standby::restart() {
  missed_ = same_count_ = 0;
  answers_ = has_resigned_ = false;
  discovers_since_.reset();
}

bool Standby::resigned(mad::Guid port) {
  const bool followed = master_ && master_->info.guid() == port;
  has_resigned_ = has_resigned_ || followed;
  return followed;
}

bool Standby::polled(const std::optional<mad::SmInfo>& answer, unsigned misses_max,
                     mad::TimePoint now) {
  answers_ = answer && master_ && answer->guid() == master_->info.guid();
  if (answers_) {
    const bool grows = answer->act_count() != master_->info.act_count();
    same_count_ = grows ? 0 : same_count_ + 1;
    master_->info = *answer;
  }
  const mad::SmState state = answers_ ? answer->sm_state() : mad::SmState::not_active;
  if (state != mad::SmState::discovering) discovers_since_.reset();
  if (state == mad::SmState::discovering && !discovers_since_) discovers_since_ = now;
  const bool counts = state == mad::SmState::master ||
                      (discovers_since_ && now - *discovers_since_ < kDiscoveryMax);
  missed_ = counts ? 0 : missed_ + 1;
  return has_resigned_ || missed_ > misses_max;
}

bool Standby::request_survey(mad::TimePoint now) {
  if (next_survey_ && now < *next_survey_) return false;
  next_survey_ = now + kSurveyPause;
  survey_requested_ = true;
  return true;
}

std::string Standby::why_gone() const {
  if (!master_) return "no master is known";
  return fmt::format("the master (GUID {}) {}", master_->info.guid(),
                     has_resigned_ ? "has lost its port"
                     : answers_    ? "is no longer MASTER"
                                   : "does not answer");
}

PortIndex find_sender(const Fabric& fabric, const mad::ReceivedMad& received) {
  const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  const bool is_whole_route = smp.is_directed() && smp.dr_slid() == mad::kPermissiveLid &&
                              smp.dr_dlid() == mad::kPermissiveLid;
  return is_whole_route ? end_of_return_path(fabric, smp) : kNoIndex;
}

bool is_from(const Fabric& fabric, PortIndex end_port, const mad::ReceivedMad& received) {
  if (end_port == kNoIndex) return false;
  const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  return smp.is_directed() ? find_sender(fabric, received) == end_port
                           : has_lid(fabric.ports[end_port].info, received.from.lid);
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

SmRank find_rank(const mad::SmInfo& info) {
  return {.priority = info.priority(), .guid = info.guid()};
}

OtherManagers check_managers(const Fabric& fabric, std::span<const OtherSm> found,
                             std::uint64_t sm_key, std::span<const std::uint64_t> allowed) {
  OtherManagers result;
  for (const OtherSm& sm : found) {
    if (sm.port == kNoIndex) continue;
    const mad::Guid guid = fabric.ports[sm.port].guid;
    const auto ignored = [&](ConditionId id, std::string text) {
      result.conditions.push_back({.id = id, .text = std::move(text), .guid = guid});
    };
    if (sm.info.guid() != guid) {
      ignored(kFabricConditions.response_malformed,
              fmt::format("SMInfo of {} carries GUID {}, which is not that port's; this subnet "
                          "manager is treated as absent",
                          fabric.port_name(sm.port), sm.info.guid()));
    } else if (sm.info.sm_state() > mad::SmState::master) {
      ignored(kFabricConditions.response_malformed,
              fmt::format("SMInfo of {} carries SMState {}, which does not exist; this subnet "
                          "manager is treated as absent",
                          fabric.port_name(sm.port), static_cast<unsigned>(sm.info.sm_state())));
    } else if (sm_key != 0 && sm.info.sm_key() != sm_key) {
      ignored(kElectionConditions.sm_key_mismatch,
              fmt::format("the subnet manager at {} has another SM_Key; it is treated as absent",
                          fabric.port_name(sm.port)));
    } else if (!allowed.empty() && std::ranges::find(allowed, guid.value) == allowed.end()) {
      ignored(kElectionConditions.sm_not_allowed,
              fmt::format("the subnet manager at {} is not in allowed_sm_guids; it is treated as "
                          "absent",
                          fabric.port_name(sm.port)));
    } else {
      result.trusted.push_back(sm);
    }
  }
  return result;
}

ElectionDecision elect(const SmRank& self, mad::SmState state, std::span<const OtherSm> others,
                       std::span<const mad::Guid> passed_over) {
  using mad::SmState;
  const auto highest = [&](auto counts) {
    const OtherSm* best = nullptr;
    for (const OtherSm& other : others) {
      if (other.info.guid() == self.guid || !counts(other)) continue;
      if (best == nullptr || outranks(find_rank(other.info), find_rank(best->info))) best = &other;
    }
    return best;
  };
  const auto above = [&](const OtherSm& sm) { return outranks(find_rank(sm.info), self); };
  const auto in_turn = [&](const OtherSm& sm) {
    return std::ranges::find(passed_over, sm.info.guid()) == passed_over.end();
  };
  const bool leads = state == SmState::master;

  if (const OtherSm* master = highest([&](const OtherSm& sm) {
        return sm.info.sm_state() == SmState::master && (!leads || above(sm));
      }))
    return {SmEvent::found_master, *master, "another subnet manager is MASTER"};
  if (const OtherSm* higher = highest([&](const OtherSm& sm) {
        // A MASTER waits until the other SM has ended its discovery, which finds this one.
        const bool runs = sm.info.sm_state() == SmState::standby ||
                          (!leads && sm.info.sm_state() == SmState::discovering);
        return runs && above(sm) && in_turn(sm);
      }))
    return {SmEvent::found_higher, *higher,
            leads ? "a subnet manager of higher rank is STANDBY"
                  : "a subnet manager of higher rank is about to become MASTER"};
  if (const OtherSm* lower = highest([&](const OtherSm& sm) {
        return leads && sm.info.sm_state() == SmState::master && in_turn(sm);
      }))
    return {SmEvent::found_lower_master, *lower, "a subnet manager of lower rank is MASTER"};
  return {};
}

Condition mastership_lost(const Fabric& fabric, const SmRank& self, const OtherSm& master) {
  const Port& port = fabric.ports[master.port];
  const std::string name =
      fmt::format("{} (PortGUID {}, LID {}, priority {})", fabric.port_name(master.port),
                  master.info.guid(), port.info.lid(), master.info.priority());
  const std::string own = fmt::format(
      "this one has priority {} and PortGUID {}, and is STANDBY now", self.priority, self.guid);
  const bool was_handed_over = master.info.sm_state() == mad::SmState::standby;
  return {.id = kMastershipConditions.mastership_lost,
          .text = was_handed_over
                      ? fmt::format("mastership lost: this manager handed the subnet over to the "
                                    "subnet manager at {}; {}",
                                    name, own)
                      : fmt::format("mastership lost: the subnet manager at {} has taken the "
                                    "subnet over; {}",
                                    name, own),
          .guid = master.info.guid()};
}

std::vector<Condition> other_masters(const Fabric& fabric, const SmRank& self,
                                     std::span<const OtherSm> others) {
  std::vector<Condition> result;
  for (const OtherSm& other : others) {
    if (other.info.sm_state() != mad::SmState::master || outranks(find_rank(other.info), self))
      continue;
    result.push_back({.id = kElectionConditions.other_master,
                      .text = fmt::format("the subnet manager at {} with priority {} is MASTER, "
                                          "too; this one has higher rank and stays MASTER",
                                          fabric.port_name(other.port), other.info.priority()),
                      .guid = other.info.guid()});
  }
  return result;
}

}  // namespace sm
