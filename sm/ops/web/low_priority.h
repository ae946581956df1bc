#pragma once

namespace sm::web {

/// Lets the control thread run first where processors are short: this thread gets a nice value.
/// Where that is not allowed, nothing happens.
void lower_priority_of_this_thread();

}  // namespace sm::web
