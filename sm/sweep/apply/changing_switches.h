#pragma once
// Switches that have reported a change of their links.

#include <bitset>

#include "mad/ids.h"

namespace sm {

/// By LID, as traps name them: before the first sweep has ended nothing else is known of them.
class ChangingSwitches {
 public:
  void note(mad::Lid lid) {
    if (!is_of_a_port(lid)) return;
    any_ = true;
    lids_.set(lid.value);
  }
  bool empty() const { return !any_; }
  bool contains(mad::Lid lid) const { return any_ && is_of_a_port(lid) && lids_.test(lid.value); }

 private:
  static bool is_of_a_port(mad::Lid lid) {
    return lid != mad::Lid{} && lid.value < mad::kMlidMin.value;
  }

  bool any_ = false;
  std::bitset<mad::kMlidMin.value> lids_;
};

}  // namespace sm
