// Discovery: handles responses, and requests without a response.

#include <algorithm>
#include <array>
#include <utility>

#include "fabric/fabric_conditions.h"
#include "fabric/plausible.h"
#include "mad/format.h"
#include "sm/sweep/observe/discovery_batch.h"

namespace sm {
namespace {

constexpr unsigned kExtraRounds =
    2;  // how often a request without a response, to a node that responds to others, is repeated

}  // namespace

/// Repeats a request once whose response cannot be true; then the node is read again soon.
void Discovery::on_malformed_response(const Query& query, std::string text) {
  if (query.round == 0) {
    Query again = query;
    ++again.round;
    return push(again);
  }
  if (query.node != kOwnNode) unread_.insert(builder_.node(query.node).guid);
  report(kFabricConditions.response_malformed, std::move(text));
  if (query.kind == QueryKind::port_info && query.port.value == 0 &&
      first_port_only_.erase(query.node) > 0)
    read_other_ports(query.node);
}

/// True if the switch has shown the same capacities before in this survey: they are its own then,
/// and not those of one damaged response.
bool Discovery::is_repeated(NodeIndex node, const mad::SwitchInfo& info) {
  const auto [before, is_first] = defective_.try_emplace(node, info);
  return !is_first && same_hardware(std::exchange(before->second, info), info);
}

void Discovery::on_switch_info(const Query& query, const mad::SwitchInfo& info) {
  if (const auto defect = defect_of(info); defect && !is_repeated(query.node, info)) {
    return on_malformed_response(query,
                                 fmt::format("switch {} answers SwitchInfo with {}; it is ignored",
                                             builder_.draft().name(query.node), *defect));
  }
  builder_.set_switch_info(query.node, checked(query.node, info));
  // The bit is cleared before the ports are read: a later change raises it again and is not lost.
  if (options_.clear_port_state_change && info.port_state_change()) {
    push({.kind = QueryKind::clear_port_state_change, .node = query.node});
  } else {
    read_switch_ports(query.node);
  }
}

/// Corrects LinearFDBTop: some switches show a value above all unicast LIDs until one is set.
mad::SwitchInfo Discovery::checked(NodeIndex node, mad::SwitchInfo info) {
  if (const std::uint16_t top = linear_fdb_top(info); top != info.linear_fdb_top()) {
    report(kFabricConditions.value_implausible,
           fmt::format("{} answers with LinearFDBTop {:#06x}, above all unicast LIDs; 0 is used",
                       builder_.draft().name(node), info.linear_fdb_top()));
    info.set_linear_fdb_top(top);
  }
  return info;
}

void Discovery::on_port_info(const Query& query, const mad::PortInfo& info) {
  if (const auto defect = defect_of(info, query.port.value != 0)) {
    return on_malformed_response(
        query, fmt::format("{} answers PortInfo with {}; the port is ignored",
                           port_name(builder_.port_index(query.node, query.port)), *defect));
  }
  if (shows_unconfirmed_m_key(query, info)) {
    return on_malformed_response(
        query,
        fmt::format("{} answers PortInfo with an M_Key that would not have let it answer; the port "
                    "is ignored",
                    port_name(builder_.port_index(query.node, query.port))));
  }
  if (knows_m_key(query, info)) take_port_info(query, info);
}

/// True for a key that may not be the port's: if it were written back with the other values, it
/// would lock this manager out.
bool Discovery::shows_unconfirmed_m_key(const Query& query, const mad::PortInfo& info) const {
  const bool external = builder_.node(query.node).is_switch() && query.port.value != 0;
  const PortIndex port = builder_.port_index(query.node, query.port);
  return options_.m_keys != nullptr && !external &&
         options_.m_keys->is_unconfirmed(builder_.draft().m_key_port(port), info.m_key());
}

/// Returns whether the key is known. At protection level 1 a port is read, but not written, without
/// its key. If the port shows none of its candidates, a manager that may write tries a Set that
/// changes nothing. Then either the port has no key at all, or its lease begins to run (IBTA Vol 1,
/// 14.2.4.1), after which it shows the key.
bool Discovery::knows_m_key(const Query& query, const mad::PortInfo& info) {
  const bool external = builder_.node(query.node).is_switch() && query.port.value != 0;
  if (options_.m_keys == nullptr || external || info.m_key_protect_bits() != 1) return true;
  const PortIndex index = builder_.port_index(query.node, query.port);
  const MKeys::Standing standing = options_.m_keys->standing(builder_.draft().m_key_port(index));
  if (standing == MKeys::Standing::confirmed) return true;
  if (standing == MKeys::Standing::open && query.round < mad::MKeyCandidates::kMax) {
    Query again = query;
    ++again.round;
    push(again);
    return false;
  }
  if (!options_.clear_port_state_change) {
    has_hidden_m_keys_ = true;
    return true;
  }
  Port& port = builder_.port(index);
  port.info = info;
  port.known = false;
  push({.kind = QueryKind::m_key_probe, .port = query.port, .node = query.node});
  return false;
}

/// Requests PortInfo again with extended speeds, if the port supports them. True if it does that.
bool Discovery::shows_extended_speeds(const Query& query, const mad::PortInfo& info) {
  const bool external = builder_.node(query.node).is_switch() && query.port.value != 0;
  if (external || (info.capability_mask() & mad::capability::kExtendedSpeeds) == 0 ||
      !forms_.retry_extended(query.node))
    return false;
  push(query);
  if (builder_.node(query.node).is_switch() && !first_port_only_.contains(query.node))
    read_other_ports(query.node);
  return true;
}

/// Repeats the request without extended speeds. A node that does not know them may reject their
/// modifier, or not answer to it; of the own node, the kernel may refuse the request.
bool Discovery::retry_in_plain_form(const Query& query, const mad::SmpRequest& request,
                                    const mad::SmpReply& reply) {
  if (query.kind != QueryKind::port_info ||
      (request.modifier & mad::PortInfo::kExtendedSpeeds) == 0)
    return false;
  if (reply.fault == mad::SmpFault::bad_status) {
    forms_.rejected(query.node, builder_.port_index(query.node, query.port));
  } else if ((reply.fault != mad::SmpFault::timeout && reply.fault != mad::SmpFault::not_sent) ||
             !forms_.was_silent(query.node)) {
    return false;
  }
  push(query);
  return true;
}

void Discovery::take_port_info(const Query& query, const mad::PortInfo& info) {
  const NodeIndex node = query.node;
  const PortIndex index = builder_.port_index(node, query.port);
  if (shows_extended_speeds(query, info)) return;
  Port& port = builder_.port(index);
  if (query.port.value == 0 && key_first_.erase(node) > 0)
    return push({.kind = QueryKind::switch_info, .node = node});
  if (query.port.value == 0 && first_port_only_.erase(node) > 0) read_other_ports(node);
  if (ports_read_.size() <= index) ports_read_.resize(builder_.draft().ports.size(), false);
  const bool in_earlier_snapshot = port.known && !ports_read_[index];
  ports_read_[index] = true;
  port.info = info;
  port.known = true;
  const bool external = query.port.value != 0;
  const bool leads_on =
      external && (builder_.node(node).is_switch() || index == builder_.draft().sm_port);
  if (leads_on) {
    const PortIndex peer = port.peer;
    // A port that was not activated last time (its peer got no LID, ...) shows Init before and
    // after its cable was moved, unless this survey has followed the cable.
    const bool restarted = in_earlier_snapshot && info.port_state() == mad::PortState::init &&
                           !joined_.contains(index);
    if (peer != kNoIndex && !contests_.contains(index) && (!port.is_up() || restarted)) {
      // In a partial survey, the node at this cable may be gone, or be another one now.
      note_cut(index, peer);
      builder_.disconnect(index);
      // The firmware of the own port may have another PortGUID since.
      if (known_ != nullptr && index == builder_.draft().sm_port)
        push({.kind = QueryKind::node_info_behind, .node = kOwnNode});
      const Port& far = builder_.port(peer);
      if (known_ != nullptr) query_identity(node);
      if (builder_.node(far.node).is_switch()) {
        if (known_ == nullptr || was_read(far.node)) {
          push({.kind = QueryKind::port_info, .port = far.number, .node = far.node});
        } else {
          query_neighbours(far.node);
        }
      } else {
        builder_.port(peer).known = false;  // a CA's port behind no cable is out of reach
        was_read(far.node) = false;
      }
    }
    if (is_suspect(index) && peer != kNoIndex) {
      note_cut(index, peer);
      builder_.disconnect(index);
    }
    if (port.is_up() && port.peer == kNoIndex && !is_suspect(index)) query_behind(node, query.port);
  }
  if (!builder_.node(node).is_switch() || !external) {
    const bool is_sm = (info.capability_mask() & mad::capability::kIsSm) != 0;
    if (is_sm && index != builder_.draft().sm_port)
      push({.kind = QueryKind::sm_info, .port = query.port, .node = node});
  }
}

void Discovery::on_silence(const Query& query, const mad::SmpRequest& request,
                           const mad::SmpReply& reply) {
  if (query.guess > 0) return;  // the silence was noted before
  if (retry_in_plain_form(query, request, reply)) return;
  if (query.kind == QueryKind::m_key_probe) {
    // A rejected Set changes nothing either, and shows that the key was accepted.
    const PortIndex port = builder_.port_index(query.node, query.port);
    if (reply.fault == mad::SmpFault::bad_status)
      take_port_info(query, builder_.port(port).info);
    else
      leave_out_unknown_key(query);
    return note_port_read(port);
  }
  if (query.kind == QueryKind::identity || query.kind == QueryKind::look)
    return on_missing(query, request, reply);
  if (query.kind == QueryKind::port_info && reply.fault != mad::SmpFault::bad_status &&
      waiting_.contains(builder_.port_index(query.node, query.port)) && !was_read(query.node))
    return;  // give_up_waiting()
  if (query.kind != QueryKind::node_info_behind && is_cut_off(query.node))
    return;  // no cable leads there any more: neither a fault nor worth more time
  const unsigned rounds_max = extra_rounds(query);
  // A node that is silent by one route may respond by another one that was found since.
  const bool again = reply.fault == mad::SmpFault::timeout ||
                     (reply.fault == mad::SmpFault::node_silent && alternative_route(request));
  if (again && query.round < rounds_max) {
    Query next = query;
    ++next.round;
    return push(next);
  }
  if (query.kind == QueryKind::sm_info)
    return;  // a port that claims IsSM and whose manager is just gone: no fault of the fabric
  if (query.kind == QueryKind::clear_port_state_change) return read_switch_ports(query.node);
  if (query.kind == QueryKind::port_info && query.port.value == 0 &&
      first_port_only_.erase(query.node) > 0)
    read_other_ports(query.node);
  if (query.kind == QueryKind::port_info)
    note_port_read(builder_.port_index(query.node, query.port));
  // Responses of the node to an earlier survey are no longer valid.
  if (query.kind == QueryKind::switch_info) builder_.forget_switch_info(query.node);
  if (query.kind == QueryKind::port_info && key_first_.erase(query.node) > 0)
    builder_.forget_switch_info(query.node);
  if (query.kind == QueryKind::port_info)
    builder_.port(builder_.port_index(query.node, query.port)).known = false;
  if (query.kind == QueryKind::p_key_table)
    unread_p_keys_.insert({.node = builder_.node(query.node).guid, .port = query.port});
  if (query.kind != QueryKind::node_info_behind) {
    // A switch that stopped answering is left out, so that the others are routed without it.
    if (reply.fault == mad::SmpFault::node_silent && builder_.node(query.node).is_switch())
      builder_.forget_switch_info(query.node);
    remember_link_of(query.node);
    return note_silence(query.node, request.attribute, reply.status);
  }
  note_silence_behind(query);
}

/// Keeps the PortGUID of a silent node that the last subnet had there, and the next one may not
/// have: later surveys need it for the M_Key of their requests. A node that is new proves nothing.
void Discovery::remember_link_of(NodeIndex node) {
  if (options_.m_keys == nullptr || node == own_node_) return;
  const PortIndex front = front_of(node);
  const mad::Guid expected = front == kNoIndex ? mad::Guid{} : expected_behind(front);
  if (expected == mad::Guid{}) return;
  options_.m_keys->note_behind(builder_.draft().m_key_port(front), builder_.port(front).number,
                               expected);
}

/// Returns the name of the node that was behind the port latest; "" if none is known.
std::string Discovery::last_name_behind(PortIndex port) const {
  if (const Port* const before = earlier(port); before != nullptr && before->peer != kNoIndex)
    return options_.trusted->name(options_.trusted->ports[before->peer].node);
  const auto lost = options_.lost_names.behind.find(
      {.node = builder_.node(builder_.port(port).node).guid, .port = builder_.port(port).number});
  return lost == options_.lost_names.behind.end() ? std::string() : lost->second;
}

void Discovery::note_silence_behind(const Query& query) {
  if (query.node == kOwnNode)
    return report(kFabricConditions.node_silent, "the own port does not answer SubnGet(NodeInfo)");
  const PortIndex port = builder_.port_index(query.node, query.port);
  mad::Guid expected = expected_behind(port);
  if (is_elsewhere(expected, port)) expected = mad::Guid{};
  has_new_silence_ = has_new_silence_ || !was_silent(port);
  if (options_.m_keys != nullptr) {
    strangers_.push_back(port);
    // It may be away from the next subnet, and answer only to its key when it is back.
    if (expected != mad::Guid{})
      options_.m_keys->note_behind(builder_.draft().m_key_port(port), query.port, expected);
  }
  if (options_.m_keys == nullptr || !options_.m_keys->in_use() ||
      (options_.m_keys->standing(expected) == MKeys::Standing::confirmed &&
       !may_have_another_m_key(expected)))
    return silences_.note_behind(port, last_name_behind(port));
  std::string name;
  if (expected != mad::Guid{}) {
    const Fabric* const before = options_.trusted;
    const bool is_known = before != nullptr && before->port_of_guid.contains(expected);
    name = is_known ? before->port_name(before->port_of_guid.at(expected))
                    : fmt::format("PortGUID {}", expected);
  }
  silences_.note_unknown_m_key_behind(port, expected, std::move(name));
}

/// True if this survey has found the port (of the last subnet) behind another port than `front`.
bool Discovery::is_elsewhere(mad::Guid port, PortIndex front) const {
  if (options_.trusted == nullptr) return false;
  const Fabric& before = *options_.trusted;
  const auto found = before.port_of_guid.find(port);
  if (found == before.port_of_guid.end()) return false;
  const NodeIndex node = builder_.find(before.owning_node(found->second).guid);
  if (node == kNoIndex || builder_.node(node).is_switch()) return false;
  const PortIndex peer =
      builder_.port(builder_.port_index(node, before.ports[found->second].number)).peer;
  return peer != kNoIndex && peer != front;
}

/// Returns how often a request without a response is repeated. Behind a port of a switch there may
/// be a host that hangs. The survey waits twice only for a node that answered the last survey, or
/// where SMPs are lost. A light sweep reads behind the other ports again soon.
unsigned Discovery::extra_rounds(const Query& query) const {
  if (query.kind != QueryKind::node_info_behind || query.node == kOwnNode) return kExtraRounds;
  const Port* const before = earlier(builder_.port_index(query.node, query.port));
  const bool answered = before != nullptr && before->peer != kNoIndex;
  return answered || client_.statistics().lost > lost_before_ ? 1 : 0;
}

/// True if another manager may have changed the key of a silent port: the port has reported a
/// request of this manager, or its device responds at another port. Otherwise the port is hung.
bool Discovery::may_have_another_m_key(mad::Guid port) {
  if (options_.m_keys->refuses(port)) return true;
  if (options_.trusted == nullptr) return false;
  const auto before = options_.trusted->port_of_guid.find(port);
  if (before == options_.trusted->port_of_guid.end()) return false;
  const NodeIndex node = builder_.find(options_.trusted->owning_node(before->second).guid);
  if (node == kNoIndex) return false;
  const Node& device = builder_.node(node);
  for (PortIndex other = device.first_port; other < device.first_port + device.num_ports; ++other)
    if (builder_.port(other).known && builder_.port(other).guid != port) {
      options_.m_keys->note_refusal(port);  // the next survey does not know this port's device
      return true;
    }
  return false;
}

/// Leaves out a port that answers to Gets but would not take a Set. The own port is kept, since
/// everything else is reached through it.
void Discovery::leave_out_unknown_key(const Query& query) {
  const PortIndex port = builder_.port_index(query.node, query.port);
  unread_.insert(builder_.node(query.node).guid);
  silences_.note_unknown_m_key(port);
  if (query.node == own_node_) return take_port_info(query, builder_.port(port).info);
  if (builder_.node(query.node).is_switch()) builder_.forget_switch_info(query.node);
}

/// Requests both ends of a link again until they agree: the link changed between the two reads, or
/// one port shows a wrong state.
void Discovery::note_disagreeing_ends(const Fabric& fabric) {
  for (const Condition& condition : fabric.conditions) {
    if (condition.id != kFabricConditions.link_ends_disagree || !condition.port) continue;
    const Port& here =
        fabric.ports[fabric.port(fabric.node_of_guid.at(condition.guid), *condition.port)];
    const std::array ends{condition.guid, fabric.owning_node(here.peer).guid};
    // A partial survey that read neither of them shows nothing new.
    if (std::ranges::any_of(ends, [&](mad::Guid guid) { return was_read(builder_.find(guid)); }))
      unread_.insert(ends.begin(), ends.end());
  }
}

/// Notes end ports without PortInfo: a partial survey may have read their CA or router by another
/// port.
void Discovery::note_unread_ports() {
  for (NodeIndex index{0}; index < read_.size(); ++index) {
    const Node& node = builder_.node(index);
    if (!read_[index] || node.is_switch()) continue;
    for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port)
      if (builder_.port(port).peer != kNoIndex && !builder_.port(port).known)
        unread_.insert(node.guid);
  }
}

void Discovery::note_silence(NodeIndex node, mad::AttributeId attribute, std::uint16_t status) {
  unread_.insert(builder_.node(node).guid);
  silences_.note(node, attribute, status);
}

}  // namespace sm
