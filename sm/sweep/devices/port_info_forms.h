#pragma once
// Decides which form of PortInfo a survey requests: with the modifier of extended speeds (bit 31),
// or without it from devices that do not know it. Some of them reject the modifier, some do not
// answer.

#include <unordered_map>
#include <unordered_set>

#include "fabric/index.h"

namespace sm {

class PortInfoForms {
 public:
  bool knows(NodeIndex node) const { return nodes_.contains(node); }
  /// Sets the form that the last survey used for the node, if none is known yet.
  void expect(NodeIndex node, bool extended) { nodes_.try_emplace(node, Form{extended}); }
  bool is_extended(NodeIndex node, PortIndex port) const {
    return nodes_.at(node).extended && !plain_ports_.contains(port);
  }

  void answered_extended(NodeIndex node) { nodes_.at(node).answers_extended = true; }
  /// Notes a status other than 0. If other ports of the node answer, it concerns only this port.
  void rejected(NodeIndex node, PortIndex port) {
    plain_ports_.insert(port);
    Form& form = nodes_.at(node);
    if (!form.answers_extended) form.extended = false, form.rejected = true;
  }
  /// Notes a missing response. False if the form is not the reason: the node has answered to it.
  bool was_silent(NodeIndex node) {
    Form& form = nodes_.at(node);
    if (form.answers_extended) return false;
    form.extended = false;
    return true;
  }
  /// Notes that the node has answered to the plain form, and has extended speeds in its
  /// CapabilityMask. Returns true if they must be requested now: its firmware was replaced, or
  /// responses were lost. It does so once in a survey, and not if the node has rejected them.
  bool retry_extended(NodeIndex node) {
    Form& form = nodes_.at(node);
    if (form.extended || form.rejected || form.requested_again) return false;
    form.requested_again = form.extended = true;
    return true;
  }

 private:
  struct Form {
    bool extended = true;
    bool answers_extended = false, rejected = false, requested_again = false;
  };
  std::unordered_map<NodeIndex, Form> nodes_;
  std::unordered_set<PortIndex> plain_ports_;  // that rejected the modifier
};

}  // namespace sm
