#pragma once
// Which form of PortInfo is requested in a survey: with the modifier of extended speeds (bit 31),
// or without it, of devices that do not know it. Some of them reject the modifier, some do not
// answer to it.

#include <unordered_map>
#include <unordered_set>

#include "fabric/index.h"

namespace sm {

class PortInfoForms {
 public:
  bool knows(NodeIndex node) const { return nodes_.contains(node); }
  /// Takes what the last survey says of the node, if it is not known yet.
  void expect(NodeIndex node, bool extended) { nodes_.try_emplace(node, Form{extended}); }
  bool is_extended(NodeIndex node, PortIndex port) const {
    return nodes_.at(node).extended && !plain_ports_.contains(port);
  }

  void answered_extended(NodeIndex node) { nodes_.at(node).answers_extended = true; }
  /// A status other than 0. Where other ports of the node answer, it concerns this one alone.
  void rejected(NodeIndex node, PortIndex port) {
    plain_ports_.insert(port);
    Form& form = nodes_.at(node);
    if (!form.answers_extended) form.extended = false, form.rejected = true;
  }
  /// No response. False: it is no matter of the form, since the node has answered to it.
  bool was_silent(NodeIndex node) {
    Form& form = nodes_.at(node);
    if (form.answers_extended) return false;
    form.extended = false;
    return true;
  }
  /// The node has answered to the plain form, and its CapabilityMask has extended speeds. True:
  /// they are to be requested now: its firmware was replaced, or responses were lost. Once in a
  /// survey, and not where the node has rejected them.
  bool has_them_nevertheless(NodeIndex node) {
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
